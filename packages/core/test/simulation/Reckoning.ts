import { Context, Effect } from "effect"
import { type Charge, Charges, type LedgerEntry } from "../../src/ports/Charges.ts"
import { type Order, Orders } from "../../src/ports/Orders.ts"
import { payloadDigest } from "../../src/toll/ChargeKey.ts"
import { checkLedger } from "../../src/toll/LedgerAudit.ts"
import type { Storage } from "./Storage.ts"
import type { SimulatedChain } from "./chain/SimulatedChain.ts"
import { authorizationOf, errorOf, type Payment, type Reply, type Witness } from "./Witness.ts"

const limit = 1_000

/** The books and the chain, as they are when everything has come to its end. */
interface Books {
  readonly charges: ReadonlyMap<string, Charge>
  readonly entries: ReadonlyMap<string, ReadonlyArray<LedgerEntry>>
  readonly orders: ReadonlyMap<string, ReadonlyArray<Order>>
}

/** Where the money of a payment is, by the chain and by the facilitator's lies. */
interface Money {
  /**
   * `ours`: it moved after the payment had been claimed, or was said to have by a facilitator that is
   * trusted. `earlier`: it moved before, by somebody else's hand; a till may take a moment before its claim
   * for a difference of clocks.
   */
  readonly moved: "ours" | "earlier" | "never"
  /** By the chain. */
  readonly transaction: string | undefined
  readonly logIndex: number | undefined
  /** The till may have taken a facilitator's word for it, which names a transaction of its own. */
  readonly isByWord: boolean
}

/**
 * The end of a run: the world has healed, everything was tried again and reconciled. Compares what the
 * stores say with what the chain says, payment by payment.
 */
export const reckon = async (options: {
  readonly storage: Storage
  readonly witness: Witness
  readonly chain: SimulatedChain
}): Promise<void> => {
  const { chain, storage, witness } = options
  const stores = await storage.look()
  const charges = Context.get(stores, Charges)
  const orders = Context.get(stores, Orders)
  const [found, entries, placed, check] = await Effect.runPromise(
    Effect.all([
      charges.list({ limit }),
      charges.entries({ limit }),
      orders.list({ limit }),
      Effect.provideService(checkLedger({ fromMillis: 0, beforeMillis: 8e15 }), Charges, charges)
    ])
  )
  for (const { chargeKey, fault } of check.faults) witness.violation(witness.payments.get(chargeKey), fault)
  const books: Books = {
    charges: new Map(found.map((charge) => [charge.key, charge])),
    entries: Map.groupBy(entries, ({ chargeKey }) => chargeKey),
    orders: Map.groupBy(placed, ({ chargeKey }) => chargeKey)
  }
  for (const key of books.charges.keys())
    if (!witness.payments.has(key)) witness.violation(undefined, `charge ${key} belongs to no payment`)
  for (const payment of witness.payments.values()) {
    const operation = books.charges.get(payment.key)?.operation ?? ""
    const isTakenIn = witness.isTakenIn(payment, operation)
    const money = moneyOf(payment, chain, isTakenIn)
    const faults = faultsOf(payment, books, money)
    for (const fault of faults) witness.violation(payment, fault)
    if (witness.wasPublic(payment) && !isTakenIn && books.entries.has(payment.key))
      witness.violation(payment, "it stood on the chain before it was presented, and is entered")
  }
}

const moneyOf = (payment: Payment, chain: SimulatedChain, isTakenIn: boolean): Money => {
  const transfer = chain.transferOf(authorizationOf(payment))
  const { claimedMillis } = payment
  const isOurs =
    isTakenIn ||
    (transfer !== undefined && claimedMillis !== undefined && transfer.minedMillis >= claimedMillis)
  return {
    moved: isOurs ? "ours" : transfer === undefined ? "never" : "earlier",
    transaction: transfer?.transaction,
    logIndex: transfer?.logIndex,
    isByWord: isTakenIn
  }
}

/** What is wrong with how a payment ended. */
const faultsOf = (payment: Payment, books: Books, money: Money): ReadonlyArray<string> => {
  const charge = books.charges.get(payment.key)
  const entries = books.entries.get(payment.key) ?? []
  const orders = books.orders.get(payment.key) ?? []
  return money.moved === "ours" || (money.moved === "earlier" && charge?.state === "settled")
    ? [...faultsOfEntry(payment, entries, money), ...faultsOfSettled(payment, charge, orders, money)]
    : faultsOfUnsettled(charge, entries, orders)
}

const faultsOfEntry = (
  payment: Payment,
  entries: ReadonlyArray<LedgerEntry>,
  { isByWord, logIndex, transaction }: Money
): ReadonlyArray<string> => {
  const settled = entries.filter(({ kind }) => kind === "settled")
  const count = settled.length - entries.filter(({ kind }) => kind === "reversed").length
  if (count !== 1) return [`its money has moved, and the ledger has ${count} entries of it`]
  const entry = settled.toSorted((left, right) => (left.round ?? 0) - (right.round ?? 0)).at(-1)
  const { to, value } = authorizationOf(payment)
  const faults: Array<string> = []
  if (entry!.amountAtomic !== value) faults.push(`${value} moved, and ${entry!.amountAtomic} are entered`)
  if (entry!.payTo !== to) faults.push(`it moved to ${to}, and is entered for ${entry!.payTo}`)
  if (transaction !== undefined && !payment.lied && !isByWord && entry!.transaction !== transaction)
    faults.push(`${transaction} moved it, and ${entry!.transaction} is entered`)
  else if (
    entry!.transferLogIndex !== undefined &&
    logIndex !== undefined &&
    entry!.transferLogIndex !== logIndex
  )
    faults.push(`log ${logIndex} moved it, and ${entry!.transferLogIndex} is entered`)
  return faults
}

const faultsOfSettled = (
  payment: Payment,
  charge: Charge | undefined,
  orders: ReadonlyArray<Order>,
  { transaction }: Money
): ReadonlyArray<string> => {
  if (charge?.state !== "settled")
    return [`its money has moved, and its charge is ${charge?.state ?? "gone"}`]
  const { answer, calls, effects, own, refusedOpen } = payment
  const last = lastReplies(payment)
  const order = orders.find(({ id }) => id === charge.subject?.id)
  const hasFailed = order?.status === "refunded" || order?.status === "refund_due"
  const faults: Array<string> = []
  // What was refused before it bought another request was refused rightly, however late that was told; and so was
  // what has moved by a facilitator's lie alone.
  const isOwn = answer === undefined ? calls.size === 1 : answer.call === own.name
  if (refusedOpen !== undefined && isOwn && transaction !== undefined)
    faults.push(`it was refused while it might move, and moved: ${refusedOpen}`)
  if (charge.refund !== undefined && !hasFailed) {
    if (answer !== undefined) faults.push("a refund is due although it was answered")
    if (effects.size > 0) faults.push("a refund is due although it had its effect")
    // Where a forged copy came first, whoever shows the true signature is told no more than anybody else.
    const told =
      charge.payloadDigest === payloadDigest(payment.payload) ? "payment_refund_due" : "payment_already_used"
    if (!last.some((reply) => reply.status === 402 && errorOf(reply).startsWith(`${told}: `)))
      faults.push(`a refund is due, and who asks is told ${sayAll(last)}`)
    return faults
  }
  // The answer of the last attempt was compared with the earlier ones when it was released.
  // An order may have failed, and its payment be owed back, before it was asked for last.
  const isTold = (reply: Reply) =>
    reply.status === 200 ||
    (hasFailed && reply.status === 402 && errorOf(reply).startsWith("payment_refund_due: "))
  if (!last.some(isTold)) faults.push(`it is settled, and who asks is told ${sayAll(last)}`)
  if (charge.effectPending) faults.push("it is settled, and its effect is still pending")
  if (charge.operation === "buy") {
    if (order === undefined) faults.push("it is settled, and has no order")
    for (const { id, status } of orders)
      if (id !== order?.id && status !== "abandoned") faults.push(`it has another order, which is ${status}`)
  }
  if (charge.operation === "vaultBuy" && effects.size !== 1) faults.push("its purchase is not granted")
  return faults
}

const lastReplies = ({ last }: Payment): ReadonlyArray<Reply> =>
  Array.from(last.values()).filter((reply) => reply !== undefined)

const sayAll = (replies: ReadonlyArray<Reply>): string =>
  replies.map(({ status, text }) => `${status} ${text.slice(0, 150)}`).join(" and ")

const faultsOfUnsettled = (
  charge: Charge | undefined,
  entries: ReadonlyArray<LedgerEntry>,
  orders: ReadonlyArray<Order>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const reversed = entries.filter(({ kind }) => kind === "reversed").length
  if (entries.filter(({ kind }) => kind === "settled").length !== reversed)
    faults.push("no money moved for it, and it stands in the ledger")
  if (charge?.state === "settled") faults.push("no money moved for it, and its charge is settled")
  // By now its authorization has run out, and the chain says so to whoever asks.
  else if (charge !== undefined)
    faults.push(`nothing can come of it any more, and its charge is ${charge.state}`)
  // Goods that were delivered before are written off.
  for (const { status } of orders)
    if (status !== "abandoned" && reversed === 0)
      faults.push(`no money moved for it, and its order is ${status}`)
  return faults
}
