import { Context } from "effect"
import type { SettlementJournal } from "../facilitator/SettlementJournal.ts"
import type { PlacementJournal } from "../rye/PlacementJournal.ts"
import type { TransferAttempt, TransferJournal } from "../solana-refunds/TransferJournal.ts"
import type { Database, Row } from "./Database.ts"
import { numberOf, withStoreError } from "./JournalRows.ts"
import { settlementsIn } from "./Settlements.ts"

/** The journals of providers, as a service; see `SqliteJournals.layer` and `PostgresJournals.layer`. */
export class Journals extends Context.Service<
  Journals,
  {
    /** The intent by which each order was placed. */
    readonly placements: PlacementJournal
    /** Transactions of a local facilitator. */
    readonly settlements: SettlementJournal
    /** Transfers on Solana: refunds, and settlements of a local facilitator. */
    readonly transfers: TransferJournal
  }
>()("@till402/providers/Journals") {}

/** All journals in one database. */
export interface OpenJournals {
  /** The intent by which each order was placed, and the buyers: tables `till_placements` and `till_buyers`. */
  readonly placements: PlacementJournal
  /** Transactions of a local facilitator: table `till_settlements`. */
  readonly settlements: SettlementJournal
  /** Refunds on Solana, and settlements of a local facilitator there: table `till_solana_transfers`. */
  readonly transfers: TransferJournal
  /** Closes the file or the connections. Later calls reject. */
  readonly close: () => Promise<void>
}

const placementsIn = ({ run }: Database): PlacementJournal => ({
  record: (orderId, { atMillis, reference }) =>
    withStoreError("placements.record", async () => {
      await run(
        `INSERT INTO till_placements (order_id, reference, at_millis) VALUES ($1, $2, $3)
          ON CONFLICT (order_id) DO UPDATE SET reference = excluded.reference, at_millis = excluded.at_millis`,
        [orderId, reference, atMillis]
      )
    }),
  find: (orderId) =>
    withStoreError("placements.find", async () => {
      const [row] = await run("SELECT reference, at_millis FROM till_placements WHERE order_id = $1", [
        orderId
      ])
      return row === undefined
        ? undefined
        : { reference: String(row["reference"]), atMillis: numberOf(row["at_millis"]) }
    }),
  recordBuyer: (buyer) =>
    withStoreError("placements.recordBuyer", async () => {
      await run("INSERT INTO till_buyers (buyer) VALUES ($1) ON CONFLICT DO NOTHING", [buyer])
    }),
  hasBought: (buyer) =>
    withStoreError("placements.hasBought", async () => {
      const found = await run("SELECT buyer FROM till_buyers WHERE buyer = $1", [buyer])
      return found.length > 0
    })
})

const attemptOf = (row: Row): TransferAttempt => ({
  key: String(row["key"]),
  position: numberOf(row["position"]),
  signature: String(row["signature"]),
  transaction: String(row["transaction"]),
  lastValidBlockHeight: numberOf(row["last_valid_block_height"]),
  signedAtSlot: numberOf(row["signed_at_slot"]),
  network: String(row["network"]),
  payer: String(row["payer"]),
  payee: String(row["payee"]),
  mint: String(row["mint"]),
  amountAtomic: String(row["amount_atomic"]),
  caller: String(row["caller"])
})

const transfersIn = ({ run }: Database): TransferJournal => {
  const find = async (key: string): Promise<ReadonlyArray<TransferAttempt>> => {
    const rows = await run("SELECT * FROM till_solana_transfers WHERE key = $1 ORDER BY position", [key])
    return rows.map(attemptOf)
  }
  const insert = async (attempt: TransferAttempt): Promise<ReadonlyArray<TransferAttempt>> => {
    const { amountAtomic, key, mint, network, payee, payer, position, signature, transaction } = attempt
    await run(
      `INSERT INTO till_solana_transfers
        (key, position, signature, "transaction", last_valid_block_height, signed_at_slot,
          network, payer, payee, mint, amount_atomic, caller)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
      [
        key,
        position,
        signature,
        transaction,
        attempt.lastValidBlockHeight,
        attempt.signedAtSlot,
        network,
        payer,
        payee,
        mint,
        amountAtomic,
        attempt.caller
      ]
    )
    return find(key)
  }
  return {
    insert: (attempt) => withStoreError("transfers.insert", () => insert(attempt)),
    find: (key) => withStoreError("transfers.find", () => find(key))
  }
}

export const journalsIn = (database: Database): OpenJournals => ({
  placements: placementsIn(database),
  settlements: settlementsIn(database),
  transfers: transfersIn(database),
  close: database.close
})
