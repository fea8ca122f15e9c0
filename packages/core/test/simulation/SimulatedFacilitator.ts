import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { FacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Timeline } from "./Timeline.ts"

/** How one settle call goes. */
export type SettleMode =
  /** Sends the transaction and reports it. */
  | "clean"
  /** Never responds, and sends the transaction some time later. */
  | "acceptsThenTimesOut"
  /** Sends the transaction, then fails. */
  | "errorsAfterSettling"
  /** Fails before sending. */
  | "errorsBeforeSettling"
  /** Reports it as pending, and sends it much later or never. */
  | "pending"
  /** Reports the payment as a duplicate. */
  | "duplicate"
  /** Reports a settlement on another network. */
  | "wrongNetwork"
  /** Reports a settlement, but sent nothing. */
  | "liesSuccess"
  /** Reports a refusal, but sends the transaction. */
  | "liesRefusal"
  /** Refuses before sending. */
  | "rejects"
  /** The transaction fails on the chain; no money moves. */
  | "failsOnChain"
  /** Sends the transaction, and responds after every timeout. */
  | "slow"

export type VerifyMode = "clean" | "breaks" | "silent"

export interface FacilitatorBehavior {
  readonly settle: Readonly<Record<SettleMode, number>>
  readonly verify: Readonly<Record<VerifyMode, number>>
}

/** A facilitator without faults. */
export const honest: FacilitatorBehavior = {
  settle: {
    clean: 1,
    acceptsThenTimesOut: 0,
    errorsAfterSettling: 0,
    errorsBeforeSettling: 0,
    pending: 0,
    duplicate: 0,
    wrongNetwork: 0,
    liesSuccess: 0,
    liesRefusal: 0,
    rejects: 0,
    failsOnChain: 0,
    slow: 0
  },
  verify: { clean: 1, breaks: 0, silent: 0 }
}

export type Settled = Awaited<ReturnType<FacilitatorClient["settle"]>> & { readonly network?: string }

type Supported = Awaited<ReturnType<NonNullable<FacilitatorClient["getSupported"]>>>

/** A payment as a facilitator gets it; its rail reads it. */
export interface SentPayment {
  readonly payload: object
}

/** Reports the result of a settlement, which is sent at `fromMillis` at the earliest; `undefined`: never. */
export type ReportSettled = (response: Settled | undefined, fromMillis: number) => void

/** What a facilitator can do with payments on one chain. */
export interface SettlementRail {
  readonly network: string
  readonly wrongNetwork: string
  /** Longest delay until a late transaction is sent. */
  readonly maxSendDelayMillis: number
  /** Reason of refusal for a payment that its payer didn't sign. */
  readonly wrongSignature: string
  readonly authorizationOf: (payment: SentPayment) => Authorization
  readonly isSigned: (payment: SentPayment) => boolean
  readonly invalidReasonOf: (payment: SentPayment) => string | undefined
  /** Sends the transaction of a payment, and reports what became of it if that is asked for. */
  readonly send: (payment: SentPayment, report?: ReportSettled) => void
  /** The identifier of a transaction that didn't settle the payment. */
  readonly otherTransaction: () => string
  /** Additions to what it lists for its network; `undefined`: it lists nothing. */
  readonly extra: Record<string, unknown> | undefined
}

/**
 * Verifies and settles according to its behavior. Transactions it has started continue after a process crash.
 */
export class SimulatedFacilitator {
  behavior: FacilitatorBehavior
  private readonly timeline: Timeline
  private readonly rail: SettlementRail
  private readonly random: SeededRandom
  private readonly onSettleRequested: (authorization: Authorization, mode: SettleMode) => void
  private readonly onSettleResponded: (authorization: Authorization, settled: Settled) => void
  private readonly note: (what: string) => void

  constructor(options: {
    readonly timeline: Timeline
    readonly rail: SettlementRail
    readonly random: SeededRandom
    readonly behavior: FacilitatorBehavior
    /** Called for each settle call, with the mode drawn for it. */
    readonly onSettleRequested: (authorization: Authorization, mode: SettleMode) => void
    /** Called for each response to a settle call. */
    readonly onSettleResponded: (authorization: Authorization, settled: Settled) => void
    readonly note: (what: string) => void
  }) {
    this.timeline = options.timeline
    this.rail = options.rail
    this.random = options.random
    this.behavior = options.behavior
    this.onSettleRequested = options.onSettleRequested
    this.onSettleResponded = options.onSettleResponded
    this.note = options.note
  }

  /** Returns `undefined` if it never responds. */
  verify(payment: SentPayment): Awaited<ReturnType<FacilitatorClient["verify"]>> | undefined {
    const payer = this.rail.authorizationOf(payment).from
    switch (this.random.weighted(this.behavior.verify)) {
      case "breaks":
        throw new Error("connection reset")
      case "silent":
        return undefined
      case "clean": {
        const invalidReason = this.rail.isSigned(payment)
          ? this.rail.invalidReasonOf(payment)
          : this.rail.wrongSignature
        return invalidReason === undefined
          ? { isValid: true, payer }
          : { isValid: false, invalidReason, payer }
      }
    }
  }

  /** Throws if the call fails. */
  settle(payment: SentPayment, report: ReportSettled): void {
    if (!this.rail.isSigned(payment)) return report(refused(this.rail.wrongSignature), 0)
    const authorization = this.rail.authorizationOf(payment)
    const mode = this.random.weighted(this.behavior.settle)
    this.note(`is ${mode} with ${authorization.nonce.slice(0, 10)}`)
    this.onSettleRequested(authorization, mode)
    const respond: ReportSettled = (response, fromMillis) => {
      if (response !== undefined) this.onSettleResponded(authorization, response)
      report(response, fromMillis)
    }
    // A facilitator that sends a transaction waits for its block before it reports the settlement.
    if (mode === "clean") return this.rail.send(payment, respond)
    respond(this.settleBadly(payment, mode), 0)
  }

  private settleBadly(payment: SentPayment, mode: Exclude<SettleMode, "clean">): Settled | undefined {
    const { maxSendDelayMillis, network, wrongNetwork } = this.rail
    const other = () => this.rail.otherTransaction()
    switch (mode) {
      case "slow":
        this.rail.send(payment)
        return undefined
      case "acceptsThenTimesOut":
        this.later(payment, this.random.between(0, maxSendDelayMillis))
        return undefined
      case "errorsAfterSettling":
        this.rail.send(payment)
        throw new Error("500 Internal Server Error")
      case "errorsBeforeSettling":
        throw new Error("502 Bad Gateway")
      case "pending":
        if (this.random.chance(0.8)) this.later(payment, this.random.between(0, maxSendDelayMillis))
        return { success: false, errorReason: "settlement_pending", transaction: other() }
      case "duplicate":
        return refused("duplicate_settlement")
      case "wrongNetwork":
        return { success: true, transaction: other(), network: wrongNetwork }
      case "liesSuccess":
        return { success: true, transaction: other(), network }
      case "liesRefusal":
        this.later(payment, this.random.chance(0.5) ? 0 : this.random.between(0, maxSendDelayMillis))
        return refused("insufficient_funds")
      case "rejects":
        return refused("insufficient_funds")
      case "failsOnChain":
        return { success: false, errorReason: "transaction_failed", transaction: other() }
    }
  }

  private later(payment: SentPayment, millis: number): void {
    this.timeline.after(millis, () => this.rail.send(payment))
  }

  authorizationOf(payment: SentPayment): Authorization {
    return this.rail.authorizationOf(payment)
  }

  /** What it settles; `undefined`: it lists nothing. */
  get supported(): Supported | undefined {
    const { extra, network } = this.rail
    if (extra === undefined) return undefined
    const kinds = [1, 2].map((x402Version) => ({ x402Version, scheme: "exact", network, extra }))
    return { kinds }
  }
}

export const refused = (errorReason: string): Settled => ({ success: false, errorReason, transaction: "" })
