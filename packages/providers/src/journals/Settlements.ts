import type { SettlementJournal, SettlementRecord } from "../facilitator/SettlementJournal.ts"
import type { Hex } from "../treasury/Hex.ts"
import type { Database, Row } from "./Database.ts"
import { numberOf, withStoreError } from "./JournalRows.ts"

/** The text of a column that holds hexadecimal digits. */
const hexOf = (value: unknown): Hex => `0x${String(value).slice(2)}`

const recordOf = (row: Row): SettlementRecord => {
  const [transaction, item = "0"] = String(row["transaction"]).split("#")
  const [relayer] = String(row["relayer"]).split("#")
  return {
    key: String(row["key"]),
    digest: String(row["digest"]),
    caller: String(row["caller"]),
    attempt: numberOf(row["attempt"]),
    replacement: numberOf(row["replacement"]),
    chainId: numberOf(row["chain_id"]),
    relayer: hexOf(relayer),
    nonce: numberOf(row["nonce"]),
    item: Number(item),
    transaction: hexOf(transaction),
    signedTransaction: hexOf(row["signed_transaction"]),
    recordedAtMillis: numberOf(row["recorded_at_millis"])
  }
}

/**
 * Items of a batch share number and transaction, which are unique in the table. Those after the first carry their
 * position: `0x…#3`.
 */
const withItem = (text: string, item: number): string => (item === 0 ? text : `${text}#${item}`)

const columns = 11

const valuesOf = (record: SettlementRecord): ReadonlyArray<string | number> => [
  withItem(record.transaction, record.item),
  record.key,
  record.digest,
  record.caller,
  record.attempt,
  record.replacement,
  record.chainId,
  withItem(record.relayer, record.item),
  record.nonce,
  record.signedTransaction,
  record.recordedAtMillis
]

const insertText = (rows: number): string => {
  const row = (_: unknown, index: number) =>
    `(${Array.from({ length: columns }, (__, column) => `$${index * columns + column + 1}`).join(", ")})`
  return `INSERT INTO till_settlements
    ("transaction", key, digest, caller, attempt, replacement, chain_id, relayer, nonce,
      signed_transaction, recorded_at_millis)
    VALUES ${Array.from({ length: rows }, row).join(", ")}`
}

/** Records are never changed or deleted, so a conflicting record can always be returned. */
export const settlementsIn = ({ run }: Database): SettlementJournal => {
  /** The record that prevents another, preferably the one with its key. */
  const conflict = async (record: SettlementRecord): Promise<SettlementRecord | undefined> => {
    const { attempt, chainId, item, key, nonce, relayer, replacement } = record
    const [other] = await run(
      `SELECT * FROM till_settlements
        WHERE (key = $1 AND attempt = $2 AND replacement = $3)
          OR (chain_id = $4 AND relayer = $5 AND nonce = $6 AND replacement = $3)
        ORDER BY CASE WHEN key = $1 AND attempt = $2 THEN 0 ELSE 1 END LIMIT 1`,
      [key, attempt, replacement, chainId, withItem(relayer, item), nonce]
    )
    return other === undefined ? undefined : recordOf(other)
  }

  const insert = async (record: SettlementRecord): Promise<SettlementRecord | undefined> => {
    const text = `${insertText(1)} ON CONFLICT DO NOTHING RETURNING key`
    if ((await run(text, valuesOf(record))).length > 0) return undefined
    const other = await conflict(record)
    if (other === undefined) throw new Error("a settlement was deleted from the journal")
    return other
  }

  const insertBatch = async (
    records: ReadonlyArray<SettlementRecord>
  ): Promise<ReadonlyArray<SettlementRecord>> => {
    try {
      // One statement: it stores all of them or, where one conflicts, none.
      await run(insertText(records.length), records.flatMap(valuesOf))
      return []
    } catch (error) {
      const others: Array<SettlementRecord> = []
      for (const record of records) {
        const other = await conflict(record)
        if (other !== undefined) others.push(other)
      }
      if (others.length === 0) throw error
      return others
    }
  }

  return {
    insert: (record) => withStoreError("settlements.insert", () => insert(record)),
    insertBatch: (records) => withStoreError("settlements.insertBatch", () => insertBatch(records)),
    find: (key) =>
      withStoreError("settlements.find", async () => {
        const text = "SELECT * FROM till_settlements WHERE key = $1 ORDER BY attempt, replacement"
        return (await run(text, [key])).map(recordOf)
      }),
    at: (chainId, relayer, nonce) =>
      withStoreError("settlements.at", async () => {
        const text = `SELECT * FROM till_settlements
          WHERE chain_id = $1 AND relayer = $2 AND nonce = $3 ORDER BY replacement`
        return (await run(text, [chainId, relayer, nonce])).map(recordOf)
      }),
    since: (chainId, relayer, nonce) =>
      withStoreError("settlements.since", async () => {
        const text = `SELECT * FROM till_settlements
          WHERE chain_id = $1 AND relayer = $2 AND nonce >= $3 ORDER BY nonce, replacement`
        return (await run(text, [chainId, relayer, nonce])).map(recordOf)
      })
  }
}
