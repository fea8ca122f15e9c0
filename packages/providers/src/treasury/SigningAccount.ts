import type { EvmNetwork } from "@till402/core/effect"
import { Effect } from "effect"
import { isHex, keccak256 } from "viem"
import type { Hex } from "./Hex.ts"
import { SigningFailed } from "./TreasuryErrors.ts"

/*
 * The account that signs a treasury's transactions.
 */

/** The transaction to sign. */
export interface TreasuryTransaction {
  readonly type: "eip1559"
  readonly chainId: number
  readonly nonce: number
  readonly to: Hex
  readonly data: Hex
  readonly value: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Signs for the account that pays: a `LocalAccount` of viem, over a key or a custody service. */
export interface SigningAccount {
  readonly address: Hex
  // A method, so that the wider parameters of viem's own type fit.
  signTransaction(transaction: TreasuryTransaction): Promise<Hex>
}

/** A payment is not signed shortly before its quote expires, because it must be mined before that. */
export const expiryMarginMillis = 10_000

export interface SigningSettings {
  readonly account: SigningAccount
  /** The account's address, lower case. */
  readonly payer: Hex
  readonly network: EvmNetwork
  readonly maxFeePerGas: bigint
}

/** Signs with the account. Keeps only the name of an error, because its message may contain a secret. */
export const signer =
  (account: SigningAccount) =>
  (transaction: TreasuryTransaction): Effect.Effect<Hex, SigningFailed> =>
    Effect.tryPromise({
      try: () => account.signTransaction(transaction),
      catch: (cause) => new SigningFailed({ code: causeOf(cause) })
    })

/** The name of an error, if it is safe in a log. */
const causeOf = (cause: unknown): string =>
  cause instanceof Error && /^\w{1,60}$/.test(cause.name) ? cause.name : "Error"

export const hashOf = (signedTransaction: Hex): Effect.Effect<Hex, SigningFailed> =>
  isHex(signedTransaction)
    ? Effect.succeed(keccak256(signedTransaction))
    : Effect.fail(new SigningFailed({ code: "NotATransaction" }))
