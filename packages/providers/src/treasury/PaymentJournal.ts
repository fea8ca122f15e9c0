import { Effect } from "effect"
import type { Hex } from "./Hex.ts"
import { JournalFailed } from "./Treasury.ts"

/*
 * What a treasury remembers of its payments. The record is written before the transaction is sent, so that
 * whoever comes after a crash sends the same transaction again, which moves its money once at most.
 */

/** A payment that was decided upon: its one signed transaction. Plain data. */
export interface PaymentRecord {
  /** Idempotency key: the id of the order that is paid for. */
  readonly key: string
  /** The payee's own name of what is paid: an upstream's order id. */
  readonly reference: string
  readonly chainId: number
  /** The treasury's account, lower case. */
  readonly payer: Hex
  /** Number of the transaction within its account: of all with one number, the chain takes one. */
  readonly nonce: number
  /** Hash of the signed transaction. */
  readonly transaction: Hex
  /** The signed transaction. Whoever has it can send it: it moves this payment's money, and no other. */
  readonly signedTransaction: Hex
  /** Milliseconds since the epoch after which it is not sent any more: the quote has lapsed. */
  readonly expiresAtMillis: number
}

/**
 * Keeps the records of one treasury or several, durably and for all processes that share an account: what
 * it forgets may be paid twice. Each verb is atomic.
 *
 * A table does it: `key` and `reference` unique each, and (`chainId`, `payer`, `nonce`) together.
 */
export interface PaymentJournal {
  /**
   * Stores a record unless one with the same key, the same reference, or the same account and nonce is
   * there, and returns once it is on the disk. Answers the one in its way, the same key's first.
   */
  readonly insert: (record: PaymentRecord) => Promise<PaymentRecord | undefined>
  readonly find: (key: string) => Promise<PaymentRecord | undefined>
}

/** A journal that ends with its process: for tests. */
export const memoryJournal = (): PaymentJournal & {
  readonly records: () => ReadonlyArray<PaymentRecord>
} => {
  const records: Array<PaymentRecord> = []
  const clashes = (left: PaymentRecord, right: PaymentRecord): boolean =>
    left.reference === right.reference ||
    (left.chainId === right.chainId && left.payer === right.payer && left.nonce === right.nonce)
  return {
    insert: async (record) => {
      const other =
        records.find(({ key }) => key === record.key) ?? records.find((each) => clashes(each, record))
      if (other === undefined) records.push(record)
      return other
    },
    find: async (wanted) => records.find(({ key }) => key === wanted),
    records: () => [...records]
  }
}

/** A journal's promises as effects. */
export interface Journal {
  readonly insert: (record: PaymentRecord) => Effect.Effect<PaymentRecord | undefined, JournalFailed>
  readonly find: (key: string) => Effect.Effect<PaymentRecord | undefined, JournalFailed>
}

export const journalOf = (journal: PaymentJournal): Journal => {
  const asked = <A>(ask: () => Promise<A>): Effect.Effect<A, JournalFailed> =>
    Effect.tryPromise({
      try: ask,
      catch: (cause) => new JournalFailed({ code: cause instanceof Error ? cause.name : "Error" })
    })
  return {
    find: (key) => asked(() => journal.find(key)),
    insert: (record) => asked(() => journal.insert(record))
  }
}
