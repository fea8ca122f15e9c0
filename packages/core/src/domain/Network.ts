/** A network on which a call can be paid, and its dollar stablecoin. */
export interface Network {
  /** CAIP-2 identifier, e.g. `eip155:84532`: the name of protocol version 2. */
  readonly caip2: `eip155:${number}`
  /** Short name of protocol version 1, where it has one. */
  readonly v1Name: string | undefined
  readonly chainId: number
  /** The stablecoin's contract, checksummed. */
  readonly asset: `0x${string}`
  /** EIP-712 domain name and version of the stablecoin; clients sign with these. */
  readonly eip712: { readonly name: string; readonly version: string }
}

const evm = (chainId: number, v1Name: string | undefined, asset: `0x${string}`, name: string): Network => ({
  caip2: `eip155:${chainId}`,
  v1Name,
  chainId,
  asset,
  eip712: { name, version: "2" }
})

/**
 * Networks known by name, with Circle's USDC on each.
 * Addresses: https://developers.circle.com/stablecoins/usdc-contract-addresses
 */
export const networks: ReadonlyArray<Network> = [
  evm(8453, "base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"),
  evm(84532, "base-sepolia", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"),
  evm(137, "polygon", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USD Coin"),
  evm(43114, "avalanche", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USD Coin"),
  evm(42161, undefined, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USD Coin"),
  evm(1, undefined, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USD Coin")
]

/** Finds a network by its CAIP-2 identifier or its version-1 name. */
export const findNetwork = (name: string): Network | undefined =>
  networks.find((network) => network.caip2 === name || network.v1Name === name)
