import { BoundedMap } from "@till402/core/effect"

/*
 * Records the intent by which each order of the till was placed. Rye's intents are created before the order
 * and never change, so they can't carry its id. The record is written before the intent is confirmed.
 */

/** Written before an intent is confirmed. */
export interface PlacementEntry {
  /** Rye's intent. */
  readonly reference: string
  /** When the confirmation was last sent, in milliseconds since the epoch. */
  readonly atMillis: number
}

/** Stores placements, for example in a table with the order's id as its key. */
export interface PlacementJournal {
  /** Writes the entry durably before it resolves. Replaces the order's earlier entry. */
  readonly record: (orderId: string, entry: PlacementEntry) => Promise<void>
  readonly find: (orderId: string) => Promise<PlacementEntry | undefined>
  /**
   * Writes that a buyer's order was placed. `buyer` is a keyed digest. Without this method and the next one, a process
   * knows only its own buyers.
   */
  readonly recordBuyer?: ((buyer: string) => Promise<void>) | undefined
  /** Whether an order of this buyer was placed. */
  readonly hasBought?: ((buyer: string) => Promise<boolean>) | undefined
  /**
   * Whether entries outlive the process; default `true`. With `true`, an order without an entry counts as
   * never placed.
   */
  readonly isDurable?: boolean | undefined
}

const capacity = 10_000

/** A journal in this process's memory, with the last 10,000 orders and buyers. */
export const memoryPlacementJournal = (): PlacementJournal => {
  const entries = new BoundedMap<string, PlacementEntry>(capacity)
  const buyers = new BoundedMap<string, true>(capacity)
  return {
    record: async (orderId, entry) => {
      entries.set(orderId, entry)
    },
    find: async (orderId) => entries.get(orderId),
    recordBuyer: async (buyer) => {
      buyers.set(buyer, true)
    },
    hasBought: async (buyer) => buyers.get(buyer) === true
  }
}
