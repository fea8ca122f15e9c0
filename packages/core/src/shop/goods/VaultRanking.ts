import {
  hasTerm,
  nameTermOf,
  type QueryTerm,
  queryTermsOf,
  saysNothing,
  searchTermsOf,
  titleTermOf,
  wholeTermOf
} from "./SearchTerms.ts"
import type { VaultItem, VaultPage, VaultQuery } from "./Vault.ts"

/*
 * The order in which a search finds vault items, whatever stores them. Pure.
 *
 * A search goes step by step: items with all words in their title, those with all words in title and keywords, those with
 * all words, then those with most of them.
 * Within a step, items come in the order in which they were added. An item belongs to the first step that it fits, so a
 * cursor, the id of the last item, says where a later page goes on.
 */

/** All terms of one of these lists. */
export type Alternatives = ReadonlyArray<ReadonlyArray<QueryTerm>>

/** The items of a step: all terms of one list of `anyOf`, and of none of `noneOf`. */
export interface TermMatch {
  readonly anyOf: Alternatives
  /** Lists of earlier steps. May be empty. */
  readonly noneOf: Alternatives
}

/** A read of listed items in the order in which they were added. */
export interface VaultStep extends Omit<VaultQuery, "q" | "cursor"> {
  /** Only items behind the one of this id, in any case: listed or not. */
  readonly after: string | undefined
  /** Which terms the items have. `undefined`: any. */
  readonly match: TermMatch | undefined
  /** The most items to return. */
  readonly limit: number
}

/** Words that may be missing are chosen among this many, the longest ones: there are up to six choices. */
const maxChosenFrom = 4

/** All choices of `size` of the terms, in their order. */
const choicesOf = (terms: ReadonlyArray<QueryTerm>, size: number): Alternatives => {
  if (size === 0) return [[]]
  return terms.flatMap((term, index) =>
    choicesOf(terms.slice(index + 1), size - 1).map((others) => [term, ...others])
  )
}

/** The steps of a search. `undefined` for a blank query, which has no order of its own; none finds nothing. */
export const searchStepsOf = (q: string | undefined): ReadonlyArray<TermMatch> | undefined => {
  const terms = queryTermsOf(q)
  if (terms === undefined) return undefined
  if (terms.length === 0) return []
  const inTitle = [terms.map(titleTermOf)]
  const inName = [terms.map(nameTermOf)]
  const steps: Array<TermMatch> = [
    { anyOf: inTitle, noneOf: [] },
    { anyOf: inName, noneOf: inTitle },
    { anyOf: [terms], noneOf: [...inTitle, ...inName] }
  ]
  // Some of the words that say nothing are in every item.
  if (saysNothing(q ?? "")) return steps
  const chosen = terms
    .toSorted((left, right) => right.text.length - left.text.length)
    .slice(0, maxChosenFrom)
    .map(wholeTermOf)
  let earlier: Alternatives = [terms]
  const most = terms.length > maxChosenFrom ? maxChosenFrom : terms.length - 1
  for (let size = most; size >= Math.ceil(chosen.length / 3); size--) {
    const anywhere = choicesOf(chosen, size)
    const titles = anywhere.map((choice) => choice.map(titleTermOf))
    steps.push({ anyOf: titles, noneOf: earlier }, { anyOf: anywhere, noneOf: [...earlier, ...titles] })
    earlier = anywhere
  }
  return steps
}

const hasAll = (terms: ReadonlyArray<string>, lists: Alternatives): boolean =>
  lists.some((list) => list.every((term) => hasTerm(terms, term)))

/** Whether an item with these terms is one of a step. */
export const isMatch = (terms: ReadonlyArray<string>, { anyOf, noneOf }: TermMatch): boolean =>
  hasAll(terms, anyOf) && !hasAll(terms, noneOf)

/** What a search asks its store for. */
export type VaultRead =
  | { readonly _tag: "Item"; readonly id: string }
  | { readonly _tag: "Step"; readonly step: VaultStep }

/** The store's response: the item, if there is one, or the items of the step. */
export type VaultFound = ReadonlyArray<VaultItem>

/** Where a search begins: at the step of the cursor's item, behind it. */
const startOf = (steps: ReadonlyArray<TermMatch | undefined>, last: VaultItem | undefined): number => {
  if (last === undefined) return 0
  const terms = searchTermsOf(last)
  const step = steps.findIndex((match) => match !== undefined && isMatch(terms, match))
  // The item has changed since, or is the cursor of another search.
  return Math.max(0, step)
}

/** Reads one page of a search. Returns `undefined` if no item has the id of the cursor. */
export function* rankedPage(query: VaultQuery): Generator<VaultRead, VaultPage | undefined, VaultFound> {
  const { cursor, limit, q, ...filters } = query
  const steps: ReadonlyArray<TermMatch | undefined> = searchStepsOf(q) ?? [undefined]
  let last: VaultItem | undefined
  if (cursor !== undefined) {
    ;[last] = yield { _tag: "Item", id: cursor }
    if (last === undefined) return undefined
  }
  const first = startOf(steps, last)
  const items: Array<VaultItem> = []
  for (const [index, match] of steps.entries()) {
    if (index < first) continue
    const after = index === first ? cursor : undefined
    // A first page has all items of the earlier steps: leaving them out here costs a store nothing.
    const known = cursor === undefined ? new Set(items.map(({ id }) => id)) : undefined
    const step =
      known === undefined || match === undefined
        ? { ...filters, match, after, limit: limit - items.length + 1 }
        : { ...filters, match: { ...match, noneOf: [] }, after, limit: limit + 1 }
    items.push(...(yield { _tag: "Step", step }).filter(({ id }) => known?.has(id) !== true))
    if (items.length > limit) break
  }
  const page = items.slice(0, limit)
  return { items: page, nextCursor: items.length > limit ? page.at(-1)!.id : null }
}

/** How a store of a host reads items. */
export interface VaultReads {
  /** Finds an item by its id in any case, listed or not. */
  readonly item: (id: string) => Promise<VaultItem | undefined>
  /** Reads items of a step. */
  readonly step: (step: VaultStep) => Promise<ReadonlyArray<VaultItem>>
}

/**
 * A page of a search, in the order in which every store finds items. For `search` of a store of your own.
 *
 * @example
 * import { searchVault, type VaultReads } from "@till402/core"
 *
 * declare const reads: VaultReads
 * const search = (query: Parameters<typeof searchVault>[0]) => searchVault(query, reads)
 */
export const searchVault = async (query: VaultQuery, reads: VaultReads): Promise<VaultPage | undefined> => {
  const run = rankedPage(query)
  let next = run.next()
  while (next.done !== true) {
    const read = next.value
    if (read._tag === "Step") next = run.next(await reads.step(read.step))
    else {
      const item = await reads.item(read.id)
      next = run.next(item === undefined ? [] : [item])
    }
  }
  return next.value
}
