/*
 * The entry for hosts that use Effect themselves: the contract as a value, its schemas, the ports as services, the
 * stores, and the toll. Includes everything of the plain entry; of two
 * with the same name, the one named here counts.
 */
export * from "./index.ts"
export { Till } from "./till/Till.ts"
export { TillRoutes } from "./till/TillRoutes.ts"
export type { CommonPorts, OperationLayers, Operators, PortsOf } from "./till/assemble.ts"
export type { TillHooks } from "./till/settings/TillHooks.ts"
export * as Operation from "./operations/EffectOperation.ts"
export * from "./shop/routes/Routes.ts"
export { Chain } from "./toll/evidence/Chain.ts"
export * as ChainRpc from "./till/ChainRpc.ts"
export * as TillClients from "./till/TillClients.ts"
export { Api, Endpoints, type OperationId } from "./shop/routes/Api.ts"
export { openApiDocument } from "./api/OpenApi.ts"
export { ApiError } from "./domain/ApiError.ts"
export * as Money from "./domain/Money.ts"
export { type EvmNetwork, findEvmNetwork, findNetwork, type Network, networks } from "./domain/Network.ts"
export { BuyRequest, BuyResponse, ShippingAddress } from "./shop/goods/Order.ts"
export { PaymentOption, PaymentRequired, type PaymentRequirements } from "./domain/PaymentRequired.ts"
export { Product, SearchProduct } from "./shop/goods/Product.ts"
export { SearchQuery, SearchResponse } from "./shop/goods/SearchRequest.ts"
export { ShopRequest, ShopResponse } from "./shop/goods/ShopRequest.ts"
export { TrackQuery, TrackResult } from "./shop/goods/Tracking.ts"
export { ArchiveFacts, VaultListing } from "./shop/goods/VaultListing.ts"
export {
  VaultBuyRequest,
  VaultItem,
  VaultPage,
  VaultPurchaseResponse,
  VaultQuery
} from "./shop/goods/VaultItem.ts"
export { ChargeOperator } from "./operators/ChargeOperator.ts"
export { KeyOperator } from "./till/keyCheck.ts"
export { LedgerOperator } from "./operators/LedgerOperator.ts"
export { OrderOperator } from "./shop/orders/OrderOperator.ts"
export { RefundOperator } from "./operators/RefundOperator.ts"
export { type VaultListQuery, VaultOperator } from "./shop/vault/VaultOperator.ts"
export { Catalogue } from "./shop/ports/Catalogue.ts"
export { Assistant } from "./shop/ports/Assistant.ts"
export { reportAssistantUsage } from "./shop/ports/AssistantUsage.ts"
export { Charges } from "./ports/Charges.ts"
export { Fulfilment } from "./shop/ports/Fulfilment.ts"
export { Mailer } from "./shop/ports/Mailer.ts"
export { type Marketplace, Marketplaces } from "./shop/ports/Marketplaces.ts"
export { Orders } from "./shop/ports/Orders.ts"
export { Quotes } from "./shop/ports/Quotes.ts"
export { type DatabaseClock, StoreClock } from "./ports/StoreClock.ts"
export type { ChargeMethods } from "./ports/ChargeMethods.ts"
export { settledChargeOf } from "./ports/chargeRules.ts"
export { toBase58 } from "./domain/Base58.ts"
export type { Stores } from "./stores/Stores.ts"
export { Tracker } from "./shop/ports/Tracker.ts"
export { VaultFiles } from "./shop/ports/VaultFiles.ts"
export { VaultItems } from "./shop/ports/VaultItems.ts"
export { VaultPurchases } from "./shop/ports/VaultPurchases.ts"
export { BodyTooLarge, readBodyText, readBytes } from "./runtime/BoundedBody.ts"
export { BoundedMap } from "./runtime/BoundedMap.ts"
export { closestName } from "./runtime/closestName.ts"
export { readRpcReply, rpcCall, type RpcError, type RpcReply } from "./runtime/JsonRpc.ts"
export { equalInConstantTime } from "./runtime/Secrets.ts"
export { openDoorCheck, withoutUnsetKeys } from "./runtime/unsetKeys.ts"
export { Facilitator } from "./toll/facilitator/Facilitator.ts"
export { domainSeparator, judgeSignature, type SignatureVerdict } from "./toll/exact/Evm.ts"
export { type Authorization, EvmPaymentPayload, type PaymentPayload } from "./domain/PaymentPayload.ts"
export { layerSql } from "./stores/sql/stores.ts"
export {
  migrate as migrateTables,
  type Migration,
  migrationStatus,
  type MigrationStatus,
  schemaSql
} from "./stores/schema/migrations.ts"
export { tillConfig, tillConfigWithFacilitator } from "./till/settings/TillConfig.ts"
