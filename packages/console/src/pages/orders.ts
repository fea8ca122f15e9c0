import type { ChargeSummary, Money, Order } from "@till402/core"
import { html } from "hono/html"
import { addressText, dollars, orderStatus, short, words } from "../text.ts"
import { actionLinks } from "./acting.ts"
import {
  badge,
  choices,
  code,
  facts,
  type Html,
  olderLink,
  page,
  type PageContext,
  table,
  time,
  type Tone
} from "./layout.ts"
import { type Listed, number, path, wide } from "./record.ts"
import { paidText } from "./charges.ts"
import { outcomeOfCharge, story } from "./story.ts"

const orderTones: Readonly<Partial<Record<Order["status"], Tone>>> = {
  needs_operator: "bad",
  refund_due: "warn",
  refunded: "warn",
  failed: "bad",
  cancelled: "warn",
  placed: "info",
  shipped: "info",
  placing: "info",
  processing: "info",
  delivered: "good"
}

const toneOf = ({ status }: Pick<Order, "status">): Tone => orderTones[status] ?? "quiet"

const statusBadge = (order: Pick<Order, "status">): Html => badge(toneOf(order), orderStatus(order.status))

const moneyText = ({ atomic, currency }: Money): string =>
  currency === "USD" ? dollars(atomic) : `${dollars(atomic).slice(1)} ${currency}`

const itemText = ({ product }: Order): string =>
  product.source === "marketplace_a" ? product.asin : product.productUrl

export const orderTable = ({ base }: PageContext, orders: ReadonlyArray<Order>): Html =>
  table(
    [wide("Created (UTC)"), "Order", "Status", wide("Item"), number("Total"), wide("Reason")],
    orders.map(
      (order) =>
        html`<tr>
          <td class="wide">${time(new Date(order.createdAtMillis))}</td>
          <th scope="row" class="text">
            <a href="${path(base, "orders", order.id)}"><code>${short(order.id)}</code></a>
            <small class="narrow">${time(new Date(order.createdAtMillis))}</small>
            <small class="narrow">${order.offer.product.title}</small>
            ${order.reason === undefined ? "" : html`<small class="narrow">Reason: ${words(order.reason)}</small>`}
          </th>
          <td>${statusBadge(order)}</td>
          <td class="text wide">${order.offer.product.title}</td>
          <td class="number">${moneyText(order.offer.total)}</td>
          <td class="wide">${order.reason === undefined ? "" : words(order.reason)}</td>
        </tr>`
    ),
    "No order."
  )

/** The statuses that a list can be narrowed to. */
export const listedStatuses = [
  "needs_operator",
  "processing",
  "placing",
  "placed",
  "shipped",
  "delivered",
  "refund_due",
  "refunded"
] as const

export const ordersPage = (context: PageContext, orders: Listed<Order>, status: string): Html =>
  page(context, {
    section: "orders",
    title: "Orders",
    content: html`<div class="head"><h1>Orders</h1></div>
      ${choices(
        "Status",
        `${context.base}/orders`,
        [["", "All"], ...listedStatuses.map((status) => [status, orderStatus(status)] as const)],
        status
      )}
      ${orderTable(context, orders.items)} ${olderLink(orders.older)}`
  })

/** An order that an action is about, with the money that may move. */
export const orderFacts = ({ offer, status }: Order, charge: ChargeSummary | undefined): Html =>
  facts([
    ["Title", offer.product.title],
    ["Status", orderStatus(status)],
    ["Total", moneyText(offer.total)],
    ["Paid", charge && paidText(charge)]
  ])

/** The actions that an order's status allows. */
const orderActions = ({ status, upstreamReference }: Order): ReadonlyArray<string> => {
  switch (status) {
    case "needs_operator":
      return upstreamReference === undefined
        ? ["orders.retry", "orders.resolve", "orders.cancel"]
        : ["orders.resolve", "orders.markDelivered", "orders.cancel"]
    case "refund_due":
      return ["orders.processNow", "orders.markRefunded"]
    case "processing":
    case "placed":
    case "shipped":
      return ["orders.processNow", "orders.cancel"]
    default:
      return []
  }
}

const orderPath = ["awaiting_payment", "processing", "placing", "placed", "shipped", "delivered"] as const

/** The statuses that an order has been in, with their times, and those that are still before it. */
const orderSteps = (order: Order): Html => {
  const reached = orderPath.findIndex((step) => step === order.status)
  const open = reached < 0 ? [] : orderPath.slice(reached + 1)
  const at = (atMillis: number): Html => html`<small>${time(new Date(atMillis))}</small>`
  return html`<ol class="way" aria-label="The way of an order">
    ${order.timeline
      .slice(0, -1)
      .map(({ atMillis, status }) => html`<li class="done">${orderStatus(status)} ${at(atMillis)}</li>`)}
    <li class="${reached < 0 ? `left ${toneOf(order)}` : "done"}" aria-current="step">
      ${orderStatus(order.status)} ${at(order.updatedAtMillis)}
    </li>
    ${open.map((status) => html`<li class="open">${orderStatus(status)}</li>`)}
  </ol>`
}

/** What an operator finds out and does, of an order that waits for one. */
const advice = ({ status, upstreamReference }: Order): string => {
  if (status !== "needs_operator") return ""
  return upstreamReference === undefined
    ? "It may have been placed, and nobody else can tell. Look for it at the marketplace: if it isn't there, place it again; if it is, resolve it with its reference."
    : "Look it up at the marketplace. If it is on its way, resolve it with its reference, and its status is read again. If it has arrived, mark it as delivered."
}

const reasonNotice = (order: Order): Html | string => {
  const { reason } = order
  if (reason === undefined && advice(order) === "") return ""
  return html`<p class="notice ${toneOf(order) === "bad" ? "bad" : "warn"}">
    ${reason === undefined ? "" : `Reason: ${words(reason)}.`} ${advice(order)}
  </p>`
}

/** An order that came on its way has had its response, whatever became of it since. */
const wasAnswered = ({ status }: Order): boolean => status !== "awaiting_payment" && status !== "abandoned"

export const orderPage = (
  context: PageContext,
  { charge, order }: { readonly order: Order; readonly charge: ChargeSummary | undefined }
): Html =>
  page(context, {
    section: "orders",
    title: `Order ${short(order.id)}`,
    content: html`<div class="head">
        <h1>Order <code>${short(order.id)}</code></h1>
        ${statusBadge(order)}
      </div>
      ${reasonNotice(order)} ${orderSteps(order)} ${actionLinks(context, orderActions(order), order.id)}
      ${facts([
        ["Item", itemText(order)],
        ["Title", order.offer.product.title],
        ["Total", moneyText(order.offer.total)],
        ["Created (UTC)", time(new Date(order.createdAtMillis))],
        ["Last change (UTC)", time(new Date(order.updatedAtMillis))],
        [
          "Next step due (UTC)",
          order.stepAtMillis === undefined ? undefined : time(new Date(order.stepAtMillis))
        ],
        ["Failed attempts of this step", order.attempts === 0 ? undefined : String(order.attempts)],
        ["Upstream's reference", order.upstreamReference && code(order.upstreamReference)],
        [
          "Parcels",
          order.shipments
            .map(({ carrier = "", trackingNumber }) => `${carrier} ${trackingNumber}`.trim())
            .join(", ")
        ],
        ["Mails to send", order.mails.map(({ kind }) => kind).join(", ")],
        ["Email", order.email ?? "erased"],
        ["Ships to", addressText(order)],
        ["Order", code(order.id)]
      ])}
      <h2>Its payment</h2>
      ${
        charge === undefined
          ? html`<p class="none">Its charge isn't stored.</p>`
          : html`${story({ call: undefined, charge, outcome: outcomeOfCharge(charge, wasAnswered(order)) })}
              <p><a href="${path(context.base, "charges", charge.key)}">The charge</a></p>`
      }`
  })
