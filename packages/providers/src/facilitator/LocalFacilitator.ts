import type { ConfigurationError, FacilitatorClient } from "@till402/core"
import { Chain, Facilitator } from "@till402/core/effect"
import { Clock, Config, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { Journals } from "../journals/Journals.ts"
import { accountFromConfig } from "./SigningAccount.ts"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import { makeChain } from "./Chain.ts"
import {
  makeUpstream,
  optionalSettings,
  positiveInt,
  settingReaders,
  toPromise,
  upstreamConfig,
  withDefaults
} from "../upstream/index.ts"
import {
  type CheckedSettings,
  checkSettings,
  checkTill,
  type LocalFacilitatorLayerOptions,
  type LocalFacilitatorSettings
} from "./FacilitatorSettings.ts"
import {
  failure,
  invalidResult,
  networkNameIn,
  type SettleResponse,
  type SupportedResult,
  type VerifyResult
} from "./FacilitatorResponses.ts"
import { type ChainUnavailable, type Evidence, makePaymentCheck } from "./PaymentCheck.ts"
import { readPayment } from "./PresentedPayment.ts"
import { makeRelay, type Relay, type RelayFault } from "./Relay.ts"
import type { RelayRefused } from "./RelayRefused.ts"
import { makeSettling } from "./Settling.ts"
import { type Hex, journalOf, type SettlementJournalFailed } from "./SettlementJournal.ts"

/*
 * Puts a local facilitator together, and gives it the shape of the official one.
 */

/** A facilitator that verifies and settles by itself. */
export interface LocalFacilitator {
  /** The relayer's address. */
  readonly address: Hex
  /** Verifies a payment. Rejects if the chain can't be read, or the relayer can't pay the gas now. */
  readonly verify: (paymentPayload: unknown, paymentRequirements: unknown) => Promise<VerifyResult>
  /**
   * Settles a payment, once for each authorization. Never rejects: `settlement_pending` and other failures with a
   * transaction are open outcomes, to be settled again. `caller` names the till, as in `forTill`; only the caller that
   * settled a payment first gets its result again.
   */
  readonly settle: (
    paymentPayload: unknown,
    paymentRequirements: unknown,
    caller: string
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
   */
  readonly forTill: (name: string) => FacilitatorClient
}

/** The facilitator before it becomes promises. */
interface LocalFacilitatorClient {
  readonly address: Hex
  readonly verify: (
    paymentPayload: unknown,
    paymentRequirements: unknown
  ) => Effect.Effect<VerifyResult, NodeFault | ChainUnavailable | RelayRefused | SettlementJournalFailed>
  readonly settle: (
    paymentPayload: unknown,
    paymentRequirements: unknown,
    caller: string
  ) => Effect.Effect<SettleResponse>
  readonly supported: SupportedResult
}

/** Calls to a node are many and short. */
const nodeDefaults = { maxConcurrent: 64, maxWaiting: 8_192, deadlineMillis: 15_000 }

const supportedBy = ({ relays }: CheckedSettings, address: Hex): SupportedResult => ({
  kinds: relays.flatMap(({ network: { caip2, v1Name } }) => [
    { x402Version: 2, scheme: "exact" as const, network: caip2 },
    ...(v1Name === undefined ? [] : [{ x402Version: 1, scheme: "exact" as const, network: v1Name }])
  ]),
  extensions: [],
  signers: { "eip155:*": [address] }
})

/** Reads of the chains that prove payments, over the `HttpClient` of the context. */
const evidenceOf = Effect.fnUntraced(function* ({ relays }: CheckedSettings) {
  const networks = relays.map(({ network, rpcUrl }) => ({ ...network, rpcUrl }))
  // Cached, not built here: the reader is loaded with the first payment.
  return yield* Effect.cached(
    Effect.provide(
      Effect.gen(function* () {
        return yield* Chain
      }),
      Chain.layerRpc(networks).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, yield* HttpClient.HttpClient))
      )
    )
  )
})

/** Makes a facilitator over the `HttpClient` of the context. */
export const makeLocalFacilitator = Effect.fnUntraced(function* (
  options: LocalFacilitatorSettings
): Effect.fn.Return<LocalFacilitatorClient, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* checkSettings(options)
  return yield* makeFacilitatorOver(settings, options, yield* evidenceOf(settings))
})

/** Makes a facilitator that proves payments by these reads. */
export const makeFacilitatorOver = (
  settings: CheckedSettings,
  options: LocalFacilitatorSettings,
  evidence: Effect.Effect<Evidence>
): Effect.Effect<LocalFacilitatorClient, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const journal = journalOf(options.journal)
    const relays = new Map<string, Relay>()
    for (const relay of settings.relays) {
      const { caip2 } = relay.network
      const upstream = yield* makeUpstream({ ...withDefaults(nodeDefaults, options), name: "facilitator" })
      relays.set(caip2, yield* makeRelay(relay, makeChain(upstream, relay.rpcUrl), journal))
    }
    const check = makePaymentCheck(settings, evidence)
    const settlePayment = makeSettling(settings, journal, check, evidence)

    const read = (paymentPayload: unknown, paymentRequirements: unknown) =>
      readPayment(
        paymentPayload,
        paymentRequirements,
        ({ caip2 }) => relays.get(caip2)?.settings.tokens ?? []
      )

    const verify = Effect.fn("LocalFacilitator.verify")(function* (payload: unknown, requirements: unknown) {
      const reading = read(payload, requirements)
      if (reading._tag === "Refused") return invalidResult(reading.reason, reading.payer)
      const { payment } = reading
      const payer = payment.authorization.from
      const relay = relays.get(payment.network.caip2)!
      const verdict = yield* check(relay, payment)
      if (verdict._tag === "Invalid") return invalidResult(verdict.reason, payer)
      const promisedAtomic = yield* relay.promisedAtomic(payment.key)
      if (verdict.balanceAtomic < promisedAtomic + BigInt(payment.authorization.value)) {
        return invalidResult("invalid_exact_evm_insufficient_balance", payer)
      }
      const { byContract, gas } = verdict
      const risked = { key: payment.key, payer: payer.toLowerCase(), cost: gas, byContract }
      const refusal = relay.reverts.refusal(risked, yield* Clock.currentTimeMillis)
      if (refusal !== undefined) return invalidResult(refusal, payer)
      yield* relay.reserve(gas, payment, verdict.balanceAtomic - promisedAtomic)
      return { isValid: true, payer }
    })

    const settle = (
      payload: unknown,
      requirements: unknown,
      caller: string
    ): Effect.Effect<SettleResponse> => {
      const reading = read(payload, requirements)
      if (reading._tag === "Refused") {
        const network = networkNameIn(requirements)
        return Effect.succeed(failure(reading.reason, { network, payer: reading.payer }))
      }
      const { authorization, network } = reading.payment
      const about = { network: network.caip2, payer: authorization.from }
      return settlePayment(relays.get(network.caip2)!, reading.payment, caller).pipe(
        Effect.map((result) =>
          result._tag === "Settled"
            ? { success: true, transaction: result.transaction, ...about }
            : failure(result.reason, about, result.transaction)
        ),
        // The outcome is open: a transaction may have been recorded or sent before the fault.
        Effect.catch((fault: RelayFault | ChainUnavailable) =>
          Effect.succeed({ ...failure("unexpected_settle_error", about), errorMessage: fault._tag })
        )
      )
    }

    return {
      address: options.account.address,
      verify,
      settle,
      supported: supportedBy(settings, options.account.address)
    }
  })

/** The facilitator of a plain host. */
export const toLocalFacilitator = (client: LocalFacilitatorClient): LocalFacilitator => {
  const verify = (payload: unknown, requirements: unknown) =>
    toPromise(client.verify(payload, requirements), undefined)
  const settle = (payload: unknown, requirements: unknown, caller: string) =>
    toPromise(client.settle(payload, requirements, caller), undefined)
  const getSupported = async () => client.supported
  return {
    address: client.address,
    verify,
    settle,
    getSupported,
    forTill: (name) => {
      const caller = Effect.runSync(checkTill(name))
      return {
        verify,
        settle: (payload: unknown, requirements: unknown) => settle(payload, requirements, caller),
        getSupported
      }
    }
  }
}

const settleMarginMillis = 5_000

const make = Effect.fnUntraced(function* (options: LocalFacilitatorLayerOptions) {
  const till = yield* checkTill(options.till)
  const { settlements } = yield* Journals
  const client = yield* makeLocalFacilitator({ ...options, journal: settlements })
  const { confirmTimeoutMillis } = yield* checkSettings(options)
  return Facilitator.layerClient(toLocalFacilitator(client).forTill(till), {
    settleTimeoutMillis: confirmTimeoutMillis + settleMarginMillis
  })
})

const config = Config.all({
  settings: optionalSettings({
    minValidSeconds: positiveInt("FACILITATOR_MIN_VALID_SECONDS"),
    confirmTimeoutMillis: positiveInt("FACILITATOR_CONFIRM_TIMEOUT_MILLIS"),
    replaceAfterMillis: positiveInt("FACILITATOR_REPLACE_AFTER_MILLIS"),
    pollMillis: positiveInt("FACILITATOR_POLL_MILLIS")
  }),
  maxGas: optionalSettings({ maxGas: positiveInt("FACILITATOR_MAX_GAS") }),
  maxFeePerGas: optionalSettings({ maxFeePerGas: positiveInt("FACILITATOR_MAX_FEE_PER_GAS") }),
  till: optionalSettings({ till: Config.String("FACILITATOR_TILL") }),
  network: Config.all({
    network: Config.String("FACILITATOR_NETWORK"),
    rpcUrl: Config.String("FACILITATOR_RPC_URL")
  }),
  upstream: upstreamConfig("FACILITATOR")
})

const makeConfig = Effect.fnUntraced(function* (defaults: Partial<LocalFacilitatorLayerOptions>) {
  const { maxFeePerGas, maxGas, network, settings, till, upstream } = yield* config
  return yield* make({
    ...defaults,
    till: till.till ?? defaults.till ?? "",
    ...upstream,
    ...settings,
    ...(maxGas.maxGas === undefined ? {} : { maxGas: BigInt(maxGas.maxGas) }),
    networks: [
      ...(defaults.networks ?? []),
      {
        ...network,
        ...(maxFeePerGas.maxFeePerGas === undefined
          ? {}
          : { maxFeePerGas: BigInt(maxFeePerGas.maxFeePerGas) })
      }
    ],
    account:
      defaults.account ?? (yield* accountFromConfig("FACILITATOR_PRIVATE_KEY", settingReaders("facilitator")))
  })
})

/**
 * A facilitator that verifies and settles by itself, as the service of a till. It needs `Journals`.
 *
 * @example
 * import { SqliteJournals } from "@till402/providers/journals"
 * import { LocalFacilitator } from "@till402/providers/facilitator"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 * import { privateKeyToAccount } from "viem/accounts"
 *
 * const facilitator = LocalFacilitator.layer({
 *   till: "bookshop",
 *   account: privateKeyToAccount(`0x${process.env["RELAYER_KEY"]}`),
 *   networks: [{ network: "base", rpcUrl: process.env["BASE_RPC_URL"] ?? "" }]
 * }).pipe(Layer.provide([FetchHttpClient.layer, SqliteJournals.layer({ filename: "till.sqlite" })]))
 */
export const LocalFacilitator = {
  layer: (
    options: LocalFacilitatorLayerOptions
  ): Layer.Layer<Facilitator, ConfigurationError, HttpClient.HttpClient | Journals> =>
    Layer.unwrap(make(options)),

  /**
   * Reads `FACILITATOR_TILL` (unless `defaults` has a `till`), `FACILITATOR_PRIVATE_KEY` (unless `defaults` has an
   * `account`), `FACILITATOR_NETWORK` and `FACILITATOR_RPC_URL`, which name one network in addition to those of
   * `defaults`. If set, also `FACILITATOR_MAX_FEE_PER_GAS` of that network, `FACILITATOR_MAX_GAS`,
   * `FACILITATOR_MIN_VALID_SECONDS`, `FACILITATOR_CONFIRM_TIMEOUT_MILLIS`, `FACILITATOR_REPLACE_AFTER_MILLIS`,
   * `FACILITATOR_POLL_MILLIS` and the settings of all providers, such as `FACILITATOR_TIMEOUT_MILLIS`. They take
   * precedence over `defaults`.
   */
  layerConfig: (
    defaults: Partial<LocalFacilitatorLayerOptions> = {}
  ): Layer.Layer<Facilitator, Config.ConfigError | ConfigurationError, HttpClient.HttpClient | Journals> =>
    Layer.unwrap(makeConfig(defaults))
}
