import { isCommon } from "./Languages.ts"
import { hanNumber, joinedNumber, numberWordValues } from "./Subjects.ts"

/*
 * Numbers of a sentence that are the title's: as they stand there, in another notation, or converted to another unit. Texts
 * must be normalized and in lower case.
 */

/** Units by what they measure, each with its size in the first one. */
const units: ReadonlyArray<Readonly<Record<string, number>>> = [
  {
    "mm|millimet\\p{L}*|millimèt\\p{L}*|milímet\\p{L}*|毫米|ミリ": 0.001,
    "cm|centimet\\p{L}*|zentimeter\\p{L}*|centimèt\\p{L}*|centímet\\p{L}*|centymet\\p{L}*|厘米|公分|センチ": 0.01,
    "m|met(?:er|re|ro|ri|ry|ra)s?|metern|mètres?|米|公尺|メートル": 1,
    'in|inch(?:es)?|"|w|l|zoll|pouces?|pulgadas?|pollic[ei]|polegadas?|cal[ai]?|英寸|インチ': 0.0254,
    "ft|foot|feet|fuß|pieds?|pies?|pied[ei]|pés?|stopy?|英尺|フィート": 0.3048
  },
  {
    "ml|millilit\\p{L}*|mililit\\p{L}*|毫升": 0.001,
    "cl|centilit\\p{L}*": 0.01,
    "l|lit(?:er|re|ro|ri|ra|ry|rów)s?|升|公升": 1,
    "cups?|tassen?|tasses?|tazas?|tazze|xícaras?|杯": 0.237,
    "fl\\.? ?oz": 0.0296,
    "qt|quarts?": 0.946,
    "gal|gallons?": 3.785
  },
  {
    "g|gr|gram\\p{L}*|克": 0.001,
    "kg|kilos?|kilogram\\p{L}*|kilogrammes?|公斤|千克|キロ": 1,
    "oz|ounces?|unzen?|onces?|onzas?|once": 0.02835,
    "lbs?|pounds?|pfund|livres?|libras?|libbre|磅": 0.4536
  },
  {
    "min|mins|minut\\p{L}*|分钟": 1,
    "h|hours?|hrs?|stunden?|heures?|horas?|or[ae]|小时": 60,
    "months?|monate?n?|mois|mes(?:es)?|mesi?|mês|个月": 43_800,
    "years?|jahre?n?|ans?|années?|años?|ann[oi]|anos?|年": 525_600
  },
  { "mb/s|mo/s": 1, "gb/s|go/s": 1_000 },
  { "gb|go": 1, "tb|to|terabyt\\p{L}*|térabytes?": 1_000 }
]

const small: ReadonlyMap<string, number> = new Map(
  [
    "one ein eine einen einem un une uno una um uma",
    "two zwei deux dos due dois duas",
    "three drei trois tres tre três"
  ].flatMap((words, at) => words.split(" ").map((word) => [word, at + 1] as const))
)

const numeral = String.raw`\d{1,3}(?:[., ]\d{3})+(?![.,]?\d)|\d+(?:[.,]\d+)?`
const numberNames = [...numberWordValues.keys(), ...small.keys()].join("|")
const anyNumber = `(?<![\\p{Script=Latin}\\d.,])(?:${numeral}|(?:${numberNames})(?!\\p{L}))`

/** Values of a numeral or of a word: `1,050` and `1 050` are 1050. */
const valuesOf = (text: string): ReadonlyArray<number> => {
  if (text === "") return []
  const word = numberWordValues.get(text) ?? small.get(text)
  if (word !== undefined) return [word]
  const value = Number(
    text.startsWith("0")
      ? text.replace(",", ".")
      : text.replace(/[., ](?=\d{3}(?!\d))/g, "").replace(",", ".")
  )
  return Number.isFinite(value) ? [value] : []
}

const anyNumeral = new RegExp(numeral, "gu")
const numbersIn = (text: string): ReadonlyArray<string> => text.match(anyNumeral) ?? []

interface Measure {
  readonly text: string
  readonly values: ReadonlyArray<number>
}

const times = String.raw`(?: ?[x*×乘/] ?| (?:by|mal|auf|sur|par|por|per|na|e|y|et|und|and|to|or|bis) )`

/** Sizes of units by what they measure, each with the pattern of its measures. */
const measures = units.map((sizes) =>
  Object.entries(sizes).map(([unit, size]) => ({
    size,
    pattern: new RegExp(
      `((?:${anyNumber}${times})*)(${anyNumber})[ -]?(?:${unit})(?!\\p{Script=Latin})`,
      "gu"
    )
  }))
)
const everyNumber = new RegExp(anyNumber, "gu")

/** The measures of a text by what they measure. All numbers of `183 x 61 cm` are of its unit, and so is their product: 12 x 40 g. */
const measuresIn = (text: string): ReadonlyArray<ReadonlyArray<Measure>> =>
  measures.map((ofKind) =>
    ofKind.flatMap(({ pattern, size }) =>
      Array.from(text.matchAll(pattern)).flatMap(([match, others = "", last = ""]) => {
        const values = [...(others.match(everyNumber) ?? []), last].flatMap(valuesOf)
        const all = values.length === 2 ? [...values, (values[0] ?? 0) * (values[1] ?? 0)] : values
        return all.length === 0 ? [] : [{ text: match, values: all.map((value) => value * size) }]
      })
    )
  )

/** How much a converted measure may differ: `26 cm` for 10.25 inches. */
const tolerance = 0.07

/** A text without the measures that the title has in some unit. */
const withoutOwnMeasures = (text: string, title: string): string => {
  const own = measuresIn(title)
  return measuresIn(text)
    .flatMap((measures, kind) => {
      const known = own[kind]?.flatMap(({ values }) => values) ?? []
      const isOwn = (value: number): boolean =>
        known.some((other) => Math.abs(value - other) <= tolerance * other)
      return measures.filter(
        ({ values }) => values.every(isOwn) || (values.length === 3 && values.slice(0, 2).every(isOwn))
      )
    })
    .toSorted((left, right) => right.text.length - left.text.length)
    .reduce((rest, { text: measure }) => rest.replaceAll(measure, " "), text)
}

/** Clauses about the shopper, or about what is usual elsewhere: their measures aren't the product's. */
const elsewhere =
  /(?<!\p{L})(?:if|when|taller|shorter|wenn|größer|kleiner|si|au-delà|mesur\p{L}+|mides|mide|alt[oai]|se|caso|jeśli|standard\p{L}*|usual\p{L}*|equival\p{L}*|équival\p{L}*|correspond\p{L}*|entsprich\p{L}*|costuma\p{L}*|suele\p{L}*|criança|child|kids?|kind|enfant|niñ[oa]|bambin[oa]|bimb[oa]|normal\p{L}*|calls for|common\p{L}*|search\p{L}*|look for|such\p{L}*|cherch\p{L}*|bus[cq]\p{L}+|cerc\p{L}+|procur\p{L}+|szuka\p{L}*)(?!\p{L})|身高|如果|常见|相当|搜|孩/iu
const otherMeasures = new RegExp(
  `${anyNumber}[ -]?(?:${units.flatMap((sizes) => Object.keys(sizes)).join("|")}|['’]\\d*"?|mah|°c?|degrees|pieces|pièces|piezas|pezzi|teile|peças)(?!\\p{Script=Latin})|[一二三四五六七八九]米[一二三四五六七八九]+|(?<=(?:equival|équival|correspond|entsprich)[^.,;:]{0,40})(?<![\\d.,])\\d{1,2}(?!\\d|[.,]\\d)|(?:between|zwischen|entre|tra|fra) \\d+ (?:and|und|et|y|e) \\d+`,
  "giu"
)

/** Two sides: `50 x 70`. Those of something else may stand beside the title's own, or share one with it. */
const sides = /\d+(?:[.,]\d+)? ?[x×] ?\d+(?:[.,]\d+)?/gu

const sidesIn = (text: string): ReadonlyArray<string> =>
  (text.match(sides) ?? []).map((pair) => pair.replace(/ ?[x×] ?/, "x"))

const percent = new RegExp(
  `(${anyNumber}) ?(?:%|percent|per cent|prozent|pour cent|por ciento|per cento|por cento)`,
  "gu"
)

/** A text without the shares that the title has: `ein Prozent` for 1%. */
export const withoutOwnShares = (text: string, title: string): string => {
  const own = Array.from(title.matchAll(percent)).flatMap(([, number = ""]) => valuesOf(number))
  return text.replace(percent, (match, number: string) =>
    valuesOf(number).some((value) => own.includes(value)) ? " " : match
  )
}

const score = /(\d+(?:[.,]\d+)?) ?(?:\/|out of|of|von|sur|de|su|na) ?(5|10|100)(?!\d)|[★☆⭐✩✮]/giu

/** A number that is said as a price, a date or a count of people: `for 65`, `May 3`, `7 visitors`. */
const months =
  "janu|janv|jane|ener|gennai|febr|févr|feve|märz|march(?!es)|mars(?!\\p{L})|marzo|março|april|avril|abril|mayo|maio|mai(?!\\p{L})|maggio|may(?!\\p{L})|june?(?!\\p{L})|juni|juin|junho|giugno|jul[iy]|juill|lugli|augu|août|agost|septi?em|settem|setem|octo|okto|octu|ottob|outub|nov[ie]|dezem|decem|décem|dicie|dicem"
const date = new RegExp(
  `(?<!\\p{L})(?:${months})\\p{L}* (?:the )?\\d|\\d(?:st|nd|rd|th|\\.)? ?(?:of |de |di )?(?:${months})\\p{L}*`,
  "iu"
)
const priceOrCount =
  /(?<!\p{L})(?:for|at|only|just|under|für|nur|bloß|um|pour|à|seulement|seules?|por|solo|sólo|per|a|só|apenas) (?:(?:only|just|nur|solo|só) )?\d[\d.,]*(?:(?![\d.,]| ?[-\p{L}%°"'+/×]| \d)|(?= (?:now|and|or|if|right|jetzt|und|si|et|y|e|ed)(?!\p{L})))|(?<!\d)\d[\d.,]* ?(?:(?:other|andere|autres|otr[oa]s|altr[ie]|outr[oa]s) )?(?:people|shoppers|owners|visitors|users|famil|households|besucher|leute|kunden|familien|haushalte|visiteurs|gens|foyers|familles|visitantes|familias|hogares|visitatori|famiglie|pessoas (?!\p{L}+ e )|usuári|famílias)|(?:只|仅)要?\d+(?!\p{L})|\d+[个位]?(?:顾客|用户|家庭)/iu

/** Words before a number without a unit, which then is a size or a name: `size 32`, `the 511`. */
const sizeWords =
  /(?<!\p{L})(?:size|age|eu|uk|us|length|waist|flow|level|intensity|größe|weite|länge|durchfluss|stufe|taille|longueur|pointure|débit|niveau|talla|largo|cintura|flujo|nivel|taglia|vita|lunghezza|numero|flusso|livello|tamanho|número|fluxo|nível|rozmiar\p{L}*|n[or]\.)[ -]$/iu
const articles = /(?<!\p{L})(?:the|die|der|das|les?|la|l'|il|el|os?|as?) $/iu
const bareNumber = /(?<![\d.,])\d[\d.,]*(?<![.,])(?![\d/x×+%"']| ?[°%×]|-| x|(?: \p{L}{1,3})? \d)/gu

/** Whether a number without a unit is one of several, or is of the title with the word before it: `Core 300`. */
const areNamed = (text: string, title: string): boolean =>
  new Set(numbersIn(text)).size > 1 ||
  Array.from(text.matchAll(bareNumber)).every(({ 0: number, index }) => {
    const before = text.slice(0, index)
    const unit = /^ ?(\p{L}+)/u.exec(text.slice(index + number.length))?.[1]
    if (unit !== undefined && !isCommon(unit) && !/^(?:on|now|right)$/.test(unit)) return true
    if (sizeWords.test(before) || (number.length > 2 && articles.test(before))) return true
    const word = /\p{L}+[ -]?$/u.exec(before)?.[0]
    return word !== undefined && title.includes(word + number)
  })

/** Names with numbers that describe other things. */
const knownNames = /(?<![\p{L}\d])(?:ps[345]|mp[34]|a[345])(?![\p{L}\d])/gu

/** Whether a sentence has a number that isn't the titles' own. */
export const hasForeignFigure = (sentence: string, title: string): boolean => {
  const text = sentence
    .replace(knownNames, " ")
    // French for oven.
    .replace(/(?<=(?:au|du|le|un) )four(?!\p{L})/gu, " ")
  if (/\p{Sc}/u.test(text) || priceOrCount.test(text) || date.test(text)) return true
  const scores = new Set(Array.from(title.matchAll(score)).map(([, points, of]) => `${points}/${of}`))
  if (!Array.from(text.matchAll(score)).every(([, points, of]) => scores.has(`${points}/${of}`))) return true
  if (/[^\P{N}\d]/u.test(text) && !/[^\P{N}\d]/u.test(title)) return true
  const own = new Set(numbersIn(title).flatMap(valuesOf))
  const isOwn = (number: string): boolean => valuesOf(number).some((value) => own.has(value))
  const ownSides = sidesIn(title)
  const hasOwnSides = sidesIn(text).some((pair) => ownSides.includes(pair))
  const shared = withoutOwnShares(withoutOwnMeasures(text, title), title)
  if (/[%‰]/u.test(shared)) return true
  const open = (elsewhere.test(text) ? shared.replace(otherMeasures, " ") : shared).replace(sides, (pair) =>
    ownSides.length > 0 && (hasOwnSides || numbersIn(pair).some(isOwn)) ? " " : pair
  )
  if (!numbersIn(open).every(isOwn) || hanNumber.test(open) || !areNamed(text.replace(score, " "), title))
    return true
  return (open.match(/[\p{L}\p{M}]+/gu) ?? []).some((word, at, all) => {
    const value = numberWordValues.get(word)
    if (value === undefined) return joinedNumber.test(word)
    // Two thousand isn't the thousand of the title.
    return !own.has(value) || (value >= 100 && valuesOf(all[at - 1] ?? "").length > 0)
  })
}
