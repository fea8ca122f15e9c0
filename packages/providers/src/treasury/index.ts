import { makeWithFetch } from "../upstream/index.ts"
import type { FetchOptions } from "../upstream/UpstreamSettings.ts"
import { type EvmTreasurySettings, makeEvmTreasury, toTreasuryOptions } from "./EvmTreasury.ts"
import type { TreasuryOptions } from "./Treasury.ts"

/*
 * Pays upstreams in USDC from an account of the host on an EVM chain: each order once, and only the agreed
 * transfer.
 */

export { NodeRefused } from "./Chain.ts"
export { EvmTreasury, type EvmTreasuryLayerOptions, type EvmTreasurySettings } from "./EvmTreasury.ts"
export type { Hex } from "./Hex.ts"
export {
  memoryPaymentJournal,
  type PaymentJournal,
  type PaymentRecord,
  type PaymentVariant,
  type RecordedPayment
} from "./PaymentJournal.ts"
export type { SigningAccount, TreasuryTransaction } from "./SigningAccount.ts"
export {
  type PaymentTerms,
  type PreparedTransfer,
  readTransfer,
  type RefusalReason,
  type Transfer,
  type TransferVerdict,
  verdictOf
} from "./Transfer.ts"
export {
  type PaymentAgreement,
  type PaymentState,
  Treasury,
  type TreasuryClient,
  type TreasuryContext,
  type TreasuryOptions,
  type TreasuryPayment
} from "./Treasury.ts"
export * from "./TreasuryErrors.ts"
export type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"

/**
 * A treasury over an account of viem: `privateKeyToAccount`, or `toAccount` over a custody service.
 *
 * @throws ConfigurationError for unusable options
 */
export const evmTreasury = ({ fetch, ...options }: EvmTreasurySettings & FetchOptions): TreasuryOptions =>
  toTreasuryOptions(makeWithFetch(makeEvmTreasury(options), fetch))
