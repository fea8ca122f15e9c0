import type { Effect } from "effect"
import type { ApiFailure } from "./ApiFailure.ts"
import { endpoints, type OperationId } from "./Api.ts"
import type { PaymentRequirements } from "./domain/PaymentRequired.ts"
import type { IncomingRequest } from "./Exchange.ts"
import type { VaultFile } from "./ports/VaultFiles.ts"
import type { PaymentRefused, Work } from "./toll/TollRequest.ts"

/** What a request asks for, decoded; or nothing at all, which is how indexers probe. */
export type Reading<Input> =
  | { readonly _tag: "Input"; readonly input: Input }
  | {
      readonly _tag: "Nothing"
      /** What a paid request without input is answered. */
      readonly fault: ApiFailure
    }

/** A price for one request: atomic units, and what to say about it. */
export interface Quoted {
  readonly atomic: bigint
  readonly description: string
  /** Travels in `extra`, e.g. the id of the quote. */
  readonly extra: Readonly<Record<string, string>>
  /** How long the price stands, where that may be less than `maxTimeoutSeconds`. */
  readonly standsSeconds?: number
}

/**
 * One paid operation of the contract: how its input is read, what it costs and what it does.
 * The same shape for all seven; the toll and HTTP know no more of them than this.
 */
export interface Operation<Input = unknown> {
  readonly id: OperationId
  readonly description: string
  readonly mimeType: string
  /** The answer holds personal data or a secret: it is kept encrypted. */
  readonly sealed: boolean
  /** The 402 names the query of the request: it holds nothing private. */
  readonly namesQuery: boolean
  /** Only the chain's word counts as settlement. */
  readonly proofRequired: boolean
  readonly replayMillis: number
  readonly price:
    | { readonly _tag: "Fixed"; readonly atomic: bigint }
    | {
        readonly _tag: "Quoted"
        /** Named to who asks without an input; can't be paid. */
        readonly indicative: Quoted
        readonly minAtomic: bigint
        readonly maxAtomic: bigint
        /** The price of this request, made anew where needed. */
        readonly quote: (
          input: Input,
          fingerprint: string,
          /** Who asks, for the budget of what a quote costs. */
          clientAddress: string | undefined
        ) => Effect.Effect<Quoted, ApiFailure>
        /** The price that a payment for this request may meet; `undefined` where none stands. */
        readonly standing: (
          input: Input,
          fingerprint: string,
          chargeKey: string
        ) => Effect.Effect<Quoted | undefined, ApiFailure>
      }
  readonly read: (request: IncomingRequest) => Effect.Effect<Reading<Input>, ApiFailure>
  readonly work: (
    input: Input,
    charge: { readonly key: string; readonly fingerprint: () => string; readonly agreed: PaymentRequirements }
  ) => Effect.Effect<Work, ApiFailure | PaymentRefused>
  readonly reopen?: (slug: string) => Effect.Effect<VaultFile, ApiFailure>
}

/** Method and path pattern of an operation, from the contract. */
export const routeOf = (id: OperationId): { readonly method: "GET" | "POST"; readonly path: string } => ({
  method: endpoints[id].method as "GET" | "POST",
  path: endpoints[id].path
})
