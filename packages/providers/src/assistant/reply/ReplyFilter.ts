import { hasForeignFigure, withoutOwnShares } from "./Figures.ts"
import { condition, hazards, matters, negation, resistance } from "./Hazards.ts"
import { areAlike, languagesOf } from "./Languages.ts"
import { normalized, plainText } from "./PlainText.ts"
import { sentencesOf } from "./Sentences.ts"
import { advice, claims, clauseEnd, commerceWords, denial, question, silence, warning } from "./Subjects.ts"

/*
 * Leaves out sentences of a model that state what only data can: figures, addresses, and subjects such as price, stock and
 * delivery. What a product's title says may be said.
 */

/** What a text may draw on. */
export interface FilterContext {
  /** Titles of the products that the text is about. */
  readonly titles: ReadonlyArray<string>
  /** Titles of all found products: a sentence may be about one that it names. */
  readonly others: ReadonlyArray<string>
  /** The shopper's own words. */
  readonly request: string
  /** A text of which nothing may be repeated: the model's instructions. */
  readonly secret: string
}

/** Letters that stand apart: `f r e e`. */
const lettersApart = /(?<!\p{L})\p{L}(?:[ .*_-]\p{L}){3,}(?!\p{L})/u

/** The form in which a sentence is read: `ＦＲＥＥ` and `free` are the same. */
const readable = (text: string): string => normalized(text).toLowerCase()

const wordsIn = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Words of one alphabet with letters of another. */
const mixedAlphabets =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u
const address =
  /[{}<>\\|=^~]|https?:|www\.|\/\/|@[\p{L}\d]|#[\p{L}\d]|[\p{L}\d-]+\.(?:com|net|org|io|shop|store|info|biz|app|co|de|fr|es|it|pt|eu|uk|cn|jp|ru|xyz|site|online)(?![\p{L}\d])|\p{L}{2,}(?: ?\(?\[?(?:dot|punkt|punto|ponto)\]?\)? ?)(?:com|net|org|shop)(?!\p{L})/iu
const capitals = /(?<![\p{L}\d])\p{Lu}{6,}(?![\p{L}\d])/gu

/** Names with numbers, such as `iphone 15` and `PS5`, which the shopper gave. */
const modelNames = (request: string): ReadonlyArray<string> =>
  (normalized(request).match(/(?<![\p{L}\d])\p{L}*\p{Lu}\p{L}*[ -]?\d+\p{L}*/gu) ?? [])
    .map((name) => name.toLowerCase())
    .filter(
      (name) =>
        !/^(?:under|below|over|max|up|usd|eur|unter|bis|über|ab|sous|de|hasta|menos|fino|até)/.test(name)
    )

const withoutNames = (text: string, names: ReadonlyArray<string>): string =>
  names.reduce((rest, name) => rest.replaceAll(name, " "), text)

/** Whether the title has a word of the sentence together with the word before or after it: `stock pot`. */
const isOfTitle = (text: string, at: number, word: string, title: string): boolean => {
  const before = /[\p{L}\p{N}]+[ -]$/u.exec(text.slice(0, at))?.[0]
  const after = /^[\p{L}\p{M}]*[ -]?[\p{L}\p{N}]+/u.exec(text.slice(at + word.length))?.[0]
  const rest = /^[\p{L}\p{M}]*/u.exec(text.slice(at + word.length))?.[0] ?? ""
  return (
    (before !== undefined && title.includes(before + word + rest)) ||
    (after !== undefined && after.length > rest.length && title.includes(word + after))
  )
}

const statesCommerce = (clause: string, sentence: string, title: string): boolean => {
  const languages = languagesOf(sentence)
  for (const [language, words] of commerceWords) {
    const isOther = language !== undefined && !languages.some((each) => areAlike(each, language))
    if (isOther && languages.length > 0) continue
    for (const { 0: word, index } of clause.matchAll(words))
      if (!isOfTitle(clause, index, word, title)) return true
  }
  return false
}

/** Words around a claim in which it may be denied. */
const denialRange = 4

const isDenied = (clause: string, at: number, length: number): boolean => {
  const before = clause
    .slice(0, at)
    .split(" ")
    .slice(-denialRange - 1)
  const after = clause
    .slice(at + length)
    .split(" ")
    .slice(0, denialRange + 1)
  return denial.test(before.join(" ")) || denial.test(after.join(" "))
}

const statesClaim = (clause: string, title: string): boolean =>
  !warning.test(clause) &&
  claims.some(
    ({ mayBeDenied, words }) =>
      title.search(words) < 0 &&
      Array.from(clause.matchAll(words)).some(
        ({ 0: claim, index }) => !(mayBeDenied && isDenied(clause, index, claim.length))
      )
  )

/** Whether a clause says of a danger that there is none, which the title doesn't. */
const deniesHazard = (clause: string, title: string): boolean => {
  const denies = negation.test(clause)
  return hazards.some(({ dangers, harms }) => {
    if (title.search(dangers) >= 0 || title.search(harms) >= 0) return false
    if (clause.search(harms) >= 0) return denies || resistance.test(clause)
    return clause.search(dangers) >= 0 && !condition.test(clause) && denies === matters.test(clause)
  })
}

/** Whether the sentence is of the secret, or has so many of its words in a row. */
const secretRun = 5
const repeats = (text: string, secret: string): boolean => {
  const words = wordsIn(text)
  const all = ` ${wordsIn(secret).join(" ")} `
  if (words.length > 2 && all.includes(` ${words.join(" ")} `)) return true
  return words.some(
    (_, at) =>
      at + secretRun <= words.length && all.includes(` ${words.slice(at, at + secretRun).join(" ")} `)
  )
}

/** Words at the beginning of a title that name its product. */
const nameWords = 3

/** The titles that a sentence names, with a capital, by a word that begins no other title. */
const named = (sentence: string, titles: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = titles.map((title) => wordsIn(title).slice(0, nameWords))
  const words = new Set(wordsIn(sentence).filter((word) => /\p{Lu}|\d/u.test(word) && word.length > 1))
  return titles.filter((_, index) =>
    names[index]?.some(
      (word) => words.has(word) && !names.some((other, place) => place !== index && other.includes(word))
    )
  )
}

/** Whether a sentence may be sent. */
const mayStand = (sentence: string, { others, request, secret, titles }: FilterContext): boolean => {
  const plain = normalized(sentence)
  const text = readable(sentence)
  const title = [...titles, ...named(plain, others.map(normalized))].map(readable).join("\n")
  if (!/[\p{L}]{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return false
  if (
    mixedAlphabets.test(plain) ||
    lettersApart.test(plain) ||
    address.test(text) ||
    repeats(text, readable(secret))
  )
    return false
  const shouted = plain.match(capitals)?.map((word) => word.toLowerCase()) ?? []
  if (!shouted.every((word) => title.includes(word) || readable(request).includes(word))) return false
  if (hasForeignFigure(withoutNames(text, modelNames(request)), title)) return false
  const clauses = withoutOwnShares(text, title).split(clauseEnd)
  const isOpen = clauses.some((clause) => silence.test(clause))
  const advises = clauses.some((clause) => advice.test(clause))
  return clauses.every((clause) => {
    if (silence.test(clause) || (isOpen && question.test(clause))) return true
    if (statesCommerce(clause, text, title)) return false
    return (
      advice.test(clause) ||
      (advises && question.test(clause)) ||
      !(statesClaim(clause, title) || deniesHazard(clause, title))
    )
  })
}

/** The sentences of a model's text that may be sent. */
export const keptSentences = (text: string, context: FilterContext): ReadonlyArray<string> =>
  sentencesOf(plainText(text)).filter((sentence) => mayStand(sentence, context))
