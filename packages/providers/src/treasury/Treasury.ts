import { Context, Data } from "effect"
import type { Hex } from "./Hex.ts"
import type { RefusalReason } from "./Transfer.ts"

/*
 * The port: an account of the host that pays upstreams for orders, each of them once. In plain TypeScript,
 * so that a host can write its own over a custody service.
 */

/** What a transaction must be to be signed, save for chain and token, which are the treasury's own. */
export interface PaymentAgreement {
  /** Unsigned transaction as the payee prepared it, serialized: `0x02…`. */
  readonly prepared: string
  /** Accounts that may be paid. */
  readonly payees: ReadonlyArray<Hex>
  /** What is paid, to the unit, in atomic units of the token. */
  readonly amountAtomic: bigint
}

/** One payment. */
export interface TreasuryPayment extends PaymentAgreement {
  /** Idempotency key: the id of the order that is paid for. Whatever is asked, it is paid once. */
  readonly key: string
  /** The payee's own name of what is paid. It is paid under one key only. */
  readonly reference: string
  /** Milliseconds since the epoch after which it must not be sent any more. */
  readonly expiresAtMillis: number
}

/** What became of a payment. */
export type PaymentState =
  /** Nothing was ever signed under this key. */
  | { readonly status: "none" }
  /** Signed, perhaps sent; whether its money moves is open. */
  | { readonly status: "pending"; readonly reference: string; readonly transaction: Hex }
  /** On the chain; the money has moved. */
  | { readonly status: "paid"; readonly reference: string; readonly transaction: Hex }
  /** On the chain without effect: no money moved, and none will. */
  | { readonly status: "failed"; readonly reference: string; readonly transaction: Hex }

export interface TreasuryContext {
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal
}

/** Pays from an account of the host. */
export interface Treasury {
  /** Where it pays, as x402 names it: `base`, `eip155:42161`. */
  readonly network: string
  /** The account that pays. */
  readonly address: Hex
  /** Rejects with `PaymentRefused` where a transaction is not the agreed transfer. Signs nothing. */
  readonly check: (agreement: PaymentAgreement) => Promise<void>
  /** What became of the payment under a key. Sends nothing; rejects where that can't be told. */
  readonly find: (key: string, context?: TreasuryContext) => Promise<PaymentState>
  /**
   * Pays and waits until the chain shows it. Under a key that was used before, nothing is signed: the same
   * transaction is looked up, and sent again where the chain doesn't have it yet. Answers what was paid,
   * which may be another reference than this one.
   *
   * Rejects with `PaymentRefused`, `PaymentLapsed`, `TreasuryShort`, `FeesTooHigh` or
   * `TreasuryBusy` (nothing was sent for it),
   * `PaymentPending` (open: ask again with the same key) or `PaymentFailed` (nothing moved, nothing will).
   */
  readonly pay: (
    payment: TreasuryPayment,
    context?: TreasuryContext
  ) => Promise<{ readonly reference: string; readonly transaction: Hex }>
}

/** The treasury of an Effect host. */
export class TreasuryService extends Context.Service<TreasuryService, Treasury>()(
  "@till402/providers/Treasury"
) {}

/** The prepared transaction is not the agreed transfer. Nothing was signed. */
export class PaymentRefused extends Data.TaggedError("PaymentRefused")<{
  /** `reference_taken`: it was paid under another key. */
  readonly reason: RefusalReason | "reference_taken"
}> {
  override get message(): string {
    return `the prepared transaction was not signed: ${this.reason}`
  }
  get code(): string {
    return this.reason
  }
}

/** It is too late to pay. Nothing was signed. */
export class PaymentLapsed extends Data.TaggedError("PaymentLapsed")<{}> {
  override get message(): string {
    return "what was to be paid has lapsed"
  }
}

/** The account holds less than is to be paid. Nothing was signed. */
export class TreasuryShort extends Data.TaggedError("TreasuryShort")<{}> {
  override get message(): string {
    return "the treasury holds less than is to be paid"
  }
}

/** A transaction costs more now than the host allows. Nothing was signed. */
export class FeesTooHigh extends Data.TaggedError("FeesTooHigh")<{}> {
  override get message(): string {
    return "the chain asks for higher fees than the treasury may pay"
  }
}

/** More payments stand in line than one call works off. Nothing was signed for this one. */
export class TreasuryBusy extends Data.TaggedError("TreasuryBusy")<{}> {
  override get message(): string {
    return "too many payments stand in line"
  }
}

/** Signed and sent, but not on the chain as far as can be seen. Ask again with the same key. */
export class PaymentPending extends Data.TaggedError("PaymentPending")<{ readonly transaction: Hex }> {
  override get message(): string {
    return "the payment is not on the chain yet"
  }
}

/** The transaction stands on the chain without effect. No money moved, and none will. */
export class PaymentFailed extends Data.TaggedError("PaymentFailed")<{ readonly transaction: Hex }> {
  override get message(): string {
    return "the payment was reverted by the chain"
  }
}

/** The account did not sign. Nothing was sent. `code`: the name of its error. */
export class SigningFailed extends Data.TaggedError("SigningFailed")<{ readonly code: string }> {
  override get message(): string {
    return "the treasury's account did not sign"
  }
}

/** The journal could not be read or written. Without its record nothing is sent. */
export class JournalFailed extends Data.TaggedError("JournalFailed")<{ readonly code: string }> {
  override get message(): string {
    return "the treasury's journal could not be read or written"
  }
}

/** What a treasury of this package may reject with, faults of its node aside. */
export type TreasuryError =
  | PaymentRefused
  | PaymentLapsed
  | TreasuryShort
  | FeesTooHigh
  | TreasuryBusy
  | PaymentPending
  | PaymentFailed
  | SigningFailed
  | JournalFailed
