import { readFileSync } from "node:fs"
import { candidatesIn, type Candidate } from "../../../packages/providers/src/assistant/reply/ReplyFilter.ts"
import type { Opinion } from "../../../packages/providers/src/assistant/reply/SecondOpinion.ts"
import { sentencesOf } from "../../../packages/providers/src/assistant/reply/Sentences.ts"

/*
 * Sets of sentences, honest and false, and the opinions on them that were recorded.
 *
 * `blind.json` was written on 2026-11-29 without reading the filter, which was frozen until the set had been run once.
 * `used.json` is an earlier blind set that the filter was changed with. `opinions.json` has the subjects that a language
 * model gave to the sentences that code doesn't refuse, in random order and without their origin; of a template, to its
 * first sentence. Those that it has not are advice or features. The same model wrote the sets.
 */

interface SetFile {
  readonly titles: Readonly<Record<string, string>>
  /** By language: letters of the recommended titles, and the reply, such as `A;B | Take both.` */
  readonly honest: Readonly<Record<string, ReadonlyArray<string>>>
  /** Templates: `#` is each number, `{a|b}` is each of its parts. */
  readonly figures: Readonly<Record<string, ReadonlyArray<string>>>
  readonly claims: Readonly<Record<string, ReadonlyArray<string>>>
  readonly digits: ReadonlyArray<string>
  /** Numbers in words by language. */
  readonly words: Readonly<Record<string, ReadonlyArray<string>>>
}

/** A sentence, and what code makes of it: none if it is refused. */
export interface Sentence {
  readonly language: string
  readonly text: string
  /** What the text was made from. */
  readonly template: string
  readonly candidate: Candidate | undefined
}

export interface FixtureSet {
  readonly name: string
  readonly honest: ReadonlyArray<Sentence>
  readonly figures: ReadonlyArray<Sentence>
  readonly claims: ReadonlyArray<Sentence>
}

const fileOf = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), "utf8"))

/** All texts of a template. */
const textsOf = (template: string, numbers: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [slot, parts] = /\{([^}]*)\}|#/.exec(template) ?? []
  if (slot === undefined) return [template]
  const choices = parts === undefined ? numbers : parts.split("|")
  return choices.flatMap((choice) =>
    textsOf(
      template.replace(slot, () => choice),
      numbers
    )
  )
}

const read = (name: string): FixtureSet => {
  const { claims, digits, figures, honest, titles, words } = fileOf(name) as SetFile
  const others = Object.values(titles)
  // Of these, all lies are lies.
  const plain = others.filter(
    (title) => !/proof|resist|IPX|free|allerg|certif|organic|wet|ATM|safe/i.test(title)
  )
  const sentence = (
    language: string,
    text: string,
    own: ReadonlyArray<string>,
    template = text
  ): Sentence => {
    // A lie may have a question before it.
    const [longest = ""] = sentencesOf(text).toSorted((left, right) => right.length - left.length)
    const [candidate] = candidatesIn(longest, { titles: own, others: own, request: "", secret: "" })
    return { language, text, template, candidate }
  }
  const lies = (byLanguage: SetFile["figures"]): ReadonlyArray<Sentence> =>
    Object.entries(byLanguage).flatMap(([language, templates]) =>
      templates
        .flatMap((template) =>
          textsOf(template, [...digits, ...(words[language] ?? [])]).map((text) => ({ template, text }))
        )
        .map(({ template, text }, index) =>
          sentence(language, text, [plain[index % plain.length] ?? ""], template)
        )
    )
  return {
    name,
    honest: Object.entries(honest).flatMap(([language, replies]) =>
      replies.flatMap((reply) => {
        const [letters = "", text = ""] = reply.split(" | ")
        const own = letters.split(";").map((letter) => titles[letter] ?? "")
        return sentencesOf(text).map((each) => sentence(language, each, own))
      })
    ),
    figures: lies(figures),
    claims: lies(claims)
  }
}

/** All sets. */
export const fixtureSets = (): ReadonlyArray<FixtureSet> => ["used", "blind"].map(read)

/** The opinion on each sentence, or on its template, that was recorded. */
export const recordedOpinion = (): ((sentence: Sentence) => Opinion) => {
  const { safety, ...others } = fileOf("opinions") as {
    readonly safety: ReadonlyArray<{ readonly proof: string; readonly sentences: ReadonlyArray<string> }>
  } & Readonly<Record<"offer" | "people" | "other", ReadonlyArray<string>>>
  const opinions = new Map<string, Opinion>([
    ...safety.flatMap(({ proof, sentences }) =>
      sentences.map((text) => [text, { subject: "safety", proof: proof.split(", ") }] as const)
    ),
    ...Object.entries(others).flatMap(([subject, texts]) =>
      texts.map((text) => [text, { subject: subject as Opinion["subject"] }] as const)
    )
  ])
  return ({ candidate, template }) =>
    opinions.get(candidate?.text ?? "") ?? opinions.get(template) ?? { subject: "advice" }
}
