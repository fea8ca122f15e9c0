import { makeWithFetch } from "../upstream/index.ts"
import type { FetchOptions } from "../upstream/UpstreamSettings.ts"
import type { LocalFacilitatorSettings } from "./FacilitatorSettings.ts"
import {
  type LocalFacilitator as Facilitator,
  makeLocalFacilitator,
  toLocalFacilitator
} from "./LocalFacilitator.ts"

/*
 * Verifies and settles payments on EVM chains without a third party.
 */

export type {
  FacilitatorNetwork,
  LocalFacilitatorLayerOptions,
  LocalFacilitatorOptions,
  LocalFacilitatorSettings
} from "./FacilitatorSettings.ts"
export { facilitatorHandler, type FacilitatorHandlerOptions } from "./FacilitatorHandler.ts"
export type { SettleResponse, SupportedResult, VerifyResult } from "./FacilitatorResponses.ts"
export { LocalFacilitator } from "./LocalFacilitator.ts"
export {
  type Hex,
  memorySettlementJournal,
  type SettlementJournal,
  SettlementJournalFailed,
  type SettlementRecord
} from "./SettlementJournal.ts"
export { ChainUnavailable } from "./PaymentCheck.ts"
export { RelayRefused } from "./RelayRefused.ts"
export type { SigningAccount, UnsignedTransaction } from "./SigningAccount.ts"
export type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"

/**
 * A facilitator that verifies and settles by itself. `forTill` makes it the facilitator of `Till.make`.
 *
 * Verifies signature, time window, funds and nonce, and simulates the settlement. Settles from the relayer's account:
 * each transaction is recorded in the journal before it is sent, and an authorization is settled once. A settlement
 * counts when the chain shows the authorization's own transfer with enough confirmations.
 *
 * @throws ConfigurationError for unusable options
 * @example
 * import { localFacilitator } from "@till402/providers/facilitator"
 * import { sqliteJournals } from "@till402/providers/journals"
 * import { privateKeyToAccount } from "viem/accounts"
 *
 * const facilitator = localFacilitator({
 *   account: privateKeyToAccount(`0x${process.env["RELAYER_KEY"]}`),
 *   networks: [{ network: "base", rpcUrl: process.env["BASE_RPC_URL"] ?? "" }],
 *   journal: sqliteJournals("till.sqlite").settlements
 * }).forTill("bookshop")
 */
export const localFacilitator = ({
  fetch,
  ...options
}: LocalFacilitatorSettings & FetchOptions): Facilitator =>
  toLocalFacilitator(makeWithFetch(makeLocalFacilitator(options), fetch))
