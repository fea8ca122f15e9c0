import { ConfigurationError } from "@till402/core"
import { Effect, type Redacted } from "effect"
import type { Treasury } from "../treasury/Treasury.ts"
import { baseUrlOf, keyOf } from "../upstream/index.ts"
import type { CrossmintSettings } from "./Options.ts"
import type { OrdersSettings } from "./Orders.ts"
import type { Hex } from "../treasury/Hex.ts"

/*
 * The options, checked and completed. Wrong ones are told at start, by the name of the option.
 */

/** What an Effect host gives; its treasury is a service. */
export interface CrossmintLayerOptions extends CrossmintSettings {
  readonly apiKey: Redacted.Redacted<string>
}

export interface Configured extends OrdersSettings {
  readonly payees: ReadonlyArray<Hex>
  readonly quoteTimeoutMillis: number
  readonly pollMillis: number
}

export const productionUrl = "https://www.crossmint.com/api"

const wrong = (message: string): Effect.Effect<never, ConfigurationError> =>
  Effect.fail(new ConfigurationError({ message: `crossmint: ${message}` }))

const whole = (name: string, value: unknown, minimum: number, maximum: number) =>
  typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum
    ? Effect.succeed(value)
    : wrong(`${name} must be a whole number from ${minimum} to ${maximum}`)

const isAddress = (value: unknown): value is Hex =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)

const payeesOf = (payees: unknown): Effect.Effect<ReadonlyArray<Hex>, ConfigurationError> =>
  Array.isArray(payees) && payees.length >= 1 && payees.length <= 20 && payees.every(isAddress)
    ? Effect.succeed(payees)
    : wrong("payees must be 1 to 20 addresses of Crossmint")

/** Checks the options; fails with the first fault found. */
export const configure = Effect.fnUntraced(function* (
  options: CrossmintLayerOptions & { readonly treasury: Treasury }
): Effect.fn.Return<Configured, ConfigurationError> {
  const { locale = "en-US", receiptEmail, treasury } = options
  if (!isAddress(treasury?.address)) return yield* wrong("treasury has no address")
  const paymentMethod: unknown = options.paymentMethod ?? treasury.network
  if (typeof paymentMethod !== "string" || !/^[a-z0-9-]{1,50}$/.test(paymentMethod)) {
    return yield* wrong("paymentMethod must be Crossmint's name of the treasury's network")
  }
  if (typeof locale !== "string" || !/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/.test(locale)) {
    return yield* wrong("locale must be an IETF language tag")
  }
  if (receiptEmail !== undefined && !(typeof receiptEmail === "string" && /^\S+@\S+$/.test(receiptEmail))) {
    return yield* wrong("receiptEmail must be an e-mail address")
  }
  return {
    apiKey: yield* keyOf("crossmint", options.apiKey),
    baseUrl: yield* baseUrlOf("crossmint", options.baseUrl ?? productionUrl),
    payees: yield* payeesOf(options.payees),
    payer: treasury.address,
    paymentMethod,
    locale,
    receiptEmail,
    quoteTimeoutMillis: yield* whole("quoteTimeoutMillis", options.quoteTimeoutMillis ?? 12_000, 1, 120_000),
    // Crossmint asks for half a second between two looks.
    pollMillis: yield* whole("pollMillis", options.pollMillis ?? 1_000, 500, 60_000)
  }
})
