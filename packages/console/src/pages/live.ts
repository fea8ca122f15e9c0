import type { ChargeSummary } from "@till402/core"
import { html } from "hono/html"
import type { LiveCall, LiveCounts } from "../LiveCalls.ts"
import { dollars, short, words } from "../text.ts"
import { code, facts, type Html, page, type PageContext, shortTime, time } from "./layout.ts"
import {
  type Outcome,
  outcomeBadge,
  outcomeOf,
  outcomeOfCall,
  outcomeOfCharge,
  payerOf,
  stepDots,
  story
} from "./story.ts"

/** A row of the live page. */
interface LiveRow {
  readonly id: string
  readonly href: string
  readonly at: Date
  readonly operation: string
  readonly outcome: Outcome
  readonly amountAtomic: bigint | undefined
  readonly payer: string | undefined
  readonly durationMillis: number | undefined
}

const chargeHref = (base: string, key: string): string => `${base}/charges/${encodeURIComponent(key)}`

const rowOfCall = (call: LiveCall, base: string): LiveRow => {
  const last = call.events.at(-1)!
  return {
    id: call.id,
    href: `${base}/call/${call.id}`,
    at: last.at,
    operation: call.operation,
    outcome: outcomeOfCall(call),
    amountAtomic: call.events.findLast(({ amountAtomic }) => amountAtomic !== undefined)?.amountAtomic,
    payer: payerOf(call),
    durationMillis: call.events.findLast(({ durationMillis }) => durationMillis !== undefined)?.durationMillis
  }
}

const rowOfCharge = (charge: ChargeSummary, base: string): LiveRow => ({
  id: "",
  href: chargeHref(base, charge.key),
  at: charge.settledAt ?? charge.createdAt,
  operation: charge.operation,
  outcome: outcomeOfCharge(charge),
  amountAtomic: charge.amountAtomic,
  payer: charge.payer,
  durationMillis: undefined
})

const rowHtml = (row: LiveRow, now: Date): Html =>
  html`<tr ${row.id === "" ? "" : html`id="${row.id}"`}>
    <td class="when">${shortTime(row.at, now)}</td>
    <th scope="row">
      <a href="${row.href}">${words(row.operation)}</a
      >${row.outcome.reason === undefined || words(row.outcome.reason) === row.outcome.text.toLowerCase() ? "" : html` <small>${words(row.outcome.reason)}</small>`}
    </th>
    <td>${outcomeBadge(row.outcome)}</td>
    <td class="wide">${stepDots(row.outcome)}</td>
    <td class="number">${row.amountAtomic === undefined ? "" : dollars(row.amountAtomic)}</td>
    <td class="wide">
      ${row.payer === undefined ? "" : html`<code title="${row.payer}">${short(row.payer)}</code>`}
    </td>
    <td class="number wide">${row.durationMillis === undefined ? "" : `${row.durationMillis} ms`}</td>
  </tr>`

/** The row of a call, for the page and for browsers that have it open. */
export const liveRow = (call: LiveCall, base: string, now: Date): Html => rowHtml(rowOfCall(call, base), now)

/** The numbers of the strip, by the names of their places. */
export const stripCounts = ({
  byCode,
  endedUnknown,
  settledAtomic,
  unknown
}: LiveCounts): Readonly<Record<string, string>> => {
  const served = byCode.payment_paid + byCode.payment_replayed
  const presented = served + byCode.payment_refused + byCode.payment_failed
  return {
    requests: String(byCode.payment_required + presented),
    required: String(byCode.payment_required),
    refused: String(byCode.payment_refused),
    failed: String(byCode.payment_failed - endedUnknown),
    unknown: String(unknown),
    settled: dollars(settledAtomic),
    responses: String(served)
  }
}

const strip: ReadonlyArray<readonly [name: string, text: string, count: string, unit: string]> = [
  ["Request", "A program calls a paid route.", "requests", "calls"],
  ["402", "Without a payment, it gets the price.", "required", "sent"],
  ["Verification", "Signature, amount and funds are checked.", "refused", "refused"],
  ["Work", "The route does its work.", "failed", "failed"],
  ["Settlement", "The money moves on the chain.", "settled", "received"],
  ["Response", "The caller gets what it paid for.", "responses", "sold"]
]

const lifeStrip = (counts: LiveCounts): Html => {
  const values = stripCounts(counts)
  return html`<ol class="life" aria-label="The life of a payment, with counts since this process started">
    ${strip.map(
      ([name, text, count, unit]) =>
        html`<li>
          <h2>${name}</h2>
          <p>${text}</p>
          <p class="count">
            <strong data-count="${count}">${values[count]}</strong>
            ${unit}${count === "settled" ? html`, <span data-count="unknown">${values["unknown"]}</span> unknown` : ""}
          </p>
        </li>`
    )}
  </ol>`
}

/** A call that a visitor of a demonstration can have made, by a button. */
export interface TryOut {
  /** Text of the button: `Pay for a search`. */
  readonly title: string
  readonly run: () => Promise<void>
}

const tryOuts = ({ base, token, visitor }: PageContext, offered: ReadonlyArray<TryOut>): Html | string =>
  offered.length === 0 || visitor.role !== "admin"
    ? ""
    : html`<section class="try" aria-label="Try it">
        <h2>Try it:</h2>
        ${offered.map(
          ({ title }, index) =>
            html`<form method="post" action="${base}/try/${index}">
              <input type="hidden" name="token" value="${token}" />
              <button type="submit">${title}</button>
            </form>`
        )}
      </section>`

const demonstration = html`<p>
  This is a demonstration with play money. Till402 is a library: it adds such calls to your own server.
</p>`

interface LivePage {
  readonly calls: ReadonlyArray<LiveCall>
  readonly counts: LiveCounts
  /** The newest charges of all processes. */
  readonly charges: ReadonlyArray<ChargeSummary>
  readonly isLive: boolean
  readonly tryOuts: ReadonlyArray<TryOut>
}

const maxRows = 60

export const livePage = (
  context: PageContext,
  { calls, charges, counts, isLive, tryOuts: offered }: LivePage
): Html => {
  const { base, now } = context
  const known = new Set(calls.map(({ chargeKey }) => chargeKey))
  const rows = [
    ...calls.map((call) => rowOfCall(call, base)),
    ...charges.filter(({ key }) => !known.has(key)).map((charge) => rowOfCharge(charge, base))
  ]
    .toSorted((left, right) => right.at.getTime() - left.at.getTime())
    .slice(0, maxRows)
  return page(context, {
    section: "",
    title: "Live",
    refreshSeconds: 5,
    content: html`<div class="lead">
        <h1>This server charges for its calls</h1>
        <p>
          A call without a payment gets <strong>402</strong> and a price. A program that pays, in dollars on a
          blockchain, gets its response in the same request.
        </p>
        ${offered.length === 0 ? "" : demonstration}
      </div>
      ${isLive ? lifeStrip(counts) : ""} ${tryOuts(context, offered)}
      <section aria-labelledby="calls">
        <div class="head">
          <h2 id="calls">Calls as they happen</h2>
          <p class="pulse" data-status role="status">
            ${isLive ? "Refreshes every 5 seconds" : "Stored charges"}
          </p>
        </div>
        <div class="scroll" tabindex="0" role="region" aria-label="Calls">
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Call</th>
                <th scope="col">Outcome</th>
                <th scope="col" class="wide">Steps</th>
                <th scope="col" class="number">Amount</th>
                <th scope="col" class="wide">Payer</th>
                <th scope="col" class="number wide">Took</th>
              </tr>
            </thead>
            <tbody ${isLive ? html`data-live="${base}/call/events"` : ""}>
              ${rows.map((row) => rowHtml(row, now))}
            </tbody>
          </table>
        </div>
        ${rows.length === 0 ? html`<p class="none" data-none>No call yet. It appears here as soon as it arrives.</p>` : ""}
      </section>`
  })
}

/** One call, with all that is known of it. */
export const callPage = (
  context: PageContext,
  { call, charge }: { readonly call: LiveCall; readonly charge: ChargeSummary | undefined }
): Html => {
  const outcome = outcomeOf(charge, call) ?? outcomeOfCall(call)
  return page(context, {
    section: "",
    title: words(call.operation),
    content: html`<div class="head">
        <h1>${words(call.operation)}</h1>
        ${outcomeBadge(outcome)}
      </div>
      ${story({ call, charge, outcome })}
      ${facts([
        [
          "Charge",
          // A refused payment has a key, and no charge is stored.
          charge && html`<a href="${chargeHref(context.base, charge.key)}">${code(charge.key)}</a>`
        ],
        ["Payer", payerOf(call) && code(payerOf(call)!)]
      ])}
      <h2>Events</h2>
      <ul class="events">
        ${call.events.map(
          (event) =>
            html`<li>
              ${time(event.at)}
              <code>${event.code}</code
              >${event.reason === undefined ? "" : html` <code>${event.reason}</code>`}${event.durationMillis === undefined ? "" : ` ${event.durationMillis} ms`}
            </li>`
        )}
      </ul>`
  })
}
