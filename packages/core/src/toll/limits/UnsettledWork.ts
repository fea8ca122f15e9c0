import type { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { PaymentAttempt } from "../machine/PaymentAttempt.ts"
import { OpenCalls } from "./OpenCalls.ts"
import type { PayerAccounts } from "./PayerAccounts.ts"
import type { PayerHistory } from "./PayerHistory.ts"
import { StrangerLosses } from "./StrangerLosses.ts"

/** Share of `maxUnsettled` for payments of strangers: the rest is reserved for payers who have settled here. */
const strangersShare = 0.75

interface WorkLimits {
  readonly maxUnsettledPerPayer: number
  readonly maxUnsettled: number
  readonly lossPerHourAtomic: bigint
}

/** Limits the unsettled work of this process: by number of charges, and by the money that may be lost. */
export class UnsettledWork {
  private readonly limits: WorkLimits
  private readonly accounts: PayerAccounts
  private readonly history: PayerHistory
  private readonly losses: StrangerLosses
  private readonly calls = new OpenCalls()
  private unsettled = 0

  constructor(limits: WorkLimits, accounts: PayerAccounts, history: PayerHistory) {
    this.limits = limits
    this.losses = new StrangerLosses({ perHourAtomic: limits.lossPerHourAtomic })
    this.accounts = accounts
    this.history = history
  }

  /**
   * Takes a place and a stake for a call of an amount; `false`: it has to wait. Either may stay taken until `giveBack`.
   */
  *take(attempt: PaymentAttempt, amountAtomic: bigint): Effect.fn.Return<boolean, StoreError> {
    if (!(yield* this.takePlace(attempt))) return false
    return this.takeStake(attempt, atRisk(attempt, amountAtomic), attempt.ticket.isProven)
  }

  /** Takes a stake for work whose payment has settled: its payer signed it. `false`: it is used up for now. */
  takePaidStake(attempt: PaymentAttempt, amountAtomic: bigint): boolean {
    return this.takeStake(attempt, amountAtomic, true)
  }

  /** Counts the call among the open ones of its payer, before its verification; `false`: it has to wait. */
  open(attempt: PaymentAttempt, amountAtomic: bigint): boolean {
    const { lease, payer, request } = attempt
    return this.calls.enter(attempt, atRisk(attempt, amountAtomic), {
      maxPayments: this.limits.maxUnsettledPerPayer,
      maxAtomic: request.settlesFirst
        ? this.accounts.paidLessLost(payer) + this.losses.mostOfPayer
        : this.accounts.maxExposure(payer, lease.nowMillis())
    })
  }

  /** Gives back what was taken, except for a stake in work that is lost. */
  giveBack({ payer, ticket }: PaymentAttempt, isLost: boolean): void {
    if (ticket.stopCounting()) this.unsettled--
    const stake = ticket.giveBackStake()
    if (stake === undefined) return
    const { atomic, from } = stake
    if (from === "cover") {
      this.accounts.returnCover(payer, atomic)
      if (isLost) this.accounts.lose(payer, atomic)
    } else if (!isLost) this.losses.giveBack(from, atomic)
  }

  private *takePlace(attempt: PaymentAttempt): Effect.fn.Return<boolean, StoreError> {
    if (attempt.ticket.isCounted) return true
    const { maxUnsettled } = this.limits
    if (this.unsettled >= maxUnsettled) return false
    if (this.unsettled >= maxUnsettled * strangersShare && !(yield* this.history.isKnown(attempt)))
      return false
    this.unsettled++
    attempt.ticket.startCounting()
    return true
  }

  /** Takes the amount that the call could cost the host, from the payer's cover or the budget for losses. */
  private takeStake(
    { lease, payer, request, ticket }: PaymentAttempt,
    atomic: bigint,
    isProven: boolean
  ): boolean {
    if (ticket.hasStake || atomic === 0n) return true
    const from =
      isProven && this.accounts.takeCover(payer, atomic)
        ? "cover"
        : this.losses.take(
            { atomic, payer, isProven, clientAddress: request.clientAddress() },
            lease.nowMillis()
          )
    if (from === undefined) return false
    ticket.takeStake({ atomic, from })
    return true
  }
}

/** The amount that a call could cost the host: paid work may fail, and its payment is refunded. */
const atRisk = ({ request }: PaymentAttempt, amountAtomic: bigint): bigint =>
  request.settlesFirst ? amountAtomic : request.exposureAtomic()
