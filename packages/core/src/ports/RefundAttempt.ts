import type { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"

/**
 * An attempt to send a refund from one wallet, recorded before anything of it leaves the process. It is never deleted:
 * another wallet sends the same refund only once no recorded attempt has moved or can.
 */
export interface RefundAttempt {
  /** Names the payment: `chain:asset:payer:nonce`. */
  readonly chargeKey: string
  /** Number of the refund among those of its charge, from 1. A charge has one refund today. */
  readonly refundNumber: number
  /** Number of the attempt among those of its refund, from 1. */
  readonly sequence: number
  /** Address that pays the refund: in lower case on EVM networks, in base58 on Solana. */
  readonly wallet: string
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
  /** Names the attempt on the chain: nonce of the authorization on EVM networks, signature of the transaction on Solana. */
  readonly nonce: string
  /** No block before has it: a time in seconds on EVM networks, a slot on Solana. */
  readonly notBefore: number
  /**
   * No block from here on has it: a time in seconds on EVM networks, a block height on Solana. 0: it was ended, and no
   * block ever has it.
   */
  readonly validBefore: number
  /** When it was recorded, in milliseconds since the epoch. */
  readonly atMillis: number
}

/** The methods of `Charges` for attempts to send a refund. */
export interface RefundAttemptMethods {
  /**
   * Records the next attempt of a refund that was started and not sent yet: its `sequence` is one above that of the last
   * one, or 1. Otherwise `false`. Of concurrent attempts with one `sequence`, one wins.
   */
  readonly recordRefundAttempt: (attempt: RefundAttempt) => Effect.Effect<boolean, StoreError>
  /**
   * Ends a recorded attempt that surely never left the process: sets its `validBefore` to 0. `false` where it isn't
   * recorded with the given wallet and `validBefore`.
   */
  readonly endRefundAttempt: (attempt: RefundAttempt) => Effect.Effect<boolean, StoreError>
  /** Lists the attempts of the given charges, by `chargeKey`, `refundNumber` and `sequence`. */
  readonly refundAttempts: (
    chargeKeys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<RefundAttempt>, StoreError>
}
