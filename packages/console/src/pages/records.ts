import type {
  ChargeSummary,
  DueRefund,
  LedgerCheck,
  LedgerLine,
  Money,
  Order,
  RefundStatus,
  VaultPurchase
} from "@till402/core"
import { html } from "hono/html"
import type { LiveCall } from "../LiveCalls.ts"
import { dollars, networkName, short, words } from "../text.ts"
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
import { outcomeBadge, outcomeOfCall, outcomeOfCharge, story } from "./story.ts"

/*
 * Charges, orders, purchases, refunds and the ledger, as the till's calls return them.
 */

const path = (base: string, section: string, id: string): string =>
  `${base}/${section}/${encodeURIComponent(id)}`

const number = (head: string) => ({ head, className: "number" })

/** A list with the link to its next page. */
export interface Listed<Item> {
  readonly items: ReadonlyArray<Item>
  readonly older: string | undefined
}

const wallet = (address: string): Html => html`<code title="${address}">${short(address)}</code>`

export const chargeTable = ({ base }: PageContext, charges: ReadonlyArray<ChargeSummary>): Html =>
  table(
    ["Created (UTC)", "Call", "Outcome", number("Amount"), "Payer", "Network"],
    charges.map(
      (charge) =>
        html`<tr>
          <td>${time(charge.createdAt)}</td>
          <th scope="row"><a href="${path(base, "charges", charge.key)}">${words(charge.operation)}</a></th>
          <td>${outcomeBadge(outcomeOfCharge(charge))}</td>
          <td class="number">${dollars(charge.amountAtomic)}</td>
          <td>${wallet(charge.payer)}</td>
          <td>${networkName(charge.network)}</td>
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
      ${choices(
        "State",
        `${context.base}/charges`,
        [
          ["", "All"],
          ["claimed", "Working"],
          ["ready", "Settling"],
          ["settled", "Settled"],
          ["voided", "Not charged"]
        ],
        state
      )}
      ${chargeTable(context, charges.items)} ${olderLink(charges.older)}`
  })

export const chargePage = (
  context: PageContext,
  { call, charge }: { readonly call: LiveCall | undefined; readonly charge: ChargeSummary }
): Html => {
  const stored = outcomeOfCharge(charge)
  const outcome = charge.refund === undefined && call !== undefined ? outcomeOfCall(call) : stored
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

const statusBadge = ({ status }: Pick<Order, "status">): Html =>
  badge(orderTones[status] ?? "quiet", words(status))

const moneyText = ({ atomic, currency }: Money): string =>
  currency === "USD" ? dollars(atomic) : `${dollars(atomic).slice(1)} ${currency}`

const itemText = ({ product }: Order): string =>
  product.source === "marketplace_a" ? product.asin : product.productUrl

export const orderTable = ({ base }: PageContext, orders: ReadonlyArray<Order>): Html =>
  table(
    ["Created (UTC)", "Order", "Status", "Item", number("Total"), "Reason"],
    orders.map(
      (order) =>
        html`<tr>
          <td>${time(new Date(order.createdAtMillis))}</td>
          <th scope="row">
            <a href="${path(base, "orders", order.id)}"><code>${short(order.id)}</code></a>
          </th>
          <td>${statusBadge(order)}</td>
          <td class="text">${order.offer.product.title}</td>
          <td class="number">${moneyText(order.offer.total)}</td>
          <td>${order.reason === undefined ? "" : words(order.reason)}</td>
        </tr>`
    ),
    "No order."
  )

export const ordersPage = (context: PageContext, orders: Listed<Order>, status: string): Html =>
  page(context, {
    section: "orders",
    title: "Orders",
    content: html`<div class="head"><h1>Orders</h1></div>
      ${choices(
        "Status",
        `${context.base}/orders`,
        [
          ["", "All"],
          ["needs_operator", "Needs you"],
          ["processing", "Processing"],
          ["placed", "Placed"],
          ["shipped", "Shipped"],
          ["delivered", "Delivered"],
          ["refund_due", "Refund due"],
          ["refunded", "Refunded"]
        ],
        status
      )}
      ${orderTable(context, orders.items)} ${olderLink(orders.older)}`
  })

/** The actions that an order's status allows. */
const orderActions = ({ status }: Order): ReadonlyArray<string> => {
  switch (status) {
    case "needs_operator":
      return ["orders.retry", "orders.resolve", "orders.markDelivered", "orders.cancel"]
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

const orderPath = ["processing", "placing", "placed", "shipped", "delivered"] as const

/** The way of an order that goes well, and where this one is. */
const orderSteps = (order: Order): Html => {
  const reached = orderPath.findIndex((status) => status === order.status)
  return html`<ol class="way" aria-label="The way of an order">
    ${orderPath.map(
      (status, index) =>
        html`<li
          class="${index <= reached ? "done" : "open"}"
          ${index === reached ? html`aria-current="step"` : ""}
        >
          ${words(status)}
        </li>`
    )}
  </ol>`
}

const addressText = ({ shippingAddress }: Order): string =>
  shippingAddress === undefined
    ? "erased"
    : Object.values(shippingAddress)
        .filter((part) => typeof part === "string" && part !== "")
        .join(", ")

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
      ${order.reason === undefined ? "" : html`<p class="notice warn">Reason: ${words(order.reason)}</p>`}
      ${orderSteps(order)} ${actionLinks(context, orderActions(order), order.id)}
      ${facts([
        ["Item", itemText(order)],
        ["Title", order.offer.product.title],
        ["Total", moneyText(order.offer.total)],
        ["Created", time(new Date(order.createdAtMillis))],
        ["Last change", time(new Date(order.updatedAtMillis))],
        ["Next step due", order.stepAtMillis === undefined ? undefined : time(new Date(order.stepAtMillis))],
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
          : html`${story({ call: undefined, charge, outcome: outcomeOfCharge(charge) })}
              <p><a href="${path(context.base, "charges", charge.key)}">The charge</a></p>`
      }`
  })

export const purchaseTable = ({ base }: PageContext, purchases: ReadonlyArray<VaultPurchase>): Html =>
  table(
    ["Created (UTC)", "Item", "Purchase", "Email", "Charge"],
    purchases.map(
      ({ chargeKey, createdAtMillis, email, id, slug }) =>
        html`<tr>
          <td>${time(new Date(createdAtMillis))}</td>
          <th scope="row" class="text">${slug}</th>
          <td><code title="${id}">${short(id)}</code></td>
          <td class="text">${email ?? "erased"}</td>
          <td><a href="${path(base, "charges", chargeKey)}">charge</a></td>
        </tr>`
    ),
    "No purchase."
  )

export const purchasesPage = (context: PageContext, purchases: Listed<VaultPurchase>): Html =>
  page(context, {
    section: "purchases",
    title: "Purchases",
    content: html`<div class="head"><h1>Purchases</h1></div>
      <p>Digital items of the vault whose payment has settled.</p>
      ${purchaseTable(context, purchases.items)} ${olderLink(purchases.older)}`
  })

export const refundsPage = (
  context: PageContext,
  { due, status }: { readonly due: Listed<DueRefund>; readonly status: RefundStatus }
): Html =>
  page(context, {
    section: "refunds",
    title: "Refunds",
    content: html`<div class="head">
        <h1>Refunds</h1>
        ${status.stopped === undefined ? badge("good", "running") : badge("bad", "stopped")}
      </div>
      ${
        status.stopped === undefined
          ? html`<p>
              Refunds that are due are sent from the refund wallet, if there is one. None is stopped.
            </p>`
          : html`<p class="notice bad">
              Stopped since ${time(status.stopped.at)} UTC: ${words(status.stopped.reason)}
            </p>`
      }
      ${actionLinks(context, [status.stopped === undefined ? "refunds.stop" : "refunds.resume"])}
      <h2>Due</h2>
      ${table(
        ["Paid (UTC)", "Call", number("Amount"), "To", "Network", "State"],
        due.items.map(
          (refund) =>
            html`<tr>
              <td>${time(refund.createdAt)}</td>
              <th scope="row">
                <a href="${path(context.base, "charges", refund.chargeKey)}">${words(refund.operation)}</a>
              </th>
              <td class="number">${dollars(refund.amountAtomic)}</td>
              <td>${wallet(refund.payer)}</td>
              <td>${networkName(refund.network)}</td>
              <td>${refund.isStarted ? badge("info", "being sent") : badge("warn", "due")}</td>
            </tr>`
        ),
        "No refund is due."
      )}
      ${olderLink(due.older)}`
  })

const kindTones: Readonly<Record<LedgerLine["kind"], Tone>> = {
  settled: "good",
  refund_due: "warn",
  refunded: "warn",
  reversed: "bad"
}

export const ledgerTable = ({ base }: PageContext, lines: ReadonlyArray<LedgerLine>): Html =>
  table(
    ["Entered (UTC)", "Kind", "Call", number("Amount"), "Payer", "Transaction"],
    lines.map(
      (line) =>
        html`<tr>
          <td>${time(line.at)}</td>
          <td>${badge(kindTones[line.kind], words(line.kind))}</td>
          <th scope="row"><a href="${path(base, "charges", line.chargeKey)}">${words(line.operation)}</a></th>
          <td class="number">${dollars(line.amountAtomic)}</td>
          <td>${wallet(line.payer)}</td>
          <td>${line.transaction === undefined ? "" : code(line.transaction)}</td>
        </tr>`
    ),
    "No entry."
  )

const auditNotice = (audit: LedgerCheck): Html =>
  audit.isBalanced
    ? html`<p class="notice good" role="status">
        Charges and ledger agree: ${audit.settledCharges} settled charges and ${audit.settledEntries} entries
        of the last seven days.
        ${audit.chain === undefined ? "" : `${audit.chain.provenEntries} entries are one transfer each on the chain; ${audit.chain.openEntries} can't be judged yet, ${audit.chain.foreignTransfers} transfers have no entry.`}
      </p>`
    : html`<div class="notice bad" role="alert">
        <p>Charges and ledger disagree in ${audit.faults.length} places:</p>
        <ul>
          ${audit.faults.map(({ chargeKey, fault }) => html`<li>${code(chargeKey)} ${fault}</li>`)}
        </ul>
      </div>`

export const ledgerPage = (
  context: PageContext,
  {
    audit,
    canReadChain,
    day,
    lines
  }: {
    readonly lines: Listed<LedgerLine>
    readonly day: string
    readonly audit: LedgerCheck | undefined
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
      ${audit === undefined ? "" : auditNotice(audit)} ${ledgerTable(context, lines.items)}
      ${olderLink(lines.older)}`
  })
}
