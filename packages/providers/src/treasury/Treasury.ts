import { Context, Effect, Layer } from "effect"
import type { Hex } from "./Hex.ts"
import { treasuryRejection, type TreasuryRejection } from "./TreasuryErrors.ts"

/*
 * The port of an account that pays upstreams for orders, each order once.
 */

/** Terms of a transaction. Chain and token are the treasury's own. */
export interface PaymentAgreement {
  /** The unsigned transaction prepared by the payee, serialized: `0x02…`. */
  readonly prepared: string
  /** Accounts that may be paid. */
  readonly payees: ReadonlyArray<Hex>
  /** The exact amount in atomic units of the token. */
  readonly amountAtomic: bigint
}

/** One payment. */
export interface TreasuryPayment extends PaymentAgreement {
  /** Idempotency key: the id of the order. A key is paid at most once. */
  readonly key: string
  /** The payee's reference of the order. It is paid under one key only. */
  readonly reference: string
  /** The payment must not be sent after this time, in milliseconds since the epoch. */
  readonly expiresAtMillis: number
}

/** The state of a payment. */
export type PaymentState =
  /** Nothing was ever signed under this key. */
  | { readonly status: "none" }
  /** Signed and perhaps sent; the outcome is open. */
  | { readonly status: "pending"; readonly reference: string; readonly transaction: Hex }
  /** On the chain: the money has moved. */
  | { readonly status: "paid"; readonly reference: string; readonly transaction: Hex }
  /** Reverted on the chain, or replaced by another transaction with its number: no money moved, and none will. */
  | { readonly status: "failed"; readonly reference: string; readonly transaction: Hex }

export interface TreasuryContext {
  /** Aborts when the caller stops waiting. */
  readonly signal?: AbortSignal
}

/** A treasury of a host without Effect, such as one over a custody service. */
export interface TreasuryOptions {
  /** The network, as x402 names it: `base`, `eip155:42161`. */
  readonly network: string
  /** The account that pays. */
  readonly address: Hex
  /** Rejects with `PaymentRefused` if a transaction is not the agreed transfer. Signs nothing. */
  readonly check: (agreement: PaymentAgreement) => Promise<void>
  /** Returns the state of the payment with this key. Sends nothing; rejects if the state is unknown. */
  readonly find: (key: string, context?: TreasuryContext) => Promise<PaymentState>
  /**
   * Pays, waits until the chain shows it, and returns the paid reference.
   *
   * A key that was used before signs nothing: its transaction is looked up, and sent again if the chain
   * doesn't have it. The reference may then differ from this payment's.
   *
   * Rejects with `PaymentRefused`, `PaymentExpired`, `TreasuryUnderfunded`, `FeesTooHigh` or `TreasuryBusy`
   * (nothing was sent), `PaymentPending` (open: retry with the same key) or `PaymentFailed` (nothing moved,
   * nothing will).
   */
  readonly pay: (
    payment: TreasuryPayment,
    context?: TreasuryContext
  ) => Promise<{ readonly reference: string; readonly transaction: Hex }>
}

/** A treasury for programs in Effect: like `TreasuryOptions`, with typed errors. */
export interface TreasuryClient {
  readonly network: string
  readonly address: Hex
  readonly check: (agreement: PaymentAgreement) => Effect.Effect<void, TreasuryRejection>
  readonly find: (key: string) => Effect.Effect<PaymentState, TreasuryRejection>
  readonly pay: (
    payment: TreasuryPayment
  ) => Effect.Effect<{ readonly reference: string; readonly transaction: Hex }, TreasuryRejection>
}

/** The promises of a treasury as effects. Interrupting an effect aborts its signal. */
export const treasuryFromPromise = (treasury: TreasuryOptions): TreasuryClient => {
  const call = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, TreasuryRejection> =>
    Effect.tryPromise({ try: run, catch: treasuryRejection })
  return {
    network: treasury.network,
    address: treasury.address,
    check: (agreement) => call(() => treasury.check(agreement)),
    find: (key) => call((signal) => treasury.find(key, { signal })),
    pay: (payment) => call((signal) => treasury.pay(payment, { signal }))
  }
}

/** Pays upstreams from an account of the host; see `EvmTreasury.layer`. */
export class Treasury extends Context.Service<Treasury, TreasuryClient>()("@till402/providers/Treasury") {
  /** The treasury of a host's plain functions. */
  static readonly fromPromise = (treasury: TreasuryOptions): Layer.Layer<Treasury> =>
    Layer.succeed(Treasury, treasuryFromPromise(treasury))
}
