import { ConfigurationError, type FacilitatorClient } from "@till402/core"
import { Facilitator } from "@till402/core/effect"
import { type Address, isAddress } from "@solana/kit"
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
import { makeSolanaNode, type NodeFault, type SolanaNode } from "../solana-refunds/SolanaNode.ts"
import { solanaSigner, type SolanaSigner } from "../solana-refunds/SolanaSigner.ts"
import { journalOf, type TransferJournal } from "../solana-refunds/TransferJournal.ts"
import {
  makeUpstream,
  optionalSettings,
  positiveInt,
  settingReaders,
  toPromise,
  upstreamConfig,
  type UpstreamSettings,
  withDefaults
} from "../upstream/index.ts"
import type { FeePayerUnderfunded } from "./FacilitatorErrors.ts"
import { makePaymentCheck } from "./PaymentCheck.ts"
import { readPayment } from "./PresentedPayment.ts"
import { makeSettling, type SettlingFault } from "./Settling.ts"

/** Options of `solanaFacilitator`. */
export interface SolanaFacilitatorOptions extends UpstreamSettings {
  /** Signs as fee payer of every settlement: `solanaSigner`, or a custody service. It needs SOL, and nothing else. */
  readonly feePayer: SolanaSigner
  /** JSON-RPC endpoint of the network, of a node that keeps history. Must be https or on this machine. */
  readonly rpcUrl: string
  /** Records settlements: durable, and shared by all processes that use the fee payer. */
  readonly journal: TransferJournal
  /** `solana` (default) or `solana-devnet`. */
  readonly network?: "solana" | "solana-devnet" | undefined
  /** Highest price of a compute unit that payers may set, in millionths of a lamport; default 1,000,000. */
  readonly maxPriorityFeeMicroLamports?: number | undefined
  /** Highest limit of compute units that payers may set; default 200,000. */
  readonly maxComputeUnits?: number | undefined
  /** How long one settlement waits for the chain, in milliseconds; default 25,000. */
  readonly confirmTimeoutMillis?: number | undefined
  /** Interval of polling the chain, in milliseconds; default 500. */
  readonly pollMillis?: number | undefined
}

/** Options of `SolanaFacilitator.layer`. The journal is a service. */
export interface SolanaFacilitatorLayerOptions extends Omit<SolanaFacilitatorOptions, "journal"> {
  /** Names the till's store, as in `forTill` of `solanaFacilitator`. */
  readonly till: string
}

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

const read = settingReaders("solana-facilitator")

const references = {
  solana: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
  "solana-devnet": "EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
} as const
const names = ["solana", "solana-devnet"] as const

/** Calls to a node are many and short. */
const nodeDefaults = { maxConcurrent: 64, maxWaiting: 8_192, deadlineMillis: 15_000 }

const configure = Effect.fnUntraced(function* (options: SolanaFacilitatorOptions) {
  const address: unknown = options.feePayer?.address
  if (typeof address !== "string" || !isAddress(address)) {
    return yield* read.invalid("feePayer must have an address in base58")
  }
  if (typeof options.feePayer.sign !== "function") return yield* read.invalid("feePayer has no method sign")
  if (typeof options.journal?.insert !== "function") return yield* read.invalid("journal is missing")
  const v1Name = yield* read.oneOf("network", options.network ?? "solana", names)
  const number = (name: keyof SolanaFacilitatorOptions, value: unknown, minimum: number, maximum?: number) =>
    read.wholeNumber(name, value, minimum, maximum)
  const caip2: `solana:${string}` = `solana:${references[v1Name]}`
  return {
    served: { v1Name, caip2 },
    feePayer: address,
    signer: options.feePayer,
    rpcUrl: yield* read.url("rpcUrl", options.rpcUrl),
    maxPriorityFeeMicroLamports: yield* number(
      "maxPriorityFeeMicroLamports",
      options.maxPriorityFeeMicroLamports ?? 1_000_000,
      1,
      5_000_000
    ),
    maxComputeUnits: yield* number("maxComputeUnits", options.maxComputeUnits ?? 200_000, 10_000, 1_400_000),
    confirmTimeoutMillis: yield* number("confirmTimeoutMillis", options.confirmTimeoutMillis ?? 25_000, 1),
    pollMillis: yield* number("pollMillis", options.pollMillis ?? 500, 1)
  }
})

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
  const check = makePaymentCheck(settings, node)
  const settlePayment = makeSettling(settings, node, journalOf(options.journal), check)
  const assertChain = makeChainCheck(node, served.caip2)

  const verify = Effect.fn("SolanaFacilitator.verify")(function* (payload: unknown, requirements: unknown) {
    const reading = readPayment(payload, requirements, served)
    if (reading._tag === "Refused") return invalidResult(reading.reason, undefined)
    yield* assertChain
    const verdict = yield* check(reading.payment)
    return verdict._tag === "Valid"
      ? { isValid: true, payer: verdict.payer }
      : invalidResult(verdict.reason, verdict.payer)
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
    return yield* Effect.andThen(assertChain, settlePayment(reading.payment, caller)).pipe(
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
  return Facilitator.fromClient(facilitator.forTill(till), {
    settleTimeoutMillis: confirmTimeoutMillis + settleMarginMillis
  })
})

const config = Config.all({
  rpcUrl: Config.String("SOLANA_FACILITATOR_RPC_URL"),
  settings: optionalSettings({
    till: Config.String("SOLANA_FACILITATOR_TILL"),
    network: Config.Literals(names, "SOLANA_FACILITATOR_NETWORK"),
    maxPriorityFeeMicroLamports: positiveInt("SOLANA_FACILITATOR_MAX_PRIORITY_FEE_MICRO_LAMPORTS"),
    maxComputeUnits: positiveInt("SOLANA_FACILITATOR_MAX_COMPUTE_UNITS"),
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
   * `SOLANA_FACILITATOR_MAX_PRIORITY_FEE_MICRO_LAMPORTS`, `SOLANA_FACILITATOR_MAX_COMPUTE_UNITS`,
   * `SOLANA_FACILITATOR_CONFIRM_TIMEOUT_MILLIS`, `SOLANA_FACILITATOR_POLL_MILLIS` and the settings of all providers,
   * such as `SOLANA_FACILITATOR_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  layerConfig: (
    defaults: Partial<SolanaFacilitatorLayerOptions> = {}
  ): Layer.Layer<Facilitator, Config.ConfigError | ConfigurationError, HttpClient.HttpClient | Journals> =>
    Layer.unwrap(makeConfig(defaults))
}
