import { Context, Effect } from "effect"
import { type Charge, Charges, type LedgerEntry } from "../../src/ports/Charges.ts"
import { type Order, Orders } from "../../src/ports/Orders.ts"
import type { OrderWitness } from "./OrderWitness.ts"
import { operatorAddress, walletAddress } from "./RefundWallet.ts"
import type { SimulatedChain, Transfer } from "./chain/SimulatedChain.ts"
import type { SimulatedMailer } from "./SimulatedMailer.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"
import type { Storage } from "./Storage.ts"
import { authorizationOf, type Payment, type Witness } from "./Witness.ts"

const limit = 1_000

/** All that orders are measured by. */
interface Accounts {
  readonly charges: ReadonlyMap<string, Charge>
  /** Keys of charges that the ledger shows as reversed at some time. */
  readonly reversed: ReadonlySet<string>
  readonly orders: OrderWitness
  readonly upstream: SimulatedUpstream
  readonly mailer: SimulatedMailer
}

/**
 * The end of a run, days after its troubles: compares orders with what stands upstream and with what was mailed, and
 * the ledger with what moved on the chain, in both directions.
 */
export const reckonOrders = async (options: {
  readonly storage: Storage
  readonly witness: Witness
  readonly chain: SimulatedChain
  readonly upstream: SimulatedUpstream
  readonly mailer: SimulatedMailer
}): Promise<void> => {
  const { chain, mailer, storage, upstream, witness } = options
  const stores = await storage.look()
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
    orders: witness.orders,
    upstream,
    mailer
  }
  for (const order of orders) {
    const payment = witness.payments.get(order.chargeKey)
    for (const fault of [...faultsOfOrder(order, accounts), ...faultsOfMails(order, accounts)])
      witness.violation(payment, `order ${order.id}: ${fault}`)
  }
  for (const payment of witness.payments.values())
    for (const fault of faultsOfPurchase(payment, mailer)) witness.violation(payment, fault)
  const refunds = chain.transfers.filter(({ from }) => isRefund(from))
  for (const fault of faultsOfRefunds(refunds, entries)) witness.violation(undefined, fault)
  const sumOf = (kind: LedgerEntry["kind"]) =>
    totals.filter((total) => total.kind === kind).reduce((sum, total) => sum + BigInt(total.amountAtomic), 0n)
  const paid = Array.from(witness.payments.values()).filter((payment) => isSettled(payment, accounts))
  compareSums("was taken", sumOf("settled") - sumOf("reversed"), paid.map(valueOf), witness)
  compareSums(
    "went back",
    sumOf("refunded"),
    refunds.map(({ value }) => value),
    witness
  )
}

const isRefund = (from: string): boolean =>
  [walletAddress, operatorAddress].some((address) => address.toLowerCase() === from.toLowerCase())

const isSettled = ({ key }: Payment, { charges }: Accounts): boolean => charges.get(key)?.state === "settled"

const valueOf = (payment: Payment): bigint => BigInt(authorizationOf(payment).value)

const compareSums = (what: string, entered: bigint, moved: ReadonlyArray<bigint>, witness: Witness): void => {
  const sum = moved.reduce((total, value) => total + value, 0n)
  if (sum !== entered)
    witness.violation(undefined, `${sum} ${what} on the chain, and the ledger says ${entered}`)
}

/** Every transfer back is entered once, as it was, and nothing else is. */
const faultsOfRefunds = (
  refunds: ReadonlyArray<Transfer>,
  entries: ReadonlyArray<LedgerEntry>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const sent = entries.filter(({ kind }) => kind === "refunded")
  for (const { to, transaction, value } of refunds) {
    const [entry, ...others] = sent.filter((each) => each.transaction === transaction)
    if (entry === undefined || others.length > 0)
      faults.push(`${value} went back, and the ledger has ${entry === undefined ? 0 : 2} entries of it`)
    else if (entry.amountAtomic !== String(value) || entry.payer !== to)
      faults.push(`${value} went back to ${to}, and is entered otherwise`)
  }
  for (const { chargeKey, transaction } of sent)
    if (!refunds.some((refund) => refund.transaction === transaction))
      faults.push(`a refund of ${chargeKey} is entered, and nothing went back`)
  return faults
}

const faultsOfOrder = (
  order: Order,
  { charges, orders, reversed, upstream }: Accounts
): ReadonlyArray<string> => {
  const { chargeKey, id, status } = order
  const charge = charges.get(chargeKey)
  if (charge?.state !== "settled" || charge.subject?.id !== id)
    return status === "abandoned" || reversed.has(chargeKey) ? [] : [`is not paid for, and is ${status}`]
  if (status === "abandoned") return charge.refund === undefined ? ["is paid, and abandoned"] : []
  const stands = upstream.orderOf(id)
  const told = stands === undefined ? "not placed" : upstream.standing(stands).status
  const isAlive = told !== "not placed" && told !== "failed" && told !== "cancelled"
  const faults: Array<string> = []
  if (charge.refund !== undefined && status !== "refunded")
    faults.push(`its payment goes back, and it is ${status}`)
  if (status === "refunded") {
    if (charge.refund?._tag !== "Sent") faults.push("is refunded, and its charge is not")
    if (isAlive && !orders.givenUp.has(id)) faults.push(`is refunded, and ${told} upstream`)
    return faults
  }
  const isTold = upstream.character.tells === "status"
  if (isTold ? status !== "delivered" : status !== "placed") faults.push(`is paid, and is ${status}`)
  else if (isTold ? told !== "delivered" : told === "not placed")
    faults.push(`is ${status}, and ${told} upstream`)
  if (order.upstreamReference !== stands?.reference) faults.push("goes by another name upstream")
  return faults
}

/** A purchase whose buyer never got the token. */
const faultsOfPurchase = (
  { effects }: Payment,
  { rejected, taken }: SimulatedMailer
): ReadonlyArray<string> =>
  Array.from(effects).flatMap((effect) => {
    const [, id] = /^purchase (.*)$/.exec(effect) ?? []
    const isOfIt = (key: string) => id !== undefined && key.includes(id)
    return id === undefined || Array.from(taken.keys()).some(isOfIt) || Array.from(rejected).some(isOfIt)
      ? []
      : [`nobody was told of purchase ${id}`]
  })

/** What its buyer was to be told, and was not. */
const faultsOfMails = (order: Order, { mailer }: Accounts): ReadonlyArray<string> => {
  const { id, shipments, status } = order
  if (status === "abandoned" || status === "awaiting_payment") return []
  const mails = Array.from(mailer.taken.values()).filter(({ text }) => text.includes(id))
  const isRejected = (kind: string) =>
    Array.from(mailer.rejected).some((key) => key.includes(`${kind}:${id}`))
  const isSent = (subject: RegExp) => mails.some((mail) => subject.test(mail.subject))
  const faults: Array<string> = []
  if (!isSent(/^Order confirmed/) && !isRejected("confirmed"))
    faults.push("nobody was told that it is confirmed")
  if (status === "refunded" && !isSent(/^Order refunded/) && !isRejected("refunded"))
    faults.push("nobody was told that it is refunded")
  const isShipped = status === "shipped" || status === "delivered"
  for (const { trackingNumber } of isShipped ? shipments : [])
    if (!mails.some(({ text }) => text.includes(trackingNumber)) && !isRejected("shipped"))
      faults.push(`nobody was told of parcel ${trackingNumber}`)
  return faults
}
