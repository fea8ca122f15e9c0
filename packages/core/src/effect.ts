/*
 * The entry for hosts that use Effect themselves: the contract as a value, its schemas, the ports as services, the
 * stores, and the toll. Includes everything of the plain entry.
 */
export * from "./index.ts"
export { Till } from "./till/Till.ts"
export { TillRoutes } from "./till/TillRoutes.ts"
export type { CommonPorts, OperationLayers, Operators, PortsOf } from "./till/assemble.ts"
export type { TillHooks } from "./till/TillSettings.ts"
export * as Operation from "./operations/EffectOperation.ts"
export * as Search from "./operations/routes/Search.ts"
export * as Shop from "./operations/routes/Shop.ts"
export * as Buy from "./operations/routes/Buy.ts"
export * as Track from "./operations/routes/Track.ts"
export * as VaultSearch from "./operations/routes/VaultSearch.ts"
export * as VaultBuy from "./operations/routes/VaultBuy.ts"
export * as VaultDownload from "./operations/routes/VaultDownload.ts"
export { Chain } from "./toll/evidence/Chain.ts"
export * as ChainRpc from "./till/ChainRpc.ts"
export * as FacilitatorHttp from "./till/FacilitatorHttp.ts"
export { Api, Endpoints, type OperationId } from "./api/Api.ts"
export { openApiDocument } from "./api/OpenApi.ts"
export { ApiError } from "./domain/ApiError.ts"
export * as Money from "./domain/Money.ts"
export { type EvmNetwork, findEvmNetwork, findNetwork, type Network, networks } from "./domain/Network.ts"
export { BuyRequest, BuyResponse, type Offer, ShippingAddress } from "./domain/Order.ts"
export {
  PaymentOption,
  PaymentRequired,
  type PaymentRequirements,
  type Receipt
} from "./domain/PaymentRequired.ts"
export { Product, SearchProduct } from "./domain/Product.ts"
export { type QueryTerm, queryTermsOf, searchTermsOf } from "./domain/SearchTerms.ts"
export { SearchQuery, SearchResponse } from "./domain/Search.ts"
export { ShopRequest, ShopResponse } from "./domain/Shop.ts"
export { TrackQuery, TrackResult } from "./domain/Tracking.ts"
export { ArchiveFacts, VaultListing } from "./domain/VaultListing.ts"
export { VaultBuyRequest, VaultItem, VaultPage, VaultPurchaseResponse, VaultQuery } from "./domain/Vault.ts"
export { ChargeOperator } from "./orders/ChargeOperator.ts"
export { LedgerOperator } from "./orders/LedgerOperator.ts"
export { OrderOperator } from "./orders/OrderOperator.ts"
export { RefundOperator } from "./orders/RefundOperator.ts"
export { type VaultListQuery, VaultOperator } from "./vault/VaultOperator.ts"
export { Catalogue } from "./ports/Catalogue.ts"
export { Assistant } from "./ports/Assistant.ts"
export { reportAssistantUsage } from "./ports/AssistantUsage.ts"
export {
  type Charge,
  Charges,
  type ChargesQuery,
  type Claim,
  type ClaimLimits,
  type CompletedSettlement,
  type Completion,
  type EntriesQuery,
  type Lease,
  type LedgerEntry,
  type LedgerTotal,
  type NewCharge,
  type PayerActivity,
  type RecordedResponse,
  type Refund,
  type RefundLimit,
  type RefundAttempt,
  type RefundStart,
  type RefundStop,
  type SettledCharge,
  type SettledQuery,
  type Subject
} from "./ports/Charges.ts"
export { Fulfilment } from "./ports/Fulfilment.ts"
export { type CallSettings, hostCall } from "./ports/HostCall.ts"
export { Mailer } from "./ports/Mailer.ts"
export { type Marketplace, Marketplaces } from "./ports/Marketplaces.ts"
export { Orders } from "./ports/Orders.ts"
export { type Quote, Quotes } from "./ports/Quotes.ts"
export { type DatabaseClock, StoreClock } from "./ports/StoreClock.ts"
export type { Stores } from "./ports/Stores.ts"
export { Tracker } from "./ports/Tracker.ts"
export { VaultFiles } from "./ports/VaultFiles.ts"
export { VaultItems } from "./ports/VaultItems.ts"
export {
  type FreeBudget,
  type FreeDownload,
  type NewVaultPurchase,
  type Redemption,
  type VaultPurchase,
  VaultPurchases
} from "./ports/VaultPurchases.ts"
export { BoundedMap } from "./runtime/BoundedMap.ts"
export { Facilitator } from "./toll/facilitator/Facilitator.ts"
export { domainSeparator, judgeSignature, type SignatureVerdict } from "./toll/exact/Evm.ts"
export { type Authorization, EvmPaymentPayload, type PaymentPayload } from "./domain/PaymentPayload.ts"
export { layerSql } from "./sql/stores.ts"
export { schemaSql } from "./sql/migrations.ts"
export { facilitatorConfig, tillConfig } from "./till/TillConfig.ts"
