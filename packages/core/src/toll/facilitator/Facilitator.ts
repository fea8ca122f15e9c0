import { Context, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import type { ClockReading } from "../../runtime/ClockReading.ts"
import { makeClientFacilitator } from "./ClientFacilitator.ts"
import { FacilitatorGroup } from "./FacilitatorGroup.ts"
import {
  type FacilitatorOptions,
  type FacilitatorSource,
  type FacilitatorTimeouts,
  isClient,
  isUsable,
  type NamedFacilitatorClient
} from "./FacilitatorOptions.ts"
import type { FacilitatorRequest, Settlement, SupportedKind, Verification } from "./FacilitatorVerdicts.ts"

export type {
  FacilitatorRequest,
  FacilitatorRoute,
  Settlement,
  SupportedKind,
  Verification
} from "./FacilitatorVerdicts.ts"

/** Verifies payments against the chain and submits them. Never fails: an unknown outcome is a result. */
export class Facilitator extends Context.Service<
  Facilitator,
  {
    readonly verify: (request: FacilitatorRequest) => Effect.Effect<Verification>
    /** Settles a payment: with `route`, by the facilitator that it names and by no other. */
    readonly settle: (request: FacilitatorRequest) => Effect.Effect<Settlement>
    /** The kinds of payment that it settles; empty when it doesn't list them. */
    readonly supported: Effect.Effect<ReadonlyArray<SupportedKind>>
    /**
     * The addresses from which each facilitator pays the fees of a Solana network (CAIP-2), preferred first. Without
     * this, those of `supported`.
     */
    readonly feePayers?: (caip2: string) => Effect.Effect<ReadonlyArray<ReadonlyArray<string>>>
    /** Whether it settles payments on a network (CAIP-2); `undefined` while that isn't known. */
    readonly settles?: (caip2: string) => Effect.Effect<boolean | undefined>
    /**
     * Gives no more payments to the facilitator of a name, which reported a settlement that moved no money. Returns whether
     * it did until now. Without this, such receipts are only reported.
     */
    readonly withhold?: (name: string) => boolean
    /**
     * The address of each facilitator by its name. With it, one that has taken over a name isn't withheld for the receipts of
     * the one before.
     */
    readonly addresses?: ReadonlyMap<string, string>
    /** The options that it was made of, which are checked at start. */
    readonly sources?: ReadonlyArray<FacilitatorSource> | undefined
    /** Deadline of `settle`, which the leases of charges outlast; `undefined`: a minute. */
    readonly settleTimeoutMillis?: number
    /** Whether what it settles on a network (CAIP-2) is not paid, since it is for tests. */
    readonly movesNoMoney?: (caip2: string) => boolean
    /** Reads the time that each facilitator shows. Without this, they aren't compared with the till's clock. */
    readonly clocks?: Effect.Effect<ReadonlyArray<ClockReading>>
  }
>()("@till402/core/Facilitator") {
  /** A facilitator over HTTP. The till's start fails if an option is wrong or misspelled. */
  static readonly layerHttp = (
    options: FacilitatorOptions
  ): Layer.Layer<Facilitator, never, HttpClient.HttpClient> => Facilitator.layerSeveral([options])

  /**
   * Several facilitators, preferred first. Verifying fails over to the next; a payment is settled by the one that
   * verified it, and by no other.
   *
   * @example
   * const facilitators = Facilitator.layerSeveral([
   *   { url: "https://facilitator.example" },
   *   { url: "https://other.example", networks: ["base"] }
   * ])
   */
  static readonly layerSeveral = (
    sources: ReadonlyArray<FacilitatorSource>
  ): Layer.Layer<Facilitator, never, HttpClient.HttpClient> =>
    Layer.effect(
      Facilitator,
      Effect.gen(function* () {
        const { makeHttpFacilitator } = yield* loadHttpFacilitator
        const members = yield* Effect.forEach(sources.filter(isUsable), (source) =>
          isClient(source) ? Effect.succeed(makeClientFacilitator(source, {})) : makeHttpFacilitator(source)
        )
        return new FacilitatorGroup(members, sources)
      })
    )

  /** A facilitator in the same process: an official `x402Facilitator`, or a fake in a test. */
  static readonly layerClient = (
    client: NamedFacilitatorClient,
    timeouts: FacilitatorTimeouts = {}
  ): Layer.Layer<Facilitator> =>
    Layer.succeed(Facilitator, new FacilitatorGroup([makeClientFacilitator(client, timeouts)], [client]))
}

/** Loaded only where a facilitator is called over HTTP, with `effect/http`. */
const loadHttpFacilitator = Effect.promise(() => import("./HttpFacilitator.ts"))
