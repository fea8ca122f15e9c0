/*
 * The entry for hosts that use Effect themselves: the contract as a value, its schemas, the ports as
 * services, the stores, and the toll. Everything of the plain entry is here as well.
 */
export * from "./index.ts"
export { Api, Endpoints, type OperationId } from "./Api.ts"
export { openApiDocument, type PriceInfo } from "./OpenApi.ts"
export { ApiError } from "./domain/ApiError.ts"
export * as Money from "./domain/Money.ts"
export { findNetwork, type Network, networks } from "./domain/Network.ts"
export { BuyRequest, BuyResponse, type Offer, ShippingAddress } from "./domain/Order.ts"
export {
  PaymentOption,
  PaymentRequired,
  type PaymentRequirements,
  type Receipt
} from "./domain/PaymentRequired.ts"
export { Product, SearchProduct } from "./domain/Product.ts"
export { SearchQuery, SearchResponse } from "./domain/Search.ts"
export { ShopRequest, ShopResponse } from "./domain/Shop.ts"
export { TrackQuery, TrackResult } from "./domain/Tracking.ts"
export { VaultBuyRequest, VaultItem, VaultPage, VaultPurchaseResponse, VaultQuery } from "./domain/Vault.ts"
export { Catalogue } from "./Catalogue.ts"
export { Assistant } from "./ports/Assistant.ts"
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
  type PayerStanding,
  type RecordedAnswer,
  type Refund,
  type RefundLimit,
  type RefundStart,
  type RefundStop,
  type Subject
} from "./ports/Charges.ts"
export { Fulfilment } from "./ports/Fulfilment.ts"
export { type CallSettings, hostCall } from "./ports/HostCall.ts"
export { Mailer } from "./ports/Mailer.ts"
export { type Marketplace, Marketplaces } from "./ports/Marketplace.ts"
export { Orders } from "./ports/Orders.ts"
export { type Quote, Quotes } from "./ports/Quotes.ts"
export type { Stores } from "./ports/Stores.ts"
export { Tracker } from "./ports/Tracker.ts"
export { VaultFiles } from "./ports/VaultFiles.ts"
export { VaultItems } from "./ports/VaultItems.ts"
export { type NewVaultPurchase, type VaultPurchase, VaultPurchases } from "./ports/VaultPurchases.ts"
export { Facilitator } from "./toll/Facilitator.ts"
export { layerSql } from "./sql/stores.ts"
export { schemaSql } from "./sql/migrations.ts"
