import { Clock, Effect } from "effect"
import type { Chain, ChainFault } from "./Chain.ts"
import type { RecordedPayment } from "./PaymentJournal.ts"
import { latestOf, variantsOf } from "./Replacing.ts"
import type { PaymentState } from "./Treasury.ts"
import { type FeesTooHigh, PaymentFailed, PaymentPending, type SigningFailed } from "./TreasuryErrors.ts"

/*
 * Brings recorded payments onto the chain, or finds out that they never will be on it.
 */

/**
 * A number that was used this many blocks ago, and not by the payment, is lost to it: no reorganization reaches that
 * far.
 */
const replacedBlocks = 64n

export interface SendingSettings {
  readonly confirmations: number
  readonly confirmTimeoutMillis: number
  readonly pollMillis: number
}

/** What may be signed for a recorded payment. */
export interface Resigning {
  /** Uses up the number of a payment that has expired. */
  readonly clear: (record: RecordedPayment) => Effect.Effect<void, ChainFault | FeesTooHigh | SigningFailed>
  /** Replaces an underpriced payment. Returns it with its replacements. */
  readonly raise: (record: RecordedPayment) => Effect.Effect<RecordedPayment, ChainFault>
}

export const makeSending = (
  { confirmations, confirmTimeoutMillis, pollMillis }: SendingSettings,
  chain: Chain,
  { clear, raise }: Resigning
) => {
  /** The variant that was mined, if one was: all have one number, so the chain has at most one. */
  const findMined = Effect.fnUntraced(function* (record: RecordedPayment) {
    for (const { transaction } of variantsOf(record).toReversed()) {
      const mined = yield* chain.mined(transaction)
      if (mined !== undefined) return { ...mined, transaction }
    }
    return undefined
  })

  const minedState = Effect.fnUntraced(function* (record: RecordedPayment) {
    const { reference } = record
    const pending: PaymentState = { status: "pending", reference, transaction: latestOf(record).transaction }
    const mined = yield* findMined(record)
    if (mined === undefined) return pending
    const { blockNumber, succeeded, transaction } = mined
    const height = confirmations === 1 ? blockNumber : yield* chain.blockNumber
    // Too few blocks on a node that lags behind the one with the receipt: polled again.
    if (height - blockNumber + 1n < BigInt(confirmations)) return { ...pending, transaction }
    return { status: succeeded ? "paid" : "failed", reference, transaction } satisfies PaymentState
  })

  /** Whether another transaction has used a payment's number for good. */
  const isReplaced = Effect.fnUntraced(function* (record: RecordedPayment) {
    const height = yield* chain.blockNumber
    if (height < replacedBlocks) return false
    if ((yield* chain.transactionCount(record.payer, height - replacedBlocks)) <= record.nonce) return false
    // Read last: while the number was read, the payment itself may have been mined.
    return (yield* findMined(record)) === undefined
  })

  const stateOf = Effect.fnUntraced(function* (record: RecordedPayment) {
    const state = yield* minedState(record)
    return state.status === "pending" && (yield* isReplaced(record))
      ? ({ ...state, status: "failed" } satisfies PaymentState)
      : state
  })

  /** Uses up the number of an expired payment if it is next: otherwise its order would wait for it forever. */
  const clearExpired = Effect.fnUntraced(function* (record: RecordedPayment) {
    if ((yield* chain.transactionCount(record.payer)) !== record.nonce) return
    yield* Effect.catchTag(clear(record), ["FeesTooHigh", "SigningFailed"], () => Effect.void)
  })

  /** Sends the recorded transaction, with higher fees if need be, until the chain shows it or the call times out. */
  const bring = Effect.fnUntraced(function* (recorded: RecordedPayment) {
    const { expiresAtMillis, reference } = recorded
    const until = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
    let record = recorded
    for (let poll = 0; ; poll++) {
      const { status, transaction } = yield* poll === 0 ? stateOf(record) : minedState(record)
      if (status === "paid") return { reference, transaction }
      if (status === "failed") return yield* new PaymentFailed({ transaction })
      const now = yield* Clock.currentTimeMillis
      // Sent again every fourth poll, because nodes forget. A transaction sent twice moves its money once.
      if (poll % 4 === 0 && now < expiresAtMillis) {
        record = yield* raise(record)
        yield* chain.send(latestOf(record).signedTransaction)
      }
      if (poll === 0 && now >= expiresAtMillis) yield* clearExpired(record)
      if (now + pollMillis >= until) {
        return yield* new PaymentPending({ transaction: latestOf(record).transaction })
      }
      yield* Effect.sleep(pollMillis)
    }
  })

  return { bring, stateOf }
}
