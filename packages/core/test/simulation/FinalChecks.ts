import { Context, Effect } from "effect"
import { type Charge, Charges, type LedgerEntry } from "../../src/ports/Charges.ts"
import { type Order, Orders } from "../../src/shop/ports/Orders.ts"
import { payloadDigest } from "../../src/toll/request/ChargeKey.ts"
import { auditLedger } from "../../src/toll/audit/LedgerAudit.ts"
import type { Storage } from "./Storage.ts"
import type { MoneyChain } from "./chain/MoneyChain.ts"
import type { InvariantChecker } from "./InvariantChecker.ts"
import { authorizationOf, errorOf, type Payment, type Reply } from "./Payment.ts"

const limit = 1_000

/** The stores' records at the end of a run. */
interface FinalRecords {
  readonly charges: ReadonlyMap<string, Charge>
  readonly entries: ReadonlyMap<string, ReadonlyArray<LedgerEntry>>
  readonly orders: ReadonlyMap<string, ReadonlyArray<Order>>
}

/**
 * Whether and how the money of a payment moved, according to the chain and the facilitator's false reports.
 */
interface MoneyMovement {
  /**
   * `ours`: it moved after the claim, or a trusted facilitator reported so. `earlier`: a third party moved it
   * before the claim; clock differences leave some tolerance.
   */
  readonly moved: "ours" | "earlier" | "never"
  /** On the chain. */
  readonly transaction: string | undefined
  readonly logIndex: number | undefined
  /** The till may rely on a facilitator's report, which names another transaction. */
  readonly isByWord: boolean
}

/**
 * Compares the stores with the chain, payment by payment, after all faults have ended and every payment was
 * retried and reconciled.
 */
export const checkFinalState = async (options: {
  readonly storage: Storage
  readonly checker: InvariantChecker
  readonly chain: MoneyChain
}): Promise<void> => {
  const { chain, storage, checker } = options
  const stores = await storage.stores()
  const charges = Context.get(stores, Charges)
  const orders = Context.get(stores, Orders)
  const [found, entries, placed, check] = await Effect.runPromise(
    Effect.all([
      charges.list({ limit }),
      charges.entries({ limit }),
      orders.list({ limit }),
      Effect.provideService(auditLedger({ fromMillis: 0, beforeMillis: 8e15 }), Charges, charges)
    ])
  )
  for (const { chargeKey, fault } of check.faults) checker.violation(checker.payments.get(chargeKey), fault)
  const books: FinalRecords = {
    charges: new Map(found.map((charge) => [charge.key, charge])),
    entries: Map.groupBy(entries, ({ chargeKey }) => chargeKey),
    orders: Map.groupBy(placed, ({ chargeKey }) => chargeKey)
  }
  for (const key of books.charges.keys())
    if (!checker.payments.has(key)) checker.violation(undefined, `charge ${key} belongs to no payment`)
  for (const payment of checker.payments.values()) {
    const operation = books.charges.get(payment.key)?.operation ?? ""
    const isDeceived = checker.isDeceived(payment, operation)
    const money = moneyOf(payment, chain, isDeceived)
    const faults = paymentViolations(payment, books, money)
    // Anyone else can submit a signed authorization at any time.
    if (payment.isDenied && money.transaction !== undefined && chain.isOwnSettlement(money.transaction))
      checker.violation(payment, "its money has moved, but the till's own facilitator said that nothing can")
    for (const fault of faults) checker.violation(payment, fault)
    if (checker.wasPublic(payment) && !isDeceived && books.entries.has(payment.key))
      checker.violation(payment, "it was on the chain before it was presented, but is in the ledger")
  }
}

const moneyOf = (payment: Payment, chain: MoneyChain, isDeceived: boolean): MoneyMovement => {
  const transfer = chain.transferOf(authorizationOf(payment))
  const { claimedMillis } = payment
  const isOurs =
    isDeceived ||
    (transfer !== undefined && claimedMillis !== undefined && transfer.minedMillis >= claimedMillis)
  return {
    moved: isOurs ? "ours" : transfer === undefined ? "never" : "earlier",
    transaction: transfer?.transaction,
    logIndex: transfer?.logIndex,
    isByWord: isDeceived
  }
}

/** What is wrong with a payment's final state. */
const paymentViolations = (
  payment: Payment,
  books: FinalRecords,
  money: MoneyMovement
): ReadonlyArray<string> => {
  const charge = books.charges.get(payment.key)
  const entries = books.entries.get(payment.key) ?? []
  const orders = books.orders.get(payment.key) ?? []
  return money.moved === "ours" || (money.moved === "earlier" && charge?.state === "settled")
    ? [...entryViolations(payment, entries, money), ...settledViolations(payment, charge, orders, money)]
    : unsettledViolations(charge, entries, orders)
}

const entryViolations = (
  payment: Payment,
  entries: ReadonlyArray<LedgerEntry>,
  { isByWord, logIndex, transaction }: MoneyMovement
): ReadonlyArray<string> => {
  const settled = entries.filter(({ kind }) => kind === "settled")
  const count = settled.length - entries.filter(({ kind }) => kind === "reversed").length
  if (count !== 1) return [`its money has moved, but the ledger has ${count} entries for it`]
  const entry = settled.toSorted((left, right) => (left.round ?? 0) - (right.round ?? 0)).at(-1)
  const { to, value } = authorizationOf(payment)
  const faults: Array<string> = []
  if (entry!.amountAtomic !== value)
    faults.push(`${value} moved, but the ledger records ${entry!.amountAtomic}`)
  if (entry!.payTo !== to) faults.push(`it moved to ${to}, but the ledger records ${entry!.payTo}`)
  if (
    transaction !== undefined &&
    !payment.facilitatorLied &&
    !isByWord &&
    entry!.transaction !== transaction
  )
    faults.push(`transaction ${transaction} moved it, but the ledger records ${entry!.transaction}`)
  else if (
    entry!.transferLogIndex !== undefined &&
    logIndex !== undefined &&
    entry!.transferLogIndex !== logIndex
  )
    faults.push(`log ${logIndex} moved it, but the ledger records ${entry!.transferLogIndex}`)
  return faults
}

const settledViolations = (
  payment: Payment,
  charge: Charge | undefined,
  orders: ReadonlyArray<Order>,
  { transaction }: MoneyMovement
): ReadonlyArray<string> => {
  if (charge?.state !== "settled")
    return [`its money has moved, but its charge is ${charge?.state ?? "gone"}`]
  const { firstResponse, calls, effects, ownCall, refusalWhileOpen } = payment
  const last = lastReplies(payment)
  const order = orders.find(({ id }) => id === charge.subject?.id)
  const hasFailed = order?.status === "refunded" || order?.status === "refund_due"
  const faults: Array<string> = []
  // A refusal is correct if the payment then bought another request, or if it moved only by a facilitator's
  // false report.
  const isOwn = firstResponse === undefined ? calls.size === 1 : firstResponse.call === ownCall.name
  if (refusalWhileOpen !== undefined && isOwn && transaction !== undefined)
    faults.push(`it was refused while it might move, and moved: ${refusalWhileOpen}`)
  if (charge.refund !== undefined && !hasFailed) {
    if (firstResponse !== undefined) faults.push("a refund is due although it got a paid response")
    if (effects.size > 0) faults.push("a refund is due although it had its effect")
    // If a forged copy came first, the authentic one gets the same error as any other payment.
    const expected =
      charge.payloadDigest === payloadDigest(payment.payload) ? "payment_refund_due" : "payment_already_used"
    if (!last.some((reply) => reply.status === 402 && errorOf(reply).startsWith(`${expected}: `)))
      faults.push(`a refund is due, but clients get ${describeReplies(last)}`)
    return faults
  }
  // The last response was compared with earlier ones when it was sent. The order may have failed, and its
  // refund be due, before the last request.
  const hasOutcome = (reply: Reply) =>
    reply.status === 200 ||
    (hasFailed && reply.status === 402 && errorOf(reply).startsWith("payment_refund_due: "))
  if (!last.some(hasOutcome)) faults.push(`it is settled, but clients get ${describeReplies(last)}`)
  if (charge.effectPending) faults.push("it is settled, but its effect is still pending")
  if (charge.operation === "buy") {
    if (order === undefined) faults.push("it is settled, but has no order")
    for (const { id, status } of orders)
      if (id !== order?.id && status !== "abandoned") faults.push(`it has another order, which is ${status}`)
  }
  if (charge.operation === "vaultBuy" && effects.size !== 1) faults.push("its purchase is not granted")
  return faults
}

const lastReplies = ({ lastReplies: last }: Payment): ReadonlyArray<Reply> =>
  Array.from(last.values()).filter((reply) => reply !== undefined)

const describeReplies = (replies: ReadonlyArray<Reply>): string =>
  replies.map(({ status, text }) => `${status} ${text.slice(0, 150)}`).join(" and ")

const unsettledViolations = (
  charge: Charge | undefined,
  entries: ReadonlyArray<LedgerEntry>,
  orders: ReadonlyArray<Order>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const reversed = entries.filter(({ kind }) => kind === "reversed").length
  if (entries.filter(({ kind }) => kind === "settled").length !== reversed)
    faults.push("no money moved for it, but it is in the ledger")
  if (charge?.state === "settled") faults.push("no money moved for it, but its charge is settled")
  // Its authorization has expired by now, and the chain shows that.
  else if (charge !== undefined)
    faults.push(`its authorization has expired, but its charge is ${charge.state}`)
  // Goods delivered before a reversal are written off.
  for (const { status } of orders)
    if (status !== "abandoned" && reversed === 0)
      faults.push(`no money moved for it, but its order is ${status}`)
  return faults
}
