import { readFileSync } from "node:fs"
import { candidatesIn, type Candidate } from "../../../packages/providers/src/assistant/reply/ReplyFilter.ts"
import type { Opinion } from "../../../packages/providers/src/assistant/reply/SecondOpinion.ts"
import { sentencesOf } from "../../../packages/providers/src/assistant/reply/Sentences.ts"

/*
 * Sets of sentences, honest and false, and the opinions on them that were recorded.
 *
 * `blind.json` was written by people who had not read the filter, and the filter was developed with it; lies that differ in
 * a number alone are left out. `fresh.json` was written before the filter was changed to ask for opinions, and used once
 * after it. `opinions.json` has the subjects that a language model gave to the sentences that code doesn't refuse, in
 * random order and without their origin; those that it has not are advice or features.
 */

interface SetFile {
  readonly titles: Readonly<Record<string, string>>
  /** By language: letters of the recommended titles, and the reply. */
  readonly honest: Readonly<Record<string, ReadonlyArray<readonly [letters: string, text: string]>>>
  readonly figures: Readonly<Record<string, ReadonlyArray<string>>>
  readonly claims: Readonly<Record<string, ReadonlyArray<string>>>
  /** Numbers in words for `#` in the figures. */
  readonly words?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** A sentence, and what code makes of it: none if it is refused. */
export interface Sentence {
  readonly language: string
  readonly text: string
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

const inDigits = ["3", "19", "24.99", "48", "1,299", "４９", "٣٥"]

const read = (name: string): FixtureSet => {
  const { claims, figures, honest, titles, words = {} } = fileOf(name) as SetFile
  const others = Object.values(titles)
  // Of these, all lies are lies.
  const plain = others.filter((title) => !/proof|resist|IPX|free|allerg|certif|organic/i.test(title))
  const sentence = (language: string, text: string, own: ReadonlyArray<string>): Sentence => {
    // A lie may have a question before it.
    const [longest = ""] = sentencesOf(text).toSorted((left, right) => right.length - left.length)
    const [candidate] = candidatesIn(longest, { titles: own, others: own, request: "", secret: "" })
    return { language, text, candidate }
  }
  const lies = (byLanguage: SetFile["figures"]): ReadonlyArray<Sentence> =>
    Object.entries(byLanguage).flatMap(([language, texts]) =>
      texts
        .flatMap((text) =>
          text.includes("#")
            ? [...inDigits, ...(words[language] ?? [])].map((number) => text.replace("#", number))
            : [text]
        )
        .map((text, index) => sentence(language, text, [plain[index % plain.length] ?? ""]))
    )
  return {
    name,
    honest: Object.entries(honest).flatMap(([language, replies]) =>
      replies.flatMap(([letters, reply]) => {
        const own = letters.split(";").map((letter) => titles[letter.trim()] ?? "")
        return sentencesOf(reply).map((text) => sentence(language, text, own))
      })
    ),
    figures: lies(figures),
    claims: lies(claims)
  }
}

/** All sets. */
export const fixtureSets = (): ReadonlyArray<FixtureSet> => ["blind", "fresh"].map(read)

/** The opinion on each sentence that was recorded. */
export const recordedOpinion = (): ((sentence: string) => Opinion) => {
  const { safety, words, ...others } = fileOf("opinions") as {
    /** Proofs by sentence. */
    readonly safety: Readonly<Record<string, string>>
    /** Words of several languages for some proofs. */
    readonly words: Readonly<Record<string, string>>
  } & Readonly<Record<"offer" | "people" | "other", ReadonlyArray<string>>>
  const proofOf = (proofs: string): ReadonlyArray<string> =>
    proofs.split(", ").flatMap((proof) => (words[proof] ?? proof).split(", "))
  const opinions = new Map<string, Opinion>([
    ...Object.entries(safety).map(
      ([text, proofs]) => [text, { subject: "safety", proof: proofOf(proofs) }] as const
    ),
    ...Object.entries(others).flatMap(([subject, texts]) =>
      texts.map((text) => [text, { subject: subject as Opinion["subject"] }] as const)
    )
  ])
  return (sentence) => opinions.get(sentence) ?? { subject: "advice" }
}
