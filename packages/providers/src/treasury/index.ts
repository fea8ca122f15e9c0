import { Effect, Layer } from "effect"
import type { ConfigurationError } from "@till402/core"
import type { HttpClient } from "effect/http"
import type { FetchOptions } from "../upstream/Settings.ts"
import { overFetch, promised } from "../upstream/index.ts"
import { type EvmTreasury, makeTreasury, type TreasurySettings } from "./EvmTreasury.ts"
import { type Treasury, TreasuryService } from "./Treasury.ts"

/*
 * Pays upstreams in USDC from an account of the host, on an EVM chain: each order once, and only the
 * transfer that was agreed upon.
 */

export { NodeRefused } from "./Chain.ts"
export type { TreasurySettings } from "./EvmTreasury.ts"
export type { SigningAccount, TreasuryTransaction } from "./Signing.ts"
export { memoryJournal, type PaymentJournal, type PaymentRecord } from "./PaymentJournal.ts"
export type { Hex } from "./Hex.ts"
export { type PaymentTerms, type RefusalReason, type Transfer, verdictOf } from "./Transfer.ts"
export type { TransferVerdict } from "./Transfer.ts"
export * from "./Treasury.ts"
export type { FetchOptions, UpstreamSettings } from "../upstream/Settings.ts"

const toTreasury = ({ address, check, find, network, pay }: EvmTreasury): Treasury => ({
  network,
  address,
  check: (agreement) => promised(Effect.asVoid(check(agreement)), undefined),
  find: (key, context) => promised(find(key), context?.signal),
  pay: (payment, context) => promised(pay(payment), context?.signal)
})

/**
 * A treasury over an account of viem (`privateKeyToAccount`, or `toAccount` over a custody service).
 *
 * @throws ConfigurationError for options that can't be used.
 */
export const treasury = ({ fetch, ...options }: TreasurySettings & FetchOptions): Treasury =>
  toTreasury(overFetch(makeTreasury(options), fetch === undefined ? {} : { fetch }))

/** A treasury for an Effect host, over the `HttpClient` at hand. */
export const make = (
  options: TreasurySettings
): Effect.Effect<Treasury, ConfigurationError, HttpClient.HttpClient> =>
  Effect.map(makeTreasury(options), toTreasury)

/** A treasury as the service that providers pay with. */
export const layer = (
  options: TreasurySettings
): Layer.Layer<TreasuryService, ConfigurationError, HttpClient.HttpClient> =>
  Layer.effect(TreasuryService, make(options))
