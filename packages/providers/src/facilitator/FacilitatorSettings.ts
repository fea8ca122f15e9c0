import type { ConfigurationError, TokenOptions } from "@till402/core"
import { findEvmNetwork, type EvmNetwork } from "@till402/core/effect"
import { Effect } from "effect"
import { isAddress } from "viem"
import type { SigningAccount } from "./SigningAccount.ts"
import { settingReaders, type UpstreamSettings } from "../upstream/index.ts"
import type { RevertLimits } from "./RevertBudget.ts"
import type { Hex, SettlementJournal } from "./SettlementJournal.ts"

/** A network on which a local facilitator settles. */
export interface FacilitatorNetwork {
  /** The network's name: `base`, `base-sepolia` or its CAIP-2 identifier. */
  readonly network: string
  /** JSON-RPC endpoint of the network. Must be https or on this machine. */
  readonly rpcUrl: string
  /** Highest fee per unit of gas, in wei; default 5 gwei. Polygon and Ethereum often need more. */
  readonly maxFeePerGas?: bigint | undefined
  /** Blocks that confirm a settlement, including its own; default: those of the network. */
  readonly confirmations?: number | undefined
  /**
   * Dollars that it settles besides USDC: `{ address, name, version }`, as in `networks[].token` of the tills that it
   * serves. Default none.
   */
  readonly tokens?: ReadonlyArray<TokenOptions> | undefined
}

/** Options that the layer and the plain function share. */
export interface LocalFacilitatorOptions extends UpstreamSettings {
  /**
   * The relayer: it sends the settlements and pays their gas. Nothing else may send from it: transaction nonces would
   * collide. Keep only native coin on it.
   */
  readonly account: SigningAccount
  /** The networks that it settles on, in their USDC and the `tokens` of each. */
  readonly networks: ReadonlyArray<FacilitatorNetwork>
  /** Highest gas limit of one settlement; default 300,000. A payment that needs more is refused. */
  readonly maxGas?: bigint | undefined
  /**
   * Reverted gas of one payer within an hour, above which this process takes no payment of theirs; default 1,000,000.
   * What a contract wallet has in flight counts as reverted.
   */
  readonly maxRevertedGasPerPayer?: bigint | undefined
  /**
   * The same of all payers for whom this process settled nothing within a day; default 10,000,000. Half of it may be
   * used at once, and the other half refills evenly. Contract wallets and keys are counted apart, and separately for each
   * network.
   */
  readonly maxRevertedGasOfStrangers?: bigint | undefined
  /** Factories that may create a contract wallet with its first payment (EIP-6492); default none. */
  readonly walletFactories?: ReadonlyArray<Hex> | undefined
  /** Seconds that an authorization must still be valid to be accepted; default 6. */
  readonly minValidSeconds?: number | undefined
  /** How long one settlement waits for its confirmation, in milliseconds; default 25,000. */
  readonly confirmTimeoutMillis?: number | undefined
  /** Age at which a transaction that isn't mined is replaced with higher fees, in milliseconds; default 12,000. */
  readonly replaceAfterMillis?: number | undefined
  /** Interval of polling a chain while settlements wait, in milliseconds; default 500. */
  readonly pollMillis?: number | undefined
}

/** Options of `LocalFacilitator.layer`. The journal is a service. */
export interface LocalFacilitatorLayerOptions extends LocalFacilitatorOptions {
  /** Names the till's store, as in `forTill` of `localFacilitator`. */
  readonly till: string
}

/** Options of the plain function `localFacilitator`. */
export interface LocalFacilitatorSettings extends LocalFacilitatorOptions {
  /** Records settlements before they are sent: durable, and shared by all processes that use the account. */
  readonly journal: SettlementJournal
}

/** Checked settings of one network. */
export interface RelaySettings {
  /** With the confirmations that the host wants. */
  readonly network: EvmNetwork
  /** The network in each token that it settles: its USDC first. */
  readonly tokens: ReadonlyArray<EvmNetwork>
  readonly rpcUrl: string
  readonly account: SigningAccount
  /** The account's address, lower case. */
  readonly relayer: Hex
  readonly maxFeePerGas: bigint
  readonly maxGas: bigint
  readonly reverts: RevertLimits
  readonly replaceAfterMillis: number
  readonly pollMillis: number
}

/** Checked settings of a facilitator. */
export interface CheckedSettings {
  readonly relays: ReadonlyArray<RelaySettings>
  /** In lower case. */
  readonly walletFactories: ReadonlySet<string>
  readonly minValidSeconds: number
  readonly confirmTimeoutMillis: number
  readonly pollMillis: number
}

export const defaultMaxGas = 300_000n
export const defaultMaxFeePerGas = 5_000_000_000n
const defaultRevertedGasPerPayer = 1_000_000n
const defaultRevertedGasOfStrangers = 10_000_000n

const read = settingReaders("facilitator")

const positive = (name: string, value: unknown): Effect.Effect<bigint, ConfigurationError> =>
  typeof value === "bigint" && value > 0n
    ? Effect.succeed(value)
    : read.invalid(`${name} must be a bigint above 0`)

const lowerCase = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`

const whole = (name: string, value: number | undefined, initial: number) =>
  read.wholeNumber(name, value ?? initial, 1)

type Shared = Omit<RelaySettings, "network" | "tokens" | "rpcUrl" | "maxFeePerGas">

const isText = (text: unknown): text is string => typeof text === "string" && text !== ""

/** A network in a token that the host named. */
const checkToken = (
  network: EvmNetwork,
  token: TokenOptions | undefined
): Effect.Effect<EvmNetwork, ConfigurationError> => {
  const { address, name, version } = token ?? {}
  return isText(address) && isAddress(address) && isText(name) && isText(version)
    ? Effect.succeed({ ...network, asset: address, eip712: { name, version } })
    : read.invalid("tokens must have an address, and the name and version of their EIP-712 domain")
}

const checkTokens = Effect.fnUntraced(function* (network: EvmNetwork, { tokens = [] }: FacilitatorNetwork) {
  if (!Array.isArray(tokens)) return yield* read.invalid("tokens must be a list of tokens")
  const named = yield* Effect.forEach(tokens, (token) => checkToken(network, token))
  const all = [network, ...named]
  return new Set(all.map(({ asset }) => lowerCase(asset))).size === all.length
    ? all
    : yield* read.invalid("tokens names a token twice, or USDC, which is always settled")
})

const checkNetwork = Effect.fnUntraced(function* (options: FacilitatorNetwork, shared: Shared) {
  const network = findEvmNetwork(options.network)
  if (network === undefined) {
    return yield* read.invalid("networks must name networks that Till402 knows, such as base or base-sepolia")
  }
  const confirmations = yield* whole("confirmations", options.confirmations, network.confirmations)
  const own = { ...network, confirmations }
  return {
    ...shared,
    network: own,
    tokens: yield* checkTokens(own, options),
    rpcUrl: yield* read.url("rpcUrl", options.rpcUrl),
    maxFeePerGas: yield* positive("maxFeePerGas", options.maxFeePerGas ?? defaultMaxFeePerGas)
  }
})

/** Checks the name of a till. */
export const checkTill = (name: string): Effect.Effect<string, ConfigurationError> =>
  typeof name === "string" && name !== ""
    ? Effect.succeed(name)
    : read.invalid("till must name the till's store (FACILITATOR_TILL)")

/** Checks a host's options. Fails with a `ConfigurationError` that names the option. */
export const checkSettings = Effect.fnUntraced(function* (
  options: LocalFacilitatorOptions
): Effect.fn.Return<CheckedSettings, ConfigurationError> {
  const address: unknown = options.account?.address
  if (typeof address !== "string" || !isAddress(address)) {
    return yield* read.invalid("account must have an address")
  }
  if (!Array.isArray(options.networks) || options.networks.length === 0) {
    return yield* read.invalid("networks must name at least one network")
  }
  const pollMillis = yield* whole("pollMillis", options.pollMillis, 500)
  const shared: Shared = {
    account: options.account,
    relayer: lowerCase(address),
    maxGas: yield* positive("maxGas", options.maxGas ?? defaultMaxGas),
    reverts: {
      perPayer: yield* positive(
        "maxRevertedGasPerPayer",
        options.maxRevertedGasPerPayer ?? defaultRevertedGasPerPayer
      ),
      ofStrangers: yield* positive(
        "maxRevertedGasOfStrangers",
        options.maxRevertedGasOfStrangers ?? defaultRevertedGasOfStrangers
      )
    },
    replaceAfterMillis: yield* whole("replaceAfterMillis", options.replaceAfterMillis, 12_000),
    pollMillis
  }
  const factories = options.walletFactories ?? []
  if (!factories.every((factory) => isAddress(factory))) {
    return yield* read.invalid("walletFactories must be addresses")
  }
  const relays = yield* Effect.forEach(options.networks, (network) => checkNetwork(network, shared))
  if (new Set(relays.map(({ network }) => network.caip2)).size < relays.length) {
    return yield* read.invalid("networks names a network twice")
  }
  return {
    relays,
    walletFactories: new Set(factories.map(lowerCase)),
    minValidSeconds: yield* whole("minValidSeconds", options.minValidSeconds, 6),
    confirmTimeoutMillis: yield* whole("confirmTimeoutMillis", options.confirmTimeoutMillis, 25_000),
    pollMillis
  }
})
