/*
 * Which intent an order of the till was placed by. Rye's intents are made before there is an order and never
 * change, so they can't carry its id: whoever wants to know it after a crash has to write it down before.
 */

/** What is written down before an intent is confirmed. */
export interface PlacementEntry {
  /** Rye's intent. */
  readonly reference: string
  /** When the confirmation was last sent, in milliseconds since the epoch. */
  readonly atMillis: number
}

/** Where placements are written down: a table with the order's id as its key, or the like. */
export interface PlacementJournal {
  /** Writes the entry down, durably, before it resolves. It takes the place of the one that stands. */
  readonly record: (orderId: string, entry: PlacementEntry) => Promise<void>
  readonly find: (orderId: string) => Promise<PlacementEntry | undefined>
}

const capacity = 10_000

/** A journal in this process's memory, of the last 10,000 orders. */
export const memoryPlacements = (): PlacementJournal => {
  const entries = new Map<string, PlacementEntry>()
  return {
    record: async (orderId, entry) => {
      entries.delete(orderId)
      entries.set(orderId, entry)
      const [oldest] = entries.keys()
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
    },
    find: async (orderId) => entries.get(orderId)
  }
}
