import { Context, type Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import { makeClientFacilitator } from "./ClientFacilitator.ts"
import type { FacilitatorClient, FacilitatorOptions, FacilitatorTimeouts } from "./FacilitatorOptions.ts"
import type { FacilitatorRequest, Settlement, SupportedKind, Verification } from "./FacilitatorVerdicts.ts"
import { makeHttpFacilitator } from "./HttpFacilitator.ts"

export type { FacilitatorRequest, Settlement, SupportedKind, Verification } from "./FacilitatorVerdicts.ts"

/** Verifies payments against the chain and submits them. Never fails: an unknown outcome is a result. */
export class Facilitator extends Context.Service<
  Facilitator,
  {
    readonly verify: (request: FacilitatorRequest) => Effect.Effect<Verification>
    readonly settle: (request: FacilitatorRequest) => Effect.Effect<Settlement>
    /** The kinds of payment that it settles; empty when it doesn't list them. */
    readonly supported: Effect.Effect<ReadonlyArray<SupportedKind>>
    /** Deadline of `settle`, which the leases of charges outlast; `undefined`: a minute. */
    readonly settleTimeoutMillis?: number
  }
>()("@till402/core/Facilitator") {
  /**
   * A facilitator over HTTP.
   */
  static readonly layerHttp = (
    options: FacilitatorOptions
  ): Layer.Layer<Facilitator, never, HttpClient.HttpClient> =>
    Layer.effect(Facilitator, makeHttpFacilitator(options))

  /** A facilitator in the same process: an official `x402Facilitator`, or a fake in a test. */
  static readonly fromClient = (
    client: FacilitatorClient,
    timeouts: FacilitatorTimeouts = {}
  ): Layer.Layer<Facilitator> => Layer.succeed(Facilitator, makeClientFacilitator(client, timeouts))
}
