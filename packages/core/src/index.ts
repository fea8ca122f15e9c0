/*
 * The plain entry: everything a host without Effect needs.
 * Hosts with Effect find layers, ports and schemas in `@till402/core/effect`.
 */
export { Till } from "./till/PlainTill.ts"
export type { Target } from "./http/Target.ts"
export { ApiFailure } from "./domain/ApiFailure.ts"
export {
  type AnyPlainOperation,
  operation,
  type PlainOperation,
  type StandardSchema
} from "./operations/PlainOperation.ts"
export type { OwnOperationOptions } from "./operations/OwnOperationOptions.ts"
export type { PathParameters } from "./operations/PathParameters.ts"
export type { PricedRouteOptions } from "./operations/PricedRouteOptions.ts"
export type { Books, BooksOptions } from "./till/books.ts"
export type { OperatorCalls } from "./till/operatorCalls.ts"
export type { PaymentCode, PaymentEvent } from "./runtime/PaymentEvents.ts"
export type { CallTraces } from "./till/settings/CallTraces.ts"
export type { PricedRoute } from "./till/PricedRoute.ts"
export type { Check, CheckName } from "./till/Check.ts"
export type { DueWork, TillHealth } from "./till/Health.ts"
export type { ProbeOptions, Probes } from "./till/probes.ts"
export type { OwnPrice } from "./operations/OwnPrice.ts"
export type { Example } from "./operations/Operation.ts"
export { memory } from "./stores/memory.ts"
export {
  type ChargeStore,
  type ClaimStore,
  type HostStores,
  type HostStoresSettings,
  type LedgerStore,
  type OrderStore,
  type QuoteStore,
  type RefundStore,
  type SettlementStore,
  storageFrom,
  type StoresOf,
  type VaultItemStore,
  type VaultPurchaseStore
} from "./stores/HostStores.ts"
export type * from "./ports/Charge.ts"
export type { EntriesQuery, LedgerEntry, LedgerKind, LedgerTotal } from "./ports/Ledger.ts"
export type { Refund, RefundLimit, RefundStart, RefundStop } from "./ports/Refund.ts"
export type { RefundAttempt } from "./ports/RefundAttempt.ts"
export type { Quote } from "./shop/ports/Quotes.ts"
export type {
  FreeBudget,
  FreeDownload,
  NewToken,
  NewVaultPurchase,
  PurchasesQuery,
  Redemption,
  TokenLimit,
  TokenRenewal,
  VaultPurchase
} from "./shop/ports/VaultPurchases.ts"
export type { Money } from "./domain/Money.ts"
export type { Offer } from "./shop/goods/Order.ts"
export type { Receipt } from "./domain/PaymentRequired.ts"
export * from "./domain/Errors.ts"
export * from "./shop/ports/PortErrors.ts"
export type { TillOptions } from "./till/settings/TillOptions.ts"
export type { LimitOptions } from "./till/settings/LimitOptions.ts"
export type { NetworkOptions, TokenOptions } from "./till/settings/NetworkOptions.ts"
export type { TillSettings } from "./till/settings/TillSettings.ts"
export type {
  FacilitatorClient,
  FacilitatorOptions,
  FacilitatorSource,
  NamedFacilitatorClient
} from "./toll/facilitator/FacilitatorOptions.ts"
export type { Margin } from "./shop/orders/Margin.ts"
export type { PublicRoute } from "./http/HttpMessage.ts"
export type { RefundWallet } from "./ports/RefundWallet.ts"
export type {
  RefundTransaction,
  RefundTransfer,
  RefundTransferContext,
  RefundTransferState,
  SolanaRefunds
} from "./ports/SolanaRefunds.ts"
export type { SecretKey } from "./runtime/Secrets.ts"
export type { SecretText } from "./runtime/SecretText.ts"
export type { NetworkInForce, OptionInForce, SettingsInForce } from "./till/settings/settingsInForce.ts"
export type { KeyUse } from "./till/keyCheck.ts"
export type { AssistantContext, AssistantOptions, AssistantReply } from "./shop/ports/Assistant.ts"
export type { AssistantUsage } from "./shop/ports/AssistantUsage.ts"
export type { CallContext } from "./runtime/Deadline.ts"
export type { DecimalText } from "./domain/Money.ts"
export type {
  FulfilmentOptions,
  OrderPayment,
  OrderToPlace,
  QuotedOffer,
  QuoteRequest,
  ReportedParcel,
  ReportedStatus
} from "./shop/ports/FulfilmentOptions.ts"
export type { ProviderFailure } from "./ports/ProviderFailure.ts"
export type { Sparse } from "./ports/Sparse.ts"
export type { MailerOptions } from "./shop/ports/Mailer.ts"
export type { MarketplaceOptions, MarketplacePage, MarketplaceProduct } from "./shop/ports/Marketplaces.ts"
export type { TrackerOptions } from "./shop/ports/Tracker.ts"
export type { ArchiveLink, ArchiveToOpen, OpenedArchive, VaultOptions } from "./shop/ports/VaultFiles.ts"
export type { NetworkName } from "./domain/Network.ts"
export type { EventCode } from "./shop/ports/EventCode.ts"
export type { ShopEvent as TillEvent, ShopEventFields as EventFields } from "./shop/ports/ShopEvents.ts"
export type { IncomingRequest, PlainResponse } from "./http/HttpMessage.ts"
export {
  conditionalHeaders,
  type HeaderList,
  withoutOuterHeaders,
  withOuterHeaders
} from "./http/OuterHeaders.ts"
export type { ChargeQuery, ChargeSummary } from "./operators/ChargeOperator.ts"
export type {
  LedgerCheckQuery,
  LedgerExportQuery,
  LedgerLine,
  LedgerQuery,
  LedgerSum
} from "./operators/LedgerOperator.ts"
export type { DueRefund, DueRefundQuery, RefundStatus } from "./operators/RefundOperator.ts"
export type { Caller } from "./http/HttpMessage.ts"
export type { ApiError, Issue } from "./domain/ApiError.ts"
export type { Product, SearchProduct, Source } from "./shop/goods/Product.ts"
export type { SearchQuery, SearchResponse } from "./shop/goods/SearchRequest.ts"
export type { ShopRequest, ShopResponse } from "./shop/goods/ShopRequest.ts"
export type {
  BuyRequest,
  BuyResponse,
  FulfilmentStatus,
  OrderStatus,
  Parcel,
  ProductReference,
  ShippingAddress
} from "./shop/goods/Order.ts"
export type { GeneralMarketplace } from "./shop/goods/ProductUrl.ts"
export type {
  MilestoneStage,
  ShipmentStatus,
  TrackingEvent,
  TrackQuery,
  TrackResult
} from "./shop/goods/Tracking.ts"
export { type QueryTerm, queryTermsOf, searchTermsOf } from "./shop/goods/SearchTerms.ts"
export {
  type Alternatives,
  searchVault,
  type TermMatch,
  type VaultReads,
  type VaultStep
} from "./shop/goods/VaultRanking.ts"
export type {
  Category,
  ProductType,
  VaultItem,
  VaultPage,
  VaultPurchaseResponse,
  VaultQuery
} from "./shop/goods/VaultItem.ts"
export {
  type ArchiveFacts,
  type ArchiveVersion,
  type ListingReading,
  type Publication,
  readListing,
  sameListing,
  type VaultListing
} from "./shop/goods/VaultListing.ts"
export type { PaymentOption, PaymentRequired } from "./domain/PaymentRequired.ts"
export type { ChainCheck } from "./toll/audit/ChainAudit.ts"
export type { LedgerAudit as LedgerCheck, LedgerFault } from "./toll/audit/LedgerAudit.ts"
export type { ForeignTransfer } from "./toll/audit/NetworkAudit.ts"
export type { OtherOutflow, OtherOutflows } from "./toll/audit/OutflowAudit.ts"
export type { RefundStopReason } from "./refunds/RefundGuard.ts"
export type { Reconciliation } from "./toll/perform/Reconciler.ts"
export type { Mail } from "./shop/ports/Mailer.ts"
export type { ProductPage, ProductQuery } from "./shop/ports/Marketplaces.ts"
export type { Order, OrderMail } from "./shop/ports/Orders.ts"
export type { FulfilmentRoutes, RouteChoice, RoutedRequest } from "./shop/fulfilment/FulfilmentRoutes.ts"
export { routeFulfilment } from "./shop/fulfilment/routeFulfilment.ts"
export type { HostOrders } from "./shop/orders/HostOrders.ts"
export type { ExportQuery, OperatorResult, OrderQuery } from "./shop/orders/OrderOperator.ts"
export type { PurchaseQuery } from "./shop/vault/VaultOperator.ts"
export type { OrderChange } from "./shop/orders/OrderChanges.ts"
export {
  defaultTemplates,
  type MailContent,
  type MailFacts,
  type MailTemplates
} from "./shop/mail/Templates.ts"
export type { VaultFile } from "./shop/ports/VaultFiles.ts"
