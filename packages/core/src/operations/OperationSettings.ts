import { Context } from "effect"
import type { DecimalText } from "../domain/Money.ts"

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

/** The till's settings that its operations depend on. `Till.layer` provides them. */
export class OperationSettings extends Context.Service<
  OperationSettings,
  {
    readonly prices: Prices
    /** How long a recorded response is replayed, in milliseconds. */
    readonly responseLifetimeMillis: number
    /** The same for a response that contains a secret. */
    readonly secretResponseLifetimeMillis: number
    /** Ids of the operations whose payments settle before the work. */
    readonly settlesFirst: ReadonlySet<string>
    /** Deadline of one call of a host's function. */
    readonly upstreamTimeoutMillis: number
  }
>()("@till402/core/OperationSettings") {}
