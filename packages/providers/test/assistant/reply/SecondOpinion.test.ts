import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  maxSentences,
  mayBeSent,
  type Opinion,
  Opinions,
  opinionsOn
} from "../../../src/assistant/reply/SecondOpinion.ts"

type Answer = typeof Opinions.Type
type Judge = (sentence: string) => Opinion

const isKnownLie = (sentence: string): boolean => /bank account|handful|delighted|baby/.test(sentence)

/** Answers as a model does that judges each sentence by a function. */
const judging =
  (judge: Judge, asked: Array<string> = []) =>
  (numbered: string) =>
    Effect.sync((): Answer => {
      const sentences = JSON.parse(numbered) as ReadonlyArray<{
        readonly number: number
        readonly sentence: string
      }>
      asked.push(...sentences.map(({ sentence }) => sentence))
      return { sentences: sentences.map(({ number, sentence }) => ({ number, ...judge(sentence) })) }
    })
const sound: Judge = (sentence) => ({ subject: isKnownLie(sentence) ? "offer" : "feature" })

describe("opinions on sentences", () => {
  it.effect("are those of the model, each by its sentence", () =>
    Effect.gen(function* () {
      const opinions = yield* opinionsOn(
        ["It folds.", "It folds.", "Er kostet fast nichts."],
        judging((sentence) => (sentence.startsWith("Er") ? { subject: "offer" } : sound(sentence)))
      )
      assert.strictEqual(opinions.get("It folds.")?.subject, "feature")
      assert.strictEqual(opinions.get("Er kostet fast nichts.")?.subject, "offer")
    })
  )

  it.effect("are asked with known sentences in random places, and for a bounded number", () =>
    Effect.gen(function* () {
      const sentences = Array.from({ length: 100 }, (_, index) => `Sentence of number ${index}.`)
      const orders = yield* Effect.forEach(Array.from({ length: 5 }), () =>
        Effect.gen(function* () {
          const asked: Array<string> = []
          const opinions = yield* opinionsOn(sentences, judging(sound, asked))
          assert.isFalse(opinions.has(sentences[maxSentences]!))
          assert.strictEqual(asked.filter((each) => each.startsWith("Sentence")).length, maxSentences)
          return asked.findIndex(isKnownLie)
        })
      )
      assert.isAbove(new Set(orders).size, 1)
    })
  )

  it.effect("are none if the model is wrong about a known sentence", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<Judge> = [
        () => ({ subject: "advice" }),
        () => ({ subject: "offer" }),
        (sentence) => (sentence.includes("baby") ? { subject: "feature" } : sound(sentence))
      ]
      for (const judge of wrong) {
        const opinions = yield* opinionsOn(["It folds."], judging(judge))
        assert.strictEqual(opinions.size, 0)
      }
    })
  )
})

describe("whether a sentence may be sent", () => {
  const may = (opinion: Opinion, title = "", hasShoppersNumber = false) =>
    mayBeSent({ title, hasShoppersNumber }, opinion)

  it("is decided by its subject", () => {
    const subjects = ["advice", "feature", "offer", "people", "safety", "other"] as const
    assert.deepStrictEqual(
      subjects.filter((subject) => may({ subject })),
      ["advice", "feature"]
    )
  })

  it("is decided by the title for safety, and not by words that prove nothing", () => {
    const waterproof: Opinion = { subject: "safety", proof: ["waterproof", "IPX5"] }
    assert.isTrue(may(waterproof, "water-proof speaker"))
    assert.isTrue(may(waterproof, "speaker, ipx5"))
    assert.isFalse(may(waterproof, "speaker"))
    assert.isFalse(may({ subject: "safety" }, "water-proof speaker"))
    assert.isFalse(
      may({ subject: "safety", proof: ["safe", "free", "ip"] }, "dishwasher safe, bpa free, ipx5")
    )
  })

  it("is advice alone with a number of the shopper", () => {
    assert.isTrue(may({ subject: "advice" }, "", true))
    assert.isFalse(may({ subject: "feature" }, "", true))
  })
})
