import { Semaphore } from "effect"

/*
 * The catalogue pages by cursor, the service by number. A chain remembers, for one search, the cursors
 * that lead to its pages, so that page 5 after page 4 is one call and not five.
 */

/** What is known of the pages of one search. */
export interface Chain {
  /** `cursors[0]` leads to page 2, `cursors[1]` to page 3, … */
  readonly cursors: Array<string>
  /** How many products stood on page 1, 2, … */
  readonly counts: Array<number>
  /** The last page, once the catalogue said so. */
  end: number | undefined
  /** Of all pages, as the catalogue last said. */
  totalCount: number
  readonly startedAt: number
  /** Held while a chain is followed: many who ask for one far page follow it once. */
  readonly following: Semaphore.Semaphore
}

/** A cursor longer than that is not kept: its search ends there. */
const maxCursorLength = 2_048

/** Chains of many searches, the least recently used dropped first, each for a limited time. */
export class CursorChains {
  private readonly chains = new Map<string, Chain>()
  private readonly capacity: number
  private readonly lifetimeMillis: number

  constructor(settings: { readonly capacity: number; readonly lifetimeMillis: number }) {
    this.capacity = settings.capacity
    this.lifetimeMillis = settings.lifetimeMillis
  }

  get size(): number {
    return this.chains.size
  }

  /** The chain of a search; a new one where there is none, or it is too old. */
  of(search: string, now: number): Chain {
    const known = this.chains.get(search)
    const chain = known !== undefined && now - known.startedAt < this.lifetimeMillis ? known : newChain(now)
    this.chains.delete(search)
    this.chains.set(search, chain)
    if (this.chains.size > this.capacity) this.chains.delete(this.chains.keys().next().value!)
    return chain
  }

  /** Forgets a chain whose cursors are no longer taken. */
  drop(search: string, chain: Chain): void {
    if (this.chains.get(search) === chain) this.chains.delete(search)
  }
}

export const newChain = (now: number): Chain => ({
  cursors: [],
  counts: [],
  end: undefined,
  totalCount: 0,
  startedAt: now,
  following: Semaphore.makeUnsafe(1)
})

/**
 * Notes what a page held and where the one after it is; answers whether there is one.
 *
 * The first cursor noted stays: callers who go from page to page must not be led astray by another's
 * search in between. A catalogue that gives a cursor it gave before would lead in circles: the search
 * ends there.
 */
export const notePage = (
  chain: Chain,
  page: number,
  found: { readonly count: number; readonly next: string | undefined; readonly totalCount: number | null }
): boolean => {
  const { count, next, totalCount } = found
  chain.counts[page - 1] = count
  if (totalCount !== null) chain.totalCount = totalCount
  if (page === chain.cursors.length + 1) {
    if (next === undefined || next.length > maxCursorLength || chain.cursors.includes(next)) {
      chain.end = page
    } else {
      chain.end = undefined
      chain.cursors.push(next)
    }
  }
  return next !== undefined && chain.cursors.length >= page
}

/** How many products there are at least, from what the catalogue said and what was seen up to `page`. */
export const totalUpTo = (chain: Chain, page: number, hasMore: boolean): number => {
  const seen = chain.counts.slice(0, page).reduce((sum, count) => sum + count, 0)
  return Math.max(chain.totalCount, hasMore ? seen + 1 : seen)
}
