import { Data, Effect } from "effect"

/*
 * The record of a local facilitator's transactions. Each is written before it is sent, so that after a crash the
 * same transaction is sent again, which moves its money at most once.
 */

/** `0x` and hexadecimal digits. */
export type Hex = `0x${string}`

/** The settlement of one authorization by a signed transaction, as plain data. */
export interface SettlementRecord {
  /** The authorization: `chain:asset:payer:nonce`, lower case. */
  readonly key: string
  /** Digest of the whole authorization. Another authorization with the same nonce has another digest. */
  readonly digest: string
  /** The till that presented it, as `authorize` of the HTTP handler names it, or `forTill`. */
  readonly caller: string
  /** Counts the transaction nonces that this key has used, from 0. */
  readonly attempt: number
  /** Counts the transactions with this nonce, from 0. Each pays higher fees than the one before. */
  readonly replacement: number
  readonly chainId: number
  /** The account that sends, lower case. */
  readonly relayer: Hex
  /** The nonce of the transaction, not that of the authorization. The chain accepts one transaction per account and nonce. */
  readonly nonce: number
  /** Hash of the signed transaction. */
  readonly transaction: Hex
  readonly signedTransaction: Hex
  /** When it was recorded, in milliseconds since the epoch. */
  readonly recordedAtMillis: number
}

/**
 * Stores the records of local facilitators, durably and for all processes that share a relayer. Each operation is
 * atomic.
 *
 * A table is enough: (`key`, `attempt`, `replacement`) is unique, and (`chainId`, `relayer`, `nonce`, `replacement`).
 */
export interface SettlementJournal {
  /**
   * Stores a record and resolves once it is on disk. If a record with the same key, attempt and replacement exists, or
   * one with the same account, nonce and replacement, stores nothing and returns that one, preferably the first.
   */
  readonly insert: (record: SettlementRecord) => Promise<SettlementRecord | undefined>
  /** The records of an authorization, by attempt, then by replacement. */
  readonly find: (key: string) => Promise<ReadonlyArray<SettlementRecord>>
  /** The records of a transaction nonce, by replacement. */
  readonly at: (chainId: number, relayer: Hex, nonce: number) => Promise<ReadonlyArray<SettlementRecord>>
  /** The records of an account with this nonce or a higher one, by nonce, then by replacement. */
  readonly since: (chainId: number, relayer: Hex, nonce: number) => Promise<ReadonlyArray<SettlementRecord>>
}

/** The payer in the key of a record. */
export const payerOf = (key: string): Hex => `0x${key.split(":").at(-2)?.slice(2) ?? ""}`

/** The balance that the authorization of a record takes from: token and payer, `0x…:0x…`. */
export const accountOf = (key: string): string => key.split(":").slice(-3, -1).join(":")

const byOrder = (left: SettlementRecord, right: SettlementRecord): number =>
  left.attempt - right.attempt || left.replacement - right.replacement

/** A journal in this process's memory, for tests. After a restart, the relayer may pay for a transaction twice. */
export const memorySettlementJournal = (): SettlementJournal & {
  readonly records: () => ReadonlyArray<SettlementRecord>
} => {
  const records: Array<SettlementRecord> = []
  const ofAccount = (chainId: number, relayer: Hex) =>
    records.filter((record) => record.chainId === chainId && record.relayer === relayer)
  const conflict = ({ attempt, chainId, key, nonce, relayer, replacement }: SettlementRecord) =>
    records.find(
      (each) => each.key === key && each.attempt === attempt && each.replacement === replacement
    ) ?? ofAccount(chainId, relayer).find((each) => each.nonce === nonce && each.replacement === replacement)
  return {
    insert: async (record) => {
      const other = conflict(record)
      if (other === undefined) records.push(record)
      return other
    },
    find: async (wanted) => records.filter(({ key }) => key === wanted).toSorted(byOrder),
    at: async (chainId, relayer, wanted) =>
      ofAccount(chainId, relayer)
        .filter(({ nonce }) => nonce === wanted)
        .toSorted(byOrder),
    since: async (chainId, relayer, from) =>
      ofAccount(chainId, relayer)
        .filter(({ nonce }) => nonce >= from)
        .toSorted((left, right) => left.nonce - right.nonce || left.replacement - right.replacement),
    records: () => [...records]
  }
}

/** The journal could not be read or written. Nothing is sent without a record. `code`: the name of its error. */
export class SettlementJournalFailed extends Data.TaggedError("SettlementJournalFailed")<{
  readonly code: string
}> {
  override get message(): string {
    return "the facilitator's journal could not be read or written"
  }
}

type Journaled<A> = Effect.Effect<A, SettlementJournalFailed>

/** A journal's promises as effects. */
export interface Journal {
  readonly insert: (record: SettlementRecord) => Journaled<SettlementRecord | undefined>
  readonly find: (key: string) => Journaled<ReadonlyArray<SettlementRecord>>
  readonly at: (chainId: number, relayer: Hex, nonce: number) => Journaled<ReadonlyArray<SettlementRecord>>
  readonly since: (chainId: number, relayer: Hex, nonce: number) => Journaled<ReadonlyArray<SettlementRecord>>
}

export const journalOf = (journal: SettlementJournal): Journal => {
  const call = <A>(run: () => Promise<A>): Journaled<A> =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => new SettlementJournalFailed({ code: cause instanceof Error ? cause.name : "Error" })
    })
  return {
    insert: (record) => call(() => journal.insert(record)),
    find: (key) => call(() => journal.find(key)),
    at: (chainId, relayer, nonce) => call(() => journal.at(chainId, relayer, nonce)),
    since: (chainId, relayer, nonce) => call(() => journal.since(chainId, relayer, nonce))
  }
}
