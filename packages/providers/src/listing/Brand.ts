/*
 * No upstream has a brand filter, so the brand is added to the search term and the results are filtered.
 */

/**
 * Lower case, no accents, no apostrophes, other punctuation as single spaces: `"L’Oréal, Paris"` → `"loreal paris"`.
 */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\p{M}'’`]/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

const isLatin = (character: string | undefined): boolean =>
  character !== undefined && /[a-z0-9]/.test(character)

/**
 * Whether `text` contains `words` as whole words. Only Latin letters and digits have word
 * boundaries: Chinese and Japanese titles are written without spaces.
 */
const includesWords = (text: string, words: string): boolean => {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    const startsInside = isLatin(words[0]) && isLatin(text[at - 1])
    const endsInside = isLatin(words.at(-1)) && isLatin(text[at + words.length])
    if (!startsInside && !endsInside) return true
  }
  return false
}

/** Compares a brand without letters and digits, such as `+++`, unchanged. */
const contains = (text: string, brand: string): boolean => {
  const words = plain(brand)
  return words === "" ? text.toLowerCase().includes(brand.toLowerCase()) : includesWords(plain(text), words)
}

/**
 * Whether a product is of a brand, by its own brand or, without one, by its title.
 *
 * Zephyr's case for Acme phones is not of `acme`; "ACME trail shoes" without a brand are.
 */
export const isOfBrand = (
  product: { readonly title: string; readonly brand: string | null },
  brand: string
): boolean => contains(product.brand ?? product.title, brand)

/** The search term, with the brand added unless it contains it. */
export const termWith = (q: string, brand: string | undefined): string =>
  brand === undefined || brand.trim() === "" || contains(q, brand) ? q : `${brand} ${q}`
