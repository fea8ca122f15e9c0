import { Context } from "effect"
import type { DecimalText } from "../../domain/Money.ts"

/*
 * What the shop's routes cost, and their other settings. Apart from the routes, which load `effect/http-api`: a host
 * that only imports core doesn't need that.
 */

/** Prices of the fixed-price operations, in US dollars as decimal text: `"0.01"`. */
export interface Prices {
  /**
   * `GET /x402/search`
   *
   * @default "0.01"
   */
  readonly search: DecimalText
  /**
   * `POST /x402/shop`
   *
   * @default "0.10"
   */
  readonly shop: DecimalText
  /**
   * `GET /x402/track`
   *
   * @default "0.52"
   */
  readonly track: DecimalText
  /**
   * `GET /x402/vault/search`
   *
   * @default "0.01"
   */
  readonly vaultSearch: DecimalText
  /**
   * `GET /x402/vault/download/{purchaseId}`
   *
   * @default "0.01"
   */
  readonly vaultDownload: DecimalText
}

/** The contract's prices. */
export const defaultPrices: Prices = {
  search: "0.01",
  shop: "0.10",
  track: "0.52",
  vaultSearch: "0.01",
  vaultDownload: "0.01"
}

/** The settings that only the shop's routes depend on. `Till.layer` provides them. */
export class ShopSettings extends Context.Service<
  ShopSettings,
  {
    readonly prices: Readonly<Record<keyof Prices, bigint>>
    /** When the payments of each route settle. */
    readonly settlement: Readonly<Record<keyof Prices, "after-work" | "before-work">>
    /** How long a recorded response that contains a secret is replayed, in milliseconds. */
    readonly secretResponseLifetimeMillis: number
    /** How long a payer's second payment for the same order is refused, in milliseconds; 0: never. */
    readonly duplicateOrderMillis: number
    /** The host's own example inputs, by route. */
    readonly examples: Readonly<Partial<Record<string, Readonly<Record<string, unknown>>>>>
  }
>()("@till402/core/ShopSettings") {}
