import type { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { report } from "../../runtime/events.ts"
import type { Chain } from "../evidence/Chain.ts"
import type { Facilitator, Verification } from "../facilitator/Facilitator.ts"
import type { ChargeEvent } from "../machine/ChargeStep.ts"
import type { PaymentAttempt } from "../machine/PaymentAttempt.ts"
import type { PayableTask } from "../machine/SettlementTask.ts"
import type { Refusal } from "../Verdict.ts"
import { FacilitatorOutage } from "./FacilitatorOutage.ts"
import type { PayerHistory } from "./PayerHistory.ts"
import { RecentPaymentFailures } from "./RecentPaymentFailures.ts"
import { ResponseWaiters } from "./ResponseWaiters.ts"
import { foreignSignature, type SignatureChecks } from "./SignatureChecks.ts"
import type { UnsettledWork } from "./UnsettledWork.ts"
import type { VerificationPools } from "./VerificationPools.ts"

interface Services {
  readonly chain: Chain["Service"]
  readonly facilitator: Facilitator["Service"]
}

/** Parts of `Admission` that decide which payments are verified, and when. */
interface Parts {
  readonly history: PayerHistory
  readonly pools: VerificationPools
  readonly signatures: SignatureChecks
  readonly work: UnsettledWork
}

type Deciding<A> = Effect.fn.Return<A, StoreError>

const couldNotPay = "the payer could not pay a moment ago; top up and try again in a few seconds"

/** A payer on one network: one without enough money there may have some on another. */
const walletOf = ({ network, payer }: PaymentAttempt): string => `${network.caip2} ${payer}`

/**
 * Verifies payments with the facilitator: each payment once at a time, and of one payer only as many as they may have
 * open. Remembers who could not pay.
 */
export class Verifications {
  private readonly services: Services
  private readonly parts: Parts
  private readonly failures: RecentPaymentFailures
  private readonly outage = new FacilitatorOutage()
  /** Waiters for another call of their payer, with places of their own: strangers without money may take them all. */
  private readonly arrivals = new ResponseWaiters()
  /** Keys of the payments that a call of this process verifies. */
  private readonly verifying = new Set<string>()

  constructor(services: Services, parts: Parts, config: { readonly failedPayerMillis: number }) {
    this.services = services
    this.parts = parts
    this.failures = new RecentPaymentFailures(config.failedPayerMillis)
  }

  /** The refusal for a payer who could not pay a moment ago. */
  recallFailure(attempt: PaymentAttempt): Refusal | undefined {
    return attempt.ticket.isProven
      ? this.failures.recall(walletOf(attempt), attempt.lease.nowMillis())
      : undefined
  }

  /** Remembers that the payer could not pay. */
  noteFailure(attempt: PaymentAttempt, code: string): void {
    if (attempt.ticket.isProven)
      this.failures.note(walletOf(attempt), { code, message: couldNotPay }, attempt.lease.nowMillis())
  }

  /** Verifies a payment. `copies`: calls that wait for a call with the same payment. */
  *verify(attempt: PaymentAttempt, task: PayableTask, copies: ResponseWaiters): Deciding<ChargeEvent> {
    const { pools } = this.parts
    const { lease, ticket } = attempt
    if (this.verifying.has(lease.key))
      return {
        _tag: "Busy",
        patient: lease.nowMillis() < attempt.untilMillis && copies.hasRoom(lease.key, this.isKnown(attempt))
      }
    this.verifying.add(lease.key)
    ticket.startGuarding()
    const failure = yield* this.open(attempt, task)
    if (failure !== undefined) return failure
    if (!(yield* pools.enter(attempt))) return { _tag: "Limited", patient: false }
    ticket.recordVerification(lease.nowMillis())
    const verification = yield* this.verifyNow(attempt, task)
    pools.leave(attempt)
    if (verification._tag === "Invalid") this.noteFailure(attempt, verification.reason)
    return { _tag: "Verified", verification }
  }

  /** Lets copies of the payment through: from its claim on, the store recognizes them. */
  stopGuarding(attempt: PaymentAttempt): void {
    if (attempt.ticket.stopGuarding()) this.verifying.delete(attempt.lease.key)
  }

  /** Ends what the call holds here. Returns whether it was open: then {@link wake} its payer's other calls. */
  close(attempt: PaymentAttempt): boolean {
    const wasOpen = attempt.ticket.stopBeingOpen()
    this.parts.pools.leave(attempt)
    this.stopGuarding(attempt)
    return wasOpen
  }

  /** Wakes the payer's calls that wait to be verified. */
  wake(payer: string): void {
    this.arrivals.wake(payer)
  }

  /**
   * Waits, for a bounded time, until the payer may have the call open beside others: a facilitator may reserve money for
   * what it verifies. Returns what ends the call instead.
   */
  private *open(attempt: PaymentAttempt, { request }: PayableTask): Deciding<ChargeEvent | undefined> {
    const { history, work } = this.parts
    const { lease, payer, untilMillis } = attempt
    const amountAtomic = BigInt(request.requirements.amount)
    for (let isFirst = true; !work.open(attempt, amountAtomic); isFirst = false) {
      // Other processes may have settled more for this payer.
      if (isFirst) yield* history.learnRecent(attempt, lease.nowMillis())
      if (isFirst && work.open(attempt, amountAtomic)) return undefined
      if (lease.nowMillis() >= untilMillis || !this.arrivals.hasRoom(payer, this.isKnown(attempt)))
        return { _tag: "Limited", patient: false }
      yield* this.arrivals.wait(payer)
      const refusal = this.recallFailure(attempt)
      if (refusal !== undefined)
        return { _tag: "Verified", verification: { _tag: "Invalid", reason: refusal.code } }
    }
    return undefined
  }

  private *verifyNow(attempt: PaymentAttempt, { request }: PayableTask): Deciding<Verification> {
    const { chain, facilitator } = this.services
    const verification = yield* facilitator.verify(request)
    if (verification._tag === "Unreachable") yield* this.reportOutage(attempt, verification.reason)
    if (verification._tag !== "Valid" || attempt.ticket.isProven || !chain.canRead(attempt.network.caip2))
      return verification
    // From here on, the payment uses this wallet's limits, so the chain must confirm that it is the wallet's own.
    const isAccepted = yield* this.parts.signatures.confirm(attempt)
    attempt.ticket.recordProof(isAccepted === true)
    if (isAccepted === false) return { _tag: "Invalid", reason: foreignSignature.code }
    return isAccepted === true ? verification : { _tag: "Unreachable", reason: "chain" }
  }

  private *reportOutage({ lease, network }: PaymentAttempt, reason: string): Deciding<void> {
    const failed = this.outage.note(lease.nowMillis())
    if (failed === undefined) return
    yield* report(
      "Error",
      "facilitator_unavailable",
      `The facilitator verifies no payment (${reason}), so none can be accepted: check facilitator.url and its headers. Calls that failed since the last such report: ${failed}`,
      { port: "facilitator", network: network.caip2, reason }
    )
  }

  /** Whether the payer is known without a read of the store. */
  private isKnown(attempt: PaymentAttempt): boolean {
    return this.parts.history.recallKnown(attempt) === true
  }
}
