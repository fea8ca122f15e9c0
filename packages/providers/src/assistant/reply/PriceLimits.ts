import type { Product } from "@till402/core"
import { currencyAfter, currencyBefore } from "./Currencies.ts"
import { polarityOf } from "./Negations.ts"
import { isOpinion, readNumber } from "./Numbers.ts"

/*
 * Limits on the price in words: `under $50`, `zwischen 20 und 40 Euro`, `50ドル以下`. Texts must be normalized.
 */

/** A bound on the price of products. */
export interface PriceLimit {
  readonly bound: "min" | "max"
  /** In units of `currency`. */
  readonly value: number
  /** Whether a price equal to `value` is outside: `under $50`. */
  readonly strict: boolean
  /** ISO 4217 codes; empty: the product's own, whichever it is. */
  readonly currencies: ReadonlyArray<string>
}

/** A limit with its place in a text. */
export interface StatedLimit extends PriceLimit {
  readonly start: number
  readonly end: number
}

interface Amount {
  readonly value: number
  readonly currencies: ReadonlyArray<string>
  readonly isMarked: boolean
  readonly end: number
}

const amountAt = /^ ?(?<number>\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*)/
/** What follows a number that is no price: `40 hours`, `30 lb`, `4 people`, `5%`. */
const unit =
  /^ ?-?(?:[%°"]|(?:hours?|hrs?|h|minutes?|mins?|seconds?|days?|weeks?|months?|years?|kg|g|grams?|lbs?|pounds?|oz|ounces?|mm|cm|m|km|meters?|metres?|in|inch(?:es)?|ft|feet|l|ml|liters?|litres?|mah|wh|w|watts?|v|volts?|hz|khz|mhz|ghz|db|gb|tb|mb|mp|k|people|persons?|players?|pieces?|pcs|pack|packs|cups?|bottles?|miles?|stunden|tage|wochen|monate|jahre?n?|personen|stück|zoll|heures?|jours?|ans|personnes|horas?|días|años|personas|ore|giorni|anni|persone|dias|anos|pessoas|uur|dagen|jaar|personen|godzin|lat|osób|часов|лет|дней|saat|gün|yaş)(?![\p{L}]))|^ ?(?:時間|小时|歳|岁|人|시간|년|세)/iu

/** `$1.5k` */
const thousands = /^ ?k(?!\p{L})/iu

/** The amount that begins a text. Without a currency, units, ratings and bare letters show that it is none. */
const readAmount = (text: string, offset: number): Amount | undefined => {
  const lead = /^ ?(?:[^\p{L}\p{N}\s]|[A-Za-z]{1,3}(?:\$| ))? ?(?=\d)/u.exec(text)?.[0] ?? ""
  const marker = lead.trim() === "" ? undefined : currencyBefore(lead)
  if (lead.trim() !== "" && marker === undefined) return undefined
  const rest = text.slice(lead.length)
  const digits = amountAt.exec(rest)?.groups?.["number"]
  if (digits === undefined) return undefined
  const behind = rest.slice(rest.indexOf(digits) + digits.length)
  const thousand = thousands.exec(behind)?.[0] ?? ""
  const isThousands =
    thousand !== "" && (marker ?? currencyAfter(behind.slice(thousand.length))) !== undefined
  const after = isThousands ? behind.slice(thousand.length) : behind
  const later = currencyAfter(after)
  const isMarked = marker !== undefined || later !== undefined
  if (!isMarked && (unit.test(after) || isOpinion(after) || /^[\p{L}]/u.test(after))) return undefined
  const value = readNumber(digits)[0]
  if (value === undefined) return undefined
  return {
    value: isThousands ? value * 1_000 : value,
    currencies: marker?.currencies ?? later?.currencies ?? [],
    isMarked,
    end: offset + text.length - after.length + (later?.length ?? 0)
  }
}

interface Phrase {
  readonly words: string
  readonly bound: "min" | "max"
  readonly strict: boolean
  /** Whether the words mean a price only beside a currency: `from`. */
  readonly needsCurrency?: true
  /** Whether the words may follow a letter directly, as in Chinese. */
  readonly unspaced?: true
  /** Whether the words contain a negation already. */
  readonly isNegated?: true
}

/** Words before an amount. The first that match at a place count, so negated ones come first. */
const phrases: ReadonlyArray<Phrase> = [
  {
    words:
      "(?:not?|nothing|none|don't want (?:anything|something)|isn't|aren't|avoid(?:ing)?(?: anything)?) (?:under|below|less than|cheaper than)|no less than|not less than|nichts? unter|nicht unter|pas moins de|no menos de|non meno di|niet onder|не дешевле|не менее",
    bound: "min",
    strict: false,
    isNegated: true
  },
  {
    words:
      "(?:no|nothing|none)(?! problem| matter| issue)(?: \\p{L}+){0,2} (?:over|above|more than|more expensive than)|(?:not|don't|can't|mustn't|shouldn't|won't|doesn't|never|without)(?: to)? (?:exceed(?:ing)?)|no more than|no higher than|nicht (?:über|mehr als|teurer als)|kein(?:e|en)? mehr als|pas plus de|no más de|non più di|não mais (?:que|de)|niet meer dan|nie więcej niż|не дороже|не более|не больше",
    bound: "max",
    strict: false,
    isNegated: true
  },
  {
    words:
      "under|below|beneath|less than|cheaper than|lower than|unter|weniger als|billiger als|günstiger als|moins de|en dessous de|en-dessous de|menos de|por debajo de|meno di|sotto(?: i| ai| gli)?|inferiore? a|abaixo de|minder dan|onder(?: de)?|goedkoper dan|poniżej|mniej niż|дешевле|меньше|ниже",
    bound: "max",
    strict: true
  },
  {
    words:
      "up to|at most|max(?:imum|imal|imaal|imo)?\\.?(?: price)?(?: of| is| von| de| di)?:?|within(?: my| your| the| a)?(?: budget(?: of)?)?|budget(?: is| of| von| ist| est| de| di| van|:)?|limit(?: is| of|:)?|price cap(?: is| of|:)?|spend(?: only| up to)?|höchstens|bis(?: zu)?|jusqu'à|au plus|hasta|como máximo|máximo(?: de)?|presupuesto(?: es)?(?: de)?|fino a|massimo|entro|até|no máximo|orçamento(?: de)?|tot|maximaal|hooguit|maksymalnie|do|budżet|до|максимум|бюджет|en fazla|bütçem?",
    bound: "max",
    strict: false
  },
  {
    words: "(?:i|we)(?:'ve| have)(?: only)?(?: got)?|only have|ich habe(?: nur)?|j'ai|tengo|ho|tenho|ik heb",
    bound: "max",
    strict: false,
    needsCurrency: true
  },
  {
    words:
      "at least|min(?:imum|imal|imo)?\\.?(?: price)?(?: of| is| von| de| di)?:?|starting (?:at|from)|mindestens|au moins|à partir de|al menos|como mínimo|almeno|a partire da|pelo menos|minstens|vanaf|co najmniej|en az",
    bound: "min",
    strict: false
  },
  {
    words:
      "不超过|不超過|低于|低於|不到|最多|最高|预算(?:是|为|在)?|預算(?:是|為|在)?|予算は?|上限は?|예산은?|최대",
    bound: "max",
    strict: false,
    unspaced: true
  },
  {
    words: "(?:price|cost|preis|prix|precio|prezzo|preço) ?(?:<=|≤)",
    bound: "max",
    strict: false
  },
  { words: "(?:price|cost|preis|prix|precio|prezzo|preço) ?<", bound: "max", strict: true },
  { words: "(?:cap|ceiling)(?: is| of)?", bound: "max", strict: false, needsCurrency: true },
  { words: "<=|≤", bound: "max", strict: false, needsCurrency: true, unspaced: true },
  { words: "<|(?<!\\p{L})sub-", bound: "max", strict: true, needsCurrency: true, unspaced: true },
  { words: ">=|≥", bound: "min", strict: false, needsCurrency: true, unspaced: true },
  { words: ">", bound: "min", strict: true, needsCurrency: true, unspaced: true },
  { words: "至少|最低|不低于|不低於|최소", bound: "min", strict: false, unspaced: true },
  {
    words:
      "over|above|more than|more expensive than|über|mehr als|teurer als|plus de|más de|più di|mais de|meer dan|powyżej|więcej niż|дороже|больше|свыше",
    bound: "min",
    strict: true
  },
  {
    words: "from|ab|desde|od|от|de",
    bound: "min",
    strict: false,
    needsCurrency: true
  }
]

/** Words after an amount. */
const suffixes: ReadonlyArray<readonly [RegExp, Pick<PriceLimit, "bound" | "strict">]> = [
  [
    /^ ?(?:or|and|oder|und|ou|o|y|e|of|lub|или) (?:less|under|below|cheaper|weniger|günstiger|moins|menos|meno|minder|mniej|меньше|дешевле)(?!\p{L})/iu,
    { bound: "max", strict: false }
  ],
  [
    /^(?: ?-?(?:max(?:imum)?|tops|budget|limit|price limit|cap|price cap|ceiling|de budget|at (?:the )?most|to spend|is (?:my|our|the) (?:limit|budget|max(?:imum)?)|höchstens|maximal|au (?:grand )?maximum|au plus|como máximo|al massimo|no máximo|hooguit|maximaal|maksymalnie|максимум)(?!\p{L})| ?(?:以下|以内|以內|まで|이하|까지))/iu,
    { bound: "max", strict: false }
  ],
  [/^(?:未満|未满|미만)/u, { bound: "max", strict: true }],
  [
    /^ ?(?:or|and|oder|und|ou|o|y|e|of) (?:more|up|above|mehr|plus|más|più|mais|meer)(?!\p{L})|^(?:以上|이상)/iu,
    { bound: "min", strict: false }
  ]
]

const between =
  /(?<![\p{L}])(?:between|from|range of|zwischen|von|entre|de|tra|fra|tussen|między|od|от|из|в диапазоне)(?= )/giu
/** Without a word such as `between`, `and` joins two separate amounts. */
const bareJoint = /^ ?(?:-|to|bis|à|do|до|至|から|~) ?/iu
const joined = /^ ?(?:-|and|to|und|bis|et|à|y|e|a|en|i|do|до|и|到|至|から|~) ?/iu
/** Words between those of a limit and its amount. */
const nearly =
  "(?::|,? (?:about|around|roughly|approximately|say|only|etwa|ungefähr|rund|circa|ca\\.|environ|unos|unas|cerca de|около)(?= ))?"
/** Words after which a bare `50-80` is a range of prices. */
const budgetBefore =
  /(?<!\p{L})(?:budget|price range|prices?|spend|preis|prix|presupuesto|precio|prezzo|orçamento|preço|budżet|бюджет)(?: (?:is|of|range|from|von|ist|de|est|es|di|è|é))*:? ?$/iu
const prefix = phrases.map((phrase) => ({
  ...phrase,
  pattern: new RegExp(
    `${phrase.unspaced === true ? "" : "(?<!\\p{L})"}(?:${phrase.words})${nearly}(?= ?[^\\p{L}]| (?:us|usd|eur|[A-Z]{3})(?!\\p{L}))`,
    "giu"
  )
}))

const shared = (left: Amount, right: Amount): ReadonlyArray<string> =>
  left.currencies.length > 0 ? left.currencies : right.currencies

/** Both bounds of `between 20 and $40` and of `$20-$40`. */
const rangesIn = (text: string): ReadonlyArray<StatedLimit> => {
  const starts = [
    ...Array.from(text.matchAll(between), ({ 0: word, index }) => ({
      start: index,
      at: index + word.length
    })),
    ...Array.from(text.matchAll(/(?<![\p{L}\p{N}])[^\p{L}\p{N}\s]?\d/gu), ({ index }) => ({
      start: index,
      at: index
    }))
  ]
  return starts.flatMap(({ at, start }) => {
    const low = readLoose(text, at)
    const joint = start === at ? bareJoint : joined
    const link = low === undefined ? null : joint.exec(text.slice(low.end))
    if (low === undefined || link === null) return []
    const high = readAmount(text.slice(low.end + link[0].length), low.end + link[0].length)
    // A bare `20-40` may be anything.
    const isPrice = low.isMarked || (high?.isMarked ?? false) || budgetBefore.test(text.slice(0, start))
    if (high === undefined || (start === at && !isPrice)) return []
    if (polarityOf(text, start, high.end) === "negated") return []
    const currencies = shared(low, high)
    const place = { start, end: high.end, strict: false, currencies }
    return low.value > high.value
      ? []
      : [
          { ...place, bound: "min" as const, value: low.value },
          { ...place, bound: "max" as const, value: high.value }
        ]
  })
}

/** The first amount of a range may stand without unit and currency: `20-40 Euro`. */
const readLoose = (text: string, at: number): Amount | undefined => readAmount(text.slice(at), at)

/** What a limit means in its clause: nothing if that is unclear. */
const meantBy = (text: string, limit: StatedLimit): ReadonlyArray<StatedLimit> => {
  const polarity = polarityOf(text, limit.start, limit.end)
  if (polarity === "negated")
    return [{ ...limit, bound: limit.bound === "min" ? "max" : "min", strict: false }]
  // In `headphones that don't leak under $50` the maximum holds.
  return polarity === "plain" || (polarity === "unrelated" && limit.bound === "max") ? [limit] : []
}

const prefixedIn = (text: string): ReadonlyArray<StatedLimit> =>
  prefix.flatMap(({ bound, isNegated, needsCurrency, pattern, strict }) =>
    Array.from(text.matchAll(pattern)).flatMap(({ 0: words, index }) => {
      const at = index + words.length
      const amount = readAmount(text.slice(at), at)
      if (amount === undefined || (needsCurrency === true && !amount.isMarked)) return []
      const { currencies, end, value } = amount
      const limit = { bound, strict, value, currencies, start: index, end }
      return isNegated === true ? [limit] : meantBy(text, limit)
    })
  )

const suffixedIn = (text: string): ReadonlyArray<StatedLimit> =>
  Array.from(text.matchAll(/(?<![\p{L}\p{N}.,])(?:[A-Za-z]{0,2}[^\p{L}\p{N}\s.,()]|[A-Z]{3} )?\d/gu)).flatMap(
    ({ index }) => {
      const amount = readAmount(text.slice(index), index)
      if (amount === undefined) return []
      const after = text.slice(amount.end)
      const suffix = suffixes.find(([pattern]) => pattern.test(after))
      if (suffix === undefined) return []
      const length = suffix[0].exec(after)?.[0].length ?? 0
      const { currencies, value } = amount
      return meantBy(text, { ...suffix[1], value, currencies, start: index, end: amount.end + length })
    }
  )

/**
 * The limits on prices that a normalized text states, each with its place. Where phrases overlap, the first listed
 * counts: ranges, then negated and other words before an amount, then words after one.
 */
export const limitsIn = (text: string): ReadonlyArray<StatedLimit> => {
  const kept: Array<StatedLimit> = []
  const ranges = rangesIn(text)
  for (const limit of [...ranges, ...prefixedIn(text), ...suffixedIn(text)]) {
    const rival = kept.find(({ end, start }) => limit.start < end && start < limit.end)
    const isPair = rival !== undefined && rival.start === limit.start && rival.end === limit.end
    if (rival === undefined || (isPair && rival.bound !== limit.bound && ranges.includes(limit))) {
      kept.push(limit)
    }
  }
  return kept
}

/** Whether a product's price is known to be within a limit. */
export const meetsLimit = (
  { currency, price }: Pick<Product, "currency" | "price">,
  { bound, currencies, strict, value }: PriceLimit
): boolean => {
  if (price === null) return false
  if (currencies.length > 0 && !currencies.includes(currency.toUpperCase())) return false
  if (bound === "min") return strict ? price > value : price >= value
  return strict ? price < value : price <= value
}
