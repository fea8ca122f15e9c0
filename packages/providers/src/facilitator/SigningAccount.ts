import { Config, Data, Effect, Redacted } from "effect"
import { isHex, keccak256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { SettingReaders } from "../upstream/index.ts"
import type { Hex } from "./SettlementJournal.ts"

/*
 * The relayer's account, which signs transactions.
 */

/** The transaction to sign. */
export interface UnsignedTransaction {
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
  signTransaction(transaction: UnsignedTransaction): Promise<Hex>
}

/** The account did not sign. Nothing was sent. `code`: the name of its error. */
export class SigningFailed extends Data.TaggedError("SigningFailed")<{ readonly code: string }> {
  override get message(): string {
    return "the relayer's account did not sign"
  }
}

/** Signs with the account. Keeps only the name of an error, because its message may contain a secret. */
export const signer =
  (account: SigningAccount) =>
  (transaction: UnsignedTransaction): Effect.Effect<Hex, SigningFailed> =>
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

const isPrivateKey = (text: string): text is Hex => /^0x[0-9a-fA-F]{64}$/.test(text)

/** Reads the account whose private key is in a variable. The error never contains the key. */
export const accountFromConfig = Effect.fnUntraced(function* (name: string, read: SettingReaders) {
  const key = Redacted.value(yield* Config.Redacted(name))
  return isPrivateKey(key)
    ? privateKeyToAccount(key)
    : yield* read.invalid(`${name} must be 0x and 64 hexadecimal digits`)
})
