import { Context, type Effect } from "effect"
import type { PaymentRequirements } from "../domain/PaymentRequired.ts"

/** What a facilitator is asked: the payment as the client sent it, and our own requirement. */
export interface FacilitatorRequest {
  readonly x402Version: 1 | 2
  /** The decoded payment header, whole. */
  readonly paymentPayload: unknown
  readonly requirements: PaymentRequirements
  /** Resource URL and description, which version-1 requirements carry. */
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string }
}

/** `Unreachable`: no answer could be had, so nothing is known. */
export type Verification =
  | { readonly _tag: "Valid"; readonly payer: string | undefined }
  | { readonly _tag: "Invalid"; readonly reason: string }
  | { readonly _tag: "Unreachable"; readonly reason: string }

/**
 * `Rejected`: definitely refused before anything was sent to the chain. `Unknown`: the money may or may
 * not have moved; such a payment is never freed and never answered with a fresh 402.
 */
export type Settlement =
  | { readonly _tag: "Settled"; readonly transaction: string; readonly payer: string | undefined }
  | { readonly _tag: "Rejected"; readonly reason: string }
  | { readonly _tag: "Unknown"; readonly reason: string; readonly transaction: string | undefined }

export interface SupportedKind {
  readonly x402Version: number
  readonly scheme: string
  readonly network: string
}

/** Verifies payments against the chain and submits them. Never fails: what can't be known is a verdict. */
export class Facilitator extends Context.Service<
  Facilitator,
  {
    readonly verify: (request: FacilitatorRequest) => Effect.Effect<Verification>
    readonly settle: (request: FacilitatorRequest) => Effect.Effect<Settlement>
    /** What it can settle; empty where it does not say. */
    readonly supported: Effect.Effect<ReadonlyArray<SupportedKind>>
  }
>()("@till402/core/Facilitator") {}
