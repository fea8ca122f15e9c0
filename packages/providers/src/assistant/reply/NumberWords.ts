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
const digit = ones.slice(1, 10).join("|")
const ten = tens.join("|")
/** After a space, `two` belongs to `fifty` only where the amount ends: not in `under fifty two of them`. */
const amountEnd =
  "(?= ?(?:[.,;:!?)]|$)| (?:hundred|thousand|dollars?|bucks?|euros?|usd|eur|or|and|max|tops|each)(?!\\p{L}))"
/** Not the `one` of `one fifty`, which may be 150 or 1.50. */
const belowHundred = `(?:(?:${ten})(?:-(?:${digit})| (?:${digit})${amountEnd})?|(?:${ones.join("|")})(?!\\p{L}| (?:${ten})))`
const spelled = new RegExp(
  `(?<![\\p{L}-])(?:${belowHundred}|a(?= hundred| thousand))(?:[ -](?:hundred|thousand)(?:[ -](?:and )?${belowHundred})?)*(?!\\p{L})`,
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
