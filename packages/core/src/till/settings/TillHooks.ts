import type { PublicRoute } from "../../http/HttpMessage.ts"
import type { ProviderFailure } from "../../ports/ProviderFailure.ts"
import type { RefundWallet } from "../../ports/RefundWallet.ts"
import type { SolanaRefunds } from "../../ports/SolanaRefunds.ts"
import type { PaymentEvent } from "../../runtime/PaymentEvents.ts"
import type { MailTemplates } from "../../shop/mail/Templates.ts"
import type { OrderChange } from "../../shop/orders/OrderChanges.ts"

/** Optional functions and objects of the host, besides its ports. */
export interface TillHooks {
  /** Your templates for emails, up to 256 KiB each. A template that is missing or fails is replaced by the default. */
  readonly mailTemplates?: Partial<MailTemplates>
  /**
   * Wallet that sends refunds on EVM networks as they become due: a `LocalAccount` of viem, or an object with `address` and
   * `signTypedData`. Without it, you send them and record them with `charges.recordRefund`.
   */
  readonly refundWallet?: RefundWallet
  /**
   * Sends refunds on Solana as they become due, from your wallet there: `solanaRefunds()` of
   * `@till402/providers/solana-refunds`, or an object with `network`, `address`, `find` and `refund`. Without it, you send
   * them and record them with `charges.recordRefund`.
   */
  readonly solanaRefunds?: SolanaRefunds
  /** Receives `{ order, from }` after each step of an order that this process makes. Its errors are ignored. */
  readonly onOrderChange?: (change: OrderChange) => void | Promise<void>
  /**
   * Receives each step of a payment, as this process makes it: `{ code, operation, amountAtomic, reason, … }`, without
   * payment headers, input, tokens, emails or postal addresses. One call after the other, after the step: a function that
   * fails or is slow touches no payment, and one that is over 1,000 events behind misses the oldest.
   */
  readonly onPayment?: (event: PaymentEvent) => void | Promise<void>
  /**
   * Receives `{ error, stack, port, operation }` when one of your ports or operations fails, with the error that it
   * threw, which may quote personal data. Its errors are ignored. Default: printed on standard error, unless
   * `NODE_ENV` is `production`.
   */
  readonly onProviderError?: (failure: ProviderFailure) => void
  /**
   * Returns the address of the client that sent a request. Quotes, and verifications of new payers, are shared fairly
   * among addresses. Default: the adapter's address. Behind a proxy, read a header that only the proxy can set. If it
   * fails, the address is unknown, and `onProviderError` gets the error.
   */
  readonly clientAddress?: (request: Request) => string | undefined
  /**
   * Unpaid routes of providers below the mount, by path: an agent profile, a webhook. Not below `/x402`. A handler that
   * throws is a 500; it must bound what it reads. A body that takes more than 15 seconds is a 408. Behind a body parser
   * that keeps no `rawBody`, a request with a body is a 500.
   */
  readonly publicRoutes?: Readonly<Record<string, PublicRoute>>
}
