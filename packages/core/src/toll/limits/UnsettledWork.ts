import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { report } from "../../runtime/events.ts"
import { OpenCalls } from "./OpenCalls.ts"
import type { PayerAccounts } from "./PayerAccounts.ts"
import type { PayerHistory } from "./PayerHistory.ts"
import { StrangerLosses } from "./StrangerLosses.ts"
import type { PayingCall } from "../attempt/PayingCall.ts"
import type { UnpaidWork } from "../attempt/Releases.ts"

const hourMillis = 3_600_000

/** Share of the limit `unsettled` for payments of strangers: the rest is reserved for payers who have settled here. */
const strangersShare = 0.75

interface WorkLimits {
  readonly unsettledPerPayer: number
  readonly unsettled: number
  readonly lossPerHour: bigint
}

/** Limits the unsettled work of this process: by number of charges, and by the money that may be lost. */
export class UnsettledWork {
  private readonly limits: WorkLimits
  private readonly accounts: PayerAccounts
  private readonly history: PayerHistory
  private readonly losses: StrangerLosses
  private readonly calls = new OpenCalls()
  private unsettled = 0
  private silentUntilMillis = 0

  constructor(limits: WorkLimits, accounts: PayerAccounts, history: PayerHistory) {
    this.limits = limits
    this.losses = new StrangerLosses({ perHourAtomic: limits.lossPerHour })
    this.accounts = accounts
    this.history = history
  }

  /**
   * Takes a place and a stake for a call of an amount; `false`: it has to wait. Either may stay taken until
   * {@link giveBack}, or until the call ends.
   */
  take(call: PayingCall, amountAtomic: bigint): Effect.Effect<boolean, StoreError> {
    return Effect.flatMap(this.takePlace(call), (hasPlace) => {
      if (!hasPlace) return Effect.succeed(false)
      const hasStake = this.takeStake(call, atRisk(call, amountAtomic), call.learned)
      return hasStake ? Effect.succeed(true) : Effect.as(this.reportLimited(call), false)
    })
  }

  /** Takes a stake for work whose payment has settled: its payer signed it. `false`: it is used up for now. */
  takePaidStake(call: PayingCall, amountAtomic: bigint): boolean {
    return this.takeStake(call, amountAtomic, { isProven: true })
  }

  /** Counts the call among the open ones of its payer, before its verification; `false`: it has to wait. */
  open(call: PayingCall, amountAtomic: bigint): boolean {
    const { account, lease, request } = call
    return this.calls.enter(call, atRisk(call, amountAtomic), {
      maxPayments: this.limits.unsettledPerPayer,
      maxAtomic: request.settlesFirst
        ? this.accounts.paidLessLost(account) + this.losses.mostOfPayer
        : this.accounts.maxExposure(account, lease.nowMillis())
    })
  }

  /** Gives back what {@link take} took. */
  giveBack({ releases }: PayingCall): void {
    releases.release("place")
    releases.release("stake")
  }

  /** The share of the budget for losses that is used. */
  lossesUsedAt(nowMillis: number): number {
    return this.losses.usedAt(nowMillis)
  }

  /** At most once an hour: among those who have to wait may be honest callers. */
  private reportLimited({ lease }: PayingCall): Effect.Effect<void> {
    const nowMillis = lease.nowMillis()
    if (nowMillis < this.silentUntilMillis) return Effect.void
    this.silentUntilMillis = nowMillis + hourMillis
    return report(
      "Warn",
      "callers_limited",
      "New payers wait: unpaid or failed work has used up their share of limits.lossPerHour"
    )
  }

  private readonly takePlace = Effect.fnUntraced(
    { self: this },
    function* (call: PayingCall): Effect.fn.Return<boolean, StoreError> {
      if (call.releases.holds("place")) return true
      const { unsettled } = this.limits
      if (this.unsettled >= unsettled) return false
      if (this.unsettled >= unsettled * strangersShare && !(yield* this.history.isKnown(call))) return false
      this.unsettled++
      call.releases.hold("place", () => {
        this.unsettled--
      })
      return true
    }
  )

  /** Takes the amount that the call could cost the host, from the payer's credit or the budget for losses. */
  private takeStake(
    call: PayingCall,
    atomic: bigint,
    { isProven }: Pick<PayingCall["learned"], "isProven">
  ): boolean {
    const { account, releases, lease, payer, request } = call
    // The call lost its charge and works again: its first work is lost, and the next one may be, too.
    if (call.unpaidWork !== undefined && releases.release("stake", call.unpaidWork))
      call.unpaidWork = undefined
    if (releases.holds("stake") || atomic === 0n) return true
    if (isProven && this.accounts.takeCredit(account, atomic)) {
      releases.hold("stake", (lost) => {
        this.accounts.returnCredit(account, atomic)
        if (lost?.lostBy === "payer") this.loseOfPayer(call, lost, atomic)
        if (lost?.lostBy === "stranger") this.loseToStranger(call, atomic)
      })
      return true
    }
    const taken = this.losses.take(
      { atomic, payer, isProven, clientAddress: request.clientAddress() },
      lease.nowMillis()
    )
    if (taken === undefined) return false
    releases.hold("stake", (lost) => {
      this.losses.giveBack(taken, lost?.lostBy === "payer" ? atomic - costOf(lost, atomic) : atomic)
      if (lost?.lostBy === "stranger") this.loseToStranger(call, atomic)
    })
    return true
  }

  /** Counts a loss of a payer with credit. What upstreams are known to have charged counts for the host, too. */
  private loseOfPayer(
    { account, lease, payer, request }: PayingCall,
    work: UnpaidWork,
    atomic: bigint
  ): void {
    const cost = costOf(work, atomic)
    this.accounts.lose(account, cost)
    if (work.costAtomic === undefined || cost === 0n) return
    this.losses.take(
      { atomic: cost, payer, isProven: true, clientAddress: request.clientAddress() },
      lease.nowMillis()
    )
  }

  /** Counts a loss for the client address, and not for the payer whose payment somebody may have copied. */
  private loseToStranger({ lease, payer, request }: PayingCall, atomic: bigint): void {
    this.losses.take(
      { atomic, payer, isProven: false, clientAddress: request.clientAddress() },
      lease.nowMillis()
    )
  }
}

/** What unpaid work has cost of the amount at stake. */
const costOf = ({ costAtomic }: UnpaidWork, atomic: bigint): bigint =>
  costAtomic !== undefined && costAtomic < atomic ? costAtomic : atomic

/** The amount that a call could cost the host: paid work may fail, and its payment is refunded. */
const atRisk = ({ request }: PayingCall, amountAtomic: bigint): bigint =>
  request.settlesFirst ? amountAtomic : request.exposureAtomic()
