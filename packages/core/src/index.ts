/*
 * The plain entry: everything a host without Effect needs.
 * Hosts with Effect find layers, ports and schemas in `@till402/core/effect`.
 */
export { Till } from "./Till.ts"
export { memory } from "./memory.ts"
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
  PayerStanding,
  RecordedAnswer,
  Refund,
  RefundLimit,
  RefundStart,
  RefundStop,
  Subject
} from "./ports/Charges.ts"
export type { Quote } from "./ports/Quotes.ts"
export type { NewVaultPurchase, VaultPurchase } from "./ports/VaultPurchases.ts"
export type { Money } from "./domain/Money.ts"
export type { Offer } from "./domain/Order.ts"
export type { Receipt } from "./domain/PaymentRequired.ts"
export * from "./domain/Errors.ts"
export type {
  FacilitatorClient,
  FacilitatorOptions,
  LimitOptions,
  Margin,
  NetworkOptions,
  Prices,
  PublicRoute,
  RefundWallet,
  SecretKey,
  TillEvent,
  TillOptions
} from "./Options.ts"
export type {
  AssistantOptions,
  CallContext,
  DecimalText,
  FulfilmentOptions,
  MailerOptions,
  MarketplaceOptions,
  QuotedOffer,
  TrackerOptions,
  VaultOptions
} from "./ProviderOptions.ts"
export type { IncomingRequest, PlainResponse, Target } from "./Exchange.ts"
export type { Caller, ChargeSummary, LedgerLine, LedgerSum, RefundStatus } from "./RunningTill.ts"
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
export type {
  Category,
  ProductType,
  VaultItem,
  VaultPage,
  VaultPurchaseResponse,
  VaultQuery
} from "./domain/Vault.ts"
export type { PaymentOption, PaymentRequired } from "./domain/PaymentRequired.ts"
export type { ChainCheck } from "./toll/ChainAudit.ts"
export type { LedgerCheck, LedgerFault } from "./toll/LedgerAudit.ts"
export type { ForeignTransfer } from "./toll/NetworkAudit.ts"
export type { RefundStopReason } from "./orders/RefundGuard.ts"
export type { Reconciliation } from "./toll/Reconcile.ts"
export type { ChargeState, LedgerKind } from "./ports/Charges.ts"
export type { Mail } from "./ports/Mailer.ts"
export type { ProductPage, ProductQuery } from "./ports/Marketplace.ts"
export type { Order, OrderMail } from "./ports/Orders.ts"
export {
  type FulfilmentRoutes,
  routeFulfilment,
  type RouteChoice,
  type RoutedRequest
} from "./orders/FulfilmentRoutes.ts"
export type { HostOrders, OrderVerdict } from "./orders/OrderApi.ts"
export type { OrderChange } from "./orders/OrderChanges.ts"
export { defaultTemplates, type MailContent, type MailFacts, type MailTemplates } from "./mail/Templates.ts"
export type { VaultFile } from "./ports/VaultFiles.ts"
