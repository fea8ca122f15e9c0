import type { ConfigurationError } from "@till402/core"
import { Effect } from "effect"
import { settingReaders } from "../upstream/index.ts"

/** Bounds of an assistant's runs. */
export interface AssistantSettings {
  /** Rounds in which the model may search; default 4, 1 to 10. */
  readonly maxRounds?: number | undefined
  /** Searches of one run; default 8, 1 to 50. */
  readonly maxSearches?: number | undefined
  /** Recommended products; default 5, 1 to 20. */
  readonly maxProducts?: number | undefined
  /** Tokens of one run, input and output; default 40,000. */
  readonly maxTokens?: number | undefined
  /** Time of one run in milliseconds; default 18,000. Keep it below the till's `upstreamTimeoutMillis`. */
  readonly deadlineMillis?: number | undefined
  /**
   * Cost of one run in US dollars; default 0.05. The till refuses to start if it isn't below `prices.shop`. Needs the
   * model's prices.
   */
  readonly maxCostUsd?: number | undefined
}

export type CheckedSettings = { readonly [name in keyof AssistantSettings]-?: number }

const read = settingReaders("assistant")

/** Checks the settings and fills in defaults. */
export const checkSettings = Effect.fnUntraced(function* (
  settings: AssistantSettings
): Effect.fn.Return<CheckedSettings, ConfigurationError> {
  const { maxCostUsd = 0.05 } = settings
  if (!Number.isFinite(maxCostUsd) || maxCostUsd <= 0)
    return yield* read.invalid("maxCostUsd must be an amount above zero")
  return {
    maxCostUsd,
    maxRounds: yield* read.wholeNumber("maxRounds", settings.maxRounds ?? 4, 1, 10),
    maxSearches: yield* read.wholeNumber("maxSearches", settings.maxSearches ?? 8, 1, 50),
    maxProducts: yield* read.wholeNumber("maxProducts", settings.maxProducts ?? 5, 1, 20),
    maxTokens: yield* read.wholeNumber("maxTokens", settings.maxTokens ?? 40_000, 2_000, 1_000_000),
    deadlineMillis: yield* read.wholeNumber("deadlineMillis", settings.deadlineMillis ?? 18_000, 100, 300_000)
  }
})
