import { mayEndName } from "./SensitiveWords.ts"
import { isNumber, wordsIn } from "./Words.ts"

/*
 * The names of the returned products in a sentence.
 */

/** A word of a title. An ambiguous one stands only beside the word before it: `no-pull`. */
export interface TitleWord {
  readonly text: string
  readonly isAmbiguous: boolean
}

/** The words of a title. A word that could make a claim is `undefined`. */
export type Title = ReadonlyArray<TitleWord | undefined>

/** Fewest words of a name that ends in a number. */
const minNumbered = 3

/** A name in a sentence: where it ends, how many words it has, and the titles that it is of. */
export interface Name {
  readonly end: number
  readonly length: number
  readonly titles: ReadonlyArray<number>
}

/** The names in a sentence, by where they begin. */
export type Names = ReadonlyMap<number, ReadonlyArray<Name>>

/** Most places of one title where names that begin with the same word are looked for. */
const maxPlaces = 2
/** Most words of a name. */
const maxLength = 24

/** Where a word that may begin a name stands in a title. */
const startsIn = (title: Title, first: string): ReadonlyArray<number> => {
  const starts: Array<number> = []
  for (const [place, word] of title.entries()) {
    if (word?.text !== first || (place > 0 && word.isAmbiguous)) continue
    if (starts.push(place) === maxPlaces) break
  }
  return starts
}

/**
 * Whether a name may end at a place of its title. A number after a sign would be a price: `Lumo Desk Lamp: 5`. Some of
 * its words aren't ambiguous: `free` alone would be a price.
 */
const mayEnd = (title: Title, place: number, isPlain: boolean): boolean => {
  const { isAmbiguous = true, text = "" } = title[place] ?? {}
  if (!isPlain) return false
  return (
    !isAmbiguous ||
    mayEndName(text) ||
    (place === title.length - 1 && !isNumber(title[place - 1]?.text ?? ""))
  )
}

/** The names that begin at a word of the sentence and a place of a title: how many words each has, by its end. */
function* namesFrom(title: Title, words: ReadonlyArray<string>, start: number, first: number) {
  let end = start
  let isPlain = false
  for (let length = 1; length <= maxLength; length++) {
    // Titles have signs between their words, too.
    const isAfterSign = length > 1 && words[end] === ","
    if (isAfterSign) end += 1
    const place = first + length - 1
    const word = title[place]
    // Words that stand apart in a title could be joined to a claim.
    if (word === undefined || word.text !== words[end] || (word.isAmbiguous && isAfterSign)) return
    end += 1
    isPlain ||= !word.isAmbiguous
    const ends = isNumber(word.text) ? length >= minNumbered && !isAfterSign : mayEnd(title, place, isPlain)
    if (ends) yield [end, length] as const
  }
}

/** All names in a sentence. A name ends in a number only if it is long enough. */
export const namesOf = (titles: ReadonlyArray<Title>, words: ReadonlyArray<string>): Names => {
  const names = new Map<number, ReadonlyArray<Name>>()
  for (const [start, first] of words.entries()) {
    if (first === "," || isNumber(first)) continue
    const byEnd = new Map<number, { length: number; titles: Array<number> }>()
    for (const [index, title] of titles.entries())
      for (const place of startsIn(title, first))
        for (const [end, length] of namesFrom(title, words, start, place)) {
          const same = byEnd.get(end)
          if (same === undefined) byEnd.set(end, { length, titles: [index] })
          else same.titles.push(index)
        }
    if (byEnd.size > 0)
      names.set(
        start,
        [...byEnd].map(([end, name]) => ({ end, ...name }))
      )
  }
  return names
}

/** Most times that a sentence is tried with fewer names. */
const maxTries = 8

/** The names with one alone at its place, and none inside of it. */
const withOnly = (names: Names, start: number, name: Name): Names =>
  new Map([...names].filter(([place]) => place < start || place >= name.end)).set(start, [name])

/**
 * The names without which a sentence is not of the grammar, each as long as can be; `undefined` if it isn't with all of
 * them, or has too many. A word that may be another one than that of a name is none if the sentence has the form without
 * it.
 */
export const neededNames = (
  all: Names,
  mayBeOther: (place: number) => boolean,
  isHarmless: (names: Names) => boolean
): Names | undefined => {
  let tries = 0
  const fits = (names: Names): boolean => tries++ < maxTries && isHarmless(names)
  if (!fits(all)) return undefined
  const strange = new Map([...all].filter(([start]) => !mayBeOther(start)))
  let left: Names = strange.size < all.size && fits(strange) ? strange : all
  for (const [start, names] of left) {
    if (!left.has(start)) continue
    const others = new Map(left)
    others.delete(start)
    if (mayBeOther(start) && fits(others)) {
      left = others
      continue
    }
    const fitting = names
      .toSorted((one, other) => other.end - one.end)
      .map((name) => withOnly(left, start, name))
      .find(fits)
    if (fitting === undefined) return undefined
    left = fitting
  }
  return left
}

/** Fewest and most words of what a title is called. */
const minShown = 2
const maxShown = 10
/** Signs between the words of a name; after its first words, others end it. */
const closed = /^(?: |-|'|\.|\/| ?& ?)$/
const open = /^(?:[,:] | - )$/

/** What code calls a product: the beginning of its title, up to a claim. */
export const shownName = (
  title: string,
  wordOf: (text: string) => TitleWord | undefined
): string | undefined => {
  const words = wordsIn(title).map((word) => ({ ...word, known: wordOf(word.text) }))
  const start = words.findIndex(({ known }) => known !== undefined)
  let length = 0
  for (const [index, { known, start: from }] of words.slice(start, start + maxShown).entries()) {
    const gap = title.slice(words[start + index - 1]?.end, from)
    const goesOn = index === 0 || closed.test(gap) || (index < minShown && open.test(gap))
    if (known === undefined || !goesOn) break
    if (!known.isAmbiguous || mayEndName(known.text)) length = index + 1
  }
  return length < minShown ? undefined : title.slice(words[start]?.start, words[start + length - 1]?.end)
}
