import { type Address, getBase58Decoder, getBase64EncodedWireTransaction, signatureBytes } from "@solana/kit"
import { Clock, Effect } from "effect"
import type { TransferJournalFailed } from "../solana-refunds/RefundErrors.ts"
import { TransferNotSigned } from "../solana-refunds/RefundErrors.ts"
import type { Lifetime, NodeFault, SignatureStatus, SolanaNode } from "../solana-refunds/SolanaNode.ts"
import type { SolanaSigner } from "../solana-refunds/SolanaSigner.ts"
import type { Journal, TransferAttempt } from "../solana-refunds/TransferJournal.ts"
import type { FeePayerUnderfunded } from "./FacilitatorErrors.ts"
import type { PaymentVerdict } from "./PaymentCheck.ts"
import type { PresentedPayment } from "./PresentedPayment.ts"

/*
 * Settles a payment: signs it as fee payer, records it, sends it, and waits until the chain shows it. The fee payer's
 * signature of a message is always the same, and the chain accepts a message once, so it may be sent again at any time.
 */

export interface SettlingSettings {
  readonly feePayer: Address
  readonly signer: SolanaSigner
  readonly confirmTimeoutMillis: number
  readonly pollMillis: number
}

export type SettlementResult =
  | { readonly _tag: "Settled"; readonly transaction: string; readonly payer: string }
  /** `transaction`: it may still move, or empty if nothing can. */
  | {
      readonly _tag: "Failed"
      readonly reason: string
      readonly transaction: string
      readonly payer: string | undefined
    }

export type SettlingFault = NodeFault | TransferJournalFailed | TransferNotSigned | FeePayerUnderfunded

/** Blocks by which the payer's node may be ahead of ours, so that its blockhash expires later than our latest one. */
const aheadBlocks = 32

/** What the chain shows of a recorded settlement. */
type Progress = "settled" | "failed" | "expired" | "open"

export const makeSettling = (
  { confirmTimeoutMillis, feePayer, pollMillis, signer }: SettlingSettings,
  node: SolanaNode,
  journal: Journal,
  check: (payment: PresentedPayment) => Effect.Effect<PaymentVerdict, NodeFault | FeePayerUnderfunded>
) => {
  const sign = (payment: PresentedPayment) =>
    Effect.tryPromise({
      try: async () => {
        const { transaction } = payment
        const signature = signatureBytes(await signer.sign(Uint8Array.from(transaction.messageBytes)))
        return {
          signature: getBase58Decoder().decode(signature),
          transaction: getBase64EncodedWireTransaction({
            ...transaction,
            signatures: { ...transaction.signatures, [feePayer]: signature }
          })
        }
      },
      catch: () => new TransferNotSigned({ code: "FeePayer" })
    })

  /** Signs a checked payment and records it; returns the record that counts. */
  const record = Effect.fnUntraced(function* (
    payment: PresentedPayment,
    { lifetime, payer }: { readonly payer: string; readonly lifetime: Lifetime },
    caller: string
  ) {
    const { key, requirements } = payment
    const signed = yield* sign(payment)
    const [recorded] = yield* journal.insert({
      key,
      position: 0,
      ...signed,
      lastValidBlockHeight: lifetime.lastValidBlockHeight + aheadBlocks,
      signedAtSlot: lifetime.slot,
      network: requirements.network,
      payer,
      payee: requirements.payTo,
      mint: requirements.asset,
      amountAtomic: requirements.amount,
      caller
    })
    return recorded
  })

  const statusOf = (attempt: TransferAttempt) =>
    Effect.map(node.statuses([attempt.signature]), ({ slot, statuses: [status] }) => ({ slot, status }))

  const progressIn = ({ hasFailed, isConfirmed, isFinal }: SignatureStatus): Progress => {
    if (hasFailed) return isFinal ? "failed" : "open"
    return isConfirmed ? "settled" : "open"
  }

  /** Looks a settlement up; one that is in no block may have expired. */
  const progressOf = Effect.fnUntraced(function* (
    attempt: TransferAttempt
  ): Effect.fn.Return<Progress, NodeFault> {
    // Read first: a transaction that is missing later was in no block up to this one.
    const final = yield* node.finalBlock
    const { slot, status } = yield* statusOf(attempt)
    if (status !== undefined) return progressIn(status)
    if (final.height <= attempt.lastValidBlockHeight || slot < final.slot) return "open"
    return (yield* node.firstAvailableSlot) <= attempt.signedAtSlot ? "expired" : "open"
  })

  /** Looks a settlement up that can't have expired yet. */
  const freshProgressOf = (attempt: TransferAttempt): Effect.Effect<Progress, NodeFault> =>
    Effect.map(statusOf(attempt), ({ status }) => (status === undefined ? "open" : progressIn(status)))

  /**
   * Sends a recorded settlement until the chain shows it or the call has waited long enough. A fresh one is sent before
   * the chain is read.
   */
  const bring = Effect.fnUntraced(function* (
    attempt: TransferAttempt,
    isFresh: boolean
  ): Effect.fn.Return<SettlementResult, NodeFault> {
    const { payer, signature, transaction } = attempt
    const failed = (reason: string, open = ""): SettlementResult => ({
      _tag: "Failed",
      reason,
      transaction: open,
      payer
    })
    const until = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
    if (isFresh) yield* node.sendUnchecked(transaction)
    for (let poll = isFresh ? 1 : 0; ; poll++) {
      const progress = yield* isFresh ? freshProgressOf(attempt) : progressOf(attempt)
      if (progress === "settled") return { _tag: "Settled", transaction: signature, payer }
      if (progress === "failed") return failed("transaction_failed")
      if (progress === "expired") return failed("transaction_expired")
      // Sent again every fourth poll, because nodes forget.
      if (poll % 4 === 0) yield* node.sendUnchecked(transaction)
      if ((yield* Clock.currentTimeMillis) + pollMillis >= until) {
        return failed("settlement_pending", signature)
      }
      yield* Effect.sleep(pollMillis)
    }
  })

  const isFor = (attempt: TransferAttempt, { requirements }: PresentedPayment): boolean =>
    attempt.payee === requirements.payTo &&
    attempt.mint === requirements.asset &&
    attempt.amountAtomic === requirements.amount

  const bringFor = (known: TransferAttempt, payment: PresentedPayment, caller: string) =>
    known.caller === caller && isFor(known, payment)
      ? bring(known, false)
      : Effect.succeed(refusedToOthers(known.payer))

  return Effect.fnUntraced(function* (
    payment: PresentedPayment,
    caller: string
  ): Effect.fn.Return<SettlementResult, SettlingFault> {
    const [known] = yield* journal.find(payment.key)
    if (known === undefined) {
      // The payment's own blockhash is older than the latest one, and expires no later.
      const [verdict, lifetime] = yield* Effect.all([check(payment), node.lifetime], { concurrency: 2 })
      if (verdict._tag === "Invalid") {
        // Another process may have recorded the settlement that took the money.
        const [other] = yield* journal.find(payment.key)
        if (other !== undefined) return yield* bringFor(other, payment, caller)
        return { _tag: "Failed", reason: verdict.reason, transaction: "", payer: verdict.payer }
      }
      const recorded = yield* record(payment, { payer: verdict.payer, lifetime }, caller)
      return recorded === undefined || recorded.caller !== caller
        ? refusedToOthers(verdict.payer)
        : yield* bring(recorded, true)
    }
    return yield* bringFor(known, payment, caller)
  })
}

/** For a till that did not settle the payment first, or not for these requirements. */
const refusedToOthers = (payer: string): SettlementResult => ({
  _tag: "Failed",
  reason: "duplicate_settlement",
  transaction: "",
  payer
})
