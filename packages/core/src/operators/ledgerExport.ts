import { Stream } from "effect"
import { shownAddress } from "../domain/EvmAddress.ts"
import { formatAtomic } from "../domain/Money.ts"
import type { LedgerEntry } from "../ports/Ledger.ts"
import { type ExportFormat, exportLines, isoOf } from "./recordExport.ts"

/*
 * The ledger as text for a host's bookkeeping. Amounts are exact decimal text in dollars of the stablecoin.
 */

const lineOf = (entry: LedgerEntry) => ({
  at: isoOf(entry.atMillis),
  kind: entry.kind,
  operation: entry.operation,
  amount: formatAtomic(BigInt(entry.amountAtomic)),
  amountAtomic: entry.amountAtomic,
  network: entry.network,
  asset: entry.asset,
  payer: shownAddress(entry.payer),
  payTo: entry.payTo,
  transaction: entry.transaction ?? null,
  transferLogIndex: entry.transferLogIndex ?? null,
  chargeKey: entry.chargeKey,
  round: entry.round
})

const columns = [
  "at",
  "kind",
  "operation",
  "amount",
  "amountAtomic",
  "network",
  "asset",
  "payer",
  "payTo",
  "transaction",
  "transferLogIndex",
  "chargeKey",
  "round"
] as const satisfies ReadonlyArray<keyof ReturnType<typeof lineOf>>

/** Turns pages of the ledger into the text of one document, piece by piece. */
export const exportLedger = <E, R>(
  pages: Stream.Stream<ReadonlyArray<LedgerEntry>, E, R>,
  format: ExportFormat
): Stream.Stream<string, E, R> =>
  exportLines(
    Stream.map(pages, (entries) => entries.map(lineOf)),
    format,
    columns
  )
