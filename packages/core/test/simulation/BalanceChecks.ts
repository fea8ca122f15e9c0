import type { HostAccounts, MoneyChain, Transfer } from "./chain/MoneyChain.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"
import type { InvariantChecker } from "./InvariantChecker.ts"
import { authorizationOf, type Payment } from "./Payment.ts"

/*
 * Checks a run by money alone: the balances of the canonical chain against the goods and responses that
 * clients received. It doesn't know how the till works. Only the checks of the ledger read the ledger.
 */

/** The amount a payer paid and the value they received, in atomic units. */
export interface Account {
  readonly paid: bigint
  readonly refunded: bigint
  /** Value of the goods received, as upper and lower bound. The bounds differ if a response was lost. */
  readonly deliveredMaxAtomic: bigint
  readonly deliveredMinAtomic: bigint
  /** The upper bound without responses to searches, and without goods whose payment a reorganization undid. */
  readonly otherGoods: bigint
  /** Part of `paid` that others moved before the till saw the payment; the till may refuse such a payment. */
  readonly movedBeforeClaim: bigint
  /** Delivered on a facilitator's report alone, or for a transfer that a reorganization undid. */
  readonly uncovered: bigint
  /** The same of all payments that may have bought a response, delivered or not: the till counts them as paid. */
  readonly believed: bigint
}

interface Ledger {
  readonly settledAtomic: bigint
  readonly reversedAtomic: bigint
  readonly refundedAtomic: bigint
}

export interface FinalState {
  readonly chain: MoneyChain
  readonly accounts: HostAccounts
  readonly checker: InvariantChecker
  readonly upstream: SimulatedUpstream
  /** Accounts of payers that behave like normal clients. */
  readonly honest: ReadonlySet<string>
  /** Initial balance of the accounts that send refunds. */
  readonly refundFunds: bigint
}

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()
const sum = (values: Iterable<bigint>): bigint =>
  Array.from(values).reduce((total, value) => total + value, 0n)
const valueOf = (payment: Payment): bigint => BigInt(authorizationOf(payment).value)
const payerOf = (payment: Payment): string => authorizationOf(payment).from

/** The account of each payer, by address. */
export const accountsOf = (state: FinalState): ReadonlyMap<string, Account> => {
  const { transfers } = state.chain
  const byPayer = Map.groupBy(state.checker.payments.values(), payerOf)
  return new Map(Array.from(byPayer, ([payer, own]) => [payer, accountOf(payer, own, transfers, state)]))
}

/** Returns everything that is wrong with the money of a finished run. */
export const checkBalances = (state: FinalState, ledger: Ledger): ReadonlyArray<string> => {
  const payments = Array.from(state.checker.payments.values())
  const inflow = state.chain.transfers.filter(({ to }) => same(to, state.accounts.payTo))
  const accounts = Array.from(accountsOf(state))
  return [
    ...accounts.flatMap(([payer, account]) => accountViolations(payer, account, state.honest.has(payer))),
    ...totalViolations(accounts.map(([, account]) => account)),
    ...ledgerViolations(payments, inflow, state, ledger)
  ]
}

const accountOf = (
  payer: string,
  payments: ReadonlyArray<Payment>,
  transfers: ReadonlyArray<Transfer>,
  state: FinalState
): Account => {
  const { payTo, wallets, operator } = state.accounts
  const senders = [...wallets, operator]
  const isRefund = ({ from, to }: Transfer) => same(to, payer) && senders.some((sender) => same(from, sender))
  const given = payments.map((payment) => ({ payment, ...deliveriesOf(payment, state) }))
  return {
    paid: sum(
      transfers.filter(({ from, to }) => same(from, payer) && same(to, payTo)).map(({ value }) => value)
    ),
    refunded: sum(transfers.filter(isRefund).map(({ value }) => value)),
    deliveredMaxAtomic: sum(given.map(({ atMost, payment }) => BigInt(atMost) * valueOf(payment))),
    deliveredMinAtomic: sum(given.map(({ atLeast, payment }) => BigInt(atLeast) * valueOf(payment))),
    otherGoods: sum(
      given
        .filter(({ payment }) => mayBuyResponse(payment) || !isUncovered(payment, state))
        .map(({ otherGoods, payment }) => BigInt(otherGoods) * valueOf(payment))
    ),
    movedBeforeClaim: sum(payments.filter((payment) => movedBeforeClaim(payment, state.chain)).map(valueOf)),
    uncovered: sum(
      given
        .filter(({ atMost, payment }) => atMost > 0 && isUncovered(payment, state))
        .map(({ payment }) => valueOf(payment))
    ),
    believed: sum(
      payments.filter((payment) => mayBuyResponse(payment) && isUncovered(payment, state)).map(valueOf)
    )
  }
}

const mayBuyResponse = ({ calls }: Payment): boolean =>
  Array.from(calls.values()).some(({ route }) => route === "search" || route === "download")

/** How many goods or responses of its price a payment received. */
const deliveriesOf = (
  { delivered, effects, received }: Payment,
  { upstream, checker }: FinalState
): { readonly atMost: number; readonly atLeast: number; readonly otherGoods: number } => {
  const count = (calls: ReadonlySet<string>, route: string) =>
    Array.from(calls).filter((name) => name.startsWith(`${route} `)).length
  const orders = Array.from(effects).flatMap((effect) => effect.match(/^order (.*)$/)?.[1] ?? [])
  const purchases = Array.from(effects).filter((effect) => effect.startsWith("purchase ")).length
  // If the operator canceled an order and upstream ships it anyway, the operator bears the loss.
  const shipped = orders.filter(
    (id) => !checker.orders.canceledByOperator.has(id) && isDelivered(id, upstream)
  ).length
  const bought = shipped + Math.max(purchases, count(delivered, "vaultBuy"))
  const read = (calls: ReadonlySet<string>) => count(calls, "search") + count(calls, "download")
  const hadPurchase = purchases > 0 && received.size > 0 ? 1 : 0
  return {
    atMost: bought + read(delivered),
    atLeast: Math.min(1, shipped + hadPurchase + read(received)),
    otherGoods: bought + count(delivered, "download")
  }
}

/** Whether an order reached its buyer, as far as upstream reports that. */
const isDelivered = (id: string, upstream: SimulatedUpstream): boolean => {
  const order = upstream.orderOf(id)
  if (order === undefined) return false
  const { status } = upstream.statusOf(order)
  return upstream.profile.reports !== "status" || (status !== "failed" && status !== "cancelled")
}

/** Its money moved before the claim, or without any claim. */
const movedBeforeClaim = (payment: Payment, chain: MoneyChain): boolean => {
  const transfer = chain.transferOf(authorizationOf(payment))
  const { claimedMillis } = payment
  return transfer !== undefined && (claimedMillis === undefined || transfer.minedMillis < claimedMillis)
}

/** No money moved in the end, and the till couldn't know that when it delivered. */
const isUncovered = (payment: Payment, { chain, checker }: FinalState): boolean => {
  const authorization = authorizationOf(payment)
  if (chain.transferOf(authorization) !== undefined) return false
  return chain.hasEverMoved(authorization) || checker.isDeceived(payment, "search")
}

const accountViolations = (payer: string, account: Account, isHonest: boolean): ReadonlyArray<string> => {
  const {
    movedBeforeClaim: early,
    deliveredMinAtomic: givenAtLeast,
    deliveredMaxAtomic: givenAtMost,
    paid,
    refunded,
    uncovered
  } = account
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

const totalViolations = (accounts: ReadonlyArray<Account>): ReadonlyArray<string> => {
  const total = (of: (account: Account) => bigint) => sum(accounts.map(of))
  const [given, paid] = [
    total(({ deliveredMaxAtomic: givenAtMost }) => givenAtMost),
    total((account) => account.paid)
  ]
  const [refunded, uncovered] = [total((account) => account.refunded), total((account) => account.uncovered)]
  return given + refunded > paid + uncovered
    ? [`money: ${paid} were paid in all, and ${given} given and ${refunded} paid back for it`]
    : []
}

const ledgerViolations = (
  payments: ReadonlyArray<Payment>,
  inflow: ReadonlyArray<Transfer>,
  state: FinalState,
  { refundedAtomic, reversedAtomic, settledAtomic }: Ledger
): ReadonlyArray<string> => {
  const { accounts, chain, refundFunds } = state
  const faults: Array<string> = []
  const known = new Set(
    payments.flatMap((payment) => {
      const transfer = chain.transferOf(authorizationOf(payment))
      return transfer === undefined ? [] : [`${transfer.transaction} ${transfer.logIndex}`]
    })
  )
  const foreign = inflow.filter(({ logIndex, transaction }) => !known.has(`${transaction} ${logIndex}`))
  for (const { from, value } of foreign)
    if (value > 0n && !accounts.sendsForeign(from))
      faults.push(`money: ${value} came from ${from} without a payment`)
  const received = chain.token.balanceOf(accounts.payTo) - sum(foreign.map(({ value }) => value))
  const entered = settledAtomic - reversedAtomic
  const early = sum(payments.filter((payment) => movedBeforeClaim(payment, chain)).map(valueOf))
  const uncovered = sum(
    payments
      .filter((payment) => state.checker.isDeceived(payment, "search") && isUncovered(payment, state))
      .map(valueOf)
  )
  if (entered < received - early || entered > received + uncovered)
    faults.push(`money: ${received} was received, but the ledger says ${entered}`)
  const funds = sum([...accounts.wallets, accounts.operator].map((each) => chain.token.balanceOf(each)))
  if (refundFunds - funds !== refundedAtomic)
    faults.push(`money: ${refundFunds - funds} was refunded, but the ledger says ${refundedAtomic}`)
  return faults
}
