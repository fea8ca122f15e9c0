import type { VaultItem } from "./VaultItem.ts"
import { stemOf } from "./WordStem.ts"

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
/** Begin the terms of a title, and of title and keywords. Letters to every engine, and rare in texts. */
const titleMark = "ˆ"
const nameMark = "ˇ"

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

/** Terms with the stems of words. */
const withStems = (terms: ReadonlyArray<string>): ReadonlyArray<string> => [...terms, ...terms.map(stemOf)]

/**
 * Returns the terms by which a search finds an item, each once: the words of its title, slug, category, keywords and
 * description, folded, and their stems; of Chinese, Japanese, Korean and other text without spaces, each character and
 * each pair of neighbors. Those of the title occur once more with the mark `ˆ`, so that a search can prefer titles; of an
 * item with keywords, those of title and keywords once more with `ˇ`. A term has letters, digits, emoji and these marks
 * only, and up to 65 characters; an item has up to 2,000 terms.
 *
 * @example
 * searchTermsOf({ title: "Café guides", slug: "guides", category: "ios", cardDescription: "東京" })
 * // ["cafe", "guides", "ios", "guid", "ˆcafe", "ˆguides", "ˆguid", "東", "京", "東京"]
 */
export const searchTermsOf = ({
  cardDescription,
  category,
  keywords = [],
  slug,
  title
}: Pick<
  VaultItem,
  "cardDescription" | "category" | "keywords" | "slug" | "title"
>): ReadonlyArray<string> => {
  const titleTerms = withStems(itemTermsOf(title))
  const others = withStems(itemTermsOf(keywords.join(" ")))
  const names = others.length === 0 ? [] : [...titleTerms, ...others]
  return Array.from(
    new Set([
      ...withStems(itemTermsOf([title, slug, category].join(" "))),
      ...titleTerms.map((term) => `${titleMark}${term}`),
      ...others,
      ...names.map((term) => `${nameMark}${term}`),
      ...withStems(itemTermsOf(cardDescription))
    ])
  ).slice(0, maxTermsOfItem)
}

/** A term that an item must have. */
export interface QueryTerm {
  readonly text: string
  /** A term that begins with it is enough: it's the last word of the query. */
  readonly isPrefix: boolean
  /** Another term that is as good: the stem of a last word. */
  readonly or?: string
}

/** Words of questions that say nothing about what is sought. */
const stopWords: ReadonlySet<string> = new Set(
  (
    "a about all am an and any are as at be been became become but by can could did do does find for from get give had " +
    "has have having help helps him his how i if in into is it its just keep keeps like looking make makes me more " +
    "most my need needs no not of on one or our please should so some somebody someone something than that the their them " +
    "then there these they thing things this those to use using want wants was we what when where which while who " +
    "why will with would you your"
  ).split(" ")
)

/** Whether a query has nothing but such words. */
export const saysNothing = (q: string): boolean =>
  partsOf(q).every((found) => "word" in found && stopWords.has(found.word))

/**
 * Returns the terms of a query, each once, up to sixteen: stems of words, without those that say nothing, unless it has no
 * others. The last word finds longer words as well. Returns `undefined` for a blank query, which finds all items, and no
 * terms for one of punctuation alone, which finds none.
 *
 * @example
 * queryTermsOf("a café gui") // [{ text: "cafe", isPrefix: false }, { text: "gui", isPrefix: true }]
 */
export const queryTermsOf = (q: string | undefined): ReadonlyArray<QueryTerm> | undefined => {
  if (q === undefined || q.trim() === "") return undefined
  const all = partsOf(q)
  const telling = all.filter((found) => !("word" in found && stopWords.has(found.word)))
  const parts = telling.length === 0 ? all : telling
  const terms = parts.flatMap((found, index): ReadonlyArray<QueryTerm> => {
    if ("word" in found) {
      const stem = stemOf(found.word)
      if (index < parts.length - 1) return [{ text: stem, isPrefix: false }]
      return [{ text: found.word, isPrefix: true, ...(stem === found.word ? {} : { or: stem }) }]
    }
    if ("emoji" in found) return [{ text: found.emoji, isPrefix: false }]
    const { characters } = found
    const texts = characters.length === 1 ? characters : pairsOf(characters)
    return texts.map((text) => ({ text, isPrefix: false }))
  })
  const distinct = new Map(terms.map((term) => [`${term.text} ${term.isPrefix}`, term]))
  return [...distinct.values()].slice(0, maxTermsOfQuery)
}

const marking =
  (mark: string) =>
  ({ isPrefix, or, text }: QueryTerm): QueryTerm => ({
    text: `${mark}${text}`,
    isPrefix,
    ...(or === undefined ? {} : { or: `${mark}${or}` })
  })

/** The term of a word that is whole, also if it's the last one. */
export const wholeTermOf = ({ or, text }: QueryTerm): QueryTerm => ({ text: or ?? text, isPrefix: false })
/** The term of a title. */
export const titleTermOf = marking(titleMark)
/** The term of title and keywords, of an item that has keywords. */
export const nameTermOf = marking(nameMark)

/** Whether an item with these terms has a term of a query. */
export const hasTerm = (terms: ReadonlyArray<string>, { isPrefix, or, text }: QueryTerm): boolean =>
  terms.some((term) => (isPrefix ? term.startsWith(text) : term === text) || term === or)
