import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { UpstreamFailed, UpstreamUnavailable } from "../../../src/shop/ports/PortErrors.ts"
import type { AssistantOptions } from "../../../src/shop/ports/Assistant.ts"
import { Assistant, guardedAssistant } from "../../../src/shop/ports/Assistant.ts"
import { Catalogue } from "../../../src/shop/ports/Catalogue.ts"
import { sampleProduct } from "../../../../testing/src/index.ts"
import { eventLogger } from "../../../src/runtime/events.ts"
import type { ShopEvent } from "../../../src/shop/ports/ShopEvents.ts"
import { catalogueOf, timeoutMillis, withSettings } from "../../ports/subjects.ts"

describe("Assistant", () => {
  const replyOf = (replying: AssistantOptions["reply"], catalogue: Layer.Layer<Catalogue>) =>
    Effect.flatMap(guardedAssistant, (assistant) => assistant.reply({ message: "tote" })).pipe(
      Effect.provide(Assistant.layerPromise({ reply: replying }).pipe(Layer.provide(catalogue))),
      withSettings
    )
  const recommending: AssistantOptions["reply"] = async ({ message }, { search }) => ({
    reply: "These.",
    products: await search({ q: message, page: 1 })
  })
  const failingCatalogue = (error: UpstreamFailed | UpstreamUnavailable) =>
    Layer.succeed(Catalogue, { sources: [], search: () => Effect.fail(error) })

  it.effect("may search the marketplaces; products come out in the shape of the response", () =>
    Effect.gen(function* () {
      const { isExpedited: _, ...product } = sampleProduct()
      const response = yield* replyOf(recommending, catalogueOf([sampleProduct()]))
      assert.deepStrictEqual(response, { reply: "These.", products: [product] })
    })
  )

  it.effect("is unavailable where a search it relies on is, and has failed where that failed", () =>
    Effect.gen(function* () {
      const unavailable = yield* Effect.flip(
        replyOf(
          recommending,
          failingCatalogue(new UpstreamUnavailable({ port: "marketplace", retryAfterSeconds: 7 }))
        )
      )
      assert.instanceOf(unavailable, UpstreamUnavailable)
      assert.strictEqual(unavailable.port, "assistant")
      assert.strictEqual(unavailable.retryAfterSeconds, 7)

      const failed = yield* Effect.flip(
        replyOf(recommending, failingCatalogue(new UpstreamFailed({ port: "marketplace" })))
      )
      assert.instanceOf(failed, UpstreamFailed)
      assert.strictEqual(failed.port, "assistant")
    })
  )

  it.effect("may go on without a search that fails", () =>
    Effect.gen(function* () {
      const response = yield* replyOf(
        async (_, { search }) => {
          const products = await search({ q: "tote", page: 1 }).catch(() => [])
          return { reply: "I can't look right now.", products }
        },
        failingCatalogue(new UpstreamFailed({ port: "marketplace" }))
      )
      assert.deepStrictEqual(response, { reply: "I can't look right now.", products: [] })
    })
  )

  it.effect("reports what a model used as an event", () =>
    Effect.gen(function* () {
      const events: Array<ShopEvent> = []
      const response = replyOf(async (_, { reportUsage }) => {
        reportUsage?.({ outcome: "replied", model: "small", rounds: 2, inputTokens: 900, outputTokens: 80 })
        return { reply: "Hello.", products: [] }
      }, catalogueOf([]))
      yield* Effect.provide(response, Logger.layer([eventLogger((event) => void events.push(event))]))
      assert.deepInclude(events[0], {
        level: "info",
        code: "assistant_used",
        port: "assistant",
        reason: "replied",
        model: "small",
        rounds: 2,
        inputTokens: 900,
        outputTokens: 80
      })
    })
  )

  it.effect("takes its searches with it past the deadline", () =>
    Effect.gen(function* () {
      let interrupted = false
      const hanging = Layer.succeed(Catalogue, {
        sources: [],
        search: () =>
          Effect.onInterrupt(Effect.never, () =>
            Effect.sync(() => {
              interrupted = true
            })
          )
      })
      const fiber = yield* Effect.forkChild(Effect.flip(replyOf(recommending, hanging)))
      yield* TestClock.adjust(timeoutMillis)
      assert.instanceOf(yield* Fiber.join(fiber), UpstreamUnavailable)
      assert.isTrue(interrupted)
    })
  )
})
