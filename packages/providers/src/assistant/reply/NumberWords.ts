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
const digit = ones.slice(1, 10).join("|")
const ten = tens.join("|")
/** `fifty-two`; in two words only before a currency or at the end: `fifty two of them` is about two. */
const compound = `(?:${ten})(?:-(?:${digit})(?![\\p{L}-])| (?:${digit})(?= (?:dollars?|bucks|euros?|pounds?|cents)|[.,;:!?]|\\s*$))`
/** `one fifty` */
const spokenHundred = `(?:${digit}) (?:${ten})(?:-(?:${digit}))?`
const spelled = new RegExp(
  `(?<![\\p{L}-])(?:${compound}|${spokenHundred}|(?:${small}|a(?= hundred| thousand))(?:(?:[ -]|(?<=hundred|thousand) and )(?:hundred|thousand|(?<=(?:hundred|thousand)[ -]|and )(?:${compound}|${small})))*)(?![\\p{L}])`,
  "giu"
)
const isSpokenHundred = new RegExp(`^${spokenHundred}$`, "iu")

const valueOf = (words: string): number => {
  if (isSpokenHundred.test(words)) {
    const [hundreds = "", ...rest] = words.toLowerCase().split(/[ -]/)
    return rest.reduce((sum, word) => sum + (values.get(word) ?? 0), 100 * (values.get(hundreds) ?? 0))
  }
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
