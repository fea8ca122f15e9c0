import type { Stream } from "effect"
import { shownAddress } from "../domain/EvmAddress.ts"
import { formatAtomic } from "../domain/Money.ts"
import type { LedgerEntry } from "../ports/Ledger.ts"
import { type Columns, type ExportFormat, exportRecords, isoOf } from "./recordExport.ts"

/*
 * The ledger as text for a host's bookkeeping. Amounts are exact decimal text in dollars of the stablecoin.
 */

const columns: Columns<LedgerEntry> = {
  at: ({ atMillis }) => isoOf(atMillis),
  kind: ({ kind }) => kind,
  operation: ({ operation }) => operation,
  amount: ({ amountAtomic }) => formatAtomic(BigInt(amountAtomic)),
  amountAtomic: ({ amountAtomic }) => amountAtomic,
  network: ({ network }) => network,
  asset: ({ asset }) => asset,
  payer: ({ payer }) => shownAddress(payer),
  payTo: ({ payTo }) => payTo,
  transaction: ({ transaction }) => transaction ?? null,
  transferLogIndex: ({ transferLogIndex }) => transferLogIndex ?? null,
  chargeKey: ({ chargeKey }) => chargeKey,
  round: ({ round }) => round
}

/** Turns pages of the ledger into the text of one document, piece by piece. */
export const exportLedger = <E, R>(
  pages: Stream.Stream<ReadonlyArray<LedgerEntry>, E, R>,
  format: ExportFormat
): Stream.Stream<string, E, R> => exportRecords(pages, format, columns)
