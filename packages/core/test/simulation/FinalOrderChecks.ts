import { Context, Effect } from "effect"
import { type Charge, Charges, type LedgerEntry } from "../../src/ports/Charges.ts"
import { type Order, Orders } from "../../src/shop/ports/Orders.ts"
import type { OrderInvariantChecker } from "./OrderInvariantChecker.ts"
import type { HostAccounts, MoneyChain, Transfer } from "./chain/MoneyChain.ts"
import type { SimulatedMailer } from "./SimulatedMailer.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"
import type { Storage } from "./Storage.ts"
import type { InvariantChecker } from "./InvariantChecker.ts"
import { authorizationOf, type Payment } from "./Payment.ts"

const limit = 1_000

/** Everything that orders are compared with. */
interface Accounts {
  readonly charges: ReadonlyMap<string, Charge>
  /** Keys of charges that the ledger shows as reversed at any time. */
  readonly reversed: ReadonlySet<string>
  readonly orders: OrderInvariantChecker
  readonly upstream: SimulatedUpstream
  readonly mailer: SimulatedMailer
}

/**
 * Compares orders with upstream and with sent mails, and the ledger with the chain in both directions, days
 * after the last fault.
 */
export const checkFinalOrders = async (options: {
  readonly storage: Storage
  readonly checker: InvariantChecker
  readonly chain: MoneyChain
  readonly hostAccounts: HostAccounts
  readonly upstream: SimulatedUpstream
  readonly mailer: SimulatedMailer
}): Promise<void> => {
  const { chain, hostAccounts, mailer, storage, upstream, checker } = options
  const stores = await storage.stores()
  const charges = Context.get(stores, Charges)
  const [found, entries, totals, orders] = await Effect.runPromise(
    Effect.all([
      charges.list({ limit }),
      charges.entries({ limit }),
      charges.totals(0, 8e15),
      Context.get(stores, Orders).list({ limit })
    ])
  )
  const accounts: Accounts = {
    charges: new Map(found.map((charge) => [charge.key, charge])),
    reversed: new Set(entries.flatMap(({ chargeKey, kind }) => (kind === "reversed" ? [chargeKey] : []))),
    orders: checker.orders,
    upstream,
    mailer
  }
  for (const order of orders) {
    const payment = checker.payments.get(order.chargeKey)
    for (const fault of [...orderViolations(order, accounts), ...mailViolations(order, accounts)])
      checker.violation(payment, `order ${order.id}: ${fault}`)
  }
  for (const payment of checker.payments.values())
    for (const fault of purchaseViolations(payment, mailer)) checker.violation(payment, fault)
  const refunds = chain.transfers.filter(({ from }) => isRefund(from, hostAccounts))
  for (const fault of refundViolations(refunds, entries)) checker.violation(undefined, fault)
  const sumOf = (kind: LedgerEntry["kind"]) =>
    totals.filter((total) => total.kind === kind).reduce((sum, total) => sum + BigInt(total.amountAtomic), 0n)
  const paid = Array.from(checker.payments.values()).filter((payment) => isSettled(payment, accounts))
  compareSums("was received", sumOf("settled") - sumOf("reversed"), paid.map(valueOf), checker)
  compareSums(
    "was refunded",
    sumOf("refunded"),
    refunds.map(({ value }) => value),
    checker
  )
}

const isRefund = (from: string, { operator, wallets }: HostAccounts): boolean =>
  [...wallets, operator].some((address) => address.toLowerCase() === from.toLowerCase())

const isSettled = ({ key }: Payment, { charges }: Accounts): boolean => charges.get(key)?.state === "settled"

const valueOf = (payment: Payment): bigint => BigInt(authorizationOf(payment).value)

const compareSums = (
  what: string,
  entered: bigint,
  moved: ReadonlyArray<bigint>,
  checker: InvariantChecker
): void => {
  const sum = moved.reduce((total, value) => total + value, 0n)
  if (sum !== entered)
    checker.violation(undefined, `${sum} ${what} on the chain, but the ledger says ${entered}`)
}

/** Checks that the ledger records every refund transfer exactly once, and nothing else. */
const refundViolations = (
  refunds: ReadonlyArray<Transfer>,
  entries: ReadonlyArray<LedgerEntry>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const sent = entries.filter(({ kind }) => kind === "refunded")
  for (const { to, transaction, value } of refunds) {
    const [entry, ...others] = sent.filter((each) => each.transaction === transaction)
    if (entry === undefined || others.length > 0)
      faults.push(`${value} was refunded, but the ledger has ${entry === undefined ? 0 : 2} entries for it`)
    else if (entry.amountAtomic !== String(value) || entry.payer !== to)
      faults.push(`${value} was refunded to ${to}, but the ledger records another payer or amount`)
  }
  for (const { chargeKey, transaction } of sent)
    if (!refunds.some((refund) => refund.transaction === transaction))
      faults.push(`the ledger records a refund of ${chargeKey}, but nothing was sent`)
  return faults
}

const orderViolations = (
  order: Order,
  { charges, orders, reversed, upstream }: Accounts
): ReadonlyArray<string> => {
  const { chargeKey, id, status } = order
  const charge = charges.get(chargeKey)
  if (charge?.state !== "settled" || charge.subject?.id !== id)
    return status === "abandoned" || reversed.has(chargeKey) ? [] : [`is not paid for, but is ${status}`]
  if (status === "abandoned") return charge.refund === undefined ? ["is paid, but abandoned"] : []
  const upstreamOrder = upstream.orderOf(id)
  const upstreamStatus = upstreamOrder === undefined ? "not placed" : upstream.statusOf(upstreamOrder).status
  const isAlive =
    upstreamStatus !== "not placed" && upstreamStatus !== "failed" && upstreamStatus !== "cancelled"
  const faults: Array<string> = []
  if (charge.refund !== undefined && status !== "refunded")
    faults.push(`its payment is refunded, but it is ${status}`)
  if (status === "refunded") {
    if (charge.refund?._tag !== "Sent") faults.push("is refunded, but its charge is not")
    if (isAlive && !orders.canceledByOperator.has(id))
      faults.push(`is refunded, but ${upstreamStatus} upstream`)
    return faults
  }
  const reportsStatus = upstream.profile.reports === "status"
  if (reportsStatus ? status !== "delivered" : status !== "placed") faults.push(`is paid, but is ${status}`)
  else if (reportsStatus ? upstreamStatus !== "delivered" : upstreamStatus === "not placed")
    faults.push(`is ${status}, and ${upstreamStatus} upstream`)
  if (order.upstreamReference !== upstreamOrder?.reference) faults.push("has another reference upstream")
  return faults
}

/** Reports a purchase whose buyer never received the download token. */
const purchaseViolations = (
  { effects }: Payment,
  { rejected, accepted: taken }: SimulatedMailer
): ReadonlyArray<string> =>
  Array.from(effects).flatMap((effect) => {
    const [, id] = /^purchase (.*)$/.exec(effect) ?? []
    const isOfIt = (key: string) => id !== undefined && key.includes(id)
    return id === undefined || Array.from(taken.keys()).some(isOfIt) || Array.from(rejected).some(isOfIt)
      ? []
      : [`no mail about purchase ${id} was sent`]
  })

/** Reports mails that the order's buyer should have received. */
const mailViolations = (order: Order, { mailer }: Accounts): ReadonlyArray<string> => {
  const { id, shipments, status } = order
  if (status === "abandoned" || status === "awaiting_payment") return []
  const mails = Array.from(mailer.accepted.values()).filter(({ text }) => text.includes(id))
  const isRejected = (kind: string) =>
    Array.from(mailer.rejected).some((key) => key.includes(`${kind}:${id}`))
  const isSent = (subject: RegExp) => mails.some((mail) => subject.test(mail.subject))
  const faults: Array<string> = []
  if (!isSent(/^Order confirmed/) && !isRejected("confirmed")) faults.push("no confirmation mail was sent")
  if (status === "refunded" && !isSent(/^Order refunded/) && !isRejected("refunded"))
    faults.push("no refund mail was sent")
  const isShipped = status === "shipped" || status === "delivered"
  for (const { trackingNumber } of isShipped ? shipments : [])
    if (!mails.some(({ text }) => text.includes(trackingNumber)) && !isRejected("shipped"))
      faults.push(`no mail about parcel ${trackingNumber} was sent`)
  return faults
}
