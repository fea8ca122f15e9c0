import type { Duration } from "effect"
import type { DecimalText } from "../../domain/Money.ts"

/**
 * Bounds on work for payments that have not settled yet: together, the most that callers can cost you without paying.
 * See docs/threats/capacity.md, "What an attacker can cost you".
 */
export interface LimitOptions {
  /**
   * Unsettled payments of one payer, across all processes.
   *
   * @default 64
   */
  readonly unsettledPerPayer?: number
  /**
   * Unsettled payments in one process. A quarter is reserved for payers who paid here within a day.
   *
   * @default 1_000
   */
  readonly unsettled?: number
  /**
   * Most unsettled work at once, across all processes, for a payer who has not paid here within a minute. One call is
   * always allowed. Each payment that settles raises this bound by its amount.
   *
   * @default "0.10"
   */
  readonly exposurePerPayer?: DecimalText
  /**
   * The most to which settled payments raise that bound.
   *
   * @default "5.00"
   */
  readonly maxExposurePerPayer?: DecimalText
  /**
   * Work without payment that one process does in an hour. What counts: unsettled, unpaid and failed work for payers
   * who have not paid this process as much. What refills it: time, evenly over the hour, and each payment that settles
   * after its work. Who may use it: one payer at most a tenth, one client address (one /48 of IPv6) a quarter; half is
   * reserved for newcomers.
   *
   * @default "20.00"
   */
  readonly lossPerHour?: DecimalText
  /**
   * Concurrent verifications for payers who have not paid here within a day, shared fairly among client addresses
   * (one /48 of IPv6 counts as one). Calls wait up to 8 seconds.
   *
   * @default 64
   */
  readonly unverified?: number
  /**
   * Time for which a payer is refused without a verification, after a payment that they could not pay.
   *
   * @default 5_000
   */
  readonly failedPayerMillis?: Duration.Input
  /**
   * Quotes that `buy` requests from fulfilment in a minute, in one process, and as many prices that functions of your
   * own operations compute for unpaid requests. Half is reserved for newcomers: client addresses (IPv4, or one /48 of
   * IPv6) with fewer than 3 quotes in this minute.
   *
   * @default 600
   */
  readonly quotesPerMinute?: number
  /**
   * The same for one client address (one /64 of IPv6; one /48 gets four times as many). All callers without a known
   * address count as one client.
   *
   * @default 60
   */
  readonly quotesPerClientPerMinute?: number
}

/** Bounds on refunds that the till sends from `refundWallet` or `solanaRefunds`. */
export interface RefundLimitOptions {
  /**
   * Refunds to one payer in an hour, across all processes. Refunds above it stay due: they are sent later, or by you.
   * Set it above the price of your most expensive order.
   *
   * @default "500.00"
   */
  readonly perPayerPerHour?: DecimalText
}
