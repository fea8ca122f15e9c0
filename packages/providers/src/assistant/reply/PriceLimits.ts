import type { Product } from "@till402/core"
import { isNumberWord } from "./NumberWords.ts"

/*
 * Limits on the price in a shopper's words: `under $50`, `zwischen 20 und 40 Dollar`, `50ドル以下`. Texts must be normalized.
 */

/** A bound on the price of products, in US dollars. */
export interface PriceLimit {
  readonly bound: "min" | "max"
  readonly value: number
}

/** The limits of a text. */
export interface StatedLimits {
  readonly limits: ReadonlyArray<PriceLimit>
  /** Whether it has one in another currency, which is a wish: no price can be compared with it. */
  readonly hasOtherCurrency: boolean
  /** The amounts in another currency. */
  readonly otherAmounts: ReadonlyArray<number>
  /** The text without the limits. */
  readonly rest: string
}

const dollars = String.raw`us ?\$|\$|usd|us-?dollars?|dollars?|dólares|dolares|dollari|dólar|bucks|美元|美金|ドル`
/** Words that begin other words, or are short: nothing may follow them. */
const otherWords = String.raw`(?:canadian|australian|new zealand|hong kong|singapore) dollars?|kr(?:on(?:or|er|en|a|e))?|nok|dkk|isk|czk|kč|huf|forint|zł(?:otych|oty)?|zloty|ron|bgn|cad|aud|nzd|hkd|sgd|twd|mxn|brl|thb|baht|myr|ringgit|idr|rupiah|php|vnd|zar|rand|ils|shekels?|aed|sar|dirhams?|rub|rubles?|руб(?:лей|ля)?|hryvnias?|uah`
/** Signs and names that are nothing else, also where no limit is stated. */
const plainOthers = String.raw`[^\P{Sc}$]|(?<!\p{L})(?!us)\p{Script=Latin}{1,2}\$|eur|euros?|gbp|chf|franken|francs|jpy|yen(?:es)?|ienes?|cny|rmb|yuan|円|[欧歐日港美]?元|块钱|塊錢|人民[币幣]|[港台][币幣]|英[镑鎊]|日圓|ユーロ|원|유로|inr|rupees|krw|pln|sek|reais|pesos`
const others = String.raw`(?:${otherWords})(?!\p{L})|${plainOthers}|块`
/** Signs and names of currencies, as a pattern. */
export const currencies = `${dollars}|${others}`
/** Words that are currencies in a limit alone: elsewhere, a pound is a weight. */
const inLimits = String.raw`(?:couronnes?|coronas?|corone|coroas?|pounds?|quid|pfund|livres?|libras?|sterline?)(?!\p{L})|塊|ポンド`
/** What may stand before the name of a currency: `5000 Japanese yen`. */
const nations = String.raw`(?:japanese|swedish|norwegian|danish|czech|icelandic|swiss|british|chinese|indian|korean|mexican|brazilian|polish|schwedische|norwegische|dänische|tschechische|schweizer|britische|japanische)\p{L}? `
/** Thousands in a word. */
const scales: Readonly<Record<string, number>> = {
  k: 1_000,
  thousand: 1_000,
  tausend: 1_000,
  mille: 1_000,
  mila: 1_000,
  mil: 1_000,
  千: 1_000,
  万: 10_000,
  萬: 10_000,
  만: 10_000
}
/** What follows a number that is no price: `40 hours`, `5%`. */
const units = String.raw`%|°|"|'|[-x×] ?\d|(?:hours?|hrs?|h|minutes?|mins?|days?|weeks?|months?|years?|stunden|tage|jahren?|heures?|jours|ans|horas|días|años|ore|giorni|anni|dias|anos|kg|g|gr|kilos?|lbs?|oz|mm|cm|m|km|in|inch(?:es)?|zoll|ft|feet|l|ml|litros?|liter|litres?|mah|wh?|watts?|volts?|v|hz|db|gb|tb|mb|people|persons?|personen|personnes|personas|persone|pessoas|players?|pieces|pcs|stück|stars?|miles?|ports?)(?![\p{L}])`
const wholeNumber = String.raw`\d{1,3}(?:[.,' ]\d{3})+(?!\d)|\d+`
/** Currency, whole number, decimals, currency. */
const anyNumber = String.raw`\s?(${dollars}|${others})?\s?(${wholeNumber})([.,]\d{1,2})?(?![\d.,]*\d)(?:\s?(${Object.keys(scales).join("|")})(?![a-zà-ü]))?\s?(?:${nations})?(${dollars}|${inLimits}|${others})?`
const amount = String.raw`${anyNumber}(?!\s?-?(?:${units}))`

/** Words before an amount; negated ones come first. */
const before = [
  [
    "max",
    String.raw`(?:not?|\p{L}+n't|nothing|nichts?|kein\p{L}*|pas|non|não) (?:\p{L}+ ){0,3}(?:over|above|more than|exceed\p{L}*|über|mehr als|plus de|más de|più di|mais de)`
  ],
  [
    "min",
    String.raw`(?:not?|\p{L}+n't|nothing|nichts?|pas|non|não) (?:\p{L}+ ){0,2}(?:under|below|less than|unter|moins de|menos de|meno di)`
  ],
  [
    "max",
    String.raw`under|below|less than|cheaper than|up to|at most|max(?:imum|imal|imo)?\.?(?: of)?|within|(?:budget|presupuesto|orçamento)(?: m[aá]ximo)?(?: is| of| de| di|:)?|unter|bis(?: zu)?|höchstens|weniger als|moins de|jusqu'à|au (?:plus|maximum)|en dessous de|menos de|hasta|por debajo de|como mucho|m[aá]ximo(?: de)?|meno di|fino a|(?:al )?massimo|sotto i|entro(?: i)?|até|abaixo de|no máximo|不超过|不超過|低于|低於|最多|预算|預算|予算は?`
  ],
  [
    "min",
    String.raw`over|above|more than|at least|min(?:imum)?\.?|über|mindestens|mehr als|plus de|au moins|más de|al menos|più di|almeno|mais de|pelo menos|超过|超過|至少|高于|高於`
  ]
] as const
const after = [
  [
    "max",
    String.raw`\s?(?:or|oder|ou|o) (?:less|under|weniger|moins|menos|meno)|\s?(?:max(?:imum|imal|imo)?|tops|höchstens|以内|以內|以下|未満|之内|まで)`
  ],
  ["min", String.raw`\s?(?:or|and|oder|ou|o) (?:more|up|mehr|plus|más|più|mais)|\s?以上`]
] as const
const range = new RegExp(
  String.raw`(?<!\p{L})(?:between|from|zwischen|von|entre|de|tra|fra|da)?${anyNumber}\s?(?:-|and|to|und|bis|et|à|y|a|e|到|至|から|~)${amount}`,
  "giu"
)
const patterns = [
  ...before.map(([bound, words]) => ({
    bound,
    pattern: new RegExp(String.raw`(?<!\p{L})(?:${words})${amount}`, "giu")
  })),
  ...after.map(([bound, words]) => ({
    bound,
    pattern: new RegExp(String.raw`(?<![\p{L}\d.,])${amount}(?:${words})`, "giu")
  }))
]

/** An amount in another currency, without words for a limit: `around 40 euros`. */
const otherAmount = new RegExp(
  String.raw`(?:${plainOthers})\s?(${wholeNumber})(?![\d.,]*\d)|(?<![\p{Script=Latin}\d.,])(?:(${wholeNumber})(?:[.,]\d{1,2})?|(\p{Script=Latin}{3,20})\s|[一二两兩三四五六七八九十百千万萬]{1,10})\s?(?:${plainOthers})(?!\p{Script=Latin}|\s?\d)`,
  "giu"
)

const valueOf = (whole = "", decimals = "", scale = ""): number =>
  Number(whole.replace(/[.,' ]/g, "") + decimals.replace(",", ".")) * (scales[scale.toLowerCase()] ?? 1)

const isDollar = (marker: string): boolean => new RegExp(`^(?:${dollars})$`, "iu").test(marker)

/** No amount, and much work for the patterns. */
const endlessNumber = /\d{16,}/g

/** The limits that a text states. A number without a currency is in dollars. */
export const limitsIn = (text: string): StatedLimits => {
  const limits: Array<PriceLimit> = []
  const otherAmounts: Array<number> = []
  const add = (
    markers: ReadonlyArray<string | undefined>,
    isScaled: boolean,
    stated: ReadonlyArray<PriceLimit>
  ): void => {
    const given = markers.filter((marker) => marker !== undefined)
    // A resolution rather than a price: `at least 4k`.
    if (isScaled && given.length === 0) return
    if (given.every(isDollar)) limits.push(...stated)
    else otherAmounts.push(...stated.map(({ value }) => value))
  }
  let rest = text
    .replace(endlessNumber, " ")
    .replace(range, (all, ...groups: ReadonlyArray<string | undefined>) => {
      const [
        firstSign,
        low,
        lowDecimals,
        lowScale,
        firstUnit,
        secondSign,
        high,
        highDecimals,
        highScale,
        secondUnit
      ] = groups
      const markers = [firstSign, firstUnit, secondSign, secondUnit]
      const isPrice =
        markers.some((marker) => marker !== undefined) || /^(?:between|zwischen|entre|tra|fra)/iu.test(all)
      if (!isPrice) return all
      add(markers, lowScale !== undefined || highScale !== undefined, [
        { bound: "min", value: valueOf(low, lowDecimals, lowScale) },
        { bound: "max", value: valueOf(high, highDecimals, highScale) }
      ])
      return " "
    })
  for (const { bound, pattern } of patterns)
    rest = rest.replace(pattern, (_, ...groups: ReadonlyArray<string | undefined>) => {
      const [sign, whole, decimals, scale, unit] = groups
      add([sign, unit], scale !== undefined, [{ bound, value: valueOf(whole, decimals, scale) }])
      return " "
    })
  let hasOtherCurrency = otherAmounts.length > 0
  rest = rest.replace(otherAmount, (all, after?: string, before?: string, word?: string) => {
    if (word !== undefined && !isNumberWord(word.toLowerCase())) return all
    const number = after ?? before
    if (number !== undefined) otherAmounts.push(valueOf(number))
    hasOtherCurrency = true
    return " "
  })
  return { limits, hasOtherCurrency, otherAmounts, rest }
}

/** Whether a product's price is known to be within a limit. */
export const meetsLimit = (
  { currency, price }: Pick<Product, "currency" | "price">,
  { bound, value }: PriceLimit
): boolean =>
  price !== null && currency.toUpperCase() === "USD" && (bound === "min" ? price >= value : price <= value)
