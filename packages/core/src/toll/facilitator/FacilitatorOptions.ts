/** Deadlines of a facilitator's calls. */
export type FacilitatorTimeouts = Pick<FacilitatorOptions, "verifyTimeoutMillis" | "settleTimeoutMillis">

/** Timeouts of a facilitator for which the host sets none. */
export const defaultFacilitatorTimeouts = { verifyTimeoutMillis: 5_000, settleTimeoutMillis: 30_000 }

/** An x402 facilitator over HTTP. */
export interface FacilitatorOptions {
  /** http(s) address; `/verify`, `/settle` and `/supported` are called below it. */
  readonly url: string
  /** Returns headers for one call, e.g. a freshly signed `Authorization`. */
  readonly headers?: (
    operation: "verify" | "settle" | "supported"
  ) => Promise<Record<string, string>> | Record<string, string>
  /**
   * Timeout of one call to `/verify`, which is retried twice.
   *
   * @default 5_000
   */
  readonly verifyTimeoutMillis?: number
  /**
   * Timeout of one call to `/settle`, which is never retried: a lost response may have moved money.
   *
   * @default 30_000
   */
  readonly settleTimeoutMillis?: number
}

/**
 * A facilitator in the same process, with the shape of the official `x402Facilitator` and `FacilitatorClient` of
 * `@x402/core`. An exception is an unknown outcome.
 */
export interface FacilitatorClient {
  readonly verify: (
    // eslint-disable-next-line typescript/no-explicit-any -- bivariant on purpose: official types are unions
    paymentPayload: any,
    // eslint-disable-next-line typescript/no-explicit-any -- see above
    paymentRequirements: any
  ) => Promise<{
    readonly isValid: boolean
    readonly invalidReason?: string | undefined
    readonly payer?: string | undefined
  }>
  readonly settle: (
    // eslint-disable-next-line typescript/no-explicit-any -- bivariant on purpose: official types are unions
    paymentPayload: any,
    // eslint-disable-next-line typescript/no-explicit-any -- see above
    paymentRequirements: any
  ) => Promise<{
    readonly success: boolean
    readonly errorReason?: string | undefined
    readonly transaction: string
    readonly payer?: string | undefined
  }>
  readonly getSupported?: () => Promise<{
    readonly kinds: ReadonlyArray<{ x402Version: number; scheme: string; network: string }>
  }>
}
