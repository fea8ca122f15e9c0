import type { Layer } from "effect"
import type { AnyPlainOperation } from "../../operations/PlainOperation.ts"
import type { AssistantOptions } from "../../shop/ports/Assistant.ts"
import type { FulfilmentOptions } from "../../shop/ports/FulfilmentOptions.ts"
import type { MailerOptions } from "../../shop/ports/Mailer.ts"
import type { MarketplacesOptions } from "../../shop/ports/Marketplaces.ts"
import type { Charges } from "../../ports/Charges.ts"
import type { TrackerOptions } from "../../shop/ports/Tracker.ts"
import type { VaultOptions } from "../../shop/ports/VaultFiles.ts"
import type { ShopEvent } from "../../shop/ports/ShopEvents.ts"
import type { FacilitatorSource } from "../../toll/facilitator/FacilitatorOptions.ts"
import type { CallTraces } from "./CallTraces.ts"
import type { TillHooks } from "./TillHooks.ts"
import type { TillSettings } from "./TillSettings.ts"

/**
 * The options of `Till.make`: settings, and the host's ports, storage and callbacks as plain objects and functions.
 * Without a port, its routes, discovery entry and OpenAPI entry are omitted.
 *
 * @example
 * import type { TillOptions } from "@till402/core"
 *
 * const given: TillOptions = {
 *   baseUrl: "https://shop.example/api",
 *   payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
 *   networks: ["base-sepolia"],
 *   facilitator: { url: "https://facilitator.example" },
 *   secret: process.env["TILL_SECRET"] ?? "",
 *   storage: sqlite({ filename: "till.sqlite" }),
 *   tracker: { track: async ({ number }) => lookUp(number) }
 * }
 */
export interface TillOptions extends TillSettings, TillHooks {
  /**
   * `{ url }` of an x402 facilitator, or an object with `verify` and `settle` in this process; or a list of them,
   * preferred first.
   */
  readonly facilitator: FacilitatorSource | ReadonlyArray<FacilitatorSource>
  /**
   * Store of charges, and of quotes, orders and vault items where they are sold: `sqlite({ filename })`,
   * `postgres({ url })`, `memory()` for tests, or `storageFrom(stores)` over stores of your own.
   */
  readonly storage: Layer.Layer<Charges, unknown>
  /** Searches products, on `marketplace_a`, `marketplace_b` or both. Serves `search`. */
  readonly marketplaces?: MarketplacesOptions
  /** Replies to shoppers in words, with products. Serves `shop`. */
  readonly assistant?: AssistantOptions
  /** Quotes and places orders. Serves `buy`. */
  readonly fulfilment?: FulfilmentOptions
  /** Looks up shipments. Serves `track`. */
  readonly tracker?: TrackerOptions
  /** Opens the archives of vault items. Serves `vault/search`, `vault/buy` and `vault/download`. */
  readonly vault?: VaultOptions
  /**
   * Paid routes of your own: each has an id, a method, a path, a price and its work. Type its input with
   * `operation({ … })`. An empty list if you only price handlers that you have already, with `till.price`.
   */
  readonly operations?: ReadonlyArray<AnyPlainOperation>
  /** Sends emails about orders and purchases. Without it, none are sent. */
  readonly mailer?: MailerOptions
  /**
   * Receives events for operators: `{ level, code, message, … }`, without payment headers, tokens, addresses or emails.
   * An event that it fails for is printed on standard error. Default: one line of JSON each on standard error.
   */
  readonly onEvent?: (event: ShopEvent) => void
  /**
   * Gives calls with a payment spans, below those of your server: `tillTraces()` of `@till402/telemetry/traces`. Default:
   * calls have no spans.
   */
  readonly traces?: CallTraces
}
