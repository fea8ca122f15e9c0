import type { Hex, SettlementJournal, SettlementRecord } from "../facilitator/SettlementJournal.ts"
import type { Database, Row } from "./Database.ts"
import { numberOf, withStoreError } from "./JournalRows.ts"

/** The text of a column that holds hexadecimal digits. */
const hexOf = (value: unknown): Hex => `0x${String(value).slice(2)}`

const recordOf = (row: Row): SettlementRecord => ({
  key: String(row["key"]),
  digest: String(row["digest"]),
  caller: String(row["caller"]),
  attempt: numberOf(row["attempt"]),
  replacement: numberOf(row["replacement"]),
  chainId: numberOf(row["chain_id"]),
  relayer: hexOf(row["relayer"]),
  nonce: numberOf(row["nonce"]),
  transaction: hexOf(row["transaction"]),
  signedTransaction: hexOf(row["signed_transaction"]),
  recordedAtMillis: numberOf(row["recorded_at_millis"])
})

/** Records are never changed or deleted, so a conflicting record can always be returned. */
export const settlementsIn = ({ run }: Database): SettlementJournal => {
  /** The record that prevents another, preferably the one with its key. */
  const conflict = async (record: SettlementRecord): Promise<SettlementRecord | undefined> => {
    const { attempt, chainId, key, nonce, relayer, replacement } = record
    const [other] = await run(
      `SELECT * FROM till_settlements
        WHERE (key = $1 AND attempt = $2 AND replacement = $3)
          OR (chain_id = $4 AND relayer = $5 AND nonce = $6 AND replacement = $3)
        ORDER BY CASE WHEN key = $1 AND attempt = $2 THEN 0 ELSE 1 END LIMIT 1`,
      [key, attempt, replacement, chainId, relayer, nonce]
    )
    return other === undefined ? undefined : recordOf(other)
  }

  const insert = async (record: SettlementRecord): Promise<SettlementRecord | undefined> => {
    const written = await run(
      `INSERT INTO till_settlements
        ("transaction", key, digest, caller, attempt, replacement, chain_id, relayer, nonce,
          signed_transaction, recorded_at_millis)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING RETURNING key`,
      [
        record.transaction,
        record.key,
        record.digest,
        record.caller,
        record.attempt,
        record.replacement,
        record.chainId,
        record.relayer,
        record.nonce,
        record.signedTransaction,
        record.recordedAtMillis
      ]
    )
    if (written.length > 0) return undefined
    const other = await conflict(record)
    if (other === undefined) throw new Error("a settlement was deleted from the journal")
    return other
  }

  return {
    insert: (record) => withStoreError("settlements.insert", () => insert(record)),
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
