import type { Effect, Scope } from "effect"
import type { ApiFailure } from "../../domain/ApiFailure.ts"
import type { FileResponse } from "../request/TollRequest.ts"
import type { WalletProof } from "./SignInProof.ts"

/** A proof of a wallet, and the check of its signature. */
export interface SignIn extends Pick<WalletProof, "address" | "network" | "nonce"> {
  /** Whether the wallet has signed. `paidNetwork`: where it has paid (CAIP-2). May read the chain. */
  readonly isSigned: (paidNetwork: string) => Effect.Effect<boolean>
}

/**
 * Outcome of redeeming a proof for content. `Used`: it was redeemed before. `Spent`: nothing is left of what
 * the wallet gets free of charge.
 */
export type Redemption = "Redeemed" | "Used" | "Spent"

/** A response that its wallet gets free of charge, once the proof is redeemed. */
export interface FreeContent {
  /** What is delivered by one stream at a time. */
  readonly id: string
  readonly response: FileResponse
  /** Uses the proof up for this many bytes; `undefined`: for a file of unknown length. */
  readonly redeem: (bytes: number | undefined) => Effect.Effect<Redemption, ApiFailure>
}

/** Why a wallet gets nothing: it has no free access, or its proof was used before. */
export type NoAccess = "NotTheirs" | "Used"

/** What a request names, in one spelling. */
export interface Holding {
  readonly id: string
  /** `false` where its secret can't be checked any more: a stranger may have made it up. */
  readonly isProven: boolean
}

/** Free access of wallets to what they have bought before. */
export interface FreeAccess<Input> {
  /** What the wallet shows to its owner, who signs it: one line. */
  readonly statement: string
  /** What the request names, if it has the secret of it; `undefined` otherwise. Reads no store. */
  readonly holding: (input: Input) => Holding | undefined
  /**
   * Opens what the wallet has bought, for a holder. `NotTheirs` is for any other wallet and for anything unknown, without
   * a difference between them. What isn't redeemed before the scope closes is given back: the proof can be used again.
   */
  readonly open: (
    input: Input,
    signIn: SignIn
  ) => Effect.Effect<FreeContent | NoAccess, ApiFailure, Scope.Scope>
}
