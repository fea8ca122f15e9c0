import { type Address, getBase58Decoder, getBase64EncodedWireTransaction, signatureBytes } from "@solana/kit"
import { Clock, Effect } from "effect"
import { type TransferJournalFailed, TransferNotSigned } from "../solana-refunds/RefundErrors.ts"
import type { Lifetime, SignatureStatus, SolanaNode } from "../solana-refunds/SolanaNode.ts"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import type { SolanaSigner } from "../solana-refunds/SolanaSigner.ts"
import type { Journal, TransferAttempt } from "../solana-refunds/TransferJournal.ts"
import type { FeePayerUnderfunded } from "./FacilitatorErrors.ts"
import type { Admitted, PaymentAdmission } from "./PaymentAdmission.ts"
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

/** What the chain shows of a recorded settlement. `failing`: in a block that isn't final yet. */
type Progress = "settled" | "failed" | "failing" | "expired" | "open"

const progressIn = ({ hasFailed, isConfirmed, isFinal }: SignatureStatus): Progress => {
  if (hasFailed) return isFinal ? "failed" : "failing"
  return isConfirmed ? "settled" : "open"
}

const isFor = (attempt: TransferAttempt, { requirements }: PresentedPayment): boolean =>
  attempt.payee === requirements.payTo &&
  attempt.mint === requirements.asset &&
  attempt.amountAtomic === requirements.amount

/** For a till that did not settle the payment first, or not for these requirements. */
const refusedToOthers = (payer: string): SettlementResult => ({
  _tag: "Failed",
  reason: "duplicate_settlement",
  transaction: "",
  payer
})

/** Settles payments with one fee payer. */
export class Settling {
  private readonly settings: SettlingSettings
  private readonly node: SolanaNode
  private readonly journal: Journal
  private readonly admission: PaymentAdmission

  constructor(settings: SettlingSettings, node: SolanaNode, journal: Journal, admission: PaymentAdmission) {
    this.settings = settings
    this.node = node
    this.journal = journal
    this.admission = admission
  }

  /** Settles a payment. If this caller has settled it before, returns that outcome. */
  readonly settle = Effect.fnUntraced(
    { self: this },
    function* (payment: PresentedPayment, caller: string): Effect.fn.Return<SettlementResult, SettlingFault> {
      const [known] = yield* this.journal.find(payment.key)
      if (known !== undefined) return yield* this.bringFor(known, payment, caller)
      const { admitted, lifetime } = yield* this.admitInTime(payment)
      if (admitted._tag !== "Valid") {
        // Another process may have recorded the settlement that took the money.
        const [other] = yield* this.journal.find(payment.key)
        if (other !== undefined) return yield* this.bringFor(other, payment, caller)
        const reason = admitted._tag === "Short" ? "payer_settlements_open" : admitted.reason
        return { _tag: "Failed", reason, transaction: "", payer: admitted.payer }
      }
      const recorded = yield* this.record(payment, { ...admitted, lifetime }, caller)
      return recorded === undefined || recorded.caller !== caller
        ? refusedToOthers(admitted.payer)
        : yield* this.bring(recorded, "fresh")
    }
  )

  private bringFor(known: TransferAttempt, payment: PresentedPayment, caller: string) {
    return known.caller === caller && isFor(known, payment)
      ? this.bring(known, "old")
      : Effect.succeed(refusedToOthers(known.payer))
  }

  /** Checks a payment. Waits while the payer's open payments leave too little: the chain will show whether they moved. */
  private readonly admitInTime = Effect.fnUntraced(
    { self: this },
    function* (
      payment: PresentedPayment
    ): Effect.fn.Return<{ readonly admitted: Admitted; readonly lifetime: Lifetime }, SettlingFault> {
      const { confirmTimeoutMillis, pollMillis } = this.settings
      const until = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
      for (;;) {
        const [admitted, lifetime] = yield* Effect.all(
          [this.admission.admit(payment, { begins: true }), this.node.lifetime],
          { concurrency: 2 }
        )
        const isLate = (yield* Clock.currentTimeMillis) + pollMillis >= until
        if (admitted._tag !== "Short" || isLate) return { admitted, lifetime }
        yield* Effect.sleep(pollMillis)
      }
    }
  )

  /**
   * Signs a checked payment and records it; returns the record that counts. The node that knew the payment's blockhash may
   * be ahead of the one that gave the lifetime, by no more blocks than slots.
   */
  private readonly record = Effect.fnUntraced(
    { self: this },
    function* (
      payment: PresentedPayment,
      {
        lifetime,
        payer,
        slot
      }: { readonly payer: string; readonly slot: number; readonly lifetime: Lifetime },
      caller: string
    ) {
      const { key, requirements } = payment
      const signed = yield* this.sign(payment)
      const [recorded] = yield* this.journal.insert({
        key,
        position: 0,
        ...signed,
        lastValidBlockHeight: lifetime.lastValidBlockHeight + Math.max(0, slot - lifetime.slot),
        signedAtSlot: lifetime.slot,
        network: requirements.network,
        payer,
        payee: requirements.payTo,
        mint: requirements.asset,
        amountAtomic: requirements.amount,
        caller
      })
      return recorded
    }
  )

  private sign({ transaction }: PresentedPayment) {
    const { feePayer, signer } = this.settings
    return Effect.tryPromise({
      try: async () => {
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
  }

  /**
   * Sends a recorded settlement until the chain shows it or the call has waited long enough. A fresh one is sent before
   * the chain is read. The node checks it once more each time, so that it fails at a cost only if the payer's money leaves
   * between that check and its block.
   */
  private readonly bring = Effect.fnUntraced(
    { self: this },
    function* (
      attempt: TransferAttempt,
      age: "fresh" | "old"
    ): Effect.fn.Return<SettlementResult, NodeFault> {
      const { confirmTimeoutMillis, pollMillis } = this.settings
      const isFresh = age === "fresh"
      const { payer, signature, transaction } = attempt
      const failed = (reason: string, open = ""): SettlementResult => ({
        _tag: "Failed",
        reason,
        transaction: open,
        payer
      })
      const until = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
      if (isFresh) yield* this.node.sendByNewest(transaction)
      for (let poll = isFresh ? 1 : 0; ; poll++) {
        const progress = yield* isFresh ? this.freshProgressOf(attempt) : this.progressOf(attempt)
        yield* this.note(attempt, progress)
        if (progress === "settled") return { _tag: "Settled", transaction: signature, payer }
        if (progress === "failed") return failed("transaction_failed")
        if (progress === "expired") return failed("transaction_expired")
        // Sent again every fourth poll, because nodes forget.
        if (poll % 4 === 0) yield* this.node.sendByNewest(transaction)
        if ((yield* Clock.currentTimeMillis) + pollMillis >= until) {
          return failed("settlement_pending", signature)
        }
        yield* Effect.sleep(pollMillis)
      }
    }
  )

  /** Looks a settlement up; one that is in no block may have expired. */
  private readonly progressOf = Effect.fnUntraced(
    { self: this },
    function* (attempt: TransferAttempt): Effect.fn.Return<Progress, NodeFault> {
      // Read first: a transaction that is missing later was in no block up to this one.
      const final = yield* this.node.finalBlock
      const { slot, status } = yield* this.statusOf(attempt)
      if (status !== undefined) return progressIn(status)
      if (final.height <= attempt.lastValidBlockHeight || slot < final.slot) return "open"
      return (yield* this.node.firstAvailableSlot) <= attempt.signedAtSlot ? "expired" : "open"
    }
  )

  /** Looks a settlement up that can't have expired yet. */
  private freshProgressOf(attempt: TransferAttempt): Effect.Effect<Progress, NodeFault> {
    return Effect.map(this.statusOf(attempt), ({ status }) =>
      status === undefined ? "open" : progressIn(status)
    )
  }

  private statusOf(attempt: TransferAttempt) {
    return Effect.map(this.node.statuses([attempt.signature]), ({ slot, statuses: [status] }) => ({
      slot,
      status
    }))
  }

  /** Notes the outcome that the chain shows. */
  private note({ key, payer, signature }: TransferAttempt, progress: Progress): Effect.Effect<void> {
    switch (progress) {
      case "settled":
        return this.admission.noteSettled(key, payer)
      case "failed":
      case "failing":
        return this.admission.noteFailed(key, payer, signature)
      case "expired":
        return this.admission.noteExpired(key)
      case "open":
        return Effect.void
    }
  }
}
