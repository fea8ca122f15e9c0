import type { AssistantOptions } from "@till402/core"
import type { OpenAiCompatOptions } from "../openai-compat/index.ts"
import { assistantOver, modelOf, type ModelPrices, type ModelSource } from "./ModelSource.ts"
import type { AssistantSettings } from "./Options.ts"

/** Options of `languageModel`: the model, what it costs, the bounds of a run, and models to fall back to. */
export interface LanguageModelOptions
  extends OpenAiCompatOptions, ModelPrices, Omit<AssistantSettings, "deadlineMillis"> {
  /** Time of one run in milliseconds; default 18,000. Keep it below the till's `upstreamTimeoutMillis`. */
  readonly runDeadlineMillis?: number | undefined
  /** Models that are tried, in order, for each request that this one fails. */
  readonly fallback?: ReadonlyArray<ModelSource> | undefined
}

/**
 * The `assistant` of a till on a model behind any server of the chat-completions protocol.
 *
 * Its products come from searches of the till's marketplaces only, within `context.priceRange` and the limits in dollars
 * that the message states. Code writes their names, prices, ratings and numbers of reviews into the reply. A sentence of
 * the model is left out if it states figures that no title has, or if the model, asked once more about the sentence alone,
 * says that it speaks of price, stock, delivery and the like.
 *
 * `reply` rejects with `TemporarilyUnavailable` (503) if the model or every marketplace is down, busy or too slow, and
 * with another error (502) for a refused or unusable response.
 *
 * @throws ConfigurationError for an unusable address, key or setting
 * @example
 * import { languageModel } from "@till402/providers/assistant"
 *
 * const assistant = languageModel({
 *   baseUrl: "https://api.openai.com/v1",
 *   apiKey: process.env["OPENAI_API_KEY"]!,
 *   model: "gpt-5-mini",
 *   inputUsdPerMillion: 0.25,
 *   outputUsdPerMillion: 2
 * })
 */
export const languageModel = ({
  fallback = [],
  maxCostUsd,
  maxProducts,
  maxRounds,
  maxSearches,
  maxTokens,
  runDeadlineMillis,
  ...model
}: LanguageModelOptions): AssistantOptions =>
  assistantOver([modelOf(model), ...fallback], {
    maxCostUsd,
    maxProducts,
    maxRounds,
    maxSearches,
    maxTokens,
    deadlineMillis: runDeadlineMillis
  })
