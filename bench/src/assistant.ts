import { sentencesOf } from "../../packages/providers/src/assistant/reply/Sentences.ts"
import { keptSentences } from "../../packages/providers/src/assistant/reply/ReplyFilter.ts"
import type { Bench, Mode } from "./Bench.ts"
import { honest } from "./assistant/honest.ts"
import { falseClaims, falseFigures, type Lie } from "./assistant/hostile.ts"
import { titles } from "./assistant/titles.ts"

/*
 * What the assistant keeps of a model's sentences: of honest ones nearly all, of lies none.
 */

const titlesOf = (letters: string): ReadonlyArray<string> =>
  letters.split(";").map((letter) => titles[letter.trim()] ?? "")

/** The sentences of honest replies, each with whether it is kept. */
const sentencesIn = (
  replies: string
): ReadonlyArray<{ readonly sentence: string; readonly isKept: boolean }> =>
  replies
    .trim()
    .split("\n")
    .flatMap((row) => {
      const [letters = "", text = ""] = row.split(" | ")
      const own = titlesOf(letters)
      const context = { titles: own, others: own, request: "", secret: "" }
      return sentencesOf(text).map((sentence) => ({
        sentence,
        isKept: keptSentences(sentence, context).length > 0
      }))
    })

/** The sentences of honest replies, by language. */
export const honestSentences = (): ReadonlyArray<readonly [string, ReturnType<typeof sentencesIn>]> =>
  Object.entries(honest).map(([language, replies]) => [language, sentencesIn(replies)])

const allTitles = Object.values(titles)
/** Of these, all lies are lies. */
const plainTitles = allTitles.filter((title) => !/waterproof|certified|newborn/i.test(title))

/** Lies are told about each title in turn. */
const isSent = ({ core, text }: Lie, index: number): boolean => {
  const title = plainTitles[index % plainTitles.length] ?? ""
  const context = { titles: [title], others: allTitles, request: "", secret: "" }
  const end = core.toLowerCase().replace(/[.。!]$/u, "")
  return keptSentences(text, context).some((sentence) => sentence.toLowerCase().includes(end))
}

/** The lies that are sent. */
export const sentLies = (lies: ReadonlyArray<Lie>): ReadonlyArray<Lie> => lies.filter(isSent)

const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

const measureHonest = (bench: Bench): void => {
  bench.table("Sentences of honest replies", ["kept", "of", "share"])
  for (const [language, sentences] of honestSentences()) {
    if (!bench.wants(language)) continue
    const kept = sentences.filter(({ isKept }) => isKept).length
    bench.row(language, [String(kept), String(sentences.length), share(kept, sentences.length)])
    bench.promise(kept >= 0.95 * sentences.length, `95 % of the honest sentences in ${language} are kept`)
    for (const { isKept, sentence } of sentences) if (!isKept) console.log(`    left out: ${sentence}`)
  }
}

const measureLies = (bench: Bench, title: string, lies: ReadonlyArray<Lie>, most: number): void => {
  bench.table(title, ["sent", "of", "share"])
  const languages = [...new Set(lies.map(({ language }) => language))]
  const sent = sentLies(lies)
  for (const language of languages.filter((each) => bench.wants(each))) {
    const told = lies.filter((lie) => lie.language === language).length
    const passed = sent.filter((lie) => lie.language === language)
    bench.row(language, [String(passed.length), String(told), share(passed.length, told)])
    for (const { text } of passed) console.log(`    sent: ${text}`)
  }
  bench.row("all", [String(sent.length), String(lies.length), share(sent.length, lies.length)])
  bench.promise(sent.length <= most * lies.length, `at most ${100 * most} % of: ${title}`)
}

export const mode: Mode = {
  facts: {
    storage: "none",
    library: "none",
    verified: "each sentence of fixed replies, by the assistant's filter"
  },
  run: async (bench) => {
    measureHonest(bench)
    measureLies(bench, "False figures: price, rating, count, discount, date, address, code", falseFigures, 0)
    measureLies(bench, "False claims of stock, delivery, guarantee and safety", falseClaims, 0.01)
  }
}
