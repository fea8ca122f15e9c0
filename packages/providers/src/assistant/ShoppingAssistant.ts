import type { AssistantUsage, ConfigurationError, ShopRequest, ShopResponse } from "@till402/core"
import {
  Assistant,
  Catalogue,
  reportAssistantUsage,
  UpstreamFailed,
  UpstreamUnavailable
} from "@till402/core/effect"
import { Clock, type Context, Effect, ExecutionPlan, Exit, Layer, Metric } from "effect"
import { LanguageModel } from "effect/ai"
import { runAssistant, type ModelPlan } from "./AssistantRun.ts"
import { toAssistantError } from "./ModelFaults.ts"
import { type AssistantSettings, checkSettings } from "./Options.ts"
import type { Search } from "./ProductTools.ts"
import { unitSizes } from "./reply/Units.ts"
import { RunBudget } from "./RunBudget.ts"

const runs = Metric.counter("till402_assistant_runs_total", {
  description: "Runs of the assistant's model, by outcome",
  incremental: true
})
const tokens = Metric.counter("till402_assistant_tokens_total", {
  description: "Tokens of the assistant's model, by direction",
  incremental: true
})
const cost = Metric.counter("till402_assistant_cost_micro_usd_total", {
  description: "Cost of the assistant's model in millionths of a US dollar",
  incremental: true
})
const duration = Metric.histogram("till402_assistant_run_duration_seconds", {
  description: "Seconds that a run of the assistant took",
  boundaries: [0.25, 0.5, 1, 2, 4, 8, 16, 32]
})

const measure = (usage: AssistantUsage, millis: number): Effect.Effect<void> =>
  Effect.all(
    [
      Metric.update(Metric.withAttributes(runs, { outcome: usage.outcome }), 1),
      Metric.update(Metric.withAttributes(tokens, { direction: "input" }), usage.inputTokens),
      Metric.update(Metric.withAttributes(tokens, { direction: "output" }), usage.outputTokens),
      Metric.update(cost, usage.costMicroUsd ?? 0),
      Metric.update(duration, millis / 1_000)
    ],
    { discard: true }
  )

/** Replies to requests with models. `search` and `report` are those of the call. */
export type Reply = (
  request: ShopRequest,
  call: {
    readonly search: Search
    /** Reports what the run used, also if it failed. */
    readonly report: (usage: AssistantUsage) => Effect.Effect<void>
  }
) => Effect.Effect<ShopResponse, UpstreamFailed | UpstreamUnavailable>

/** Requests of a run beside its rounds: the answer, its second try, and the opinion on its sentences. */
const furtherRequests = 3

const fromMarketplace = (error: UpstreamFailed | UpstreamUnavailable): UpstreamFailed | UpstreamUnavailable =>
  error._tag === "UpstreamFailed"
    ? new UpstreamFailed({ port: "assistant", cause: error })
    : new UpstreamUnavailable({
        port: "assistant",
        cause: error,
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds })
      })

/** Makes an assistant over models, which are tried in order. */
export const makeReply = Effect.fnUntraced(function* (
  models: readonly [
    Context.Context<LanguageModel.LanguageModel>,
    ...Array<Context.Context<LanguageModel.LanguageModel>>
  ],
  settings: AssistantSettings
): Effect.fn.Return<{ readonly reply: Reply; readonly maxCostUsd: number }, ConfigurationError> {
  const checked = yield* checkSettings(settings)
  // Now, so that no call waits for it.
  unitSizes()
  const [first, ...others] = models
  const plan: ModelPlan = ExecutionPlan.make({ provide: first }, ...others.map((provide) => ({ provide })))
  const { deadlineMillis, maxCostUsd, maxRounds } = checked

  const reply: Reply = (request, { report, search }) =>
    Effect.gen(function* () {
      const budget = new RunBudget({ ...checked, maxRequests: (maxRounds + furtherRequests) * models.length })
      const startedAt = yield* Clock.currentTimeMillis
      const endsAt = startedAt + deadlineMillis
      return yield* runAssistant(request, { ...checked, plan, search, budget, endsAt }).pipe(
        Effect.mapError((error) =>
          error._tag === "UpstreamFailed" || error._tag === "UpstreamUnavailable"
            ? fromMarketplace(error)
            : toAssistantError(error)
        ),
        Effect.timeoutOrElse({
          duration: deadlineMillis,
          orElse: () =>
            Effect.fail(
              new UpstreamUnavailable({
                port: "assistant",
                cause: new Error(`the assistant did not reply within ${deadlineMillis} ms`)
              })
            )
        }),
        Effect.onExit((exit) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const usage = budget.usage(Exit.isSuccess(exit) ? exit.value.outcome : "failed")
            return Effect.andThen(measure(usage, now - startedAt), report(usage))
          })
        ),
        Effect.map(({ response }) => response)
      )
    })
  return { reply, maxCostUsd }
})

/**
 * The `Assistant` of an Effect host, over the `LanguageModel` of its context. It searches the `Catalogue`.
 *
 * Its products come from searches only, and are within `context.priceRange` and the limits in dollars that the message
 * states. Code writes their names, prices, ratings and numbers of reviews into the reply. A sentence of the model is left
 * out if it states figures that no title has, or if the model, asked once more about the sentence alone, says that it speaks
 * of price, stock, delivery and the like. Titles are the marketplaces' own words.
 *
 * Fails with `UpstreamUnavailable` (503) if the model or every marketplace is down, busy or too slow, or if neither
 * gave anything, and with
 * `UpstreamFailed` (502) for a refused or unusable response. Fails to build with `ConfigurationError` for a wrong
 * setting.
 *
 * @example
 * import { ShoppingAssistant } from "@till402/providers/assistant"
 * import { OpenAiCompatLanguageModel } from "@till402/providers/openai-compat"
 * import { Layer, Redacted } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const assistant = ShoppingAssistant.layer({ maxRounds: 3 }).pipe(
 *   Layer.provide(
 *     OpenAiCompatLanguageModel.layer({
 *       baseUrl: "https://api.openai.com/v1",
 *       apiKey: Redacted.make(process.env["OPENAI_API_KEY"]!),
 *       model: "gpt-5-mini"
 *     })
 *   ),
 *   Layer.provide(FetchHttpClient.layer)
 * )
 */
export const layer = (
  settings: AssistantSettings = {}
): Layer.Layer<Assistant, ConfigurationError, LanguageModel.LanguageModel | Catalogue> =>
  Layer.effect(
    Assistant,
    Effect.gen(function* () {
      const context = yield* Effect.context<LanguageModel.LanguageModel>()
      return yield* assistantOf([context], settings)
    })
  )

/**
 * Like `layer`, over several models: each request to a model that fails goes to the next one.
 *
 * @example
 * import { ShoppingAssistant } from "@till402/providers/assistant"
 * import type { Layer } from "effect"
 * import type { LanguageModel } from "effect/ai"
 *
 * const withFallback = (
 *   first: Layer.Layer<LanguageModel.LanguageModel>,
 *   second: Layer.Layer<LanguageModel.LanguageModel>
 * ) => ShoppingAssistant.layerFallback([first, second])
 */
export const layerFallback = <E, R>(
  models: readonly [
    Layer.Layer<LanguageModel.LanguageModel, E, R>,
    ...Array<Layer.Layer<LanguageModel.LanguageModel, E, R>>
  ],
  settings: AssistantSettings = {}
): Layer.Layer<Assistant, E | ConfigurationError, R | Catalogue> =>
  Layer.effect(
    Assistant,
    Effect.gen(function* () {
      const [first, ...others] = models
      const contexts = [
        yield* Layer.build(first),
        ...(yield* Effect.forEach(others, (other) => Layer.build(other)))
      ] as const
      return yield* assistantOf(contexts, settings)
    })
  )

const assistantOf = Effect.fnUntraced(function* (
  models: readonly [
    Context.Context<LanguageModel.LanguageModel>,
    ...Array<Context.Context<LanguageModel.LanguageModel>>
  ],
  settings: AssistantSettings
): Effect.fn.Return<Assistant["Service"], ConfigurationError, Catalogue> {
  const catalogue = yield* Catalogue
  const { maxCostUsd, reply } = yield* makeReply(models, settings)
  const search: Search = (query) => Effect.map(catalogue.search(query), ({ response }) => response.products)
  return {
    maxCostUsd,
    reply: Effect.fn("Assistant.reply")((request: ShopRequest) =>
      reply(request, { search, report: reportAssistantUsage })
    )
  }
})
