import { makeWithFetch } from "../upstream/index.ts"
import type { FetchOptions } from "../upstream/UpstreamSettings.ts"
import type { SolanaFacilitatorOptions } from "./FacilitatorSettings.ts"
import { makeSolanaFacilitator, type SolanaFacilitator as Facilitator } from "./SolanaFacilitator.ts"

/*
 * Verifies and settles payments on Solana without a third party.
 */

export { FeePayerUnderfunded } from "./FacilitatorErrors.ts"
export type { SolanaFacilitatorLayerOptions, SolanaFacilitatorOptions } from "./FacilitatorSettings.ts"
export { SolanaFacilitator } from "./SolanaFacilitator.ts"
export { solanaSigner, type SolanaSigner } from "../solana-refunds/SolanaSigner.ts"
export {
  memoryTransferJournal,
  type TransferAttempt,
  type TransferJournal
} from "../solana-refunds/TransferJournal.ts"
export type { SettleResponse, SupportedResult, VerifyResult } from "../facilitator/FacilitatorResponses.ts"
export type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"

/**
 * A facilitator on Solana that verifies and settles by itself, for `Till.make`. Needs the optional peers `@x402/svm` and
 * `@solana/kit`.
 *
 * Verifies with the rules of the official scheme, and simulates the settlement. Signs as fee payer; each transaction is
 * in the journal before it is sent, and a payment is settled once. It counts once two thirds of the stake have voted for
 * its block. Times are milliseconds, fees lamports.
 *
 * @throws ConfigurationError for unusable options
 * @example
 * import { sqliteJournals } from "@till402/providers/journals"
 * import { solanaFacilitator, solanaSigner } from "@till402/providers/solana-facilitator"
 *
 * const facilitator = solanaFacilitator({
 *   feePayer: solanaSigner(process.env["SOLANA_FEE_PAYER_KEY"] ?? ""),
 *   rpcUrl: process.env["SOLANA_RPC_URL"] ?? "",
 *   journal: sqliteJournals("till.sqlite").transfers
 * }).forTill("bookshop")
 */
export const solanaFacilitator = ({
  fetch,
  ...options
}: SolanaFacilitatorOptions & FetchOptions): Facilitator =>
  makeWithFetch(makeSolanaFacilitator(options), fetch)
