import { queryTermsOf } from "../../shop/goods/SearchTerms.ts"
import type { VaultQuery } from "../../shop/goods/Vault.ts"

/*
 * A search as each engine's full-text index reads it. Terms have letters, digits and emoji only, so they are safe between
 * quotes.
 */

/** The highest price that the index knows: prices above it are found as this one. */
const topPrice = 262_143
const topLevel = 8

/** A range of prices as terms of the index. Without limits, or where they exclude nothing, none. */
export const priceTerms = (
  minPrice: number | undefined,
  maxPrice: number | undefined
): ReadonlyArray<string> => {
  // No price is below 1.
  let low = minPrice === undefined || minPrice <= 1 ? 0 : Math.min(minPrice, topPrice)
  let high = maxPrice === undefined ? topPrice : Math.min(Math.max(maxPrice, 0), topPrice)
  if (low === 0 && high === topPrice) return []
  const terms: Array<string> = []
  for (let level = 0; level < topLevel; level++) {
    const term = (prefix: number) => `p${2 * level}x${prefix}`
    // Prices that don't fill a prefix of the next level.
    while (low <= high && low % 4 !== 0) terms.push(term(low++))
    while (low <= high && high % 4 !== 3) terms.push(term(high--))
    if (low > high) return terms
    low /= 4
    high = (high - 3) / 4
  }
  while (low <= high) terms.push(`p${2 * topLevel}x${low++}`)
  return terms
}

const quoted = (term: string): string => `"${term}"`

/** The query of SQLite's index. `undefined`: the search has neither words nor filters. */
export const sqliteMatch = (query: VaultQuery): string | undefined => {
  const { category, maxPrice, minPrice, productType, q } = query
  const words = (queryTermsOf(q) ?? []).map(({ isPrefix, text }) => `${quoted(text)}${isPrefix ? "*" : ""}`)
  const prices = priceTerms(minPrice, maxPrice)
  const facets = [
    ...(category === undefined ? [] : [quoted(category)]),
    ...(productType === undefined ? [] : [quoted(productType)]),
    ...(prices.length === 0 ? [] : [`(${prices.map(quoted).join(" OR ")})`])
  ]
  const parts = [
    ...(words.length === 0 ? [] : [`terms : (${words.join(" AND ")})`]),
    ...(facets.length === 0 ? [] : [`facets : (${facets.join(" AND ")})`])
  ]
  return parts.length === 0 ? undefined : parts.join(" AND ")
}

/** The words of a search as `tsquery`s of PostgreSQL. */
export interface PostgresMatch {
  /** Words that an item must have. */
  readonly whole: string | undefined
  /** The beginning of a word that it must have. */
  readonly end: string | undefined
}

/** The words of a search as PostgreSQL's index reads them; `undefined` if it has none. */
export const postgresMatch = (q: string | undefined): PostgresMatch | undefined => {
  const words = queryTermsOf(q) ?? []
  const textOf = ({ isPrefix }: { readonly isPrefix: boolean }) =>
    words
      .filter((word) => word.isPrefix === isPrefix)
      .map(({ text }) => `'${text}'${isPrefix ? ":*" : ""}`)
      .join(" & ")
  const [whole, end] = [textOf({ isPrefix: false }), textOf({ isPrefix: true })]
  return words.length === 0
    ? undefined
    : { whole: whole === "" ? undefined : whole, end: end === "" ? undefined : end }
}
