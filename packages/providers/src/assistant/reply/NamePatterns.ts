import type { Title } from "./Names.ts"
import { at, type Pattern } from "./Patterns.ts"
import { isNumber } from "./Words.ts"

/*
 * Names of the returned products and numbers of their titles, as patterns.
 */

const namePattern = (minLength: number): Pattern =>
  at(({ names }, place) =>
    (names.get(place) ?? []).filter(({ length }) => length >= minLength).map(({ end }) => end)
  )
/** The name of a product: words of its title, in their order. */
export const name = namePattern(1)
/** A name that can't be taken for an adjective: `the choice is gone`. */
export const longName = namePattern(2)
const has = (title: Title, text: string | undefined): boolean =>
  title.some((each) => each !== undefined && each.text === text)
/** A word that a returned title has. */
export const ofTitle = at(({ titles, words }, place) =>
  titles.some((title) => has(title, words[place])) ? [place] : []
)
/** A word that each returned title has. */
export const ofEachTitle = at(({ titles, words }, place) =>
  titles.every((title) => has(title, words[place])) ? [place] : []
)
/** Units of size, power and parts. After a number, other words could state stock, time or a rating: `10 left`. */
const units = new Set(
  `mm cm m km inch inches ft feet l ml cl liter liters litre litres oz qt gal kg g mg lb lbs w kw wh mah v hz khz mhz
  ghz db lumen lumens lm rpm bar psi gb tb mb mp px dpi ppi piece pieces pcs teile pièces piezas pezzi peças color colors
  colour colours farben couleurs colores colori cores key keys tasten`.split(/\s+/)
)
const players = new Set("player players spieler joueurs jugadores giocatori jogadores".split(" "))

/** One or two numbers with the word after them, of the titles that the sentence is about. */
const numbered = (nouns: ReadonlySet<string>): Pattern =>
  at(({ about, words }, place) => {
    const length = isNumber(words[place + 1] ?? "") ? 3 : 2
    const stated = words.slice(place, place + length)
    const isOf = (title: Title) =>
      title.some((_, index) => stated.every((each, offset) => title[index + offset]?.text === each))
    return isNumber(stated[0] ?? "") && nouns.has(stated[length - 1] ?? "") && about.every(isOf)
      ? [place + length]
      : []
  })

/** A number of a title with its unit: `85 dB`. */
export const measure = numbered(units)
/** Persons of a title: `2-4 players`. */
export const group = numbered(players)
