import type { Duration } from "effect"
import { millisOf } from "../../runtime/millisOf.ts"

/** Deadlines of a facilitator's calls. */
export type FacilitatorTimeouts = Pick<FacilitatorOptions, "verifyTimeoutMillis" | "settleTimeoutMillis">

/** Timeouts of a facilitator for which the host sets none. */
export const defaultFacilitatorTimeouts = { verifyTimeoutMillis: 5_000, settleTimeoutMillis: 30_000 }

/** The timeouts of a facilitator, in milliseconds. */
export const timeoutsOf = ({ settleTimeoutMillis, verifyTimeoutMillis }: FacilitatorTimeouts) => ({
  verifyTimeoutMillis: millisOf(verifyTimeoutMillis) ?? defaultFacilitatorTimeouts.verifyTimeoutMillis,
  settleTimeoutMillis: millisOf(settleTimeoutMillis) ?? defaultFacilitatorTimeouts.settleTimeoutMillis
})

/** An x402 facilitator over HTTP. */
export interface FacilitatorOptions {
  /** http(s) address without query; `/verify`, `/settle` and `/supported` are called below it. */
  readonly url: string
  /**
   * Name under which charges record their facilitator. Keep it while payments are open. Default: host and path of
   * `url`.
   */
  readonly name?: string
  /**
   * Networks whose payments it gets, by version-1 name or CAIP-2 identifier. Default: those that it lists in
   * `/supported`.
   */
  readonly networks?: ReadonlyArray<string>
  /**
   * Returns headers for one call, e.g. a freshly signed `Authorization`. A status is read with those of `settle`.
   */
  readonly headers?: (
    operation: "verify" | "settle" | "supported"
  ) => Promise<Record<string, string> | undefined> | Record<string, string> | undefined
  /**
   * Timeout of one call to `/verify`, which is retried twice, or with the next facilitator if there are several.
   *
   * @default 5_000
   */
  readonly verifyTimeoutMillis?: Duration.Input
  /**
   * Timeout of one call to `/settle`, which is never retried: a lost response may have moved money.
   *
   * @default 30_000
   */
  readonly settleTimeoutMillis?: Duration.Input
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
  readonly getSupported?: () => SupportedList | Promise<SupportedList>
}

/** What a facilitator supports. */
export interface SupportedList {
  readonly kinds: ReadonlyArray<{
    x402Version: number
    scheme: string
    network: string
    extra?: Record<string, unknown> | undefined
  }>
  readonly signers?: Record<string, ReadonlyArray<string>> | undefined
}

/** A facilitator in the same process, as one of several. */
export interface NamedFacilitatorClient extends FacilitatorClient {
  /** Name under which charges record their facilitator. Default: `local`. */
  readonly name?: string
  /** Networks whose payments it gets. Default: those that `getSupported` lists. */
  readonly networks?: ReadonlyArray<string>
  /** It is for tests: nothing that it settles is paid. A till refuses it where real money is paid. */
  readonly movesNoMoney?: boolean
}

/** A facilitator over HTTP, or one in this process. */
export type FacilitatorSource = FacilitatorOptions | NamedFacilitatorClient

/** Whether a facilitator runs in this process. */
export const isClient = (source: FacilitatorSource): source is NamedFacilitatorClient => "verify" in source

/** What is wrong with the address of a facilitator; `undefined`: nothing. Never quotes it: it may hold a key. Pure. */
export const addressFault = (url: unknown): string | undefined => {
  const parsed = typeof url === "string" ? URL.parse(url) : null
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) return "must be an http(s) URL"
  // `/verify` and `/settle` are added to it.
  if (parsed.search + parsed.hash + parsed.username + parsed.password !== "")
    return "must be an http(s) URL without query, fragment or user: give keys by headers"
  const last = /\/(?:verify|settle|supported)\/*$/.exec(parsed.pathname)
  return last === null ? undefined : `must not end in ${last[0]}: leave it out, it is added for each call`
}

/** Whether a facilitator can be made of what a host gave: what else is wrong is named at the till's start. */
export const isUsable = (source: unknown): source is FacilitatorSource =>
  typeof source === "object" &&
  source !== null &&
  ("verify" in source || ("url" in source && addressFault(source.url) === undefined))

/** The address of a facilitator as events and charges show it: without user, query and fragment, which may hold keys. */
export const shownAddress = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? "" : `${parsed.protocol}//${parsed.host}${parsed.pathname.replace(/\/+$/, "")}`
}

/** The name of a facilitator in charges. */
export const facilitatorName = (source: FacilitatorSource): string =>
  source.name ?? (isClient(source) ? "local" : shownAddress(source.url).replace(/^\w+:\/\//, ""))
