import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { Charges, type EntriesQuery, type LedgerEntry } from "../../ports/Charges.ts"

/*
 * Reads the ledger page by page, so that memory doesn't grow with the ledger.
 */

/** Records that an audit reads at a time. */
export const pageSize = 200

export type EntriesFilter = Omit<EntriesQuery, "limit" | "before">

/** Calls `use` with each page of the entries that match, newest first. */
export const eachEntryPage = Effect.fnUntraced(function* <E, R>(
  filter: EntriesFilter,
  use: (page: ReadonlyArray<LedgerEntry>) => Effect.Effect<void, E, R>
): Effect.fn.Return<void, E | StoreError, R | Charges> {
  const charges = yield* Charges
  let before: LedgerEntry | undefined
  for (;;) {
    const page: ReadonlyArray<LedgerEntry> = yield* charges.entries({
      ...filter,
      limit: pageSize,
      ...(before === undefined ? {} : { before })
    })
    if (page.length > 0) yield* use(page)
    before = page.at(-1)
    if (page.length < pageSize) return
    // In memory nothing is awaited: other work goes on between two pages.
    yield* Effect.yieldNow
  }
})

/** All entries of the given charges. A charge has only a few, unless reorganizations undid its settlement. */
export const entriesOfCharges = Effect.fnUntraced(function* (
  chargeKeys: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<LedgerEntry>>, StoreError, Charges> {
  const found: Array<LedgerEntry> = []
  if (chargeKeys.length > 0) {
    yield* eachEntryPage({ chargeKeys: Array.from(new Set(chargeKeys)) }, (page) =>
      Effect.sync(() => {
        found.push(...page)
      })
    )
  }
  return Map.groupBy(found, ({ chargeKey }) => chargeKey)
})

/** Whether a reorganization undid a settlement, by all entries of its charge. */
export const isReversed = (settled: LedgerEntry, entries: ReadonlyArray<LedgerEntry>): boolean =>
  entries.some(({ kind, round }) => kind === "reversed" && round === settled.round)

/** The entries of a page that are settlements and were not reversed. */
export const unreversedSettlements = (
  page: ReadonlyArray<LedgerEntry>
): Effect.Effect<ReadonlyArray<LedgerEntry>, StoreError, Charges> => {
  const settled = page.filter(({ kind }) => kind === "settled")
  return Effect.map(entriesOfCharges(settled.map(({ chargeKey }) => chargeKey)), (entries) =>
    settled.filter((entry) => !isReversed(entry, entries.get(entry.chargeKey) ?? []))
  )
}
