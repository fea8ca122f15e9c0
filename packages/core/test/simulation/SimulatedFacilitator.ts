import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { FacilitatorClient } from "../../src/Options.ts"
import type { Fate } from "./Fate.ts"
import { signatureOf } from "./chain/Calls.ts"
import type { SimulatedChain } from "./chain/SimulatedChain.ts"
import type { Timeline } from "./Timeline.ts"

/** How one call to settle goes. */
export type SettleManner =
  /** Sends it and says so. */
  | "clean"
  /** Takes it, never answers, and sends it some time later. */
  | "acceptsThenTimesOut"
  /** Sends it, then breaks. */
  | "errorsAfterSettling"
  /** Breaks before it sends anything. */
  | "errorsBeforeSettling"
  /** Says that it is pending; it is sent much later, or never. */
  | "pending"
  /** Says that it knows the payment already. */
  | "duplicate"
  /** Says that it was settled, on another network. */
  | "wrongNetwork"
  /** Says that it was settled, and sent nothing. */
  | "liesSuccess"
  /** Says that it was refused, and sends it all the same. */
  | "liesRefusal"
  /** Refuses before anything is sent. */
  | "rejects"
  /** Its transaction fails on the chain; nothing moved. */
  | "failsOnChain"
  /** Sends it, and answers later than anybody waits. */
  | "slow"

export type VerifyManner = "clean" | "breaks" | "silent"

export interface FacilitatorTemper {
  readonly settle: Readonly<Record<SettleManner, number>>
  readonly verify: Readonly<Record<VerifyManner, number>>
}

/** A facilitator that does what it says. */
export const honest: FacilitatorTemper = {
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

interface SentPayment {
  readonly payload: { readonly signature: string; readonly authorization: Authorization }
}

/** Longest after which a facilitator that took a payment sends it. */
const latestSendMillis = 90_000

/** Verifies and settles as its temper has it. What it set in motion goes on whoever is dead. */
export class SimulatedFacilitator {
  temper: FacilitatorTemper
  private readonly timeline: Timeline
  private readonly chain: SimulatedChain
  private readonly fate: Fate
  private readonly asked: (authorization: Authorization, manner: SettleManner) => void
  private readonly told: (authorization: Authorization, settled: Settled) => void
  private readonly beforeSend: (authorization: Authorization) => void
  private readonly note: (what: string) => void

  constructor(options: {
    readonly timeline: Timeline
    readonly chain: SimulatedChain
    readonly fate: Fate
    readonly temper: FacilitatorTemper
    /** Told of each settlement that it is asked for, and how it goes about it. */
    readonly asked: (authorization: Authorization, manner: SettleManner) => void
    /** Told of each response to that. */
    readonly told: (authorization: Authorization, settled: Settled) => void
    /** A transaction with this authorization is about to be submitted, and can be seen by everybody. */
    readonly beforeSend: (authorization: Authorization) => void
    readonly note: (what: string) => void
  }) {
    this.timeline = options.timeline
    this.chain = options.chain
    this.fate = options.fate
    this.temper = options.temper
    this.asked = options.asked
    this.told = options.told
    this.beforeSend = options.beforeSend
    this.note = options.note
  }

  /** Answers `undefined` where it never answers. */
  verify(payment: SentPayment): Awaited<ReturnType<FacilitatorClient["verify"]>> | undefined {
    const { authorization } = payment.payload
    switch (this.fate.weighted(this.temper.verify)) {
      case "breaks":
        throw new Error("connection reset")
      case "silent":
        return undefined
      case "clean": {
        const invalidReason = this.faultOf(payment)
        return invalidReason === undefined
          ? { isValid: true, payer: authorization.from }
          : { isValid: false, invalidReason, payer: authorization.from }
      }
    }
  }

  /** Answers `undefined` where it never answers; `fromMillis`: the answer is not there before. */
  settle(payment: SentPayment): { readonly answer: Settled | undefined; readonly fromMillis: number } {
    const { authorization, signature } = payment.payload
    if (signature !== signatureOf(authorization)) {
      return { answer: refused("invalid_exact_evm_payload_signature"), fromMillis: 0 }
    }
    const manner = this.fate.weighted(this.temper.settle)
    this.note(`is ${manner} with ${authorization.nonce.slice(0, 10)}`)
    this.asked(authorization, manner)
    // A facilitator that sends a transaction waits for its block before it says that it settled.
    const settled =
      manner === "clean"
        ? this.send(authorization)
        : { answer: this.settleBadly(authorization, manner), fromMillis: 0 }
    if (settled.answer !== undefined) this.told(authorization, settled.answer)
    return settled
  }

  private settleBadly(
    authorization: Authorization,
    manner: Exclude<SettleManner, "clean">
  ): Settled | undefined {
    switch (manner) {
      case "slow":
        this.send(authorization)
        return undefined
      case "acceptsThenTimesOut":
        this.later(authorization, this.fate.between(0, latestSendMillis))
        return undefined
      case "errorsAfterSettling":
        this.send(authorization)
        throw new Error("500 Internal Server Error")
      case "errorsBeforeSettling":
        throw new Error("502 Bad Gateway")
      case "pending":
        if (this.fate.chance(0.8)) this.later(authorization, this.fate.between(0, latestSendMillis))
        return { success: false, errorReason: "settlement_pending", transaction: this.fate.hex(32) }
      case "duplicate":
        return refused("duplicate_settlement")
      case "wrongNetwork":
        return { success: true, transaction: this.fate.hex(32), network: "eip155:1" }
      case "liesSuccess":
        return { success: true, transaction: this.fate.hex(32), network: "eip155:84532" }
      case "liesRefusal":
        this.later(authorization, this.fate.chance(0.5) ? 0 : this.fate.between(0, latestSendMillis))
        return refused("insufficient_funds")
      case "rejects":
        return refused("insufficient_funds")
      case "failsOnChain":
        return { success: false, errorReason: "transaction_failed", transaction: this.fate.hex(32) }
    }
  }

  private faultOf({ payload: { authorization, signature } }: SentPayment): string | undefined {
    if (signature !== signatureOf(authorization)) return "invalid_exact_evm_payload_signature"
    if (this.chain.isUsed(authorization)) return "invalid_transaction_state"
    // Each payment by itself, whatever else is to be paid from this balance.
    if (this.chain.balanceOf(authorization.from) < BigInt(authorization.value)) return "insufficient_funds"
    return this.timeline.nowMillis / 1000 >= Number(authorization.validBefore)
      ? "invalid_exact_evm_payload_authorization_valid_before"
      : undefined
  }

  private send(authorization: Authorization): { readonly answer: Settled; readonly fromMillis: number } {
    this.beforeSend(authorization)
    if (this.wouldFail(authorization)) return { answer: refused("insufficient_funds"), fromMillis: 0 }
    const { minedMillis, outcome, transaction } = this.chain.send(authorization)
    this.note(`sends ${authorization.nonce.slice(0, 10)}: ${outcome}`)
    const network = "eip155:84532"
    switch (outcome) {
      case "moved":
        return {
          answer: { success: true, transaction, network, payer: authorization.from },
          fromMillis: minedMillis
        }
      case "used":
        return {
          answer: { success: false, errorReason: "invalid_transaction_state", transaction },
          fromMillis: minedMillis
        }
      case "insufficient":
      case "invalid":
        return {
          answer: { success: false, errorReason: "transaction_failed", transaction },
          fromMillis: minedMillis
        }
      case "expired":
        return { answer: refused("invalid_exact_evm_payload_authorization_valid_before"), fromMillis: 0 }
      case "too early":
        return { answer: refused("invalid_exact_evm_payload_authorization_valid_after"), fromMillis: 0 }
    }
  }

  /** Some simulate a transaction before they submit it. */
  private wouldFail({ from, value }: Authorization): boolean {
    return this.chain.token.balanceOf(from) < BigInt(value) && this.fate.chance(0.5)
  }

  private later(authorization: Authorization, millis: number): void {
    this.timeline.after(millis, () => void this.send(authorization))
  }
}

const refused = (errorReason: string): Settled => ({ success: false, errorReason, transaction: "" })
