import type { LedgerCheck, LedgerLine } from "@till402/core"
import { html } from "hono/html"
import { count, dollars, grouped, sentence, words } from "../text.ts"
import {
  badge,
  code,
  type Html,
  olderLink,
  page,
  type PageContext,
  table,
  time,
  type Tone
} from "./layout.ts"
import { type Listed, number, path, wallet, wide } from "./record.ts"

const kindTones: Readonly<Record<LedgerLine["kind"], Tone>> = {
  settled: "good",
  refund_due: "warn",
  refunded: "warn",
  reversed: "bad"
}

export const ledgerTable = ({ base }: PageContext, lines: ReadonlyArray<LedgerLine>): Html =>
  table(
    ["Entered (UTC)", "Kind", "Call", number("Amount"), wide("Payer"), wide("Transaction")],
    lines.map(
      (line) =>
        html`<tr>
          <td>${time(line.at)}</td>
          <td>${badge(kindTones[line.kind], sentence(words(line.kind)))}</td>
          <th scope="row"><a href="${path(base, "charges", line.chargeKey)}">${words(line.operation)}</a></th>
          <td class="number">${dollars(line.amountAtomic)}</td>
          <td class="wide">${wallet(line.payer)}</td>
          <td class="wide">${line.transaction === undefined ? "" : code(line.transaction)}</td>
        </tr>`
    ),
    "No entry."
  )

/** A check of the ledger, and when it began. */
export interface Audited {
  readonly at: Date
  readonly audit: LedgerCheck
}

const auditNotice = ({ at, audit }: Audited): Html =>
  audit.isBalanced
    ? html`<p class="notice good" role="status">
        At ${time(at)} UTC, charges and ledger agreed: ${count(audit.settledCharges, "settled charge")} and
        ${audit.settledEntries === 1 ? "1 entry" : `${grouped(String(audit.settledEntries))} entries`} of the
        last seven days.
        ${audit.chain === undefined ? "" : `Entries with exactly one transfer on the chain: ${audit.chain.provenEntries}. Entries that can't be checked yet: ${audit.chain.openEntries}. Transfers without an entry: ${audit.chain.foreignTransfers}.`}
      </p>`
    : html`<div class="notice bad" role="alert">
        <p>At ${time(at)} UTC, charges and ledger disagreed in ${count(audit.faults.length, "place")}:</p>
        <ul>
          ${audit.faults.map(({ chargeKey, fault }) => html`<li>${code(chargeKey)} ${fault}</li>`)}
        </ul>
      </div>`

export const ledgerPage = (
  context: PageContext,
  {
    audited,
    canReadChain,
    day,
    lines
  }: {
    readonly lines: Listed<LedgerLine>
    readonly day: string
    readonly audited: Audited | undefined
    readonly canReadChain: boolean
  }
): Html => {
  const { base } = context
  return page(context, {
    section: "ledger",
    title: "Ledger",
    content: html`<div class="head"><h1>Ledger</h1></div>
      <p>Appended with each payment and refund, and never changed.</p>
      <form class="filter" action="${base}/ledger">
        <label for="day">Day (UTC)</label>
        <input id="day" name="day" type="date" value="${day}" />
        <button type="submit">Show</button>
        <button type="submit" name="check" value="ledger">Check against charges</button>
        ${canReadChain ? html`<button type="submit" name="check" value="chain">Check against the chain</button>` : ""}
        <a href="${base}/ledger/export.csv">CSV of all</a>
      </form>
      ${audited === undefined ? "" : auditNotice(audited)} ${ledgerTable(context, lines.items)}
      ${olderLink(lines.older)}`
  })
}
