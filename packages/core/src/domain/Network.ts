import { isHex } from "./Hex.ts"

/** The parts of a network that all chain families share. */
interface NetworkTerms {
  /** Short name in protocol version 1, if it has one. */
  readonly v1Name: string | undefined
  /** Blocks, including the transfer's own, before a transfer counts as payment. Solana counts votes instead. */
  readonly confirmations: number
  /** Age of a block, in chain time, after which no reorganization is expected to remove it. */
  readonly finalitySeconds: number
}

/** An EVM network on which a call can be paid, and its dollar stablecoin. */
export interface EvmNetwork extends NetworkTerms {
  readonly family: "evm"
  /** CAIP-2 identifier, e.g. `eip155:84532`: the name of protocol version 2. */
  readonly caip2: `eip155:${number}`
  readonly chainId: number
  /** The stablecoin's contract, checksummed. */
  readonly asset: `0x${string}`
  /** EIP-712 domain name and version of the stablecoin; clients sign with these. */
  readonly eip712: { readonly name: string; readonly version: string }
}

/** A Solana network on which a call can be paid, and its dollar stablecoin. */
export interface SolanaNetwork extends NetworkTerms {
  readonly family: "solana"
  /** CAIP-2 identifier: `solana:` and the beginning of the genesis block's hash. */
  readonly caip2: `solana:${string}`
  /** The stablecoin's mint. */
  readonly asset: string
  /** The program that owns the mint: Token or Token-2022. */
  readonly tokenProgram: string
}

/** A network on which a call can be paid, and its dollar stablecoin. */
export type Network = EvmNetwork | SolanaNetwork

/** Names of networks: editors complete them. Any text may stand for one, such as that of a variable; start checks it. */
export type NetworkName =
  | "base"
  | "base-sepolia"
  | "polygon"
  | "avalanche"
  | "solana"
  | "solana-devnet"
  | "eip155:1"
  | "eip155:137"
  | "eip155:8453"
  | "eip155:42161"
  | "eip155:43114"
  | "eip155:84532"
  | "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
  | "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
  | (string & {})

interface EvmTerms extends Pick<
  EvmNetwork,
  "chainId" | "v1Name" | "asset" | "confirmations" | "finalitySeconds"
> {
  /** Name in the stablecoin's EIP-712 domain. */
  readonly name: string
}

const evm = ({ name, ...network }: EvmTerms): EvmNetwork => ({
  ...network,
  family: "evm",
  caip2: `eip155:${network.chainId}`,
  eip712: { name, version: "2" }
})

/**
 * EVM networks known by name, with Circle's USDC on each.
 * Addresses: https://developers.circle.com/stablecoins/usdc-contract-addresses
 */
export const evmNetworks: ReadonlyArray<EvmNetwork> = [
  evm({
    chainId: 8453,
    v1Name: "base",
    asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    name: "USD Coin",
    // One sequencer orders all blocks: reorganizations are rare, and touched only the newest blocks. 60 s: 30 blocks.
    confirmations: 1,
    finalitySeconds: 60
  }),
  evm({
    chainId: 84532,
    v1Name: "base-sepolia",
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    name: "USDC",
    // Like Base.
    confirmations: 1,
    finalitySeconds: 60
  }),
  evm({
    chainId: 137,
    v1Name: "polygon",
    asset: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
    name: "USD Coin",
    // Validators vote on milestones every few seconds; blocks after the last one can still be replaced. 120 s leave
    // room for late milestones.
    confirmations: 3,
    finalitySeconds: 120
  }),
  evm({
    chainId: 43114,
    v1Name: "avalanche",
    asset: "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
    name: "USD Coin",
    // A block is final once it is accepted, within two seconds. 30 s leave room for a lagging node.
    confirmations: 1,
    finalitySeconds: 30
  }),
  evm({
    chainId: 42161,
    v1Name: undefined,
    asset: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    name: "USD Coin",
    // One sequencer orders all blocks, like on Base.
    confirmations: 1,
    finalitySeconds: 60
  }),
  evm({
    chainId: 1,
    v1Name: undefined,
    asset: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    name: "USD Coin",
    // Reorganizations of one or two blocks happen; blocks are finalized after two epochs (12.8 minutes).
    confirmations: 3,
    finalitySeconds: 900
  })
]

/** The program of most SPL tokens, USDC included. */
export const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
/** Its successor, whose mints may have extensions. */
export const token2022Program = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"

/**
 * A transfer counts once two thirds of the stake have voted for its block (commitment `confirmed`), and is final about
 * 13 s later (`finalized`). Finality is read, not estimated: the seconds only delay the second look.
 */
const solana = (network: Pick<SolanaNetwork, "caip2" | "v1Name" | "asset">): SolanaNetwork => ({
  ...network,
  family: "solana",
  tokenProgram,
  confirmations: 1,
  finalitySeconds: 20
})

/** Solana networks known by name, with Circle's USDC on each. */
export const solanaNetworks: ReadonlyArray<SolanaNetwork> = [
  solana({
    caip2: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    v1Name: "solana",
    asset: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
  }),
  solana({
    caip2: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
    v1Name: "solana-devnet",
    asset: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
  })
]

/** All networks known by name. */
export const networks: ReadonlyArray<Network> = [...evmNetworks, ...solanaNetworks]

const playMoney: ReadonlySet<string> = new Set(["eip155:84532", "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"])

/** Whether the dollars of a network (CAIP-2) are free of charge, for tests. */
export const isPlayMoney = (caip2: string): boolean => playMoney.has(caip2)

/** Names of EVM networks: a call with one of these needs no check of the chain family. */
type EvmName = `eip155:${number}` | "base" | "base-sepolia" | "polygon" | "avalanche"
type SolanaName = "solana" | "solana-devnet"

const isNamed =
  (name: string) =>
  ({ caip2, v1Name }: Network): boolean =>
    caip2 === name || v1Name === name

/** Finds an EVM network by its CAIP-2 identifier or its version-1 name. */
export const findEvmNetwork = (name: string): EvmNetwork | undefined => evmNetworks.find(isNamed(name))

export function findNetwork(name: EvmName): EvmNetwork | undefined
export function findNetwork(name: SolanaName): SolanaNetwork | undefined
export function findNetwork(name: string): Network | undefined
/** Finds a network by its CAIP-2 identifier or its version-1 name. */
export function findNetwork(name: string): Network | undefined {
  return networks.find(isNamed(name))
}

/** Whether a network's token is this one. On Solana, letters that differ only in case name another one. */
export const isSameAsset = ({ asset, family }: Pick<Network, "asset" | "family">, other: string): boolean =>
  family === "solana" ? asset === other : asset.toLowerCase() === other.toLowerCase()

/**
 * The network on which a charge was paid, with the token that it was paid in. On EVM, keeps the domain of USDC, so it is
 * for reading the chain, not for signing. On Solana, `undefined` for any mint but USDC's.
 */
export const networkOfAsset = (caip2: string, asset: string | undefined): Network | undefined => {
  const network = findNetwork(caip2)
  if (network === undefined || asset === undefined || isSameAsset(network, asset)) return network
  return network.family === "evm" && isHex(asset, 20) ? { ...network, asset } : undefined
}

/** Whether a CAIP-2 identifier names a Solana network. */
export const isSolana = (caip2: string): boolean => caip2.startsWith("solana:")
