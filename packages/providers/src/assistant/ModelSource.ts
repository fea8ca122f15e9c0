import {
  type AssistantOptions,
  type AssistantUsage,
  TemporarilyUnavailable,
  UpstreamFailed,
  UpstreamUnavailable
} from "@till402/core"
import { Context, Effect, Redacted } from "effect"
import { LanguageModel } from "effect/ai"
import { OpenAiCompatLanguageModel, type OpenAiCompatOptions } from "../openai-compat/index.ts"
import { makeWithFetch } from "../upstream/index.ts"
import { ModelTerms, type ModelTermsShape } from "./ModelTerms.ts"
import type { AssistantSettings } from "./Options.ts"
import type { Search } from "./ProductTools.ts"
import { makeReply } from "./ShoppingAssistant.ts"

/*
 * From models in plain TypeScript to the `assistant` of a till.
 */

/** What a model costs, in US dollars for a million tokens. Without it, the cost of a call is not bounded. */
export interface ModelPrices {
  readonly inputUsdPerMillion?: number | undefined
  readonly outputUsdPerMillion?: number | undefined
}

/** A model that an assistant may use. Made by `modelOf`, or by `aiSdkModel` of `@till402/providers/ai-sdk`. */
export interface ModelSource {
  readonly context: Context.Context<LanguageModel.LanguageModel>
}

/** A model with its terms. */
export const modelSource = (model: LanguageModel.LanguageModel, terms: ModelTermsShape): ModelSource => ({
  context: Context.make(LanguageModel.LanguageModel, model).pipe(Context.add(ModelTerms, terms))
})

/** Rejects as a host's function does: `TemporarilyUnavailable` for a 503, anything else for a 502. */
const toThrown = (error: UpstreamFailed | UpstreamUnavailable): unknown => {
  const { cause } = error
  const message = cause instanceof Error ? cause.message : "the assistant failed"
  return error._tag === "UpstreamFailed"
    ? (cause ?? error)
    : new TemporarilyUnavailable({
        message,
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds })
      })
}

const isUnavailable = (error: unknown): error is TemporarilyUnavailable =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "TemporarilyUnavailable"

const searchError = (error: unknown): UpstreamFailed | UpstreamUnavailable =>
  isUnavailable(error)
    ? new UpstreamUnavailable({
        port: "marketplace",
        cause: error,
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds })
      })
    : new UpstreamFailed({ port: "marketplace", cause: error })

/**
 * The `assistant` of a till, over models that are tried in order.
 *
 * @throws ConfigurationError for a wrong setting
 * @example
 * import { assistantOver, modelOf } from "@till402/providers/assistant"
 *
 * const assistant = assistantOver([
 *   modelOf({ baseUrl: "https://api.openai.com/v1", apiKey: process.env["OPENAI_API_KEY"]!, model: "gpt-5-mini" }),
 *   modelOf({ baseUrl: "http://localhost:11434/v1", model: "qwen3" })
 * ])
 */
export const assistantOver = (
  models: readonly [ModelSource, ...ReadonlyArray<ModelSource>],
  settings: AssistantSettings = {}
): AssistantOptions => {
  const [first, ...others] = models
  const { maxCostUsd, reply: answer } = Effect.runSync(
    makeReply([first.context, ...others.map(({ context }) => context)], settings)
  )
  return {
    maxCostUsd,
    reply: async (request, { reportUsage, search: find, signal }) => {
      const search: Search = (query) => Effect.tryPromise({ try: () => find(query), catch: searchError })
      const report = (usage: AssistantUsage) => Effect.sync(() => reportUsage?.(usage))
      return Effect.runPromise(Effect.mapError(answer(request, { search, report }), toThrown), { signal })
    }
  }
}

/**
 * A model behind any server of the chat-completions protocol.
 *
 * @throws ConfigurationError for an unusable address, key or setting
 */
export const modelOf = ({
  apiKey,
  fetch,
  inputUsdPerMillion,
  outputUsdPerMillion,
  ...options
}: OpenAiCompatOptions & ModelPrices): ModelSource => {
  const { maxOutputTokens, model: name } = options
  const key = apiKey === undefined ? {} : { apiKey: Redacted.make(apiKey) }
  return modelSource(makeWithFetch(OpenAiCompatLanguageModel.make({ ...options, ...key }), fetch), {
    name,
    inputUsdPerMillion,
    outputUsdPerMillion,
    maxOutputTokens
  })
}
