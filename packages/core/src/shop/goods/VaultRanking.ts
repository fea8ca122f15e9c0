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
import type { VaultItem, VaultPage, VaultQuery } from "./VaultItem.ts"

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
const startOf = (steps: ReadonlyArray<TermMatch | undefined>, last: VaultItem): number => {
  const terms = searchTermsOf(last)
  const step = steps.findIndex((match) => match !== undefined && isMatch(terms, match))
  // The item has changed since, or is the cursor of another search.
  return Math.max(0, step)
}

type Run<A> = Generator<VaultRead, A, VaultFound>
type Filters = Omit<VaultQuery, "q" | "cursor">

/**
 * The beginning of a search, up to one item more than its page has. After the first step, each second one is within the
 * next: that is read before, and if it has few items, which of them come first is known without another read. So it is
 * with all steps up to that of one word fewer: few items have most of four words or more, so that is read at once.
 */
function* firstItems(filters: Filters, steps: ReadonlyArray<TermMatch>): Run<ReadonlyArray<VaultItem>> {
  const { limit } = filters
  const items = new Map<string, VaultItem>()
  const add = (found: VaultFound): void => {
    for (const item of found) if (!items.has(item.id)) items.set(item.id, item)
  }
  // Items of earlier steps are left out here, which costs a store nothing.
  const read = ({ anyOf }: TermMatch): VaultRead => ({
    _tag: "Step",
    step: { ...filters, match: { anyOf, noneOf: [] }, after: undefined, limit: limit + 1 }
  })
  let next = 0
  // There are as many choices of three of four words.
  const most = steps.findLastIndex(({ anyOf }) => anyOf.length === maxChosenFrom)
  if (most > 0) {
    const found = yield read(steps[most]!)
    if (found.length <= limit) {
      for (const step of steps.slice(0, most + 1))
        add(found.filter((item) => isMatch(searchTermsOf(item), step)))
      next = most + 1
    }
  }
  const [first] = steps
  if (next === 0 && first !== undefined) {
    add(yield read(first))
    next = 1
  }
  for (; next < steps.length && items.size <= limit; next += 2) {
    const [inner, outer] = steps.slice(next) as [TermMatch, TermMatch]
    const found = yield read(outer)
    const isWhole = found.length <= limit
    add(isWhole ? found.filter((item) => isMatch(searchTermsOf(item), inner)) : yield read(inner))
    add(found)
  }
  return Array.from(items.values())
}

/** The items behind a cursor, in its step and in later ones. */
function* itemsAfter(
  cursor: string | undefined,
  filters: Filters,
  steps: ReadonlyArray<TermMatch | undefined>
): Run<ReadonlyArray<VaultItem> | undefined> {
  let first = 0
  if (cursor !== undefined) {
    const [last] = yield { _tag: "Item", id: cursor }
    if (last === undefined) return undefined
    first = startOf(steps, last)
  }
  const items: Array<VaultItem> = []
  for (const [index, match] of steps.entries()) {
    if (index < first || items.length > filters.limit) continue
    const after = index === first ? cursor : undefined
    items.push(
      ...(yield { _tag: "Step", step: { ...filters, match, after, limit: filters.limit - items.length + 1 } })
    )
  }
  return items
}

/** Reads one page of a search. Returns `undefined` if no item has the id of the cursor. */
export function* rankedPage({ cursor, q, ...filters }: VaultQuery): Run<VaultPage | undefined> {
  const steps = searchStepsOf(q)
  const items =
    cursor === undefined && steps !== undefined
      ? yield* firstItems(filters, steps)
      : yield* itemsAfter(cursor, filters, steps ?? [undefined])
  if (items === undefined) return undefined
  const page = items.slice(0, filters.limit)
  return { items: page, nextCursor: items.length > filters.limit ? page.at(-1)!.id : null }
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
