import type { SolanaRefunds } from "@till402/core"
import { makeWithFetch } from "../upstream/index.ts"
import type { FetchOptions } from "../upstream/UpstreamSettings.ts"
import { makeSolanaRefunds, type SolanaRefundsOptions } from "./SolanaRefunds.ts"

/*
 * Sends refunds on Solana from the host's wallet: each once, whatever dies in between.
 */

export * from "./RefundErrors.ts"
export type { SolanaRefundsOptions } from "./SolanaRefunds.ts"
export { solanaSigner, type SolanaSigner } from "./SolanaSigner.ts"
export { memoryTransferJournal, type TransferAttempt, type TransferJournal } from "./TransferJournal.ts"
export type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"

/**
 * Refunds from a wallet on Solana, for the port `SolanaRefunds` of the till. Needs the optional peer `@solana/kit`.
 *
 * Amounts are atomic units of the token; times are milliseconds. A refund rejects with `WalletUnderfunded`,
 * `PayeeAccountMissing`, `MintUnknown`,
 * `TransferNotSigned` or `TooManyAttempts` (nothing more was signed), `TransferDiffers` or
 * `TransferUncertain` (an operator is needed), `TransferJournalFailed`, or `TemporarilyUnavailable` (retry).
 *
 * @throws ConfigurationError for unusable options
 * @example
 * import { sqliteJournals } from "@till402/providers/journals"
 * import { solanaRefunds, solanaSigner } from "@till402/providers/solana-refunds"
 *
 * const refunds = solanaRefunds({
 *   signer: solanaSigner(process.env["SOLANA_REFUND_KEY"] ?? ""),
 *   rpcUrl: process.env["SOLANA_RPC_URL"] ?? "",
 *   journal: sqliteJournals("till.sqlite").transfers
 * })
 */
export const solanaRefunds = ({ fetch, ...options }: SolanaRefundsOptions & FetchOptions): SolanaRefunds =>
  makeWithFetch(makeSolanaRefunds(options), fetch)
