import { ConfigurationError } from "@till402/core"
import { Effect, type Redacted } from "effect"
import { baseUrlOf, keyOf } from "../upstream/index.ts"
import type { EstimateSettings } from "./Estimate.ts"
import type { CostAllowance, ZincSettings } from "./Options.ts"
import type { OrdersSettings } from "./Orders.ts"
import type { WebhookSettings } from "./Webhook.ts"

/*
 * The options, checked and completed. Wrong ones are told at start, by the name of the option.
 */

/** What an Effect host gives. */
export interface ZincLayerOptions extends ZincSettings {
  readonly apiKey: Redacted.Redacted<string>
  readonly webhookSecret?: Redacted.Redacted<string>
}

export interface Configured extends OrdersSettings, EstimateSettings, WebhookSettings {}

export const productionUrl = "https://api.zinc.com"

const wrong = (message: string): Effect.Effect<never, ConfigurationError> =>
  Effect.fail(new ConfigurationError({ message: `zinc: ${message}` }))

const whole = (name: string, value: unknown, minimum: number, maximum: number) =>
  typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum
    ? Effect.succeed(value)
    : wrong(`${name} must be a whole number from ${minimum} to ${maximum}`)

const allowanceOf = Effect.fnUntraced(function* (
  allowance: CostAllowance | undefined
): Effect.fn.Return<CostAllowance | undefined, ConfigurationError> {
  if (allowance === undefined) return undefined
  return {
    taxBasisPoints: yield* whole("allowance.taxBasisPoints", allowance.taxBasisPoints, 0, 10_000),
    shippingCents: yield* whole("allowance.shippingCents", allowance.shippingCents, 0, 1_000_000)
  }
})

/** Checks the options; fails with the first fault found. */
export const configure = Effect.fnUntraced(function* (
  options: ZincLayerOptions
): Effect.fn.Return<Configured, ConfigurationError> {
  const { defaultPhone, onUpdate, retailerCredentialsId, webhookSecret } = options
  if (defaultPhone !== undefined && !/^\+?[\d ().-]{7,30}$/.test(String(defaultPhone))) {
    return yield* wrong("defaultPhone must be a phone number")
  }
  if (retailerCredentialsId !== undefined && !/^[\w-]{1,100}$/.test(String(retailerCredentialsId))) {
    return yield* wrong("retailerCredentialsId must be an id such as zn_acct_XXXXXXXX")
  }
  if (onUpdate !== undefined && typeof onUpdate !== "function")
    return yield* wrong("onUpdate must be a function")
  return {
    apiKey: yield* keyOf("zinc", options.apiKey),
    webhookSecret: webhookSecret === undefined ? undefined : yield* keyOf("zinc", webhookSecret),
    baseUrl: yield* baseUrlOf("zinc", options.baseUrl ?? productionUrl),
    defaultPhone,
    retailerCredentialsId,
    onUpdate,
    allowance: yield* allowanceOf(options.allowance),
    quoteLifetimeMillis: yield* whole(
      "quoteLifetimeMillis",
      options.quoteLifetimeMillis ?? 600_000,
      60_000,
      86_400_000
    )
  }
})
