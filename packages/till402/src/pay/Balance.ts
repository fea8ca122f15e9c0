import { createPublicClient, erc20Abi, http, parseAbi } from "viem"
import type { Network } from "@till402/core/effect"

/** A token, and the network that it is on. */
export interface Token {
  readonly asset: string
  readonly network: Network | undefined
  readonly networkName: string
}

const timeoutMillis = 5_000

/** Addresses of public nodes; loaded where no other is given, for they are hundreds of modules. */
const publicNode = async (chainId: number): Promise<string | undefined> => {
  const chains = await import("viem/chains")
  return Object.values(chains).find(({ id }) => id === chainId)?.rpcUrls.default.http[0]
}

const evmClient = async (chainId: number, rpcUrl: string | undefined) => {
  const node = rpcUrl ?? (await publicNode(chainId))
  const client = createPublicClient({ transport: http(node, { timeout: timeoutMillis, retryCount: 0 }) })
  const found = await client.getChainId()
  if (found !== chainId) throw new Error(`the node is on chain ${found}`)
  return client
}

const evmBalance = async (
  chainId: number,
  { asset, owner }: { readonly asset: string; readonly owner: string },
  rpcUrl: string | undefined
): Promise<bigint> => {
  const client = await evmClient(chainId, rpcUrl)
  return client.readContract({
    address: asset as `0x${string}`,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [owner as `0x${string}`]
  })
}

const authorizationState = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"
])

/** What the chain says of an authorization of EIP-3009. */
export interface AuthorizationState {
  /** Whether the token's contract has used it, or canceled it. */
  readonly isUsed: boolean
  /** Time of the newest block, in seconds since 1970, which expires authorizations; `undefined` if it can't be read. */
  readonly blockSeconds: number | undefined
}

/**
 * Reads the state of an authorization, and the time on its chain.
 *
 * @throws Error if there is no node, or it doesn't respond within 5 seconds
 */
export const authorizationStateOf = async (
  { asset, network }: Token,
  { address, nonce }: { readonly address: string; readonly nonce: `0x${string}` },
  rpcUrl: string | undefined
): Promise<AuthorizationState> => {
  if (network?.family !== "evm") throw new Error("the network has no such authorizations")
  const client = await evmClient(network.chainId, rpcUrl)
  // Before the state: what is unused then is unused at the time of this block.
  const blockSeconds = await client.getBlock().then(
    ({ timestamp }) => Number(timestamp),
    () => undefined
  )
  const isUsed = await client.readContract({
    address: asset as `0x${string}`,
    abi: authorizationState,
    functionName: "authorizationState",
    args: [address as `0x${string}`, nonce]
  })
  return { isUsed, blockSeconds }
}

interface TokenAccounts {
  readonly error?: { readonly message?: string }
  readonly result?: {
    readonly value: ReadonlyArray<{
      readonly account: {
        readonly data: {
          readonly parsed: { readonly info: { readonly tokenAmount: { readonly amount: string } } }
        }
      }
    }>
  }
}

const solanaNodes: Readonly<Record<string, string>> = {
  solana: "https://api.mainnet-beta.solana.com",
  "solana-devnet": "https://api.devnet.solana.com"
}

const solanaBalance = async (
  networkName: string,
  { asset, owner }: { readonly asset: string; readonly owner: string },
  rpcUrl: string | undefined
): Promise<bigint> => {
  const node = rpcUrl ?? solanaNodes[networkName]
  if (node === undefined) throw new Error("no node of this network is known")
  const params = [owner, { mint: asset }, { encoding: "jsonParsed" }]
  const response = await fetch(node, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getTokenAccountsByOwner", params }),
    signal: AbortSignal.timeout(timeoutMillis)
  })
  const { error, result } = (await response.json()) as TokenAccounts
  if (result === undefined) throw new Error(error?.message ?? `the node returned ${response.status}`)
  return result.value.reduce(
    (sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount),
    0n
  )
}

/**
 * The balance of a wallet in the token, in atomic units, by `rpcUrl` or else a public node.
 *
 * @throws Error if there is no node, or it doesn't respond within 5 seconds
 */
export const balanceOf = async (
  { asset, network, networkName }: Token,
  owner: string,
  rpcUrl: string | undefined
): Promise<bigint> => {
  if (network === undefined) throw new Error("the network isn't known")
  return network.family === "evm"
    ? evmBalance(network.chainId, { asset, owner }, rpcUrl)
    : solanaBalance(networkName, { asset, owner }, rpcUrl)
}
