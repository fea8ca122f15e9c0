/*
 * The plain entry: everything a host without Effect needs.
 * Hosts with Effect find layers, ports and schemas in `@till402/core/effect`.
 */
export { Till } from "./till/PlainTill.ts"
export { type Target, targetOfUrl } from "./http/Target.ts"
export { ApiFailure } from "./domain/ApiFailure.ts"
export {
  type AnyPlainOperation,
  operation,
  type PlainOperation,
  type StandardSchema
} from "./operations/PlainOperation.ts"
export type { OwnOperationOptions } from "./operations/OwnOperationOptions.ts"
export type { PricedRouteOptions } from "./operations/PricedRouteOptions.ts"
export type { PricedRoute } from "./till/PricedRoute.ts"
export type { OwnPrice } from "./operations/OwnPrice.ts"
export type { Example } from "./operations/Operation.ts"
export { memory } from "./ports/memory/memory.ts"
export {
  type ChargeStore,
  type HostStores,
  type HostStoresSettings,
  type OrderStore,
  type QuoteStore,
  storageFrom,
  type VaultItemStore,
  type VaultPurchaseStore
} from "./ports/HostStores.ts"
export type {
  Charge,
  ChargesQuery,
  Claim,
  ClaimLimits,
  CompletedSettlement,
  Completion,
  EntriesQuery,
  Lease,
  LedgerEntry,
  LedgerTotal,
  NewCharge,
  PayerActivity,
  RecordedResponse,
  Refund,
  RefundLimit,
  RefundAttempt,
  RefundStart,
  RefundStop,
  SettledCharge,
  SettledQuery,
  Subject
} from "./ports/Charges.ts"
export type { Quote } from "./ports/Quotes.ts"
export type {
  FreeBudget,
  FreeDownload,
  NewVaultPurchase,
  Redemption,
  VaultPurchase
} from "./ports/VaultPurchases.ts"
export type { Money } from "./domain/Money.ts"
export type { Offer } from "./domain/Order.ts"
export type { Receipt } from "./domain/PaymentRequired.ts"
export * from "./domain/Errors.ts"
export type { TillOptions } from "./till/TillOptions.ts"
export type { LimitOptions, NetworkOptions, TillSettings, TokenOptions } from "./till/TillSettings.ts"
export type {
  FacilitatorClient,
  FacilitatorOptions,
  FacilitatorSource,
  NamedFacilitatorClient
} from "./toll/facilitator/FacilitatorOptions.ts"
export type { Margin } from "./orders/Margin.ts"
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
export type { AssistantContext, AssistantOptions, AssistantReply } from "./ports/Assistant.ts"
export type { AssistantUsage } from "./ports/AssistantUsage.ts"
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
} from "./ports/FulfilmentOptions.ts"
export type { CallSettings } from "./ports/HostCall.ts"
export type { ProviderFailure } from "./ports/ProviderFailure.ts"
export type { Sparse } from "./ports/Sparse.ts"
export type { MailerOptions } from "./ports/Mailer.ts"
export type { MarketplaceOptions, MarketplacePage, MarketplaceProduct } from "./ports/Marketplaces.ts"
export type { TrackerOptions } from "./ports/Tracker.ts"
export type { ArchiveLink, ArchiveToOpen, OpenedArchive, VaultOptions } from "./ports/VaultFiles.ts"
export type { EventFields, TillEvent } from "./runtime/events.ts"
export type { IncomingRequest, PlainResponse } from "./http/HttpMessage.ts"
export type { ChargeQuery, ChargeSummary } from "./orders/ChargeOperator.ts"
export type {
  LedgerCheckQuery,
  LedgerExportQuery,
  LedgerLine,
  LedgerQuery,
  LedgerSum
} from "./orders/LedgerOperator.ts"
export type { DueRefund, DueRefundQuery, RefundStatus } from "./orders/RefundOperator.ts"
export type { Caller } from "./http/HttpMessage.ts"
export type { ApiError, Issue } from "./domain/ApiError.ts"
export type { Product, SearchProduct, Source } from "./domain/Product.ts"
export type { SearchQuery, SearchResponse } from "./domain/Search.ts"
export type { ShopRequest, ShopResponse } from "./domain/Shop.ts"
export type {
  BuyRequest,
  BuyResponse,
  FulfilmentStatus,
  OrderStatus,
  Parcel,
  ProductReference,
  ShippingAddress
} from "./domain/Order.ts"
export type {
  MilestoneStage,
  ShipmentStatus,
  TrackingEvent,
  TrackQuery,
  TrackResult
} from "./domain/Tracking.ts"
export { type QueryTerm, queryTermsOf, searchTermsOf } from "./domain/SearchTerms.ts"
export type {
  Category,
  ProductType,
  VaultItem,
  VaultPage,
  VaultPurchaseResponse,
  VaultQuery
} from "./domain/Vault.ts"
export {
  type ArchiveFacts,
  type ArchiveVersion,
  type ListingReading,
  type Publication,
  readListing,
  sameListing,
  type VaultListing
} from "./domain/VaultListing.ts"
export type { PaymentOption, PaymentRequired } from "./domain/PaymentRequired.ts"
export type { ChainCheck } from "./toll/audit/ChainAudit.ts"
export type { LedgerAudit as LedgerCheck, LedgerFault } from "./toll/audit/LedgerAudit.ts"
export type { ForeignTransfer } from "./toll/audit/NetworkAudit.ts"
export type { OtherOutflow, OtherOutflows } from "./toll/audit/OutflowAudit.ts"
export type { RefundStopReason } from "./orders/RefundGuard.ts"
export type { Reconciliation } from "./toll/machine/Reconciler.ts"
export type { ChargeState, LedgerKind } from "./ports/Charges.ts"
export type { Mail } from "./ports/Mailer.ts"
export type { ProductPage, ProductQuery } from "./ports/Marketplaces.ts"
export type { Order, OrderMail } from "./ports/Orders.ts"
export type { FulfilmentRoutes, RouteChoice, RoutedRequest } from "./orders/FulfilmentRoutes.ts"
export { routeFulfilment } from "./orders/routeFulfilment.ts"
export type { HostOrders } from "./orders/HostOrders.ts"
export type { ExportQuery, OperatorResult, OrderQuery } from "./orders/OrderOperator.ts"
export type { OrderChange } from "./orders/OrderChanges.ts"
export { defaultTemplates, type MailContent, type MailFacts, type MailTemplates } from "./mail/Templates.ts"
export type { VaultFile } from "./ports/VaultFiles.ts"
