import { ConfigurationError } from "@till402/core"
import { Effect, type Redacted } from "effect"
import { baseUrlOf, keyOf } from "../upstream/index.ts"
import type { IntentsSettings } from "./Intents.ts"
import type { RyeSettings } from "./Options.ts"
import { memoryPlacements } from "./PlacementJournal.ts"
import type { Journal } from "./Placing.ts"
import type { QuotingSettings } from "./Quoting.ts"
import type { WebhookSettings } from "./Webhook.ts"

/*
 * The options, checked and completed. Wrong ones are told at start, by the name of the option.
 */

/** What an Effect host gives. */
export interface RyeLayerOptions extends RyeSettings {
  readonly apiKey: Redacted.Redacted<string>
  readonly webhookSecret?: Redacted.Redacted<string>
}

export interface Configured extends IntentsSettings, QuotingSettings, WebhookSettings {
  readonly requestsPerSecond: number
  readonly journal: Journal
}

export const productionUrl = "https://api.rye.com"

const wrong = (message: string): Effect.Effect<never, ConfigurationError> =>
  Effect.fail(new ConfigurationError({ message: `rye: ${message}` }))

const whole = (name: string, value: unknown, minimum: number, maximum: number) =>
  typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum
    ? Effect.succeed(value)
    : wrong(`${name} must be a whole number from ${minimum} to ${maximum}`)

/** Checks the options; fails with the first fault found. */
export const configure = Effect.fnUntraced(function* (
  options: RyeLayerOptions
): Effect.fn.Return<Configured, ConfigurationError> {
  const { defaultPhone, offerRetrievalEffort, onUpdate, placements, webhookSecret } = options
  if (defaultPhone !== undefined && !/^\+?[\d ().-]{7,30}$/.test(String(defaultPhone))) {
    return yield* wrong("defaultPhone must be a phone number")
  }
  if (offerRetrievalEffort !== undefined && !["max", "low"].includes(offerRetrievalEffort)) {
    return yield* wrong("offerRetrievalEffort must be max or low")
  }
  if (onUpdate !== undefined && typeof onUpdate !== "function")
    return yield* wrong("onUpdate must be a function")
  return {
    apiKey: yield* keyOf("rye", options.apiKey),
    webhookSecret: webhookSecret === undefined ? undefined : yield* keyOf("rye", webhookSecret),
    baseUrl: yield* baseUrlOf("rye", options.baseUrl ?? productionUrl),
    defaultPhone,
    offerRetrievalEffort,
    onUpdate,
    journal: { placements: placements ?? memoryPlacements(), isDurable: placements !== undefined },
    quoteTimeoutMillis: yield* whole("quoteTimeoutMillis", options.quoteTimeoutMillis ?? 18_000, 1, 600_000),
    pollMillis: yield* whole("pollMillis", options.pollMillis ?? 1_000, 200, 60_000),
    requestsPerSecond: yield* whole("requestsPerSecond", options.requestsPerSecond ?? 5, 1, 1_000)
  }
})
