import type { Product } from "@till402/core"
import { isFrequent } from "./Languages.ts"
import { normalized } from "./PlainText.ts"

/*
 * Where a sentence names a product: by words that follow one another in the product's title.
 */

/** A word of a text, in lower case. */
export interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Words in Latin and similar scripts; characters of scripts without spaces stand alone. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{N}\p{M}])+/gu

/** The words of a normalized text. */
export const wordsIn = (text: string): ReadonlyArray<Word> =>
  Array.from(text.matchAll(word), ({ 0: match, index }) => ({
    text: match.toLowerCase(),
    start: index,
    end: index + match.length
  }))

/** A product with the words of its title. */
export interface NamedProduct {
  readonly product: Product
  readonly words: ReadonlyArray<string>
}

export const nameProducts = (products: ReadonlyArray<Product>): ReadonlyArray<NamedProduct> =>
  products.map((product) => ({
    product,
    words: [
      ...wordsIn(normalized(product.title)).map(({ text }) => text),
      ...wordsIn(normalized(product.asin)).map(({ text }) => text)
    ]
  }))

/** Words of a title that name products. */
export interface Mention {
  readonly start: number
  readonly end: number
  /** The products that the words may name: several if their titles share them. */
  readonly owners: ReadonlyArray<Product>
}

/** Words of a title that name the product on their own: brand and model stand first or contain a digit. */
const namingWords = 2

const namesAlone = (word: string, place: number): boolean =>
  /\p{L}\d|\d\p{L}/u.test(word) || (place < namingWords && /\p{L}{3}/u.test(word) && !isFrequent(word))

const runAt = (words: ReadonlyArray<Word>, at: number, title: ReadonlyArray<string>): number => {
  let longest = 0
  for (let first = 0; first < title.length; first++) {
    let length = 0
    while (words[at + length]?.text === title[first + length] && first + length < title.length) length++
    if (length > longest && (length > 1 || namesAlone(title[first] ?? "", first))) longest = length
  }
  return longest
}

const determiner =
  /(?:^|[^\p{L}\p{N}\s] ?|(?<!\p{L})(?:the|our|my|and|or|der|die|das|und|oder|le|la|les|et|ou|el|los|las|y|il|lo|gli|e|o|a|os|as|de|het|en|i|и|ve) )$/iu

/** A single word is a name at the start of a clause or after an article; elsewhere it is just a word. */
const isName = (text: string, start: number, length: number): boolean =>
  length > 1 || determiner.test(text.slice(0, start))

/** The mentions of a normalized text, in order. */
export const mentionsIn = (text: string, products: ReadonlyArray<NamedProduct>): ReadonlyArray<Mention> => {
  const words = wordsIn(text)
  const mentions: Array<Mention> = []
  let at = 0
  while (at < words.length) {
    const runs = products.map(({ product, words: title }) => ({ product, length: runAt(words, at, title) }))
    const length = Math.max(0, ...runs.map((run) => run.length))
    const first = words[at]
    const last = words[at + length - 1]
    if (length > 0 && first !== undefined && last !== undefined && isName(text, first.start, length)) {
      mentions.push({
        start: first.start,
        end: last.end,
        owners: runs.filter((run) => run.length === length).map(({ product }) => product)
      })
    }
    at += Math.max(1, length)
  }
  return mentions
}
