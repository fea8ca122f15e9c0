import type { ChargeSummary, Order, VaultPurchase } from "@till402/core"
import {
  addressText,
  chargeState,
  type ConsoleSource,
  dollars,
  momentOf,
  networkName,
  orderStatus,
  words
} from "@till402/console/operate"
import { CommandFailed } from "../CommandFailed.ts"
import { labelled, type Output } from "../terminal/Output.ts"
import { orderTotal } from "./lists.ts"
import { jsonText } from "./text.ts"

/*
 * Single records.
 */

export type Fact = readonly [label: string, text: string | undefined]

/** Lines of facts; those without a text are left out. */
export const factLines = (facts: ReadonlyArray<Fact>): ReadonlyArray<string> =>
  facts.flatMap(([label, text]) => (text === undefined || text === "" ? [] : labelled(label, text)))

const momentOfMillis = (millis: number | undefined): string | undefined =>
  millis === undefined ? undefined : `${momentOf(new Date(millis))} UTC`

export const chargeFacts = (charge: ChargeSummary): ReadonlyArray<Fact> => [
  ["charge", charge.key],
  ["call", words(charge.operation)],
  ["state", chargeState(charge)],
  ["amount", dollars(charge.amountAtomic)],
  ["payer", charge.payer],
  ["paid to", charge.payTo],
  ["network", networkName(charge.network)],
  ["settled in", charge.transaction],
  ["reported", charge.reportedBy],
  ["payment id", charge.paymentId],
  ["attempts", charge.attempts === 0 ? undefined : `${charge.attempts} failed to learn its outcome`],
  ["created", momentOfMillis(charge.createdAt.getTime())],
  ["settled", momentOfMillis(charge.settledAt?.getTime())]
]

export const orderFacts = (order: Order, charge: ChargeSummary | undefined): ReadonlyArray<Fact> => [
  ["order", order.id],
  ["status", orderStatus(order.status)],
  ["reason", order.reason === undefined ? undefined : words(order.reason)],
  ["title", order.offer.product.title],
  ["item", order.product.source === "marketplace_a" ? order.product.asin : order.product.productUrl],
  ["total", orderTotal(order)],
  ["email", order.email ?? "erased"],
  ["ships to", addressText(order)],
  ["upstream", order.upstreamReference],
  [
    "parcels",
    order.shipments
      .map(({ carrier = "", trackingNumber }) => `${carrier} ${trackingNumber}`.trim())
      .join(", ")
  ],
  ["attempts", order.attempts === 0 ? undefined : `${order.attempts} of this step failed`],
  ["next step", momentOfMillis(order.stepAtMillis)],
  ["settled", momentOfMillis(charge?.settledAt?.getTime())],
  ...order.timeline.map(({ atMillis, status }, at): Fact => [
    at === 0 ? "timeline" : "",
    `${momentOfMillis(atMillis)} ${orderStatus(status)}`
  ]),
  ["charge", order.chargeKey]
]

const purchaseFacts = (purchase: VaultPurchase): ReadonlyArray<Fact> => [
  ["purchase", purchase.id],
  ["status", purchase.status],
  ["item", purchase.slug],
  ["email", purchase.email ?? "erased"],
  ["wallet", purchase.walletAddress],
  ["created", momentOfMillis(purchase.createdAtMillis)],
  ["charge", purchase.chargeKey]
]

/** @throws CommandFailed if nothing has this id */
export const existing = <Item>(found: Item | undefined, what: string, id: string): Item => {
  if (found === undefined) throw new CommandFailed(`there is no ${what} ${id}`)
  return found
}

const show = <Item>(
  item: Item,
  facts: (item: Item) => ReadonlyArray<Fact>,
  json: boolean,
  { print }: Output
): void => {
  if (json) print(jsonText(item))
  else for (const line of factLines(facts(item))) print(line)
}

export type Shown = "order" | "charge" | "purchase"

/** Prints a record. */
export const showRecord = async (
  calls: ConsoleSource,
  what: Shown,
  id: string,
  { json, output }: { readonly json: boolean; readonly output: Output }
): Promise<void> => {
  switch (what) {
    case "order": {
      const order = existing(await calls.orders.find(id), what, id)
      const charge = json ? undefined : await calls.charges.find(order.chargeKey)
      return show(order, (found) => orderFacts(found, charge), json, output)
    }
    case "charge":
      return show(existing(await calls.charges.find(id), what, id), chargeFacts, json, output)
    case "purchase":
      return show(existing(await calls.vault.findPurchase(id), what, id), purchaseFacts, json, output)
  }
}
