/** A network on which a call can be paid, and its dollar stablecoin. */
export interface Network {
  /** CAIP-2 identifier, e.g. `eip155:84532`: the name of protocol version 2. */
  readonly caip2: `eip155:${number}`
  /** Short name in protocol version 1, if it has one. */
  readonly v1Name: string | undefined
  readonly chainId: number
  /** The stablecoin's contract, checksummed. */
  readonly asset: `0x${string}`
  /** EIP-712 domain name and version of the stablecoin; clients sign with these. */
  readonly eip712: { readonly name: string; readonly version: string }
  /** Blocks, including the transfer's own, before a transfer counts as payment. */
  readonly confirmations: number
  /** Age of a block, in chain time, after which no reorganization is expected to remove it. */
  readonly finalitySeconds: number
}

interface EvmNetwork extends Pick<
  Network,
  "chainId" | "v1Name" | "asset" | "confirmations" | "finalitySeconds"
> {
  /** Name in the stablecoin's EIP-712 domain. */
  readonly name: string
}

const evm = ({ name, ...network }: EvmNetwork): Network => ({
  ...network,
  caip2: `eip155:${network.chainId}`,
  eip712: { name, version: "2" }
})

/**
 * Networks known by name, with Circle's USDC on each.
 * Addresses: https://developers.circle.com/stablecoins/usdc-contract-addresses
 */
export const networks: ReadonlyArray<Network> = [
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

/** Finds a network by its CAIP-2 identifier or its version-1 name. */
export const findNetwork = (name: string): Network | undefined =>
  networks.find((network) => network.caip2 === name || network.v1Name === name)
