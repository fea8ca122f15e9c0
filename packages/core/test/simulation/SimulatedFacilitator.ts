import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { FacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { signatureOf } from "./chain/Calls.ts"
import type { SimulatedChain } from "./chain/SimulatedChain.ts"
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

interface SentPayment {
  readonly payload: { readonly signature: string; readonly authorization: Authorization }
}

/** Longest delay until a late transaction is sent. */
const maxSendDelayMillis = 90_000

/**
 * Verifies and settles according to its behavior. Transactions it has started continue after a process crash.
 */
export class SimulatedFacilitator {
  behavior: FacilitatorBehavior
  private readonly timeline: Timeline
  private readonly chain: SimulatedChain
  private readonly random: SeededRandom
  private readonly onSettleRequested: (authorization: Authorization, mode: SettleMode) => void
  private readonly onSettleResponded: (authorization: Authorization, settled: Settled) => void
  private readonly beforeSend: (authorization: Authorization) => void
  private readonly note: (what: string) => void

  constructor(options: {
    readonly timeline: Timeline
    readonly chain: SimulatedChain
    readonly random: SeededRandom
    readonly behavior: FacilitatorBehavior
    /** Called for each settle call, with the mode drawn for it. */
    readonly onSettleRequested: (authorization: Authorization, mode: SettleMode) => void
    /** Called for each response to a settle call. */
    readonly onSettleResponded: (authorization: Authorization, settled: Settled) => void
    /** Called before a transaction is submitted, when it becomes visible to everyone. */
    readonly beforeSend: (authorization: Authorization) => void
    readonly note: (what: string) => void
  }) {
    this.timeline = options.timeline
    this.chain = options.chain
    this.random = options.random
    this.behavior = options.behavior
    this.onSettleRequested = options.onSettleRequested
    this.onSettleResponded = options.onSettleResponded
    this.beforeSend = options.beforeSend
    this.note = options.note
  }

  /** Returns `undefined` if it never responds. */
  verify(payment: SentPayment): Awaited<ReturnType<FacilitatorClient["verify"]>> | undefined {
    const { authorization } = payment.payload
    switch (this.random.weighted(this.behavior.verify)) {
      case "breaks":
        throw new Error("connection reset")
      case "silent":
        return undefined
      case "clean": {
        const invalidReason = this.invalidReasonOf(payment)
        return invalidReason === undefined
          ? { isValid: true, payer: authorization.from }
          : { isValid: false, invalidReason, payer: authorization.from }
      }
    }
  }

  /** `response` is `undefined` if it never responds; otherwise it is sent at `fromMillis` at the earliest. */
  settle(payment: SentPayment): { readonly response: Settled | undefined; readonly fromMillis: number } {
    const { authorization, signature } = payment.payload
    if (signature !== signatureOf(authorization)) {
      return { response: refused("invalid_exact_evm_payload_signature"), fromMillis: 0 }
    }
    const mode = this.random.weighted(this.behavior.settle)
    this.note(`is ${mode} with ${authorization.nonce.slice(0, 10)}`)
    this.onSettleRequested(authorization, mode)
    // A facilitator that sends a transaction waits for its block before it reports the settlement.
    const settled =
      mode === "clean"
        ? this.send(authorization)
        : { response: this.settleBadly(authorization, mode), fromMillis: 0 }
    if (settled.response !== undefined) this.onSettleResponded(authorization, settled.response)
    return settled
  }

  private settleBadly(authorization: Authorization, mode: Exclude<SettleMode, "clean">): Settled | undefined {
    switch (mode) {
      case "slow":
        this.send(authorization)
        return undefined
      case "acceptsThenTimesOut":
        this.later(authorization, this.random.between(0, maxSendDelayMillis))
        return undefined
      case "errorsAfterSettling":
        this.send(authorization)
        throw new Error("500 Internal Server Error")
      case "errorsBeforeSettling":
        throw new Error("502 Bad Gateway")
      case "pending":
        if (this.random.chance(0.8)) this.later(authorization, this.random.between(0, maxSendDelayMillis))
        return { success: false, errorReason: "settlement_pending", transaction: this.random.hex(32) }
      case "duplicate":
        return refused("duplicate_settlement")
      case "wrongNetwork":
        return { success: true, transaction: this.random.hex(32), network: "eip155:1" }
      case "liesSuccess":
        return { success: true, transaction: this.random.hex(32), network: "eip155:84532" }
      case "liesRefusal":
        this.later(authorization, this.random.chance(0.5) ? 0 : this.random.between(0, maxSendDelayMillis))
        return refused("insufficient_funds")
      case "rejects":
        return refused("insufficient_funds")
      case "failsOnChain":
        return { success: false, errorReason: "transaction_failed", transaction: this.random.hex(32) }
    }
  }

  private invalidReasonOf({ payload: { authorization, signature } }: SentPayment): string | undefined {
    if (signature !== signatureOf(authorization)) return "invalid_exact_evm_payload_signature"
    if (this.chain.isUsed(authorization)) return "invalid_transaction_state"
    // Checks each payment by itself, whatever else spends from this balance.
    if (this.chain.balanceOf(authorization.from) < BigInt(authorization.value)) return "insufficient_funds"
    return this.timeline.nowMillis / 1000 >= Number(authorization.validBefore)
      ? "invalid_exact_evm_payload_authorization_valid_before"
      : undefined
  }

  private send(authorization: Authorization): { readonly response: Settled; readonly fromMillis: number } {
    this.beforeSend(authorization)
    if (this.wouldFail(authorization)) return { response: refused("insufficient_funds"), fromMillis: 0 }
    const { minedMillis, outcome, transaction } = this.chain.send(authorization)
    this.note(`sends ${authorization.nonce.slice(0, 10)}: ${outcome}`)
    const network = "eip155:84532"
    switch (outcome) {
      case "moved":
        return {
          response: { success: true, transaction, network, payer: authorization.from },
          fromMillis: minedMillis
        }
      case "used":
        return {
          response: { success: false, errorReason: "invalid_transaction_state", transaction },
          fromMillis: minedMillis
        }
      case "insufficient":
      case "invalid":
        return {
          response: { success: false, errorReason: "transaction_failed", transaction },
          fromMillis: minedMillis
        }
      case "expired":
        return { response: refused("invalid_exact_evm_payload_authorization_valid_before"), fromMillis: 0 }
      case "too early":
        return { response: refused("invalid_exact_evm_payload_authorization_valid_after"), fromMillis: 0 }
    }
  }

  /** Some facilitators simulate a transaction before they submit it. */
  private wouldFail({ from, value }: Authorization): boolean {
    return this.chain.token.balanceOf(from) < BigInt(value) && this.random.chance(0.5)
  }

  private later(authorization: Authorization, millis: number): void {
    this.timeline.after(millis, () => void this.send(authorization))
  }
}

const refused = (errorReason: string): Settled => ({ success: false, errorReason, transaction: "" })
