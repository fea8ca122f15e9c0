import { sendsForeign } from "./Attacker.ts"
import type { SimulatedChain, Transfer } from "./chain/SimulatedChain.ts"
import { operatorAddress, walletAddress } from "./RefundWallet.ts"
import { payTo } from "./Server.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"
import { authorizationOf, type Payment, type Witness } from "./Witness.ts"

/*
 * Judges a run by money alone: by the balances of the canonical chain, and by what clients got for theirs over HTTP and
 * from the upstream. It knows nothing of how the till works. Only the promises about the ledger look into the ledger.
 */

/** What somebody paid and got, in atomic units. */
interface Account {
  readonly paid: bigint
  readonly refunded: bigint
  /** Value of what was given for it: at most, and at least. They differ where a response got lost. */
  readonly givenAtMost: bigint
  readonly givenAtLeast: bigint
  /** Of `paid`: moved by others before the till had seen the payment, which it may refuse for that. */
  readonly early: bigint
  /** Given on a facilitator's word alone, or for a transfer that a reorganization undid. */
  readonly uncovered: bigint
}

interface Ledger {
  readonly settledAtomic: bigint
  readonly reversedAtomic: bigint
  readonly refundedAtomic: bigint
}

export interface Judged {
  readonly chain: SimulatedChain
  readonly witness: Witness
  readonly upstream: SimulatedUpstream
  /** Accounts of payers who do as clients do. */
  readonly honest: ReadonlySet<string>
  /** Tokens of the accounts that refunds are sent from, before the run. */
  readonly refundFunds: bigint
}

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()
const sum = (values: Iterable<bigint>): bigint =>
  Array.from(values).reduce((total, value) => total + value, 0n)
const valueOf = (payment: Payment): bigint => BigInt(authorizationOf(payment).value)
const payerOf = (payment: Payment): string => authorizationOf(payment).from.toLowerCase()

/** Says what is wrong with the money of a run that is over. */
export const judgeMoney = (judged: Judged, ledger: Ledger): ReadonlyArray<string> => {
  const payments = Array.from(judged.witness.payments.values())
  const inflow = judged.chain.transfers.filter(({ to }) => same(to, payTo))
  const byPayer = Map.groupBy(payments, payerOf)
  const accounts = Array.from(byPayer, ([payer, own]) => [payer, accountOf(payer, own, judged)] as const)
  return [
    ...accounts.flatMap(([payer, account]) => faultsOfAccount(payer, account, judged.honest.has(payer))),
    ...faultsOfAll(accounts.map(([, account]) => account)),
    ...faultsOfLedger(payments, inflow, judged, ledger)
  ]
}

const accountOf = (payer: string, payments: ReadonlyArray<Payment>, judged: Judged): Account => {
  const { transfers } = judged.chain
  const isRefund = ({ from, to }: Transfer) =>
    same(to, payer) && (same(from, walletAddress) || same(from, operatorAddress))
  const given = payments.map((payment) => ({ payment, ...givenFor(payment, judged) }))
  return {
    paid: sum(
      transfers.filter(({ from, to }) => same(from, payer) && same(to, payTo)).map(({ value }) => value)
    ),
    refunded: sum(transfers.filter(isRefund).map(({ value }) => value)),
    givenAtMost: sum(given.map(({ atMost, payment }) => BigInt(atMost) * valueOf(payment))),
    givenAtLeast: sum(given.map(({ atLeast, payment }) => BigInt(atLeast) * valueOf(payment))),
    early: sum(payments.filter((payment) => isEarly(payment, judged.chain)).map(valueOf)),
    uncovered: sum(
      given
        .filter(({ atMost, payment }) => atMost > 0 && isUncovered(payment, judged))
        .map(({ payment }) => valueOf(payment))
    )
  }
}

/** How many things of its price a payment got. */
const givenFor = (
  { delivered, effects, received }: Payment,
  { upstream, witness }: Judged
): { readonly atMost: number; readonly atLeast: number } => {
  const count = (calls: ReadonlySet<string>, route: string) =>
    Array.from(calls).filter((name) => name.startsWith(`${route} `)).length
  const orders = Array.from(effects).flatMap((effect) => effect.match(/^order (.*)$/)?.[1] ?? [])
  const purchases = Array.from(effects).filter((effect) => effect.startsWith("purchase ")).length
  // An order that an operator gave up, and that upstream ships all the same, is the operator's loss.
  const shipped = orders.filter((id) => !witness.orders.givenUp.has(id) && stands(id, upstream)).length
  const bought = shipped + Math.max(purchases, count(delivered, "vaultBuy"))
  const hadPurchase = purchases > 0 && received.size > 0 ? 1 : 0
  return {
    atMost: bought + count(delivered, "search"),
    atLeast: Math.min(1, shipped + hadPurchase + count(received, "search"))
  }
}

/** Whether an order came to its buyer, as far as its upstream tells anybody. */
const stands = (id: string, upstream: SimulatedUpstream): boolean => {
  const order = upstream.orderOf(id)
  if (order === undefined) return false
  const { status } = upstream.standing(order)
  return upstream.character.tells !== "status" || (status !== "failed" && status !== "cancelled")
}

/** Its money moved before it was taken up, or without ever being so: not by the till's hand. */
const isEarly = (payment: Payment, chain: SimulatedChain): boolean => {
  const transfer = chain.transferOf(authorizationOf(payment))
  const { claimedMillis } = payment
  return transfer !== undefined && (claimedMillis === undefined || transfer.minedMillis < claimedMillis)
}

/** Nothing moved for it in the end, and nobody could know that when it was given. */
const isUncovered = (payment: Payment, { chain, witness }: Judged): boolean => {
  const authorization = authorizationOf(payment)
  if (chain.transferOf(authorization) !== undefined) return false
  return chain.hasEverMoved(authorization) || witness.isTakenIn(payment, "search")
}

const faultsOfAccount = (payer: string, account: Account, isHonest: boolean): ReadonlyArray<string> => {
  const { early, givenAtLeast, givenAtMost, paid, refunded, uncovered } = account
  const faults: Array<string> = []
  if (givenAtMost + refunded > paid + uncovered)
    faults.push(
      `money: ${payer} paid ${paid}, and got ${givenAtMost} in goods and ${refunded} back (${uncovered} allowed)`
    )
  const lost = paid - givenAtLeast - refunded
  if (isHonest && lost > early)
    faults.push(
      `money: ${payer} is honest and paid ${paid}, and got ${givenAtLeast} in goods and ${refunded} back`
    )
  return faults
}

const faultsOfAll = (accounts: ReadonlyArray<Account>): ReadonlyArray<string> => {
  const total = (of: (account: Account) => bigint) => sum(accounts.map(of))
  const [given, paid] = [total(({ givenAtMost }) => givenAtMost), total((account) => account.paid)]
  const [refunded, uncovered] = [total((account) => account.refunded), total((account) => account.uncovered)]
  return given + refunded > paid + uncovered
    ? [`money: ${paid} were paid in all, and ${given} given and ${refunded} paid back for it`]
    : []
}

const faultsOfLedger = (
  payments: ReadonlyArray<Payment>,
  inflow: ReadonlyArray<Transfer>,
  judged: Judged,
  { refundedAtomic, reversedAtomic, settledAtomic }: Ledger
): ReadonlyArray<string> => {
  const { chain, refundFunds } = judged
  const faults: Array<string> = []
  const known = new Set(
    payments.flatMap((payment) => {
      const transfer = chain.transferOf(authorizationOf(payment))
      return transfer === undefined ? [] : [`${transfer.transaction} ${transfer.logIndex}`]
    })
  )
  const foreign = inflow.filter(({ logIndex, transaction }) => !known.has(`${transaction} ${logIndex}`))
  for (const { from, value } of foreign)
    if (value > 0n && !sendsForeign(from))
      faults.push(`money: ${value} came from ${from}, and nobody named it`)
  const received = chain.token.balanceOf(payTo) - sum(foreign.map(({ value }) => value))
  const entered = settledAtomic - reversedAtomic
  const early = sum(payments.filter((payment) => isEarly(payment, chain)).map(valueOf))
  const uncovered = sum(
    payments
      .filter((payment) => judged.witness.isTakenIn(payment, "search") && isUncovered(payment, judged))
      .map(valueOf)
  )
  if (entered < received - early || entered > received + uncovered)
    faults.push(`money: ${received} came in, and the ledger says ${entered}`)
  const funds = chain.token.balanceOf(walletAddress) + chain.token.balanceOf(operatorAddress)
  if (refundFunds - funds !== refundedAtomic)
    faults.push(`money: ${refundFunds - funds} went back, and the ledger says ${refundedAtomic}`)
  return faults
}
