import type { Effect } from "effect"
import type { ApiFailure } from "../../domain/ApiFailure.ts"
import type { Redemption } from "../../ports/VaultPurchases.ts"
import type { WorkResponse } from "../TollRequest.ts"
import type { WalletProof } from "./SignInProof.ts"

/** A proof of a wallet, and the check of its signature. */
export interface SignIn extends Pick<WalletProof, "address" | "network" | "nonce"> {
  /** Whether the wallet has signed. `paidNetwork`: where it has paid (CAIP-2). May read the chain. */
  readonly isSigned: (paidNetwork: string) => Effect.Effect<boolean>
}

/** A response that its wallet gets free of charge, once the proof is redeemed. */
export interface FreeContent {
  /** What is delivered by one stream at a time. */
  readonly id: string
  readonly response: WorkResponse
  /** Uses the proof up for this many bytes; `undefined`: for a file of unknown length. */
  readonly redeem: (bytes: number | undefined) => Effect.Effect<Redemption, ApiFailure>
}

/**
 * Opens what a wallet has bought before. Returns `undefined` for any other wallet and for anything unknown, without a
 * difference between them.
 */
export type FreeAccess<Input> = (
  input: Input,
  signIn: SignIn
) => Effect.Effect<FreeContent | undefined, ApiFailure>
