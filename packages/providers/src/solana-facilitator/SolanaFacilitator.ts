import { ConfigurationError, type FacilitatorClient } from "@till402/core"
import { Facilitator } from "@till402/core/effect"
import type { Address } from "@solana/kit"
import { Config, Effect, Layer, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { Journals } from "../journals/Journals.ts"
import {
  failure,
  invalidResult,
  networkNameIn,
  type SettleResponse,
  type SupportedResult,
  type VerifyResult
} from "../facilitator/FacilitatorResponses.ts"
import { makeSolanaNode, type SolanaNode } from "../solana-refunds/SolanaNode.ts"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import { solanaSigner } from "../solana-refunds/SolanaSigner.ts"
import { journalOf } from "../solana-refunds/TransferJournal.ts"
import {
  makeUpstream,
  optionalSettings,
  positiveInt,
  toPromise,
  upstreamConfig,
  withDefaults
} from "../upstream/index.ts"
import type { FeePayerUnderfunded } from "./FacilitatorErrors.ts"
import {
  configure,
  names,
  read,
  type SolanaFacilitatorLayerOptions,
  type SolanaFacilitatorOptions
} from "./FacilitatorSettings.ts"
import { makePaymentAdmission } from "./PaymentAdmission.ts"
import { makePaymentCheck } from "./PaymentCheck.ts"
import { readPayment } from "./PresentedPayment.ts"
import { Settling, type SettlingFault } from "./Settling.ts"

/** A facilitator on Solana that verifies and settles by itself. */
export interface SolanaFacilitator extends FacilitatorClient {
  /** The fee payer's address. */
  readonly address: string
  /** Verifies a payment. Rejects if the chain can't be read, or the fee payer has too little SOL. */
  readonly verify: (paymentPayload: unknown, paymentRequirements: unknown) => Promise<VerifyResult>
  /**
   * Settles a payment, once for each signed message. Never rejects: failures with a transaction, and
   * `unexpected_settle_error`, are open outcomes, to be settled again. `caller` names the till; only the caller that
   * settled a payment first gets its result again.
   */
  readonly settle: (
    paymentPayload: unknown,
    paymentRequirements: unknown,
    caller?: string
  ) => Promise<SettleResponse>
  readonly getSupported: () => Promise<SupportedResult>
  /**
   * The facilitator of one till, for `Till.make`. `name` names the till's store: all processes that share a store use
   * the same name, a till with another store has another one. Keep it while payments are open.
   *
   * A payment that a till has settled is refused to tills with other names. With one name for two stores, both would
   * deliver for the same money.
   *
   * @throws ConfigurationError for an empty name
   * @example
   * import { solanaFacilitator } from "@till402/providers/solana-facilitator"
   *
   * declare const facilitator: ReturnType<typeof solanaFacilitator>
   * const ofBookshop = facilitator.forTill("bookshop")
   */
  readonly forTill: (name: string) => FacilitatorClient
}

/** Calls to a node are many and short. */
const nodeDefaults = { maxConcurrent: 64, maxWaiting: 8_192, deadlineMillis: 15_000 }

type Reading<A> = Effect.Effect<A, ConfigurationError | NodeFault>

/** Fails unless the node is one of the network; remembers that it is. */
const makeChainCheck = (node: SolanaNode, caip2: string): Reading<void> => {
  let isRight = false
  return Effect.gen(function* () {
    if (isRight) return
    if (!`solana:${yield* node.genesisHash}`.startsWith(caip2)) {
      return yield* read.invalid(`rpcUrl is not a node of ${caip2}`)
    }
    isRight = true
  })
}

const supportedBy = (
  { caip2, v1Name }: { readonly caip2: string; readonly v1Name: string },
  feePayer: Address
): SupportedResult => ({
  kinds: [caip2, v1Name].map((network, index) => ({
    x402Version: 2 - index,
    scheme: "exact" as const,
    network,
    extra: { feePayer }
  })),
  extensions: [],
  signers: { "solana:*": [feePayer] }
})

const unnamedTill = (): ConfigurationError =>
  new ConfigurationError({
    message: "solana-facilitator: till must name the till's store (SOLANA_FACILITATOR_TILL)"
  })

/** A facilitator over the `HttpClient` of the context. */
export const makeSolanaFacilitator = Effect.fnUntraced(function* (
  options: SolanaFacilitatorOptions
): Effect.fn.Return<SolanaFacilitator, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  const { feePayer, served } = settings
  const upstream = yield* makeUpstream({
    ...withDefaults(nodeDefaults, options),
    name: "solana-facilitator"
  })
  const node = makeSolanaNode(upstream, settings.rpcUrl)
  const admission = makePaymentAdmission(settings.failures, node, makePaymentCheck(settings, node))
  const settling = new Settling(settings, node, journalOf(options.journal), admission)
  const assertChain = makeChainCheck(node, served.caip2)

  const verify = Effect.fn("SolanaFacilitator.verify")(function* (payload: unknown, requirements: unknown) {
    const reading = readPayment(payload, requirements, served)
    if (reading._tag === "Refused") return invalidResult(reading.reason, undefined)
    yield* assertChain
    const admitted = yield* admission.admit(reading.payment, { begins: false })
    if (admitted._tag === "Valid") return { isValid: true, payer: admitted.payer }
    const reason = admitted._tag === "Short" ? "insufficient_funds" : admitted.reason
    return invalidResult(reason, admitted.payer)
  })

  const settle = Effect.fn("SolanaFacilitator.settle")(function* (
    payload: unknown,
    requirements: unknown,
    caller: string
  ): Effect.fn.Return<SettleResponse> {
    const reading = readPayment(payload, requirements, served)
    if (reading._tag === "Refused") {
      return failure(reading.reason, { network: networkNameIn(requirements), payer: undefined })
    }
    const network = served.caip2
    return yield* Effect.andThen(assertChain, settling.settle(reading.payment, caller)).pipe(
      Effect.map((result) =>
        result._tag === "Settled"
          ? { success: true, transaction: result.transaction, network, payer: result.payer }
          : failure(result.reason, { network, payer: result.payer }, result.transaction)
      ),
      // The outcome is open: a transaction may have been recorded or sent before the fault.
      Effect.catch((fault: SettlingFault | FeePayerUnderfunded | ConfigurationError) =>
        Effect.succeed({
          ...failure("unexpected_settle_error", { network, payer: undefined }),
          errorMessage: fault._tag
        })
      )
    )
  })

  const client = {
    verify: (payload: unknown, requirements: unknown) => toPromise(verify(payload, requirements), undefined),
    settle: (payload: unknown, requirements: unknown, caller = "") =>
      toPromise(settle(payload, requirements, caller), undefined),
    getSupported: async () => supportedBy(served, feePayer)
  }
  return {
    address: feePayer,
    ...client,
    forTill: (name) => {
      if (typeof name !== "string" || name === "") throw unnamedTill()
      return {
        ...client,
        settle: (payload: unknown, requirements: unknown) => client.settle(payload, requirements, name)
      }
    }
  }
})

const settleMarginMillis = 5_000

const make = Effect.fnUntraced(function* ({ till, ...options }: SolanaFacilitatorLayerOptions) {
  if (typeof till !== "string" || till === "") return yield* unnamedTill()
  const { transfers } = yield* Journals
  const facilitator = yield* makeSolanaFacilitator({ ...options, journal: transfers })
  const { confirmTimeoutMillis } = yield* configure({ ...options, journal: transfers })
  return Facilitator.layerClient(facilitator.forTill(till), {
    settleTimeoutMillis: confirmTimeoutMillis + settleMarginMillis
  })
})

const config = Config.all({
  rpcUrl: Config.String("SOLANA_FACILITATOR_RPC_URL"),
  settings: optionalSettings({
    till: Config.String("SOLANA_FACILITATOR_TILL"),
    network: Config.Literals(names, "SOLANA_FACILITATOR_NETWORK"),
    maxPriorityFeeLamports: positiveInt("SOLANA_FACILITATOR_MAX_PRIORITY_FEE_LAMPORTS"),
    maxFailedFeesPerPayer: positiveInt("SOLANA_FACILITATOR_MAX_FAILED_FEES_PER_PAYER"),
    maxFailedFeesOfStrangers: positiveInt("SOLANA_FACILITATOR_MAX_FAILED_FEES_OF_STRANGERS"),
    confirmTimeoutMillis: positiveInt("SOLANA_FACILITATOR_CONFIRM_TIMEOUT_MILLIS"),
    pollMillis: positiveInt("SOLANA_FACILITATOR_POLL_MILLIS")
  }),
  upstream: upstreamConfig("SOLANA_FACILITATOR")
})

const signerFromConfig = Effect.fnUntraced(function* () {
  const key = yield* Config.Redacted("SOLANA_FACILITATOR_PRIVATE_KEY")
  return yield* Effect.try({
    try: () => solanaSigner(Redacted.value(key)),
    catch: () =>
      new ConfigurationError({
        message:
          "solana-facilitator: SOLANA_FACILITATOR_PRIVATE_KEY must be 64 bytes, in base58 or as the JSON array of solana-keygen"
      })
  })
})

const makeConfig = Effect.fnUntraced(function* (defaults: Partial<SolanaFacilitatorLayerOptions>) {
  const { rpcUrl, settings, upstream } = yield* config
  return yield* make({
    till: "",
    ...defaults,
    ...upstream,
    ...settings,
    rpcUrl,
    feePayer: defaults.feePayer ?? (yield* signerFromConfig())
  })
})

/**
 * A facilitator on Solana that verifies and settles by itself, as the service of a till. It needs `Journals`.
 *
 * @example
 * import { SqliteJournals } from "@till402/providers/journals"
 * import { SolanaFacilitator, solanaSigner } from "@till402/providers/solana-facilitator"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const facilitator = SolanaFacilitator.layer({
 *   till: "bookshop",
 *   feePayer: solanaSigner(process.env["SOLANA_FEE_PAYER_KEY"] ?? ""),
 *   rpcUrl: process.env["SOLANA_RPC_URL"] ?? ""
 * }).pipe(Layer.provide([FetchHttpClient.layer, SqliteJournals.layer({ filename: "till.sqlite" })]))
 */
export const SolanaFacilitator = {
  layer: (
    options: SolanaFacilitatorLayerOptions
  ): Layer.Layer<Facilitator, ConfigurationError, HttpClient.HttpClient | Journals> =>
    Layer.unwrap(make(options)),

  /**
   * Reads `SOLANA_FACILITATOR_TILL` (unless `defaults` has a `till`), `SOLANA_FACILITATOR_PRIVATE_KEY` (unless
   * `defaults` has a `feePayer`) and `SOLANA_FACILITATOR_RPC_URL`. If set, also `SOLANA_FACILITATOR_NETWORK`,
   * `SOLANA_FACILITATOR_MAX_PRIORITY_FEE_LAMPORTS`, `SOLANA_FACILITATOR_MAX_FAILED_FEES_PER_PAYER`,
   * `SOLANA_FACILITATOR_MAX_FAILED_FEES_OF_STRANGERS`,
   * `SOLANA_FACILITATOR_CONFIRM_TIMEOUT_MILLIS`, `SOLANA_FACILITATOR_POLL_MILLIS` and the settings of all providers,
   * such as `SOLANA_FACILITATOR_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  layerConfig: (
    defaults: Partial<SolanaFacilitatorLayerOptions> = {}
  ): Layer.Layer<Facilitator, Config.ConfigError | ConfigurationError, HttpClient.HttpClient | Journals> =>
    Layer.unwrap(makeConfig(defaults))
}
