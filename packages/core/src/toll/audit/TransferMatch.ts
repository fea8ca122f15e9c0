import type { LedgerEntry } from "../../ports/Charges.ts"
import type { IncomingTransfer } from "../evidence/Chain.ts"

/** The parts of a settlement that name its transfer. */
export type SettlementEntry = Pick<LedgerEntry, "transaction" | "transferLogIndex" | "payer" | "amountAtomic">

/** Pairs of one settlement and one transfer, and the unmatched rest of both. */
export interface TransferMatch<E extends SettlementEntry, T extends IncomingTransfer> {
  readonly pairs: ReadonlyArray<{ readonly entry: E; readonly transfer: T }>
  readonly entries: ReadonlyArray<E>
  readonly transfers: ReadonlyArray<T>
}

/** In lower case: nodes and facilitators spell hashes and addresses differently. No transfer lacks a transaction. */
const keyOf = (...parts: ReadonlyArray<string | number | undefined>): string => parts.join(":").toLowerCase()

const isOf = ({ amountAtomic, payer }: SettlementEntry, { from, valueAtomic }: IncomingTransfer): boolean =>
  payer.toLowerCase() === from.toLowerCase() && amountAtomic === valueAtomic

/**
 * Matches settlements of one network and recipient to transfers, each used once. Pure.
 *
 * A settlement with a log index matches only that transfer, if payer and amount are the same. Any other matches by
 * transaction, payer and amount. If several match one transfer, those with a log index come first.
 */
export const matchTransfers = <E extends SettlementEntry, T extends IncomingTransfer>(
  entries: ReadonlyArray<E>,
  transfers: ReadonlyArray<T>
): TransferMatch<E, T> => {
  const pairs: Array<{ readonly entry: E; readonly transfer: T }> = []
  const left = new Map(
    transfers.map((transfer) => [keyOf(transfer.transaction, transfer.logIndex), transfer])
  )
  const unmatched: Array<E> = []
  const loose: Array<E> = []
  for (const entry of entries) {
    if (entry.transferLogIndex === undefined) {
      loose.push(entry)
      continue
    }
    const key = keyOf(entry.transaction, entry.transferLogIndex)
    const transfer = left.get(key)
    if (transfer !== undefined && isOf(entry, transfer)) {
      left.delete(key)
      pairs.push({ entry, transfer })
    } else unmatched.push(entry)
  }
  const candidates = Map.groupBy(left, ([, { from, transaction, valueAtomic }]) =>
    keyOf(transaction, from, valueAtomic)
  )
  for (const entry of loose) {
    const found = candidates.get(keyOf(entry.transaction, entry.payer, entry.amountAtomic))?.pop()
    if (found === undefined) {
      unmatched.push(entry)
      continue
    }
    const [key, transfer] = found
    left.delete(key)
    pairs.push({ entry, transfer })
  }
  return { pairs, entries: unmatched, transfers: Array.from(left.values()) }
}
