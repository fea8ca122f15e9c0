import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { report } from "../../runtime/events.ts"
import type { Chain } from "../evidence/Chain.ts"
import type { Facilitator, FacilitatorRequest, Verification } from "../facilitator/Facilitator.ts"
import type { Refusal } from "../request/Verdict.ts"
import { countedAs } from "./OpenCalls.ts"
import type { PayerHistory } from "./PayerHistory.ts"
import { isAmbiguous, RecentPaymentFailures } from "./RecentPaymentFailures.ts"
import { WaitingCalls } from "./WaitingCalls.ts"
import { foreignSignature, type SignatureChecks } from "./SignatureChecks.ts"
import type { UnsettledWork } from "./UnsettledWork.ts"
import type { VerificationPools } from "./VerificationPools.ts"
import type { PayingCall } from "../attempt/PayingCall.ts"

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

/** The result of a verification, or why there was none. */
export type Verified =
  | { readonly _tag: "Verified"; readonly verification: Verification }
  /** Refused here, whatever the facilitator says. */
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
  /** Another call of this process verifies the same payment. `patient`: this one can wait for it. */
  | { readonly _tag: "Busy"; readonly patient: boolean }
  | { readonly _tag: "Limited"; readonly patient: false }

/** The chain can't be read, so nothing is verified. */
export const unreadChain = {
  _tag: "Verified",
  verification: { _tag: "Unreachable", reason: "chain" }
} as const satisfies Verified

const couldNotPay = "the payer could not pay a moment ago; top up and try again in a few seconds"

/** A payer on one network: one without enough money there may have some on another. */
const walletOf = ({ network, payer }: PayingCall): string => `${network.caip2} ${payer}`

const reportEveryMillis = 60_000

/** Counts the payments that no facilitator could verify, to report them at most once a minute. */
class FacilitatorOutage {
  private failed = 0
  private reportedMillis = Number.NEGATIVE_INFINITY

  /** Counts a failure. Returns how many there were since the last report; `undefined`: it is too early for the next. */
  note(nowMillis: number): number | undefined {
    this.failed++
    if (nowMillis - this.reportedMillis < reportEveryMillis) return undefined
    const { failed } = this
    this.failed = 0
    this.reportedMillis = nowMillis
    return failed
  }
}

/**
 * Verifies payments with the facilitator: each payment once at a time, and of one payer only as many as they may have
 * open. Remembers who could not pay.
 */
export class Verifications {
  private readonly services: Services
  private readonly parts: Parts
  private readonly failures: RecentPaymentFailures
  private readonly outage = new FacilitatorOutage()
  /**
   * Waiters for another call that is counted with theirs, with places of their own: strangers without money may take them
   * all.
   */
  private readonly arrivals = new WaitingCalls()
  /** Keys of the payments that a call of this process verifies. */
  private readonly verifying = new Set<string>()

  constructor(services: Services, parts: Parts, config: { readonly failedPayerMillis: number }) {
    this.services = services
    this.parts = parts
    this.failures = new RecentPaymentFailures(config.failedPayerMillis)
  }

  /** The refusal for a payer who could not pay a moment ago. */
  recallFailure(call: PayingCall): Refusal | undefined {
    return call.learned.isProven ? this.failures.recall(walletOf(call), call.lease.nowMillis()) : undefined
  }

  /** Remembers that the payer could not pay. */
  noteFailure(call: PayingCall, code: string): void {
    if (call.learned.isProven)
      this.failures.note(walletOf(call), { code, message: couldNotPay }, call.lease.nowMillis())
  }

  /** Verifies a payment. `copies`: calls that wait for a call with the same payment. */
  readonly verify = Effect.fnUntraced(
    { self: this },
    function* (call: PayingCall, request: FacilitatorRequest, copies: WaitingCalls): Deciding<Verified> {
      const { pools } = this.parts
      const { releases, learned, lease } = call
      const isOwn = releases.holds("guard")
      if (this.verifying.has(lease.key) && !isOwn)
        return {
          _tag: "Busy",
          patient: lease.nowMillis() < call.untilMillis && copies.admits(lease.key, this.isKnown(call))
        }
      if (!isOwn) {
        this.verifying.add(lease.key)
        releases.hold("guard", () => this.verifying.delete(lease.key))
      }
      const amountAtomic = BigInt(request.requirements.amount)
      const ended = this.parts.work.open(call, amountAtomic)
        ? undefined
        : yield* this.waitToOpen(call, amountAtomic)
      if (ended !== undefined) return ended
      if (!(yield* pools.enter(call))) return { _tag: "Limited", patient: false }
      learned.verifiedAtMillis = lease.nowMillis()
      const verified = yield* this.verifyNow(call, request)
      if (verified._tag === "Verified" && verified.verification._tag === "Invalid")
        yield* this.noteInvalid(call, request, verified.verification.reason)
      releases.release("slot")
      return verified
    }
  )

  /** Wakes the calls counted with this one that wait to be verified. */
  wake(call: PayingCall): void {
    this.arrivals.wake(countedAs(call))
  }

  /**
   * Waits, for a bounded time, until the payer may have the call open beside others: a facilitator may reserve money for
   * what it verifies. Returns what ends the call instead.
   */
  private readonly waitToOpen = Effect.fnUntraced(
    { self: this },
    function* (call: PayingCall, amountAtomic: bigint): Deciding<Verified | undefined> {
      const { history, work } = this.parts
      const { lease, untilMillis } = call
      const counted = countedAs(call)
      // Other processes may have settled more for this payer.
      yield* history.learnRecent(call, lease.nowMillis())
      while (!work.open(call, amountAtomic)) {
        if (lease.nowMillis() >= untilMillis || !this.arrivals.admits(counted, this.isKnown(call)))
          return { _tag: "Limited", patient: false }
        yield* this.arrivals.wait(counted)
        const refusal = this.recallFailure(call)
        if (refusal !== undefined) return { _tag: "Refused", refusal }
      }
      return undefined
    }
  )

  /**
   * Remembers a payer who could not pay. Anybody can present a payment that the payer has made elsewhere, copied from the
   * chain: its simulation fails too, so for that reason the balance decides.
   */
  private readonly noteInvalid = Effect.fnUntraced(
    { self: this },
    function* (call: PayingCall, { requirements }: FacilitatorRequest, code: string): Deciding<void> {
      const { learned, network, payer } = call
      if (!learned.isProven) return
      if (isAmbiguous(code)) {
        const balance = yield* this.services.chain.balanceOf(network, payer)
        if (balance === undefined || balance >= BigInt(requirements.amount)) return
      }
      this.noteFailure(call, code)
    }
  )

  private verifyNow(call: PayingCall, request: FacilitatorRequest): Effect.Effect<Verified, StoreError> {
    const { chain, facilitator } = this.services
    return Effect.flatMap(facilitator.verify(request), (verification) => {
      const verified: Verified = { _tag: "Verified", verification }
      if (verification._tag === "Unreachable")
        return Effect.as(this.reportOutage(call, verification.reason), verified)
      if (verification._tag !== "Valid" || call.learned.isProven || !chain.canRead(call.network.caip2))
        return Effect.succeed(verified)
      // From here on, the payment uses this wallet's limits, so the chain must confirm that it is the wallet's own.
      return Effect.map(this.parts.signatures.confirm(call), (isAccepted): Verified => {
        call.learned.isProven = isAccepted === true
        if (isAccepted === false) return { _tag: "Refused", refusal: foreignSignature }
        return isAccepted === true ? verified : unreadChain
      })
    })
  }

  private reportOutage({ lease, network }: PayingCall, reason: string): Effect.Effect<void> {
    const failed = this.outage.note(lease.nowMillis())
    if (failed === undefined) return Effect.void
    return report(
      "Error",
      "facilitator_unavailable",
      `The facilitator verifies no payment (${reason}), so none can be accepted: check facilitator.url and its headers, or see docs/facilitator.md for one in this process. Calls that failed since the last such report: ${failed}`,
      { port: "facilitator", network: network.caip2, reason }
    )
  }

  /** Whether the payer is known without a read of the store. */
  private isKnown(call: PayingCall): boolean {
    return this.parts.history.recallKnown(call) === true
  }
}
