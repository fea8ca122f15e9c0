import { Clock, Effect } from "effect"
import type { Chain, ChainFault } from "./Chain.ts"
import type { PaymentRecord } from "./PaymentJournal.ts"
import type { Hex } from "./Hex.ts"
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
  /** The account's address, lower case. */
  readonly payer: Hex
  readonly confirmations: number
  readonly confirmTimeoutMillis: number
  readonly pollMillis: number
}

/** `clear` uses up the number of a payment that has expired. */
export const makeSending = (
  { confirmations, confirmTimeoutMillis, payer, pollMillis }: SendingSettings,
  chain: Chain,
  clear: (record: PaymentRecord) => Effect.Effect<void, ChainFault | FeesTooHigh | SigningFailed>
) => {
  const minedState = Effect.fnUntraced(function* ({ reference, transaction }: PaymentRecord) {
    const mined = yield* chain.mined(transaction)
    const pending: PaymentState = { status: "pending", reference, transaction }
    if (mined === undefined) return pending
    const height = confirmations === 1 ? mined.blockNumber : yield* chain.blockNumber
    // Too few blocks on a node that lags behind the one with the receipt: polled again.
    if (height - mined.blockNumber + 1n < BigInt(confirmations)) return pending
    return { ...pending, status: mined.succeeded ? "paid" : "failed" } satisfies PaymentState
  })

  /** Whether another transaction has used a payment's number for good. */
  const isReplaced = Effect.fnUntraced(function* ({ nonce, transaction }: PaymentRecord) {
    const height = yield* chain.blockNumber
    if (height < replacedBlocks) return false
    if ((yield* chain.transactionCount(payer, height - replacedBlocks)) <= nonce) return false
    // Read last: while the number was read, the payment itself may have been mined.
    return (yield* chain.mined(transaction)) === undefined
  })

  const stateOf = Effect.fnUntraced(function* (record: PaymentRecord) {
    const state = yield* minedState(record)
    return state.status === "pending" && (yield* isReplaced(record))
      ? ({ ...state, status: "failed" } satisfies PaymentState)
      : state
  })

  /** Uses up the number of an expired payment if it is next: otherwise its order would wait for it forever. */
  const clearExpired = Effect.fnUntraced(function* (record: PaymentRecord) {
    if ((yield* chain.transactionCount(payer)) !== record.nonce) return
    yield* Effect.catchTag(clear(record), ["FeesTooHigh", "SigningFailed"], () => Effect.void)
  })

  /** Sends the recorded transaction until the chain shows it or the call times out. */
  const bring = Effect.fnUntraced(function* (record: PaymentRecord) {
    const { expiresAtMillis, reference, signedTransaction, transaction } = record
    const until = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
    for (let poll = 0; ; poll++) {
      const { status } = yield* poll === 0 ? stateOf(record) : minedState(record)
      if (status === "paid") return { reference, transaction }
      if (status === "failed") return yield* new PaymentFailed({ transaction })
      const now = yield* Clock.currentTimeMillis
      // Sent again every fourth poll, because nodes forget. A transaction sent twice moves its money once.
      if (poll % 4 === 0 && now < expiresAtMillis) yield* chain.send(signedTransaction)
      if (poll === 0 && now >= expiresAtMillis) yield* clearExpired(record)
      if (now + pollMillis >= until) return yield* new PaymentPending({ transaction })
      yield* Effect.sleep(pollMillis)
    }
  })

  return { bring, stateOf }
}
