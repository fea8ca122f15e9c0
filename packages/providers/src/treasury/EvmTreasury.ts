import type { ConfigurationError } from "@till402/core"
import { type EvmNetwork, findEvmNetwork } from "@till402/core/effect"
import { Config, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import { isHex } from "viem"
import { Journals } from "../journals/Journals.ts"
import {
  isUpstreamFault,
  makeUpstream,
  optionalSettings,
  positiveInt,
  settingReaders,
  toPromise,
  toThrown,
  upstreamConfig,
  type UpstreamSettings
} from "../upstream/index.ts"
import { accountFromConfig } from "./AccountConfig.ts"
import { type ChainFault, makeChain } from "./Chain.ts"
import { journalOf, type PaymentJournal } from "./PaymentJournal.ts"
import { makeSending } from "./Sending.ts"
import { makeSigning } from "./Signing.ts"
import type { SigningAccount } from "./SigningAccount.ts"
import type { Hex } from "./Hex.ts"
import { type Transfer, verdictOf } from "./Transfer.ts"
import {
  type PaymentAgreement,
  type PaymentState,
  Treasury,
  type TreasuryClient,
  type TreasuryOptions,
  type TreasuryPayment
} from "./Treasury.ts"
import {
  type JournalFailed,
  PaymentRefused,
  type TreasuryError,
  treasuryRejection,
  type TreasuryRejection
} from "./TreasuryErrors.ts"

/*
 * A treasury on an EVM chain. A payment is signed and recorded in the journal before it is sent, so that
 * after a crash only the recorded transaction can be sent for its order.
 */

/** Options of `EvmTreasury.layer`. The journal is a service. */
export interface EvmTreasuryLayerOptions extends UpstreamSettings {
  /** The account that pays. Nothing else may send from it: transaction numbers would collide. */
  readonly account: SigningAccount
  /** JSON-RPC endpoint of the network. Must be https or on this machine. */
  readonly rpcUrl: string
  /** The network that it pays on, in that network's USDC; default `base`. */
  readonly network?: string | undefined
  /** Highest fee per unit of gas of a payment and its replacements, in wei; default 5 gwei. */
  readonly maxFeePerGas?: bigint | undefined
  /** Blocks that confirm a payment, including its own; default 1. */
  readonly confirmations?: number | undefined
  /** How long one call waits for a payment to be mined, in milliseconds; default 8000. */
  readonly confirmTimeoutMillis?: number | undefined
  /** Interval of polling the chain, in milliseconds; default 1000. */
  readonly pollMillis?: number | undefined
}

/** Options of the plain function `evmTreasury`. */
export interface EvmTreasurySettings extends EvmTreasuryLayerOptions {
  /** Records payments: durable, and shared by all processes that use the account. */
  readonly journal: PaymentJournal
}

/** The treasury before its node's faults become errors of the port. */
interface EvmTreasuryClient {
  readonly network: string
  readonly address: Hex
  readonly check: (agreement: PaymentAgreement) => Effect.Effect<Transfer, PaymentRefused>
  readonly find: (key: string) => Effect.Effect<PaymentState, ChainFault | JournalFailed>
  readonly pay: (
    payment: TreasuryPayment
  ) => Effect.Effect<
    { readonly reference: string; readonly transaction: Hex },
    TreasuryError | ChainFault | ConfigurationError
  >
}

const read = settingReaders("treasury")

const isAddress = (value: unknown): value is Hex => isHex(value) && value.length === 42

const configure = Effect.fnUntraced(function* (options: EvmTreasuryLayerOptions) {
  const network = findEvmNetwork(options.network ?? "base")
  if (network === undefined) {
    return yield* read.invalid(
      "network must be an EVM network that Till402 knows, such as base or base-sepolia"
    )
  }
  const address: unknown = options.account?.address
  if (!isAddress(address)) return yield* read.invalid("account must have an address")
  const maxFeePerGas: unknown = options.maxFeePerGas ?? 5_000_000_000n
  if (typeof maxFeePerGas !== "bigint" || maxFeePerGas < 1n) {
    return yield* read.invalid("maxFeePerGas must be a bigint above 0")
  }
  const payer: Hex = `0x${address.slice(2).toLowerCase()}`
  return {
    network,
    payer,
    maxFeePerGas,
    rpcUrl: yield* read.url("rpcUrl", options.rpcUrl),
    confirmations: yield* read.wholeNumber("confirmations", options.confirmations ?? 1, 1),
    confirmTimeoutMillis: yield* read.wholeNumber(
      "confirmTimeoutMillis",
      options.confirmTimeoutMillis ?? 8_000,
      1
    ),
    pollMillis: yield* read.wholeNumber("pollMillis", options.pollMillis ?? 1_000, 1)
  }
})

/** A treasury over the `HttpClient` of the context. */
export const makeEvmTreasury = Effect.fnUntraced(function* (
  options: EvmTreasurySettings
): Effect.fn.Return<EvmTreasuryClient, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  const chain = makeChain(yield* makeUpstream({ ...options, name: "treasury" }), settings.rpcUrl)
  const journal = journalOf(options.journal)
  const { clear, decide, raise } = makeSigning({ ...settings, account: options.account }, chain, journal)
  const { bring: confirm, stateOf } = makeSending(settings, chain, { clear, raise })
  const { address } = options.account
  const name = settings.network.v1Name ?? settings.network.caip2

  const check = (agreement: PaymentAgreement): Effect.Effect<Transfer, PaymentRefused> => {
    const verdict = verdictOf(agreement.prepared, { ...agreement, ...tokenOf(settings.network) })
    return verdict._tag === "Accepted"
      ? Effect.succeed(verdict.transfer)
      : Effect.fail(new PaymentRefused({ reason: verdict.reason }))
  }

  const pay = Effect.fn("Treasury.pay")(function* (payment: TreasuryPayment) {
    const known = yield* journal.find(payment.key)
    if (known !== undefined) return yield* confirm(known)
    const transfer = yield* check(payment)
    const record = yield* decide(payment, transfer)
    return yield* confirm(record)
  })

  const find = Effect.fn("Treasury.find")(function* (key: string) {
    const record = yield* journal.find(key)
    return record === undefined ? ({ status: "none" } as const) : yield* stateOf(record)
  })

  return { network: name, address, check, pay, find }
})

const tokenOf = (network: EvmNetwork) => ({ chainId: network.chainId, token: network.asset })

/** The treasury of a plain host. */
export const toTreasuryOptions = ({
  address,
  check,
  find,
  network,
  pay
}: EvmTreasuryClient): TreasuryOptions => ({
  network,
  address,
  check: (agreement) => toPromise(Effect.asVoid(check(agreement)), undefined),
  find: (key, context) => toPromise(find(key), context?.signal),
  pay: (payment, context) => toPromise(pay(payment), context?.signal)
})

type Failure = TreasuryError | ChainFault | ConfigurationError

const toRejection = (error: Failure): TreasuryRejection =>
  treasuryRejection(isUpstreamFault(error) ? toThrown(error) : error)

const toTreasury = ({ check, find, pay, ...treasury }: EvmTreasuryClient): TreasuryClient => ({
  ...treasury,
  check: (agreement) => Effect.asVoid(check(agreement)),
  find: (key) => Effect.mapError(find(key), toRejection),
  pay: (payment) => Effect.mapError(pay(payment), toRejection)
})

const make = Effect.fnUntraced(function* (options: EvmTreasuryLayerOptions) {
  const { payments } = yield* Journals
  return toTreasury(yield* makeEvmTreasury({ ...options, journal: payments }))
})

const config = Config.all({
  settings: optionalSettings({
    rpcUrl: Config.String("TREASURY_RPC_URL"),
    network: Config.String("TREASURY_NETWORK"),
    confirmations: positiveInt("TREASURY_CONFIRMATIONS"),
    confirmTimeoutMillis: positiveInt("TREASURY_CONFIRM_TIMEOUT_MILLIS"),
    pollMillis: positiveInt("TREASURY_POLL_MILLIS")
  }),
  maxFeePerGas: optionalSettings({ maxFeePerGas: positiveInt("TREASURY_MAX_FEE_PER_GAS") }),
  upstream: upstreamConfig("TREASURY")
})

const makeConfig = Effect.fnUntraced(function* (defaults: Partial<EvmTreasuryLayerOptions>) {
  const { maxFeePerGas, settings, upstream } = yield* config
  const rpcUrl = settings.rpcUrl ?? defaults.rpcUrl
  return yield* make({
    ...defaults,
    ...upstream,
    ...settings,
    ...(maxFeePerGas.maxFeePerGas === undefined ? {} : { maxFeePerGas: BigInt(maxFeePerGas.maxFeePerGas) }),
    rpcUrl: rpcUrl ?? (yield* Config.String("TREASURY_RPC_URL")),
    account: defaults.account ?? (yield* accountFromConfig("TREASURY_PRIVATE_KEY", read))
  })
})

/**
 * A treasury on an EVM chain, as the service that providers pay with. It needs `Journals`.
 *
 * @example
 * import { SqliteJournals } from "@till402/providers/journals"
 * import { EvmTreasury } from "@till402/providers/treasury"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const treasury = EvmTreasury.layerConfig().pipe(
 *   Layer.provide([FetchHttpClient.layer, SqliteJournals.layer({ filename: "till.sqlite" })])
 * )
 */
export const EvmTreasury = {
  layer: (
    options: EvmTreasuryLayerOptions
  ): Layer.Layer<Treasury, ConfigurationError, HttpClient.HttpClient | Journals> =>
    Layer.effect(Treasury, make(options)),

  /**
   * Reads `TREASURY_PRIVATE_KEY` (unless `defaults` has an `account`), `TREASURY_RPC_URL` and, if set,
   * `TREASURY_NETWORK`, `TREASURY_MAX_FEE_PER_GAS`, `TREASURY_CONFIRMATIONS`,
   * `TREASURY_CONFIRM_TIMEOUT_MILLIS`, `TREASURY_POLL_MILLIS` and the settings of all providers, such as
   * `TREASURY_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  layerConfig: (
    defaults: Partial<EvmTreasuryLayerOptions> = {}
  ): Layer.Layer<Treasury, Config.ConfigError | ConfigurationError, HttpClient.HttpClient | Journals> =>
    Layer.effect(Treasury, makeConfig(defaults))
}
