import { hanNumber, joinedNumber, numberWordValues } from "./NumberWords.ts"
import { currencies } from "./PriceLimits.ts"
import { unitSizes } from "./Units.ts"

/*
 * Numbers of a sentence that are the title's: as they stand there, in another notation, or converted to another unit. Texts
 * must be normalized and in lower case.
 */

const numeral = String.raw`\d{1,3}(?:[., ]\d{3})+(?![.,]?\d)|\d+(?:[.,]\d+)?`

/** Values of a numeral: `1,050` and `1 050` are 1050. */
const valueOf = (text: string): number =>
  Number(
    text.startsWith("0")
      ? text.replace(",", ".")
      : text.replace(/[., ](?=\d{3}(?!\d))/g, "").replace(",", ".")
  )

const anyNumeral = new RegExp(numeral, "gu")
const valuesIn = (text: string): ReadonlyArray<number> =>
  (text.match(anyNumeral) ?? []).map(valueOf).filter(Number.isFinite)

/** Numbers with one unit, such as `183 x 61 cm` and `12 x 40 g`. */
const measure = new RegExp(
  `((?:(?:${numeral}) ?(?:[x*×乘]|by|mal|sur|par|por|per|na|op) ?)*(?:${numeral})) ?-?("|\\p{Script=Latin}+(?: oz)?|\\p{Script=Han}{1,2}|[\\p{L}\\p{M}]+)`,
  "gu"
)

/** A measure's text, and what its numbers and their product are in each kind of unit. */
interface Measure {
  readonly text: string
  readonly numbers: number
  readonly byKind: ReadonlyArray<ReadonlyArray<number>>
}

/** The size of a unit. A name may go on in a language without spaces. */
const sizeOf = (sizes: ReadonlyMap<string, number>, unit: string): number | undefined =>
  sizes.get(unit) ??
  (/^\p{Script=Han}/u.test(unit) ? (sizes.get(unit.slice(0, 2)) ?? sizes.get(unit.slice(0, 1))) : undefined)

const measuresIn = (text: string): ReadonlyArray<Measure> =>
  Array.from(text.matchAll(measure), ([all, numbers = "", unit = ""]) => {
    const values = valuesIn(numbers)
    const product = values.length === 2 ? [(values[0] ?? 0) * (values[1] ?? 0)] : []
    return {
      text: all,
      numbers: values.length,
      byKind: unitSizes().map((sizes) => {
        const size = sizeOf(sizes, unit)
        return size === undefined ? [] : [...values, ...product].map((value) => value * size)
      })
    }
  })

/** How much a converted measure may differ: `26 cm` for 10.25 inches. */
const tolerance = 0.07

/** A text without the measures that the title has in some unit. */
const withoutOwnMeasures = (text: string, title: string): string => {
  const own = measuresIn(title)
  const isOwn = (kind: number, value: number): boolean =>
    own.some(({ byKind }) => byKind[kind]?.some((other) => Math.abs(value - other) <= tolerance * other))
  return measuresIn(text)
    .filter(({ byKind, numbers }) =>
      byKind.some(
        (values, kind) => values.length > 0 && values.slice(0, numbers).every((value) => isOwn(kind, value))
      )
    )
    .toSorted((left, right) => right.text.length - left.text.length)
    .reduce((rest, { text: own }) => rest.replaceAll(own, " "), text)
}

const percent = new RegExp(
  `(${numeral}|\\p{L}{1,20}) ?(?:[%‰]|percent|per cent|prozent|pour cent|por ciento|por cento|per cento)`,
  "gu"
)

/** A text without the shares that the title has: `ein Prozent` for 1%. */
const withoutOwnShares = (text: string, title: string): string => {
  const own = Array.from(title.matchAll(percent), ([, number = ""]) => valueOf(number))
  const one = /^(?:one|ein|un|uno|um)$/u
  return text.replace(percent, (match, number: string) =>
    own.includes(one.test(number) ? 1 : (numberWordValues.get(number) ?? valueOf(number))) ? " " : match
  )
}

/** Scores: `4/5`, `4 out of 5`, stars. */
const score = /(\d+(?:[.,]\d+)?) ?(?:\/|out of|of|von|sur|de|su|na) ?(5|10|100)(?!\d)|[★☆⭐✩✮]/giu
const scoresIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(score), ([, points, most]) => `${points}/${most}`)

/** Prices: a number with a currency in sign or word. */
const price = new RegExp(
  `\\p{Sc}|\\d ?(?:${currencies})(?!\\p{Script=Latin})|(?<!\\p{L})(?:${currencies}) ?\\d`,
  "iu"
)

/** Names with numbers that describe other things. */
const knownNames = /(?<![\p{L}\d])(?:ps[345]|mp[34]|a[345])(?![\p{L}\d])/gu

/** Whether a sentence has a number that isn't the titles' own, or a price, or a score. */
export const hasForeignFigure = (sentence: string, title: string): boolean => {
  const text = sentence
    .replace(knownNames, " ")
    // French for oven.
    .replace(/(?<=(?:au|du|le|un) )four(?!\p{L})/gu, " ")
  if (price.test(text)) return true
  const scores = scoresIn(title)
  if (!scoresIn(text).every((each) => scores.includes(each))) return true
  if (/[^\P{N}\d]/u.test(text) && !/[^\P{N}\d]/u.test(title)) return true
  const own = new Set(valuesIn(title))
  const open = withoutOwnShares(withoutOwnMeasures(text, title), title)
  if (/[%‰]/u.test(open) || !valuesIn(open).every((value) => own.has(value)) || hanNumber.test(open))
    return true
  return (open.match(/[\p{L}\p{M}]+/gu) ?? []).some((word, at, all) => {
    const value = numberWordValues.get(word)
    if (value === undefined) return joinedNumber.test(word)
    // Two thousand isn't the thousand of the title.
    return !own.has(value) || (value >= 100 && isNumber(all[at - 1]))
  })
}

/** Words of the numbers that are too common to be in the list. */
const few = /^(?:two|three|zwei|drei|deux|trois|dos|tres|due|tre|dois|duas|três)$/u
const isNumber = (word = ""): boolean => few.test(word) || numberWordValues.has(word)
