import { assert, describe, it } from "@effect/vitest"
import { UpstreamFailed, UpstreamUnavailable } from "@till402/core"
import { Assistant, Catalogue, Marketplaces } from "@till402/core/effect"
import { Effect, Fiber, Layer, Metric, Stream } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"
import { TestClock } from "effect/testing"
import { ModelTerms, ShoppingAssistant } from "../../src/assistant/index.ts"
import { anker, sony } from "./goods.ts"
import { soundOpinions } from "./scriptedModel.ts"

/*
 * The assistant as layers, over models in this process.
 */

type Parts = ReadonlyArray<Response.PartEncoded>

const finish: Response.PartEncoded = {
  type: "finish",
  reason: "stop",
  response: undefined,
  usage: {
    inputTokens: { total: 50, uncached: 50, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 10, text: 10, reasoning: undefined }
  }
}
const search: Parts = [
  { type: "tool-call", id: "1", name: "search_products", params: { query: "wireless" } },
  finish
]
const answer: Parts = [
  {
    type: "text",
    text: JSON.stringify({ summary: "The Sony WH-CH520 is light.", picks: [{ id: sony.asin, why: "" }] })
  },
  finish
]

/** Opinions on the sentences of a prompt. */
const opinionsOn = ({ prompt }: LanguageModel.ProviderOptions): Parts => {
  const messages = prompt.content.map(({ content, role }) => ({
    role,
    content:
      typeof content === "string"
        ? content
        : content.map((part) => (part.type === "text" ? part.text : "")).join("")
  }))
  const turn = soundOpinions({ model: "", messages })
  return [{ type: "text", text: "text" in turn ? (turn.text ?? "") : "" }, finish]
}

/** A model that responds in turn, the last response for ever, and has opinions. */
const modelOf = (...turns: ReadonlyArray<Effect.Effect<Parts, AiError.AiError>>) => {
  let turn = 0
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (options) =>
        options.responseFormat.type === "json" && options.responseFormat.objectName === "opinions"
          ? Effect.succeed([...opinionsOn(options)])
          : Effect.map(turns[turn++] ?? turns.at(-1) ?? Effect.succeed(answer), (parts) => [...parts]),
      streamText: () => Stream.empty
    })
  )
}
const broken = (reason: AiError.AiErrorReason) =>
  modelOf(Effect.fail(AiError.make({ module: "Test", method: "generateText", reason })))

const catalogue = Catalogue.layer.pipe(
  Layer.provide(
    Marketplaces.layerPromise({
      marketplace_a: {
        search: async ({ q }) => {
          const words = q.toLowerCase().split(" ")
          const products = [anker, sony].filter(({ title }) =>
            words.every((word) => title.toLowerCase().includes(word))
          )
          return { products, totalResults: products.length, hasMore: false }
        }
      }
    })
  )
)
const ask = Effect.flatMap(Assistant, (assistant) => assistant.reply({ message: "headphones under $40" }))

describe("ShoppingAssistant.layer", () => {
  it.effect("searches the catalogue and answers by the model of its context", () =>
    Effect.gen(function* () {
      const { products, reply } = yield* ask.pipe(
        Effect.provide(ShoppingAssistant.layer()),
        Effect.provide([modelOf(Effect.succeed(search), Effect.succeed(answer)), catalogue])
      )
      assert.strictEqual(
        reply,
        "The Sony WH-CH520 is light.\n\n- “Sony WH-CH520 Wireless Headphones, Blue”: $30.00, rated 4.5, reviews: 900"
      )
      assert.deepStrictEqual(
        products.map(({ asin }) => asin),
        [sony.asin]
      )
    })
  )

  it.effect("counts runs, tokens and cost", () =>
    Effect.gen(function* () {
      yield* ask.pipe(
        Effect.provide(ShoppingAssistant.layer()),
        Effect.provide([
          modelOf(Effect.succeed(search), Effect.succeed(answer)),
          catalogue,
          Layer.succeed(ModelTerms, { inputUsdPerMillion: 1, outputUsdPerMillion: 2 })
        ])
      )
      const counts = (yield* Metric.snapshot).filter(({ id }) => id.startsWith("till402_assistant_"))
      const countOf = (id: string, attributes: object = {}) => {
        const found = counts.find(
          (metric) =>
            metric.id === id &&
            Object.entries(attributes).every(([key, value]) => metric.attributes?.[key] === value)
        )
        return found !== undefined && "count" in found.state ? Number(found.state.count) : 0
      }
      assert.strictEqual(countOf("till402_assistant_runs_total", { outcome: "replied" }), 1)
      assert.strictEqual(countOf("till402_assistant_tokens_total", { direction: "input" }), 150)
      assert.strictEqual(countOf("till402_assistant_cost_micro_usd_total"), 210)
    }).pipe(
      Effect.provideServiceEffect(
        Metric.MetricRegistry,
        Effect.sync(() => new Map())
      )
    )
  )

  it.effect("is unavailable past its deadline", () =>
    Effect.gen(function* () {
      const fiber = yield* ask.pipe(
        Effect.provide(ShoppingAssistant.layer({ deadlineMillis: 2_000 })),
        Effect.provide([modelOf(Effect.never), catalogue]),
        Effect.flip,
        Effect.forkChild
      )
      yield* TestClock.adjust(2_000)
      const error = yield* Fiber.join(fiber)
      assert.instanceOf(error, UpstreamUnavailable)
      assert.strictEqual(error.port, "assistant")
    })
  )

  it.effect("fails to build with a wrong setting", () =>
    Effect.gen(function* () {
      const error = yield* ask.pipe(
        Effect.provide(ShoppingAssistant.layer({ maxRounds: 0 })),
        Effect.provide([modelOf(), catalogue]),
        Effect.flip
      )
      assert.include(String(error), "maxRounds must be a whole number from 1 to 10")
    })
  )
})

describe("ShoppingAssistant.layerFallback", () => {
  const overloaded = broken(new AiError.InternalProviderError({ description: "down" }))

  it.effect("goes on with the next model", () =>
    Effect.gen(function* () {
      const { products } = yield* ask.pipe(
        Effect.provide(
          ShoppingAssistant.layerFallback([
            overloaded,
            modelOf(Effect.succeed(search), Effect.succeed(answer))
          ])
        ),
        Effect.provide(catalogue)
      )
      assert.lengthOf(products, 1)
    })
  )

  it.effect("fails as the last model does", () =>
    Effect.gen(function* () {
      const refused = broken(new AiError.ContentPolicyError({ description: "no" }))
      const error = yield* ask.pipe(
        Effect.provide(ShoppingAssistant.layerFallback([overloaded, refused])),
        Effect.provide(catalogue),
        Effect.flip
      )
      assert.instanceOf(error, UpstreamFailed)
    })
  )
})
