import type { Duration } from "effect"
import type { NetworkName } from "../../domain/Network.ts"
import type { OperationId } from "../../shop/routes/Api.ts"
import type { Prices } from "../../shop/routes/ShopSettings.ts"
import type { DecimalText } from "../../domain/Money.ts"
import type { Margin } from "../../shop/orders/Margin.ts"
import type { SecretKey } from "../../runtime/Secrets.ts"
import type { SecretText } from "../../runtime/SecretText.ts"
import type { LimitOptions, RefundLimitOptions } from "./LimitOptions.ts"
import type { NetworkOptions } from "./NetworkOptions.ts"

/*
 * The settings of a till, as plain data; those of networks and limits are in files of their own. Names end with their
 * unit; bounds and defaults are in Settings.ts. The tables of docs/options.md are generated from both, and a test
 * compares every `@default` with the bounds.
 */

/** An operation with a fixed price. Its payments can settle before the work. */
export type FixedPriceOperation = keyof Prices

/**
 * The settings of a till: everything that is not a port, storage, the facilitator or a callback.
 *
 * @example
 * import type { TillSettings } from "@till402/core"
 *
 * const settings: TillSettings = {
 *   baseUrl: "https://shop.example/api",
 *   payTo: process.env["PAY_TO"] ?? "",
 *   networks: [{ network: "base", rpcUrl: "https://base-rpc.example" }],
 *   secret: process.env["TILL_SECRET"] ?? "",
 *   prices: { track: "0.60" },
 *   limits: { unsettledPerPayer: 32 }
 * }
 */
export interface TillSettings {
  /**
   * Public address of the mount, prefix included: `https://shop.example/api`. Leave out `/x402`: it is added. http(s),
   * without query, fragment or user name. All `resource` URLs start with it; the `Host` header is never used.
   */
  readonly baseUrl: string
  /**
   * EVM address that receives payments, with its checksum or all in lower case. With Solana networks alone, a Solana
   * wallet's address.
   */
  readonly payTo: string
  /**
   * Networks on which callers can pay, preferred first: names or objects. At least one of `base`, `base-sepolia`,
   * `polygon`, `avalanche`, `solana` and `solana-devnet`, because the body of a `402` can't name others.
   */
  readonly networks: ReadonlyArray<NetworkName | NetworkOptions>
  /** Host secret, or a list of keys, newest first: the first signs and encrypts, the others verify and decrypt. */
  readonly secret: SecretText | ReadonlyArray<SecretKey>
  /**
   * Ids of keys that the database was used with and that `secret` no longer has, on purpose. Vault purchases under them
   * are downloaded by the wallet that has paid, signed in and free of charge; their tokens don't count any more, and
   * responses stored under them are lost.
   *
   * @default []
   */
  readonly retiredKeys?: ReadonlyArray<string>
  /** Prices that replace the defaults. */
  readonly prices?: Partial<Prices>
  /**
   * When payments settle, by operation. `"after-work"`: failed work costs the caller nothing. `"before-work"`: you do
   * no work for a payment that doesn't settle.
   *
   * @default "after-work"
   */
  readonly settlement?: Partial<Record<FixedPriceOperation, "after-work" | "before-work">>
  /**
   * Your fee on a quote of `buy`: basis points of its total (`250` is 2.5 %, rounded up to a millionth of a dollar), or
   * a function of the quote's amounts that returns dollars as decimal text. Callers see it as a fee.
   *
   * @default 0
   */
  readonly margin?: Margin
  /** Bounds on refunds that the till sends from `refundWallet` or `solanaRefunds`. */
  readonly refunds?: RefundLimitOptions
  /** Bounds on work for payments that have not settled yet. */
  readonly limits?: LimitOptions
  /**
   * Time for a payment, from the `402` to its settlement. An authorization that is valid for longer (and 30 s of clock
   * skew) is refused.
   *
   * @default 120
   */
  readonly maxTimeoutSeconds?: number
  /**
   * Deadline of one call to a port. A marketplace gets 8 seconds, or half of this if that is less,
   * unless it has a `timeoutMillis`.
   *
   * @default 20_000
   */
  readonly upstreamTimeoutMillis?: Duration.Input
  /**
   * Time for which a paid response is replayed to the same payment. Then it is deleted.
   *
   * @default 86_400_000
   */
  readonly responseLifetimeMillis?: Duration.Input
  /**
   * The same for `vault/buy`, whose response contains a token: once settled, a payment is public on the chain.
   *
   * @default 600_000
   */
  readonly secretResponseLifetimeMillis?: Duration.Input
  /**
   * Time after a payment of `buy` in which another payment of the same payer for the same order, also in other words, is
   * refused (409 `DUPLICATE_ORDER`), unless its caller asks for it by the header `Allow-Duplicate-Order: true`.
   * `vault/buy` refuses it as long as the first purchase can be downloaded. 0 refuses neither.
   *
   * @default 600_000
   */
  readonly duplicateOrderMillis?: Duration.Input
  /**
   * With `settlement: "before-work"`: time in which a payer can retry failed work, free of charge. Then the payment is
   * refunded.
   *
   * @default 3_600_000
   */
  readonly owedResponseMillis?: Duration.Input
  /**
   * Time for which personal data is kept: address and email of an order after its last change, email of a vault
   * purchase after its creation.
   *
   * @default 7_776_000_000
   */
  readonly personalDataLifetimeMillis?: Duration.Input
  /**
   * Accepts the facilitator's response as settlement of every payment, also of `buy` and `vault/buy`, without on-chain
   * confirmation. Then no `rpcUrl` is needed.
   *
   * @default false
   */
  readonly trustFacilitator?: boolean
  /**
   * A payment of any operation above this counts only when the chain shows it, on networks with an `rpcUrl`; `"0"`: every
   * payment. An operation of your own decides for itself with its `proof`.
   *
   * @default "1.00"
   */
  readonly proofAbove?: DecimalText
  /**
   * Starts also where facilitator or ports are of a test, `payTo` is an address of examples, or real money and play money
   * share a database. For tests and demonstrations: with `NODE_ENV=test` nothing of this is checked.
   *
   * @default false
   */
  readonly allowPlayMoney?: boolean
  /**
   * Who answers your buyers' questions: an email address or an https address, up to 200 characters. Each mail names it,
   * and so does the OpenAPI document.
   */
  readonly support?: string
  /**
   * Name of your service in indexes: up to 32 characters of printable ASCII. A 402 has little room: with `tags` and `iconUrl`
   * 200 bytes of JSON at most.
   */
  readonly serviceName?: string
  /** What your service is about, in indexes: up to 5 words or phrases, each up to 32 characters of printable ASCII. */
  readonly tags?: ReadonlyArray<string>
  /** Icon of your service in indexes: an http(s) address with a host name. */
  readonly iconUrl?: string
  /**
   * Example requests of yours that documents and 402s publish in place of the defaults, by route: the fields of path,
   * query or body, up to 256 bytes of JSON. Indexers send them and list what they get a price for, so name products of
   * yours: `{ buy: { asin: "…", email: "…", shippingAddress: { … } }, vaultBuy: { slug: "…", … } }`.
   *
   * @default {}
   */
  readonly examples?: Partial<Record<OperationId, Readonly<Record<string, unknown>>>>
  /**
   * Refuses each request with a field that its route doesn't have. By default those that resemble a field, or change
   * what is bought (`quantity`), are refused, and others are ignored. Your own operations with a `StandardSchema` decide
   * by themselves.
   *
   * @default false
   */
  readonly refuseUnknownFields?: boolean
  /**
   * Path of the OpenAPI document below the mount; `false` omits it.
   *
   * @default "/openapi.json"
   */
  readonly openapiPath?: string | false
  /**
   * Path of the discovery listing below the mount; with `.json` after it, that of the listing with offers and examples.
   * `false` omits both.
   *
   * @default "/.well-known/x402"
   */
  readonly discoveryPath?: string | false
  /**
   * Path below the mount of what agents read before their first call; `false` omits it.
   *
   * @default "/llms.txt"
   */
  readonly llmsPath?: string | false
  /**
   * Path of the free status pages of orders and purchases below the mount; `false` omits them.
   *
   * @default "/x402-status"
   */
  readonly statusPath?: string | false
  /**
   * Origins that browsers may call from: `"*"`, a list such as `["https://agents.example"]`, or `false` for no CORS
   * headers.
   *
   * @default "*"
   */
  readonly cors?: "*" | ReadonlyArray<string> | false
}
