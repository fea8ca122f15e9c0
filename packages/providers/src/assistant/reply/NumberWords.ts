/*
 * Numbers in words. Normalized text.
 */

const ones =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " "
  )
const tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
const values: ReadonlyMap<string, number> = new Map([
  ...ones.map((word, value) => [word, value] as const),
  ...tens.map((word, index) => [word, 20 + 10 * index] as const)
])
const small = [...ones, ...tens].join("|")
const spelled = new RegExp(
  `(?<![\\p{L}-])(?:(?:${small})|a(?= hundred| thousand))(?:[ -](?:and )?(?:${small}|hundred|thousand))*(?![\\p{L}])`,
  "giu"
)

const valueOf = (words: string): number => {
  let total = 0
  let part = 0
  for (const word of words.toLowerCase().split(/[ -]/)) {
    if (word === "hundred") part = Math.max(part, 1) * 100
    else if (word === "thousand") {
      total += Math.max(part, 1) * 1000
      part = 0
    } else part += word === "a" ? 1 : (values.get(word) ?? 0)
  }
  return total + part
}

/** The text with English number words as digits, so that limits in words are read: `under fifty dollars`. */
export const withDigits = (text: string): string => text.replace(spelled, (words) => String(valueOf(words)))

/** Words for numbers that are stated in digits if at all, because they can't be compared with a product. */
const large =
  "eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|dozens?|elf|zwölf|\\p{L}*(?:zehn|zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|hundert\\p{L}*|tausend\\p{L}*)|onze|douze|treize|quatorze|quinze|seize|vingts?|trente|quarante|cinquante|soixante|cents|mille|milliers|centaines?|once|doce|trece|catorce|quince|veint\\p{L}+|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien(?:to|tos)?|miles|undici|dodici|tredici|quattordici|quindici|sedici|venti\\p{L}*|trenta\\p{L}*|quaranta\\p{L}*|cinquanta\\p{L}*|sessanta|settanta|ottanta|novanta|centinaia|migliaia|doze|treze|vinte|trinta|quarenta|cinquenta|sessenta|oitenta|cem|centenas|milhares|twaalf|\\p{L}*(?:twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig|honderd\\p{L}*|duizend\\p{L}*)|dwadzieścia|trzydzieści|czterdzieści|pięćdziesiąt|sześćdziesiąt|siedemdziesiąt|osiemdziesiąt|dziewięćdziesiąt|sto|tysi\\p{L}+|двадцать|тридцать|сорок|пятьдесят|шестьдесят|семьдесят|восемьдесят|девяносто|сто|сотни|тысяч\\p{L}*|yirmi|otuz|kırk|elli|altmış|yetmiş|seksen|doksan|yüz|bin"
const little =
  "one|two|three|four|five|six|seven|eight|nine|ten|half|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|sept|huit|neuf|dix|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|dois|três|quatro|sete|oito|dez|twee|drie|vijf|zes|zeven|negen|tien|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|dziesięć|два|три|четыре|пять|шесть|семь|восемь|девять|десять|iki|üç|dört|beş|altı|yedi|sekiz|dokuz"
const wide = "[〇零一二三四五六七八九十百千万萬億两兩半]{1,12}|[일이삼사오육칠팔구십백천만]{1,12}"

/** A large number in words, anywhere. */
export const largeNumberWord = new RegExp(`(?<!\\p{L})(?:${large})(?!\\p{L})`, "iu")

/** A number in words before one of some units, which is a pattern's text: `four stars`, `五十美元`. */
export const numberWordBefore = (units: string): RegExp =>
  new RegExp(
    `(?<!\\p{L})(?:${little}|${large}|[ivxlcdm]{2,})(?:[ -]\\p{L}+){0,3}?[ -](?:${units})(?!\\p{Script=Latin})|(?:${wide}) ?(?:${units})`,
    "iu"
  )

const priceVerbs =
  "costs?|costing|priced at|price is|for just|for only|just|kostet|nur für|coûte|cuesta|costa|custa|kost|kosztuje|стоит"
/** A price in words without a currency: `costs ten`. */
export const spelledPrice = new RegExp(
  `(?<!\\p{L})(?:${priceVerbs}) (?:\\p{L}+ )?(?:${little}|${large})(?!\\p{L})`,
  "iu"
)
