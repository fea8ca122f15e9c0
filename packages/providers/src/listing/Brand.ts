/*
 * Neither upstream takes a brand, so it goes into the search term and what comes back is sifted.
 */

/** Lower case, no accents, no apostrophes, other punctuation as single spaces: `"L’Oréal, Paris"` → `"loreal paris"`. */
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
 * Whether `words` stand in `text` as whole words. Only Latin letters and digits make a word's edge:
 * Chinese and Japanese titles are written without spaces.
 */
const names = (text: string, words: string): boolean => {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    const startsInside = isLatin(words[0]) && isLatin(text[at - 1])
    const endsInside = isLatin(words.at(-1)) && isLatin(text[at + words.length])
    if (!startsInside && !endsInside) return true
  }
  return false
}

/** A brand without a letter or digit, such as `+++`, is compared as it is. */
const contains = (text: string, brand: string): boolean => {
  const words = plain(brand)
  return words === "" ? text.toLowerCase().includes(brand.toLowerCase()) : names(plain(text), words)
}

/**
 * Whether a product is of a brand: its own brand says so, or where it tells none, its title. A case for
 * Acme phones by Zephyr is not of `acme`; "ACME trail shoes" without a brand are.
 */
export const isOfBrand = (
  product: { readonly title: string; readonly brand: string | null },
  brand: string
): boolean => contains(product.brand ?? product.title, brand)

/** The search term with the brand in it, once. */
export const termWith = (q: string, brand: string | undefined): string =>
  brand === undefined || brand.trim() === "" || contains(q, brand) ? q : `${brand} ${q}`
