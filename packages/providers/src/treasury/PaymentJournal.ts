import { Effect } from "effect"
import type { Hex } from "./Hex.ts"
import { JournalFailed } from "./TreasuryErrors.ts"

/*
 * The record of a treasury's payments. It is written before the transaction is sent, so that after a crash the
 * same transaction is sent again, which moves its money at most once.
 */

/** A payment with its signed transaction, as plain data. */
export interface PaymentRecord {
  /** Idempotency key: the id of the order. */
  readonly key: string
  /** The payee's reference: an upstream's order id. */
  readonly reference: string
  readonly chainId: number
  /** The treasury's account, lower case. */
  readonly payer: Hex
  /** The transaction's number. The chain accepts one transaction per account and number. */
  readonly nonce: number
  /** Hash of the signed transaction. */
  readonly transaction: Hex
  /** The signed transaction. Anyone who has it can send it, but it moves only this payment's money. */
  readonly signedTransaction: Hex
  /** It is not sent after this time, in milliseconds since the epoch: the quote has expired. */
  readonly expiresAtMillis: number
}

/** A payment signed again under the same nonce, with higher fees. The chain accepts one of the transactions. */
export interface PaymentVariant {
  readonly transaction: Hex
  readonly signedTransaction: Hex
}

/** A record with its replacements, in the order in which they were signed. Any of the transactions may be mined. */
export interface RecordedPayment extends PaymentRecord {
  readonly replacements: ReadonlyArray<PaymentVariant>
}

/**
 * Stores the records of treasuries, durably and for all processes that share an account. A lost record may be
 * paid twice. Each operation is atomic.
 *
 * Two tables are enough. Of records, `key` and `reference` are each unique, and (`chainId`, `payer`, `nonce`)
 * together. Of replacements, (`key`, `position`).
 */
export interface PaymentJournal {
  /**
   * Stores a record and resolves once it is on disk. If a record with the same key, reference, or account and
   * nonce exists, stores nothing and returns that one, preferably the one with the same key.
   */
  readonly insert: (record: PaymentRecord) => Promise<RecordedPayment | undefined>
  /**
   * Stores a replacement of a key's payment at a position, counted from 0, and resolves once it is on disk. If there
   * is one at that position, stores nothing. Returns the payment with all its replacements.
   */
  readonly replace: (key: string, position: number, variant: PaymentVariant) => Promise<RecordedPayment>
  readonly find: (key: string) => Promise<RecordedPayment | undefined>
}

/** A journal in this process's memory, for tests. */
export const memoryPaymentJournal = (): PaymentJournal & {
  readonly records: () => ReadonlyArray<RecordedPayment>
} => {
  const records: Array<RecordedPayment> = []
  const clashes = (left: PaymentRecord, right: PaymentRecord): boolean =>
    left.reference === right.reference ||
    (left.chainId === right.chainId && left.payer === right.payer && left.nonce === right.nonce)
  return {
    insert: async (record) => {
      const other =
        records.find(({ key }) => key === record.key) ?? records.find((each) => clashes(each, record))
      if (other === undefined) records.push({ ...record, replacements: [] })
      return other
    },
    replace: async (wanted, position, variant) => {
      const index = records.findIndex(({ key }) => key === wanted)
      const record = records[index]
      if (record === undefined) throw new Error("the payment to replace is not in the journal")
      if (record.replacements.length !== position) return record
      const replaced = { ...record, replacements: [...record.replacements, variant] }
      records[index] = replaced
      return replaced
    },
    find: async (wanted) => records.find(({ key }) => key === wanted),
    records: () => [...records]
  }
}

/** A journal's promises as effects. */
export interface Journal {
  readonly insert: (record: PaymentRecord) => Effect.Effect<RecordedPayment | undefined, JournalFailed>
  readonly replace: (
    key: string,
    position: number,
    variant: PaymentVariant
  ) => Effect.Effect<RecordedPayment, JournalFailed>
  readonly find: (key: string) => Effect.Effect<RecordedPayment | undefined, JournalFailed>
}

export const journalOf = (journal: PaymentJournal): Journal => {
  const call = <A>(run: () => Promise<A>): Effect.Effect<A, JournalFailed> =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => new JournalFailed({ code: cause instanceof Error ? cause.name : "Error" })
    })
  return {
    find: (key) => call(() => journal.find(key)),
    insert: (record) => call(() => journal.insert(record)),
    replace: (key, position, variant) => call(() => journal.replace(key, position, variant))
  }
}
