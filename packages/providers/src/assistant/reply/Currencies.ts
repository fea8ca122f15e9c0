/*
 * Names and symbols of currencies beside an amount.
 */

const codes = Intl.supportedValuesOf("currency").join("|")

/** ISO 4217 codes that a marker may stand for. Longer markers come first. */
const markers: ReadonlyArray<readonly [pattern: string, currencies: ReadonlyArray<string>]> = [
  ["us ?\\$", ["USD"]],
  ["ca ?\\$|c\\$", ["CAD"]],
  ["au ?\\$|a\\$", ["AUD"]],
  ["nz ?\\$", ["NZD"]],
  ["hk ?\\$", ["HKD"]],
  ["sg ?\\$|s\\$", ["SGD"]],
  ["mx ?\\$", ["MXN"]],
  ["r\\$", ["BRL"]],
  ["\\$|us[- ]?dollar\\p{L}*|dollar\\p{L}*|dólar\\p{L}*|dolar\\p{L}*|bucks?|доллар\\p{L}*", ["USD"]],
  ["美元|美金|ドル|달러|米ドル", ["USD"]],
  ["€|euros?|евро", ["EUR"]],
  ["£|quid", ["GBP"]],
  ["¥", ["JPY", "CNY"]],
  ["円|yen", ["JPY"]],
  ["元|块|人民币|yuan|rmb", ["CNY"]],
  ["₩|원", ["KRW"]],
  ["₹|rupees?|rs\\.", ["INR"]],
  ["₽|руб\\p{L}*\\.?", ["RUB"]],
  ["₺|lira|tl", ["TRY"]],
  ["zł|złot\\p{L}*|zlot\\p{L}*", ["PLN"]],
  ["kr", ["SEK", "NOK", "DKK"]],
  ["francs?|franken|fr\\.", ["CHF"]],
  ["reais|real", ["BRL"]],
  ["pesos?", ["MXN", "ARS", "COP", "CLP", "PHP"]],
  // No price of a product is in these.
  ["cents?|¢|centavos?|centimes?|centesimi|копе\\p{L}*", []],
  ["[^\\P{Sc}$€£¥₩₹₽₺¢]", []]
]

/** Characters of scripts that write a unit without a space before the next word. */
const wide = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}"
const unspaced = new RegExp(`^(?:[^\\p{L}]*|[${wide}]*)$`, "u")
const any = `${markers.map(([pattern]) => pattern).join("|")}|(?-i:${codes})`
const beforeAmount = new RegExp(`(?<![\\p{L}\\p{N}])(${any}) ?$`, "iu")
const afterAmount = new RegExp(`^(?:[ -]|,-|\\.-)?(${any})`, "iu")
const startsWithLetter = new RegExp(`^(?![${wide}])\\p{L}`, "u")

const tested = markers.map(
  ([pattern, currencies]) => [new RegExp(`^(?:${pattern})$`, "iu"), currencies] as const
)

const currenciesOf = (marker: string): ReadonlyArray<string> => {
  if (/^[A-Z]{3}$/.test(marker) && codes.includes(marker)) return [marker]
  return tested.find(([pattern]) => pattern.test(marker))?.[1] ?? []
}

/** A currency beside an amount. */
export interface CurrencyMarker {
  /** ISO 4217 codes that it may stand for; empty if no product can have it. */
  readonly currencies: ReadonlyArray<string>
  /** Characters that it takes before or after the amount, with its space. */
  readonly length: number
}

/** The currency that ends a text, as in `for US$`. */
export const currencyBefore = (text: string): CurrencyMarker | undefined => {
  const match = beforeAmount.exec(text)
  return match === null ? undefined : { currencies: currenciesOf(match[1] ?? ""), length: match[0].length }
}

/** The currency that begins a text, as in ` dollars each`. */
export const currencyAfter = (text: string): CurrencyMarker | undefined => {
  const match = afterAmount.exec(text)
  if (match === null) return undefined
  const marker = match[1] ?? ""
  // In `$20-$40` the second sign belongs to the second amount.
  if (/^\d/.test(text.slice(match[0].length))) return undefined
  // `45 tl;dr` and `45 krill` name no currency, `45美元的` does.
  if (!unspaced.test(marker) && startsWithLetter.test(text.slice(match[0].length))) return undefined
  return { currencies: currenciesOf(marker), length: match[0].length }
}
