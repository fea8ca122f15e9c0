import { Clock, Effect } from "effect"
import type { ChainUnavailable, Evidence, PaymentCheck } from "./PaymentCheck.ts"
import type { PresentedPayment } from "./PresentedPayment.ts"
import type { Relay, RelayFault, SettlementDraft } from "./Relay.ts"
import type { RelayRefused } from "./RelayRefused.ts"
import { type Hex, type Journal, payerOf, type SettlementRecord } from "./SettlementJournal.ts"

/*
 * Settles a payment: records its transaction, sends it, and waits until the chain shows its own transfer.
 */

/** `transaction` of a failure: it was sent, so money may have moved or still move. */
export type SettleResult =
  | { readonly _tag: "Settled"; readonly transaction: string }
  | { readonly _tag: "Failed"; readonly reason: string; readonly transaction: string | undefined }

/** The state of a recorded settlement. */
type Progress =
  | SettleResult
  | { readonly _tag: "Waiting" }
  /** Its nonce is used up or was left by an earlier relayer, and the authorization isn't used: another nonce can settle it. */
  | { readonly _tag: "NonceSpent"; readonly reason: string; readonly transaction: Hex }

/** A transaction nonce that was used this many blocks ago, and not by us, is lost: no reorganization reaches that far. */
const lostBlocks = 64n
/** Each attempt may cost the relayer a reverted transaction. */
const maxAttempts = 3
/** Longest pause between two polls, in intervals of polling. */
const maxPausePolls = 4

/** A payment that needs a transaction with a new nonce. */
interface Attempt extends Pick<SettlementDraft, "payment" | "caller" | "attempt"> {
  /** Whether the transaction before was mined and reverted. */
  readonly hasReverted: boolean
}

/** Nothing was recorded or sent. */
interface Refusal {
  readonly _tag: "Refused"
  readonly reason: string
}

const refused = ({ reason }: RelayRefused) => Effect.succeed<Refusal>({ _tag: "Refused", reason })

const waiting: Progress = { _tag: "Waiting" }
const failed = (reason: string, transaction?: string): SettleResult => ({
  _tag: "Failed",
  reason,
  transaction
})

/** The nonce belongs to another authorization, or to another till, which may have been paid by it. */
const nonceReason = "invalid_exact_evm_nonce_already_used"
const nonceTaken = failed(nonceReason)

export interface SettlingSettings {
  readonly confirmTimeoutMillis: number
  readonly pollMillis: number
}

export const makeSettling = (
  { confirmTimeoutMillis, pollMillis }: SettlingSettings,
  journal: Journal,
  check: PaymentCheck,
  evidence: Effect.Effect<Evidence>
) => {
  /** The transaction that is on the chain, of those with one nonce. */
  const minedOf = Effect.fnUntraced(function* ({ chain }: Relay, sent: ReadonlyArray<SettlementRecord>) {
    for (const { transaction } of sent.toReversed()) {
      const mined = yield* chain.mined(transaction)
      if (mined !== undefined) return { ...mined, transaction }
    }
    return undefined
  })

  /** Whether another transaction has used the nonce for good. */
  const isLost = Effect.fnUntraced(function* ({ chain }: Relay, { nonce, relayer }: SettlementRecord) {
    const height = yield* chain.blockNumber
    return height >= lostBlocks && (yield* chain.transactionCount(relayer, height - lostBlocks)) > nonce
  })

  /**
   * Whether another relayer recorded a transaction and didn't get it mined, though it had the time to replace it. If it
   * is mined after all, the authorization still moves its money once, and ours is reverted.
   */
  const isAbandoned = Effect.fnUntraced(function* (
    { settings }: Relay,
    { relayer }: SettlementRecord,
    sent: ReadonlyArray<SettlementRecord>
  ) {
    if (relayer === settings.relayer) return false
    const lastMillis = Math.max(...sent.map(({ recordedAtMillis }) => recordedAtMillis))
    return (yield* Clock.currentTimeMillis) - lastMillis >= settings.replaceAfterMillis
  })

  /** What the chain shows of a record. Its relayer may be an earlier account, whose nonces are its own. */
  const progressOf = Effect.fnUntraced(function* (
    relay: Relay,
    payment: PresentedPayment,
    record: SettlementRecord
  ): Effect.fn.Return<Progress, RelayFault> {
    const { key, nonce, relayer, transaction: first } = record
    if (relayer === relay.settings.relayer && (yield* relay.minedCount) <= nonce) return waiting
    // With the token of the payment: another one may have used the same nonce.
    const { network } = payment
    const sent = yield* journal.at(network.chainId, relayer, nonce)
    const mined = yield* minedOf(relay, sent)
    const transaction = mined?.transaction
    // The receipt alone proves nothing: the authorization's own transfer must be in it.
    const shown = yield* (yield* evidence).evidence(network, payment.authorization, { transaction })
    switch (shown._tag) {
      case "Moved":
        relay.reverts.noteSettled({ key, payer: payerOf(key) }, yield* Clock.currentTimeMillis)
        return { _tag: "Settled", transaction: shown.transaction }
      case "Confirming":
      case "Unavailable":
        return waiting
      case "NotPaid":
        return failed("invalid_exact_evm_nonce_already_used", transaction ?? first)
      case "NotMoved":
        if (mined !== undefined && !mined.succeeded) {
          const { gasUsed = relay.settings.maxGas, transaction: hash } = mined
          const { recordedAtMillis } = record
          relay.reverts.noteReverted({ hash, recordedAtMillis }, { key, payer: payerOf(key), cost: gasUsed })
          return { _tag: "NonceSpent", reason: "transaction_failed", transaction: mined.transaction }
        }
        if (mined !== undefined) return waiting
        if (yield* isLost(relay, record)) {
          return { _tag: "NonceSpent", reason: "transaction_replaced", transaction: first }
        }
        return (yield* isAbandoned(relay, record, sent))
          ? { _tag: "NonceSpent", reason: "relayer_replaced", transaction: first }
          : waiting
    }
  })

  /** A fault of the node or the journal decides nothing: the transaction is recorded. */
  const progressOrWaiting = (relay: Relay, payment: PresentedPayment, record: SettlementRecord) =>
    Effect.catch(progressOf(relay, payment, record), () => Effect.succeed(waiting))

  /** Waits until the chain decides about a recorded settlement, or the call times out. */
  const waitFor = Effect.fnUntraced(function* (
    relay: Relay,
    payment: PresentedPayment,
    record: SettlementRecord,
    untilMillis: number
  ) {
    const resendMillis = relay.settings.replaceAfterMillis / 3
    let sentAtMillis = yield* Clock.currentTimeMillis
    for (let poll = 0; ; poll++) {
      const progress = yield* progressOrWaiting(relay, payment, record)
      if (progress._tag === "Settled" || progress._tag === "Failed") return progress
      if (progress._tag === "NonceSpent") return failed(progress.reason, progress.transaction)
      yield* Effect.ignore(relay.unblock)
      const now = yield* Clock.currentTimeMillis
      if (now - sentAtMillis >= resendMillis) {
        // Nodes forget. A transaction sent twice moves its money once.
        yield* Effect.ignore(relay.send(record))
        sentAtMillis = now
      }
      // Grows: a search for a use by another transaction takes many reads.
      const pauseMillis = pollMillis * Math.min(1 + poll / 10, maxPausePolls)
      if (now + pauseMillis >= untilMillis) {
        return failed("settlement_pending", record.transaction)
      }
      yield* Effect.sleep(pauseMillis)
    }
  })

  const isOf = ({ caller, digest }: SettlementRecord, payment: PresentedPayment, wanted: string): boolean =>
    digest === payment.digest && caller === wanted

  /** Whether a payment needs a transaction with a new nonce, and which attempt that is. */
  const nextAttempt = Effect.fnUntraced(function* (
    relay: Relay,
    payment: PresentedPayment,
    last: SettlementRecord | undefined
  ) {
    if (last === undefined) return { attempt: 0, hasReverted: false }
    const progress = yield* progressOrWaiting(relay, payment, last)
    if (progress._tag === "Waiting") yield* Effect.ignore(relay.send(last))
    return progress._tag === "NonceSpent" && last.attempt + 1 < maxAttempts
      ? { attempt: last.attempt + 1, hasReverted: progress.reason === "transaction_failed" }
      : undefined
  })

  /**
   * Checks a payment and records its transaction. Waits while the payer's other settlements leave too little: the chain
   * will show whether they moved.
   */
  const checkAndRecord = Effect.fnUntraced(function* (
    relay: Relay,
    { hasReverted, ...wanted }: Attempt,
    untilMillis: number
  ): Effect.fn.Return<SettlementRecord | Refusal, RelayFault | ChainUnavailable> {
    for (;;) {
      const minedBefore = yield* relay.minedCount
      const verdict = yield* Effect.catchTag(check(relay, wanted.payment), "RelayRefused", refused)
      if (verdict._tag !== "Valid") return { _tag: "Refused", reason: verdict.reason }
      const { balanceAtomic, byContract, call, gas } = verdict
      // A contract that accepted a signature and didn't when it counted gets no second transaction for it.
      if (byContract && hasReverted) return { _tag: "Refused", reason: "transaction_failed" }
      const { key } = wanted.payment
      const risked = { key, payer: payerOf(key), cost: gas, byContract }
      const now = yield* Clock.currentTimeMillis
      const refusal = relay.reverts.refusal(risked, now)
      if (refusal !== undefined) return { _tag: "Refused", reason: refusal }
      relay.reverts.begin(risked, now)
      const record = yield* Effect.catchTag(
        relay.record({ ...wanted, call, gas, balanceAtomic, minedBefore }),
        "RelayRefused",
        refused
      )
      if ("_tag" in record) relay.reverts.end(key)
      if (!("_tag" in record) || record.reason !== "payer_settlements_open") return record
      if ((yield* Clock.currentTimeMillis) + pollMillis >= untilMillis) return record
      yield* Effect.ignore(relay.unblock)
      yield* Effect.sleep(pollMillis)
    }
  })

  return Effect.fn("LocalFacilitator.settle")(function* (
    relay: Relay,
    payment: PresentedPayment,
    caller: string
  ): Effect.fn.Return<SettleResult, RelayFault | ChainUnavailable> {
    const untilMillis = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
    const records = yield* journal.find(payment.key)
    const known = records.at(-1)
    if (known !== undefined && known.caller !== caller) return nonceTaken
    const isSame = known === undefined || known.digest === payment.digest
    const next = yield* nextAttempt(relay, payment, known)
    if (next === undefined && isSame) return yield* waitFor(relay, payment, known!, untilMillis)
    if (next === undefined) {
      // Nobody may present the other authorization again: brings its transaction forward, which may be stuck.
      yield* Effect.ignore(relay.unblock)
      const own = records.findLast(({ digest }) => digest === payment.digest)
      return failed(nonceReason, own?.transaction)
    }

    // What a contract said of another authorization doesn't count against this one.
    const hasReverted = next.hasReverted && isSame
    const wanted = { payment, caller, attempt: next.attempt, hasReverted }
    const record = yield* checkAndRecord(relay, wanted, untilMillis)
    if ("_tag" in record) {
      // Another process may have recorded the settlement that spoiled this check.
      const other = (yield* journal.find(payment.key)).at(-1)
      if (other === undefined || other.attempt < next.attempt)
        return failed(record.reason, other?.transaction)
      return isOf(other, payment, caller) ? yield* waitFor(relay, payment, other, untilMillis) : nonceTaken
    }
    if (!isOf(record, payment, caller)) return nonceTaken
    yield* Effect.ignore(relay.send(record))
    return yield* waitFor(relay, payment, record, untilMillis)
  })
}

export type Settling = ReturnType<typeof makeSettling>
