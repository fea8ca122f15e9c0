import type { Lexicon, WordKind } from "./lexicon/Lexicon.ts"
import type { Names, Title } from "./Names.ts"

/*
 * Patterns of words. A pattern maps the places where it may begin to those where it may end, so that its time is bounded
 * by its size and the square of the sentence's length.
 */

/** What a sentence is matched against. Words are in lower case; `,` stands for any sign between them. */
export interface Matched {
  readonly words: ReadonlyArray<string>
  readonly lexicon: Lexicon
  /** The words of each returned title. */
  readonly titles: ReadonlyArray<Title>
  /** The titles that a number must be of. */
  readonly about: ReadonlyArray<Title>
  /** The names of products that are read as such. */
  readonly names: Names
  /** Whether searches were made and found nothing, so that this may be said. */
  readonly isFruitless: boolean
}

type Places = ReadonlySet<number>
export type Pattern = (matched: Matched, from: Places) => Places

const none: Places = new Set()

/** A pattern of one place. */
export const at =
  (endsOf: (matched: Matched, place: number) => Iterable<number>): Pattern =>
  (matched, from) => {
    const ends = new Set<number>()
    for (const place of from) for (const end of endsOf(matched, place)) ends.add(end)
    return ends
  }

/** A word or phrase of a kind. */
export const word = (kind: WordKind): Pattern =>
  at(({ lexicon, words }, place) => lexicon.lengthsAt(kind, words, place).map((length) => place + length))

/** A sign between words. */
export const sign: Pattern = at(({ words }, place) => (words[place] === "," ? [place + 1] : []))

export const seq =
  (...parts: ReadonlyArray<Pattern>): Pattern =>
  (matched, from) =>
    parts.reduce((places, part) => (places.size === 0 ? none : part(matched, places)), from)

export const alt =
  (...parts: ReadonlyArray<Pattern>): Pattern =>
  (matched, from) =>
    from.size === 0 ? none : new Set(parts.flatMap((part) => [...part(matched, from)]))

export const opt =
  (part: Pattern): Pattern =>
  (matched, from) =>
    new Set([...from, ...part(matched, from)])

/** A part any number of times, also none. */
export const many =
  (part: Pattern): Pattern =>
  (matched, from) => {
    const all = new Set(from)
    let fresh: Places = from
    while (fresh.size > 0) {
      fresh = new Set([...part(matched, fresh)].filter((place) => !all.has(place)))
      for (const place of fresh) all.add(place)
    }
    return all
  }

export const some = (part: Pattern): Pattern => seq(part, many(part))

/** A pattern that stands in several others: its ends from each place are found once per sentence. */
export const shared = (pattern: Pattern): Pattern => {
  const known = new WeakMap<Matched, Map<number, Places>>()
  return at((matched, place) => {
    const ends = known.get(matched) ?? new Map<number, Places>()
    known.set(matched, ends)
    const found = ends.get(place) ?? pattern(matched, new Set([place]))
    ends.set(place, found)
    return found
  })
}

/** Whether a pattern explains all words. */
export const matches = (pattern: Pattern, matched: Matched): boolean =>
  pattern(matched, new Set([0])).has(matched.words.length)
