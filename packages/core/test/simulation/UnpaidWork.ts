import { type Account, accountsOf, type FinalState } from "./BalanceChecks.ts"
import { priceAtomic } from "./Economy.ts"
import type { Call } from "./Payment.ts"
import { lossPerHour } from "./Server.ts"

/*
 * Checks that no payer gets more work without paying than docs/threats/capacity.md allows ("What an attacker can cost you").
 *
 * Work is what the marketplace was searched for, at the price of a search: it may cost the host money before anything is
 * paid. It doesn't know how the till admits payments. It reads the chain, and what reached the marketplace.
 */

const hourMillis = 3_600_000
const lossPerHourAtomic = BigInt(Number(lossPerHour) * 1_000_000)
const threeCalls = 3n * priceAtomic
/** One payer's part of the hourly budget: a tenth, or three calls. */
const ofPayerAtomic = lossPerHourAtomic / 10n > threeCalls ? lossPerHourAtomic / 10n : threeCalls

/** The time for which a process has run, by a clock that may have been set ahead: each one has budgets of its own. */
export interface ProcessRun {
  readonly millis: number
}

/** What all payers together may lose in a process: the budget refills evenly over each hour. */
const lossOf = ({ millis }: ProcessRun): bigint =>
  lossPerHourAtomic + BigInt(Math.ceil((Number(lossPerHourAtomic) * millis) / hourMillis))

/** What one payer may lose in a process: their part of the budget, anew in each hour. */
const lossOfPayer = ({ millis }: ProcessRun): bigint =>
  ofPayerAtomic * BigInt(1 + Math.floor(millis / hourMillis))

const sum = (values: ReadonlyArray<bigint>): bigint => values.reduce((total, value) => total + value, 0n)
const positive = (value: bigint): bigint => (value > 0n ? value : 0n)

/** Payments of a payer less refunds. Settlements that a facilitator or node reported falsely count as paid. */
const netOf = ({ believed, paid, refunded }: Account): bigint => paid + believed - refunded

/** A search of the marketplace, and what could be lost until then. */
interface Search {
  /** The name of the call that it was made for. */
  readonly call: string
  readonly ofPayerAtomic: bigint
  readonly ofAllAtomic: bigint
}

/** Counts the work that the marketplace was made to do, and judges it by payer. */
export class UnpaidWork {
  private readonly state: () => FinalState
  private readonly runs: () => ReadonlyArray<ProcessRun>
  private readonly violation: (what: string) => void
  private readonly searches: Array<Search> = []
  private readonly callbacks = new Map<string, () => void>()

  constructor(options: {
    readonly state: () => FinalState
    readonly runs: () => ReadonlyArray<ProcessRun>
    readonly violation: (what: string) => void
  }) {
    this.state = options.state
    this.runs = options.runs
    this.violation = options.violation
  }

  /** Calls back when the marketplace is searched for a call: its caller knows when that happens. */
  onSearch({ name }: Call, action: () => void): void {
    this.callbacks.set(name, action)
  }

  /** The marketplace is searched for the call of this name. Judges it by what has been paid until now. */
  searched(call: string): void {
    const runs = this.runs()
    this.searches.push({
      call,
      ofPayerAtomic: sum(runs.map(lossOfPayer)),
      ofAllAtomic: sum(runs.map(lossOf))
    })
    for (const fault of faultsOf(recordsOf(this.state()), this.searches)) this.violation(fault)
    this.callbacks.get(call)?.()
  }

  /** Judges each search, in the end, by what has been paid and not refunded. */
  check(): void {
    const records = recordsOf(this.state())
    const faults = this.searches.flatMap((_, index) => faultsOf(records, this.searches.slice(0, index + 1)))
    for (const fault of new Set(faults)) this.violation(fault)
  }
}

/** What searches are judged by: each payer's account, and the payers whose payments were presented for each call. */
interface Records {
  readonly accounts: ReadonlyMap<string, Account>
  readonly payersOf: ReadonlyMap<string, ReadonlySet<string>>
}

const recordsOf = (state: FinalState): Records => {
  const payersOf = new Map<string, Set<string>>()
  for (const { authorization, calls } of state.checker.payments.values())
    for (const call of calls.keys())
      payersOf.set(call, (payersOf.get(call) ?? new Set()).add(authorization.from))
  return { accounts: accountsOf(state), payersOf }
}

const faultsOf = (records: Records, searches: ReadonlyArray<Search>): ReadonlyArray<string> => {
  const { ofAllAtomic, ofPayerAtomic } = searches.at(-1)!
  const faults: Array<string> = []
  const worked = workedByPayer(records, searches, faults)
  const judged = Array.from(records.accounts, ([payer, account]) => {
    const [done, net] = [worked.get(payer) ?? 0n, netOf(account)]
    // Goods are judged by `checkBalances`, and no budget covers them.
    return { payer, done, counted: positive(net), unpaid: positive(done + account.otherGoods - net) }
  })
  for (const { counted, done, payer, unpaid } of judged)
    if (unpaid > ofPayerAtomic + counted)
      faults.push(
        `work: ${payer} had work for ${done} done, of which ${unpaid} isn't paid; ${ofPayerAtomic} and the ${counted} that it has paid are allowed`
      )
  const unpaid = sum(judged.map((each) => each.unpaid))
  const counted = sum(judged.map((each) => each.counted))
  if (unpaid > ofAllAtomic + counted)
    faults.push(
      `work: ${unpaid} isn't paid in all; ${ofAllAtomic} and the ${counted} that payers have paid are allowed`
    )
  return faults
}

/** The value of each payer's work. A call is that of the payer whose payments were presented for it. */
const workedByPayer = (
  { payersOf }: Records,
  searches: ReadonlyArray<Search>,
  faults: Array<string>
): ReadonlyMap<string, bigint> => {
  const worked = new Map<string, bigint>()
  for (const { call } of searches) {
    const payers = payersOf.get(call) ?? new Set()
    const [payer] = payers
    if (payer === undefined || payers.size > 1) faults.push(`work: ${payers.size} payers presented ${call}`)
    else worked.set(payer, (worked.get(payer) ?? 0n) + priceAtomic)
  }
  return worked
}
