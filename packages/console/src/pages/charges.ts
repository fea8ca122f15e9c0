import type { ChargeSummary } from "@till402/core"
import { html } from "hono/html"
import type { LiveCall } from "../LiveCalls.ts"
import { chargeStates, dollars, networkName, words } from "../text.ts"
import { actionLinks } from "./acting.ts"
import { choices, code, facts, type Html, olderLink, page, type PageContext, table, time } from "./layout.ts"
import { type Listed, number, path, wallet, wide } from "./record.ts"
import { outcomeBadge, outcomeOf, outcomeOfCharge, story } from "./story.ts"

export const chargeTable = ({ base }: PageContext, charges: ReadonlyArray<ChargeSummary>): Html =>
  table(
    ["Created (UTC)", "Call", "Outcome", number("Amount"), wide("Payer"), wide("Network")],
    charges.map(
      (charge) =>
        html`<tr>
          <td>${time(charge.createdAt)}</td>
          <th scope="row"><a href="${path(base, "charges", charge.key)}">${words(charge.operation)}</a></th>
          <td>${outcomeBadge(outcomeOfCharge(charge))}</td>
          <td class="number">${dollars(charge.amountAtomic)}</td>
          <td class="wide">${wallet(charge.payer)}</td>
          <td class="wide">${networkName(charge.network)}</td>
        </tr>`
    ),
    "No charge."
  )

export const chargesPage = (context: PageContext, charges: Listed<ChargeSummary>, state: string): Html =>
  page(context, {
    section: "charges",
    title: "Charges",
    content: html`<div class="head"><h1>Charges</h1></div>
      <p>A charge is one payment for one request.</p>
      ${choices("State", `${context.base}/charges`, [["", "All"], ...Object.entries(chargeStates)], state)}
      ${chargeTable(context, charges.items)} ${olderLink(charges.older)}`
  })

/** What was paid, on which network, and by whom. */
export const paidText = ({ amountAtomic, network, payer }: ChargeSummary): string =>
  `${dollars(amountAtomic)} on ${networkName(network)}, by ${payer}`

export const chargePage = (
  context: PageContext,
  { call, charge }: { readonly call: LiveCall | undefined; readonly charge: ChargeSummary }
): Html => {
  const outcome = outcomeOf(charge, call) ?? outcomeOfCharge(charge)
  return page(context, {
    section: "charges",
    title: `${words(charge.operation)}, ${dollars(charge.amountAtomic)}`,
    content: html`<div class="head">
        <h1>${words(charge.operation)} · ${dollars(charge.amountAtomic)}</h1>
        ${outcomeBadge(outcome)}
      </div>
      ${story({ call, charge, outcome })}
      ${facts([
        ["Payer", code(charge.payer)],
        ["Paid to", code(charge.payTo)],
        ["Network", networkName(charge.network)],
        ["Transaction", charge.transaction && code(charge.transaction)],
        ["Payment id", charge.paymentId && code(charge.paymentId)],
        ["Failed attempts to learn its outcome", charge.attempts === 0 ? undefined : String(charge.attempts)],
        ["Charge", code(charge.key)]
      ])}
      ${actionLinks(context, charge.refund === "due" ? ["charges.recordRefund"] : [], charge.key)}`
  })
}
