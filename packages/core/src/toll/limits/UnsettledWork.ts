import type { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { PaymentAttempt } from "../machine/PaymentAttempt.ts"
import type { PayerAccounts } from "./PayerAccounts.ts"
import type { PayerHistory } from "./PayerHistory.ts"
import { StrangerLosses } from "./StrangerLosses.ts"

/** Share of `maxUnsettled` for payments of strangers: the rest is reserved for payers who have settled here. */
const strangersShare = 0.75

/** Limits the unsettled work of this process: by number of charges, and by the money that may be lost. */
export class UnsettledWork {
  private readonly maxUnsettled: number
  private readonly accounts: PayerAccounts
  private readonly history: PayerHistory
  private readonly losses: StrangerLosses
  private unsettled = 0

  constructor(
    limits: { readonly maxUnsettled: number; readonly lossPerHourAtomic: bigint },
    accounts: PayerAccounts,
    history: PayerHistory
  ) {
    this.maxUnsettled = limits.maxUnsettled
    this.losses = new StrangerLosses({ perHourAtomic: limits.lossPerHourAtomic })
    this.accounts = accounts
    this.history = history
  }

  /**
   * Takes a place and a stake for a call of an amount; `false`: it has to wait. Either may stay taken until `giveBack`.
   */
  *take(attempt: PaymentAttempt, amountAtomic: bigint): Effect.fn.Return<boolean, StoreError> {
    if (!(yield* this.takePlace(attempt))) return false
    return attempt.request.settlesFirst ? this.mayFail(attempt, amountAtomic) : this.takeStake(attempt)
  }

  /**
   * Whether paid work may fail once more for its payer: a payment whose work fails is refunded. Its payer signed it, as
   * it settled.
   */
  mayFail(attempt: PaymentAttempt, amountAtomic: bigint): boolean {
    const { lease, payer } = attempt
    if (!this.accounts.takeCover(payer, amountAtomic))
      return this.losses.hasRoom(paidCall(attempt, amountAtomic), lease.nowMillis())
    this.accounts.returnCover(payer, amountAtomic)
    return true
  }

  /** Counts paid work that failed as lost, out of what its payer has paid, or the budget for losses. */
  recordPaidFailure(attempt: PaymentAttempt, amountAtomic: bigint): void {
    const { lease, payer } = attempt
    if (this.accounts.takeCover(payer, amountAtomic)) {
      this.accounts.returnCover(payer, amountAtomic)
      this.accounts.lose(payer, amountAtomic)
    } else this.losses.lose(paidCall(attempt, amountAtomic), lease.nowMillis())
  }

  /** Gives back what was taken, except for the budget of work that is lost. */
  giveBack(attempt: PaymentAttempt, isLost: boolean): void {
    const { payer, request, ticket } = attempt
    const exposureAtomic = request.exposureAtomic()
    if (ticket.stopCounting()) this.unsettled--
    const stake = ticket.giveBackStake()
    if (stake === "cover") {
      this.accounts.returnCover(payer, exposureAtomic)
      if (isLost) this.accounts.lose(payer, exposureAtomic)
    } else if (stake !== undefined && !isLost) this.losses.giveBack(stake, exposureAtomic)
  }

  private *takePlace(attempt: PaymentAttempt): Effect.fn.Return<boolean, StoreError> {
    if (attempt.ticket.isCounted) return true
    if (this.unsettled >= this.maxUnsettled) return false
    if (this.unsettled >= this.maxUnsettled * strangersShare && !(yield* this.history.isKnown(attempt)))
      return false
    this.unsettled++
    attempt.ticket.startCounting()
    return true
  }

  /** Takes the amount that the call could cost the host, from the payer's cover or the budget for losses. */
  private takeStake(attempt: PaymentAttempt): boolean {
    const { lease, payer, request, ticket } = attempt
    const exposureAtomic = request.exposureAtomic()
    if (ticket.hasStake || exposureAtomic === 0n) return true
    if (ticket.isProven && this.accounts.takeCover(payer, exposureAtomic)) {
      ticket.takeStake("cover")
      return true
    }
    const taken = this.losses.take(
      {
        atomic: exposureAtomic,
        payer,
        isProven: ticket.isProven,
        clientAddress: request.clientAddress()
      },
      lease.nowMillis()
    )
    if (taken === undefined) return false
    ticket.takeStake(taken)
    return true
  }
}

const paidCall = ({ payer, request }: PaymentAttempt, atomic: bigint) => ({
  atomic,
  payer,
  isProven: true,
  clientAddress: request.clientAddress()
})
