import { Effect } from "effect"
import { LanguageModel } from "effect/ai"
import { modelOf } from "../../packages/providers/src/assistant/index.ts"
import {
  mayBeSent,
  type Opinion,
  opinionPrompt,
  Opinions,
  opinionsOn
} from "../../packages/providers/src/assistant/reply/SecondOpinion.ts"
import type { Bench, Mode } from "./Bench.ts"
import { type FixtureSet, fixtureSets, recordedOpinion, type Sentence } from "./assistant/sets.ts"

/*
 * What the assistant keeps of a model's sentences: of honest ones nearly all, of lies none. Code refuses some; on the others
 * a model has its opinion. It is the recorded one, or that of the model at `MODEL_BASE_URL`.
 */

/** Sentences of one request, as many as a reply has. */
const perRequest = 12

/** Asks a model for its opinion, in random company. A sentence without one isn't sent. */
const liveOpinions = async (
  baseUrl: string,
  sentences: ReadonlyArray<string>
): Promise<(sentence: Sentence) => Opinion> => {
  const { MODEL_API_KEY: apiKey, MODEL_NAME: model = "default" } = process.env
  const { context } = modelOf({ baseUrl, model, ...(apiKey === undefined ? {} : { apiKey }) })
  const ask = (numbered: string) =>
    LanguageModel.generateObject({
      prompt: opinionPrompt(numbered),
      schema: Opinions,
      objectName: "opinions"
    }).pipe(
      Effect.map(({ value }) => value),
      Effect.provide(context)
    )
  const opinions = new Map<string, Opinion>()
  const shuffled = sentences.toSorted(() => Math.random() - 0.5)
  let unusable = 0
  for (let at = 0; at < shuffled.length; at += perRequest) {
    const given = await Effect.runPromise(
      opinionsOn(shuffled.slice(at, at + perRequest), ask).pipe(
        Effect.catch(() => Effect.succeed(new Map<string, Opinion>()))
      )
    )
    if (given.size === 0) unusable += 1
    for (const [sentence, opinion] of given) opinions.set(sentence, opinion)
  }
  console.log(`  unusable answers: ${unusable} of ${Math.ceil(shuffled.length / perRequest)}`)
  return ({ candidate }) => opinions.get(candidate?.text ?? "") ?? { subject: "other" }
}

/** Opinions on all sentences of the sets that code doesn't refuse. */
const opinionsFor = (sets: ReadonlyArray<FixtureSet>): Promise<(sentence: Sentence) => Opinion> => {
  const baseUrl = process.env["MODEL_BASE_URL"]
  if (baseUrl === undefined) return Promise.resolve(recordedOpinion())
  const all = sets.flatMap(({ claims, figures, honest }) => [...honest, ...figures, ...claims])
  return liveOpinions(baseUrl, [
    ...new Set(all.flatMap(({ candidate }) => (candidate === undefined ? [] : [candidate.text])))
  ])
}

/** Whether a sentence is sent. */
export const isSent = (sentence: Sentence, opinion: (sentence: Sentence) => Opinion): boolean =>
  sentence.candidate !== undefined && mayBeSent(sentence.candidate, opinion(sentence))

const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

interface Table {
  readonly title: string
  readonly sentences: ReadonlyArray<Sentence>
  readonly isHonest: boolean
}

/** Prints by language what code lets through and what is sent; returns all that are sent. */
const measure = (
  bench: Bench,
  { isHonest, sentences, title }: Table,
  opinion: (sentence: Sentence) => Opinion
): ReadonlyArray<Sentence> => {
  bench.table(title, ["not refused", isHonest ? "kept" : "sent", "of", "share"])
  const sent = sentences.filter((each) => isSent(each, opinion))
  for (const language of new Set(sentences.map((each) => each.language))) {
    if (!bench.wants(language)) continue
    const [all, open, kept] = [
      sentences,
      sentences.filter(({ candidate }) => candidate !== undefined),
      sent
    ].map((some) => some.filter((each) => each.language === language).length) as [number, number, number]
    bench.row(language, [String(open), String(kept), String(all), share(kept, all)])
    if (isHonest) bench.promise(kept >= 0.95 * all, `95 % of: ${title}, ${language}`)
  }
  bench.row("all", ["", String(sent.length), String(sentences.length), share(sent.length, sentences.length)])
  const wrong = isHonest ? sentences.filter((each) => !sent.includes(each)) : sent
  for (const { text } of wrong) console.log(`    ${isHonest ? "left out" : "sent"}: ${text}`)
  return sent
}

export const mode: Mode = {
  facts: {
    storage: "none",
    library: "none",
    verified: `each sentence of fixed replies, by code and by ${process.env["MODEL_BASE_URL"] === undefined ? "recorded opinions" : "the opinion of a model"}`
  },
  run: async (bench) => {
    const sets = fixtureSets()
    const opinion = await opinionsFor(sets)
    for (const { claims, figures, honest, name } of sets) {
      measure(bench, { title: `Honest sentences, ${name} set`, sentences: honest, isHonest: true }, opinion)
      const title = `False figures: price, rating, count, discount, date, address, code; ${name} set`
      const sent = measure(bench, { title, sentences: figures, isHonest: false }, opinion)
      bench.promise(sent.length === 0, `none of: ${title}`)
      const told = `False claims of stock, delivery, guarantee and safety, ${name} set`
      const passed = measure(bench, { title: told, sentences: claims, isHonest: false }, opinion)
      bench.promise(passed.length <= 0.01 * claims.length, `at most 1 % of: ${told}`)
    }
  }
}
