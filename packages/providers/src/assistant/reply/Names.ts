import { at, type Matched, type Pattern } from "./Patterns.ts"
import { mayEndName } from "./SensitiveWords.ts"

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

/** Where a name goes on with a word; `undefined`: nowhere. Words that stand apart in a title could be joined to a claim. */
const nextPlace = (
  title: Title,
  { isPlain, place: from }: Reached,
  text: string,
  isAfterSign: boolean
): Reached | undefined => {
  const place = from + 1
  const next = title[place]
  if (next?.text !== text || (next.isAmbiguous && isAfterSign)) return undefined
  return { place, isPlain: isPlain || !next.isAmbiguous }
}

/** A name in a sentence: where it ends, and of how many words it is. */
interface Name {
  readonly end: number
  readonly length: number
}

/** Whether a name may end at its last word. A number after a sign would be a price: `Lumo Desk Lamp: 5`. */
const mayEnd = (title: Title, { isPlain, place }: Reached, length: number, isAfterSign: boolean): boolean => {
  const { isAmbiguous = true, text = "" } = title[place] ?? {}
  if (isNumber(text)) return length >= minNumbered && !isAfterSign
  if (!isAmbiguous || mayEndName(text)) return isPlain
  return isPlain && place === title.length - 1 && !isNumber(title[place - 1]?.text ?? "")
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
  let isAfterSign = false
  for (let length = 1; open.length > 0; length++) {
    if (open.some((each) => mayEnd(title, each, length, isAfterSign))) names.push({ end, length })
    // Titles have signs between their words, too.
    isAfterSign = words[end] === ","
    const next = words[isAfterSign ? end + 1 : end]
    if (next === undefined) break
    open = open.flatMap((each) => nextPlace(title, each, next, isAfterSign) ?? [])
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
/** Units of size, power and parts. After a number, other words could state stock, time or a rating: `10 left`. */
const units = new Set(
  `mm cm m km inch inches ft feet l ml cl liter liters litre litres oz qt gal kg g mg lb lbs w kw wh mah v hz khz mhz
  ghz db lumen lumens lm rpm bar psi gb tb mb mp px dpi ppi piece pieces pcs teile pièces piezas pezzi peças color colors
  colour colours farben couleurs colores colori cores key keys tasten`.split(/\s+/)
)
const players = new Set("player players spieler joueurs jugadores giocatori jogadores".split(" "))

/** One or two numbers of a title with the word after them. */
const numbered = (nouns: ReadonlySet<string>): Pattern =>
  at(({ titles, words }, place) => {
    const length = isNumber(words[place + 1] ?? "") ? 3 : 2
    const stated = words.slice(place, place + length)
    const isOf = (title: Title) =>
      title.some((_, index) => stated.every((each, offset) => title[index + offset]?.text === each))
    return isNumber(stated[0] ?? "") && nouns.has(stated[length - 1] ?? "") && titles.some(isOf)
      ? [place + length]
      : []
  })

/** A number of a title with its unit: `85 dB`. */
export const measure = numbered(units)
/** Persons of a title: `2-4 players`. */
export const group = numbered(players)
