import { Semaphore } from "effect"
import { BoundedMap } from "@till402/core/effect"

/*
 * The catalogue pages by cursor, the till by number. A chain stores the cursors of one search's pages, so
 * that page 5 after page 4 needs one call instead of five.
 */

/** The known pages of one search. */
export interface Chain {
  /** `cursors[0]` leads to page 2, `cursors[1]` to page 3, … */
  readonly cursors: Array<string>
  /** Number of products on page 1, 2, … */
  readonly counts: Array<number>
  /** The last page, once known. */
  end: number | undefined
  /** Of all pages, as last reported by the catalogue. */
  totalCount: number
  readonly startedAt: number
  /** Held while a chain is followed, so that concurrent requests for a far page follow it once. */
  readonly following: Semaphore.Semaphore
}

/** A longer cursor is not stored: its search ends there. */
const maxCursorLength = 2_048

/** A bounded cache of chains, each for a limited time. The least recently used is evicted first. */
export class CursorChains {
  private readonly chains: BoundedMap<string, Chain>
  private readonly lifetimeMillis: number

  constructor(settings: { readonly capacity: number; readonly lifetimeMillis: number }) {
    this.chains = new BoundedMap(settings.capacity)
    this.lifetimeMillis = settings.lifetimeMillis
  }

  get size(): number {
    return this.chains.size
  }

  /** Returns the chain of a search; a new one if there is none, or it is too old. */
  of(search: string, now: number): Chain {
    const known = this.chains.get(search)
    const chain = known !== undefined && now - known.startedAt < this.lifetimeMillis ? known : newChain(now)
    this.chains.set(search, chain)
    return chain
  }

  /** Drops a chain whose cursors are no longer accepted. */
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
 * Records a page and the cursor of the next one. Returns whether there is a next page.
 *
 * The first recorded cursor stays, so that a concurrent search doesn't change the pages of a caller. A
 * repeated cursor would loop, so the search ends there.
 */
export const recordPage = (
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

/** The minimum number of products, from the catalogue's total and the pages up to `page`. */
export const totalUpTo = (chain: Chain, page: number, { hasMore }: { readonly hasMore: boolean }): number => {
  const seen = chain.counts.slice(0, page).reduce((sum, count) => sum + count, 0)
  return Math.max(chain.totalCount, hasMore ? seen + 1 : seen)
}
