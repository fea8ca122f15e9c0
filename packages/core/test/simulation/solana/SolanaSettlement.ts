import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import { toBase58 } from "../../../src/domain/Base58.ts"
import { devnet, memoProgram } from "../../toll/solana.ts"
import type { SeededRandom } from "../SeededRandom.ts"
import {
  refused,
  type ReportSettled,
  type SentPayment,
  type SettlementRail
} from "../SimulatedFacilitator.ts"
import { maxBlockhashAge, type SolanaChain } from "./SolanaChain.ts"
import type { SolanaFaults } from "./SolanaFaults.ts"
import type { SolanaNetwork } from "./SolanaNetwork.ts"
import { feePayer, withSignature } from "./SolanaWallets.ts"
import { readWire, type WireTransaction } from "./WireTransaction.ts"

/** How often, and how long, a facilitator looks for the block of a transaction. */
const pollMillis = 500
const maxPolls = 50

/** A facilitator's part of a Solana chain: it signs as fee payer, sends, and waits until a block is confirmed. */
export class SolanaSettlement implements SettlementRail {
  readonly network = devnet.caip2
  readonly wrongNetwork = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
  readonly wrongSignature = "invalid_exact_svm_payload_signature_invalid"
  readonly extra = { feePayer: feePayer.address }
  /** Until about when a new blockhash expires. */
  readonly maxSendDelayMillis: number
  private readonly chain: SolanaChain
  private readonly solana: SolanaNetwork
  private readonly faults: SolanaFaults
  private readonly random: SeededRandom
  private readonly after: (millis: number, action: () => void) => void
  private readonly signed: ReadonlyMap<string, Authorization>
  private readonly readsNonces: boolean

  constructor(options: {
    readonly chain: SolanaChain
    readonly solana: SolanaNetwork
    readonly faults: SolanaFaults
    readonly random: SeededRandom
    readonly after: (millis: number, action: () => void) => void
    /** What payers signed, by digest of the message. */
    readonly signed: ReadonlyMap<string, Authorization>
    /** Whether a payment is refused that is in a block. */
    readonly readsNonces: boolean
  }) {
    this.chain = options.chain
    this.solana = options.solana
    this.faults = options.faults
    this.maxSendDelayMillis = maxBlockhashAge * options.faults.slotMillis
    this.random = options.random
    this.after = options.after
    this.signed = options.signed
    this.readsNonces = options.readsNonces
  }

  authorizationOf(payment: SentPayment): Authorization {
    return this.signed.get(wireOf(payment).digest)!
  }

  isSigned(payment: SentPayment): boolean {
    return this.chain.isSignedBy(wireOf(payment), 1)
  }

  invalidReasonOf(payment: SentPayment): string | undefined {
    const wire = wireOf(payment)
    if (!hasItsMemo(payment)) return wrongMemo
    return this.chain.wouldSucceed(wire, this.readsNonces) ? undefined : "transaction_simulation_failed"
  }

  send(payment: SentPayment, report?: ReportSettled): void {
    if (hasItsMemo(payment)) this.sendWire(wireOf(payment), report)
    else report?.(refused(wrongMemo), 0)
  }

  /** Signs and sends a transaction for whoever asks. */
  sendWire(unsigned: WireTransaction, report: ReportSettled = () => undefined): void {
    const wire = readWire(withSignature(unsigned.bytes, 0, feePayer))
    const isBlind = this.random.chance(this.faults.blindChance)
    if (!isBlind && !this.chain.wouldSucceed(wire)) return report(refused("transaction_simulation_failed"), 0)
    this.solana.broadcast(wire, this.random.pick([1, 3, 10]))
    this.poll(wire, report, maxPolls)
  }

  otherTransaction(): string {
    const { all } = this.chain
    // Perhaps that of another payment.
    return all.length > 0 && this.random.chance(0.5)
      ? this.random.pick(all).wire.signature
      : toBase58(Buffer.from(this.random.hex(64).slice(2), "hex"))
  }

  private poll(wire: WireTransaction, report: ReportSettled, left: number): void {
    this.after(pollMillis, () => {
      const { signature: transaction } = wire
      const landed = this.chain.landedAs(wire.digest)
      if (landed !== undefined && landed.slot <= this.chain.blockOf("confirmed"))
        return report(
          landed.error === undefined
            ? { success: true, transaction, network: this.network, payer: wire.accounts[1]! }
            : { success: false, errorReason: "transaction_failed", transaction },
          0
        )
      if (left > 1) return this.poll(wire, report, left - 1)
      report({ success: false, errorReason: "transaction_confirmation_timed_out", transaction }, 0)
    })
  }
}

const wireOf = ({ payload }: SentPayment): WireTransaction =>
  readWire(Buffer.from((payload as { readonly transaction: string }).transaction, "base64"))

const wrongMemo = "invalid_exact_svm_payload_memo_mismatch"

/** Whether a payment that names a memo in its requirements has it, and no other. */
const hasItsMemo = (payment: SentPayment): boolean => {
  const { accepted } = payment as { readonly accepted?: { readonly extra?: { readonly memo?: string } } }
  const memo = accepted?.extra?.memo
  if (memo === undefined) return true
  const memos = wireOf(payment).instructions.filter(({ program }) => program === memoProgram)
  return memos.length === 1 && Buffer.from(memos[0]!.data).toString() === memo
}
