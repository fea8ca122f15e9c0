import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import { isSignatureOf } from "./chain/Calls.ts"
import type { SimulatedChain } from "./chain/SimulatedChain.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import {
  refused,
  type ReportSettled,
  type SentPayment,
  type Settled,
  type SettlementRail
} from "./SimulatedFacilitator.ts"

interface EvmPayment {
  readonly payload: { readonly signature: string; readonly authorization: Authorization }
}

const paymentOf = (payment: SentPayment): EvmPayment["payload"] => (payment as EvmPayment).payload

/** A facilitator's part of an EVM chain. */
export class EvmSettlement implements SettlementRail {
  readonly network = "eip155:84532"
  readonly extra = undefined
  readonly wrongNetwork = "eip155:1"
  readonly maxSendDelayMillis = 90_000
  readonly wrongSignature = "invalid_exact_evm_payload_signature"
  private readonly chain: SimulatedChain
  private readonly now: () => number
  private readonly random: SeededRandom
  private readonly readsNonces: boolean
  private readonly beforeSend: (authorization: Authorization) => void
  private readonly note: (what: string) => void

  constructor(options: {
    readonly chain: SimulatedChain
    readonly now: () => number
    readonly random: SeededRandom
    /** Whether a payment is refused whose nonce is used. */
    readonly readsNonces: boolean
    /** Called before a transaction is submitted, when it becomes visible to everyone. */
    readonly beforeSend: (authorization: Authorization) => void
    readonly note: (what: string) => void
  }) {
    this.chain = options.chain
    this.now = options.now
    this.random = options.random
    this.readsNonces = options.readsNonces
    this.beforeSend = options.beforeSend
    this.note = options.note
  }

  authorizationOf(payment: SentPayment): Authorization {
    return paymentOf(payment).authorization
  }

  isSigned(payment: SentPayment): boolean {
    const { authorization, signature } = paymentOf(payment)
    return isSignatureOf(authorization, signature)
  }

  invalidReasonOf(payment: SentPayment): string | undefined {
    const { authorization } = paymentOf(payment)
    if (this.readsNonces && this.chain.isUsed(authorization)) return "invalid_transaction_state"
    // Checks each payment by itself, whatever else spends from this balance.
    if (this.chain.balanceOf(authorization.from) < BigInt(authorization.value)) return "insufficient_funds"
    return this.now() / 1000 >= Number(authorization.validBefore)
      ? "invalid_exact_evm_payload_authorization_valid_before"
      : undefined
  }

  send(payment: SentPayment, report: ReportSettled = () => undefined): void {
    const { authorization } = paymentOf(payment)
    this.beforeSend(authorization)
    if (this.wouldFail(authorization)) return report(refused("insufficient_funds"), 0)
    const { minedMillis, outcome, transaction } = this.chain.send(authorization)
    this.note(`sends ${authorization.nonce.slice(0, 10)}: ${outcome}`)
    const failed = (errorReason: string): Settled => ({ success: false, errorReason, transaction })
    switch (outcome) {
      case "moved": {
        const { network } = this
        return report({ success: true, transaction, network, payer: authorization.from }, minedMillis)
      }
      case "used":
        return report(failed("invalid_transaction_state"), minedMillis)
      case "insufficient":
      case "invalid":
        return report(failed("transaction_failed"), minedMillis)
      case "expired":
        return report(refused("invalid_exact_evm_payload_authorization_valid_before"), 0)
      case "too early":
        return report(refused("invalid_exact_evm_payload_authorization_valid_after"), 0)
    }
  }

  otherTransaction(): string {
    return this.random.hex(32)
  }

  /** Some facilitators simulate a transaction before they submit it. */
  private wouldFail({ from, value }: Authorization): boolean {
    return this.chain.token.balanceOf(from) < BigInt(value) && this.random.chance(0.5)
  }
}
