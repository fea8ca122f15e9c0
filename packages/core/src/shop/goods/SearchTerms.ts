import type { VaultItem } from "./Vault.ts"

/*
 * The terms by which vault items are found. All stores search these, so that they find the same. After the first release,
 * a change here must also write the terms of stored items again.
 */

/** Letters that Unicode doesn't take apart into a plain letter and an accent. */
const foldings: Readonly<Record<string, string>> = {
  æ: "ae",
  œ: "oe",
  ß: "ss",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ς: "σ"
}

/** Combining accents, and the marks that join emoji. */
const accents = new RegExp("[\\u0300-\\u036f]|\\u200d|[\\ufe0e\\ufe0f]", "g")

/** Text without differences in case, accents, width and Unicode form. */
const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replace(accents, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[æœßøłđðþıς]/g, (letter) => foldings[letter]!)

/** Scripts whose words aren't separated by spaces, and Korean, which joins particles to words. */
const unspaced = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .join("")
const run = `[${unspaced}ー]+`
const word = `(?![${unspaced}ー])[\\p{L}\\p{N}](?:(?![${unspaced}ー])[\\p{L}\\p{N}\\p{M}])*`
const part = new RegExp(`(${run})|(\\p{Extended_Pictographic})|${word}`, "gu")

const maxTermLength = 64
const maxTermsOfItem = 2_000
const maxTermsOfQuery = 16

/** A word, an emoji, or a run of characters without spaces, as an array of its characters. */
type Part =
  | { readonly word: string }
  | { readonly emoji: string }
  | { readonly characters: ReadonlyArray<string> }

const partsOf = (text: string): ReadonlyArray<Part> =>
  Array.from(folded(text).matchAll(part), ([whole, characters, emoji]) => {
    if (characters !== undefined) return { characters: Array.from(characters) }
    if (emoji !== undefined) return { emoji }
    return { word: whole.length > maxTermLength ? Array.from(whole).slice(0, maxTermLength).join("") : whole }
  })

const pairsOf = (characters: ReadonlyArray<string>): ReadonlyArray<string> =>
  characters.slice(1).map((character, index) => `${characters[index]!}${character}`)

const itemTermsOf = (text: string): ReadonlyArray<string> =>
  partsOf(text).flatMap((found) => {
    if ("word" in found) return [found.word]
    if ("emoji" in found) return [found.emoji]
    return [...found.characters, ...pairsOf(found.characters)]
  })

/**
 * Returns the terms by which a search finds an item, each once: the words of its title, slug, category and description,
 * folded; of Chinese, Japanese, Korean and other text without spaces, each character and each pair of neighbors. A term
 * has letters, digits and emoji only, and up to 64 characters; an item has up to 2,000 terms.
 *
 * @example
 * searchTermsOf({ title: "Café guide", slug: "cafe-guide", category: "ios", cardDescription: "東京" })
 * // ["cafe", "guide", "ios", "東", "京", "東京"]
 */
export const searchTermsOf = ({
  cardDescription,
  category,
  slug,
  title
}: Pick<VaultItem, "cardDescription" | "category" | "slug" | "title">): ReadonlyArray<string> =>
  Array.from(new Set(itemTermsOf([title, slug, category, cardDescription].join(" ")))).slice(
    0,
    maxTermsOfItem
  )

/** A term that an item must have. */
export interface QueryTerm {
  readonly text: string
  /** A term that begins with it is enough: it's the last word of the query. */
  readonly isPrefix: boolean
}

/**
 * Returns the terms that an item must have to be found by `q`: up to sixteen. The last word finds longer words as well.
 * Returns `undefined` for a blank query, which finds all items, and no terms for one of punctuation alone, which finds
 * none.
 *
 * @example
 * queryTermsOf("Café gui") // [{ text: "cafe", isPrefix: false }, { text: "gui", isPrefix: true }]
 */
export const queryTermsOf = (q: string | undefined): ReadonlyArray<QueryTerm> | undefined => {
  if (q === undefined || q.trim() === "") return undefined
  const parts = partsOf(q)
  const terms = parts.flatMap((found, index): ReadonlyArray<QueryTerm> => {
    if ("word" in found) return [{ text: found.word, isPrefix: index === parts.length - 1 }]
    if ("emoji" in found) return [{ text: found.emoji, isPrefix: false }]
    const { characters } = found
    const texts = characters.length === 1 ? characters : pairsOf(characters)
    return texts.map((text) => ({ text, isPrefix: false }))
  })
  return terms.slice(0, maxTermsOfQuery)
}
