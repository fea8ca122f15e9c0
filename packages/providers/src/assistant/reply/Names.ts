import { at, type Matched, type Pattern } from "./Patterns.ts"

/*
 * The names of the returned products in a sentence.
 */

const isNumber = (text: string): boolean => /^[\d.,]+$/.test(text)
/** Fewest words of a name that ends in a number. */
const minNumbered = 3

type Title = Matched["titles"][number]

/** A place in a title that a name has reached. */
interface Reached {
  readonly place: number
  /** Whether the name has a word that isn't ambiguous: `free` alone would be a price. */
  readonly isPlain: boolean
}

/** Where a name goes on with a word; `undefined`: nowhere. An ambiguous word stands beside its neighbors of the title. */
const nextPlace = (
  title: Title,
  { isPlain, place: from }: Reached,
  text: string,
  isAfterSign: boolean
): Reached | undefined => {
  const last = title[from]?.isAmbiguous === true ? from + 1 : title.length - 1
  for (let place = from + 1; place <= last; place++) {
    const each = title[place]
    if (each?.text !== text) continue
    if (!each.isAmbiguous) return { place, isPlain: true }
    if (place === from + 1 && !isAfterSign) return { place, isPlain }
  }
  return undefined
}

/** Each place once. */
const distinct = (reached: ReadonlyArray<Reached | undefined>): ReadonlyArray<Reached> => {
  const byPlace = new Map<number, Reached>()
  for (const each of reached)
    if (each !== undefined && byPlace.get(each.place)?.isPlain !== true) byPlace.set(each.place, each)
  return [...byPlace.values()]
}

/** A name in a sentence: where it ends, and of how many words it is. */
interface Name {
  readonly end: number
  readonly length: number
}

/** The names of one title that begin at a word of the sentence. */
const namesIn = (title: Title, words: ReadonlyArray<string>, start: number): ReadonlyArray<Name> => {
  const names: Array<Name> = []
  let open: ReadonlyArray<Reached> = [...title.keys()]
    .filter(
      (place) => title[place]?.text === words[start] && (place === 0 || title[place]?.isAmbiguous === false)
    )
    .map((place) => ({ place, isPlain: title[place]?.isAmbiguous === false }))
  let end = start + 1
  for (let length = 1; open.length > 0; length++) {
    const isNumbered = isNumber(words[end - 1] ?? "")
    if (open.some(({ isPlain }) => isPlain) && (!isNumbered || length >= minNumbered))
      names.push({ end, length })
    // Titles have signs between their words, too.
    const isAfterSign = words[end] === ","
    const next = words[isAfterSign ? end + 1 : end]
    if (next === undefined) break
    open = distinct(open.map((each) => nextPlace(title, each, next, isAfterSign)))
    end += isAfterSign ? 2 : 1
  }
  return names
}

/** Names by the sentence's words: each place is tried many times, in each language. */
const knownNames = new WeakMap<ReadonlyArray<string>, Map<number, ReadonlyArray<Name>>>()

/** The names that begin at a word. A name ends in a number only if it is long enough. */
const namesAt = ({ titles, words }: Matched, start: number): ReadonlyArray<Name> => {
  const first = words[start]
  if (first === undefined || isNumber(first)) return []
  const known = knownNames.get(words) ?? new Map<number, ReadonlyArray<Name>>()
  knownNames.set(words, known)
  const names = known.get(start) ?? titles.flatMap((title) => namesIn(title, words, start))
  known.set(start, names)
  return names
}

/** The name of a product: words of its title, in their order. */
export const name: Pattern = at((matched, start) => namesAt(matched, start).map(({ end }) => end))
/** A name that can't be taken for an adjective: `the choice is gone`. */
export const longName: Pattern = at((matched, start) =>
  namesAt(matched, start)
    .filter(({ length }) => length > 1)
    .map(({ end }) => end)
)
/** A word that a returned title has. */
export const ofTitle = at(({ titles, words }, place) =>
  titles.some((title) => title.some((each) => each !== undefined && each.text === words[place]))
    ? [place]
    : []
)
/** A number of a title with its unit: `85 dB`. */
export const measure = at(({ titles, words }, place) => {
  const [number = "", unit = ""] = words.slice(place, place + 2)
  const isOf = (title: Title) =>
    title.some((each, index) => each?.text === number && title[index + 1]?.text === unit)
  return isNumber(number) && unit !== "" && titles.some(isOf) ? [place + 2] : []
})
