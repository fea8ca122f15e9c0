import { Effect } from "effect"
import { TransferJournalFailed } from "./RefundErrors.ts"

/*
 * The record of transfers on Solana that a wallet sends: its own, and payments that it settles as fee payer. Each attempt is written before it is sent, so that after a crash
 * it is known what may have moved.
 */

/** One signed transfer, as plain data. */
export interface TransferAttempt {
  /** Idempotency key of the transfer, which moves once however many attempts it takes. */
  readonly key: string
  /** Number of the attempt, counted from 0. Another one is signed only when no earlier one can move any more. */
  readonly position: number
  /** Base58 signature, by which the chain knows the transaction. */
  readonly signature: string
  /** The signed transaction in base64. Anyone who has it can send it, but it moves only this transfer's money. */
  readonly transaction: string
  /** No block above this height accepts the transaction. */
  readonly lastValidBlockHeight: number
  /** A slot before the transaction could be sent. */
  readonly signedAtSlot: number
  /** CAIP-2 identifier of the network. */
  readonly network: string
  /** Wallet that pays, and wallet that is paid. */
  readonly payer: string
  readonly payee: string
  /** The token's mint. */
  readonly mint: string
  /** Atomic units in decimal digits. */
  readonly amountAtomic: string
  /** The till for which a facilitator settles it; empty for the till in the same process. */
  readonly caller: string
}

/**
 * Stores the attempts of transfers, durably and for all processes that share a wallet. A lost attempt may move its
 * money twice. Each operation is atomic.
 *
 * One table is enough, with (`key`, `position`) as its primary key.
 */
export interface TransferJournal {
  /**
   * Stores an attempt and resolves once it is on disk. If there is one with the same key and position, stores
   * nothing. Returns all attempts of the key by position.
   */
  readonly insert: (attempt: TransferAttempt) => Promise<ReadonlyArray<TransferAttempt>>
  /** All attempts of a key by position; empty if nothing was ever signed under it. */
  readonly find: (key: string) => Promise<ReadonlyArray<TransferAttempt>>
}

/** A journal in this process's memory, for tests. After a restart, refunds may be sent twice. */
export const memoryTransferJournal = (): TransferJournal & {
  readonly attempts: () => ReadonlyArray<TransferAttempt>
} => {
  const attempts: Array<TransferAttempt> = []
  const of = (key: string): ReadonlyArray<TransferAttempt> => attempts.filter((each) => each.key === key)
  return {
    insert: async (attempt) => {
      if (of(attempt.key).every(({ position }) => position !== attempt.position)) attempts.push(attempt)
      return of(attempt.key)
    },
    find: async (key) => of(key),
    attempts: () => [...attempts]
  }
}

/** A journal's promises as effects. */
export interface Journal {
  readonly insert: (
    attempt: TransferAttempt
  ) => Effect.Effect<ReadonlyArray<TransferAttempt>, TransferJournalFailed>
  readonly find: (key: string) => Effect.Effect<ReadonlyArray<TransferAttempt>, TransferJournalFailed>
}

export const journalOf = (journal: TransferJournal): Journal => {
  const call = <A>(run: () => Promise<A>): Effect.Effect<A, TransferJournalFailed> =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => new TransferJournalFailed({ code: cause instanceof Error ? cause.name : "Error" })
    })
  return {
    insert: (attempt) => call(() => journal.insert(attempt)),
    find: (key) => call(() => journal.find(key))
  }
}
