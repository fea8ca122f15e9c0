import {
  createTestClient,
  defineChain,
  http,
  maxUint256,
  publicActions,
  walletActions,
  type Account,
  type Address,
  type Chain as ViemChain,
  type Client,
  type Hash,
  type HttpTransport,
  type PublicActions,
  type TestActions,
  type TestRpcSchema,
  type WalletActions
} from "viem"
import { mnemonicToAccount, type HDAccount } from "viem/accounts"
import { startAnvil } from "./Anvil.ts"
import { makeSender } from "./Sender.ts"
import { signatureCheckerAddress, usdcAbi, usdcBytecode, usdcDeployments } from "./Usdc.ts"

/** A viem client for the local chain that reads, writes (as account 0) and controls it. */
export type ChainClient = Client<
  HttpTransport,
  ViemChain,
  Account,
  TestRpcSchema<"anvil">,
  { readonly mode: "anvil" } & TestActions &
    PublicActions<HttpTransport, ViemChain, Account> &
    WalletActions<ViemChain, Account>
>

export interface ChainOptions {
  /** Network to imitate: 84532 (Base Sepolia, default) or 8453 (Base). */
  readonly chainId?: number
  /** JSON-RPC port on the loopback interface; default 0, a free one. */
  readonly port?: number
  /**
   * Seconds between blocks, as on a public network; default 5. Every transaction also gets a block at once.
   * With `0` there are no other blocks, and contracts see no time pass between transactions.
   */
  readonly blockSeconds?: number
}

/** A local EVM chain with Circle's USDC contract. */
export interface Chain {
  readonly rpcUrl: string
  readonly chainId: number
  /** Address of the USDC contract, the same as on the public network. */
  readonly usdc: Address
  /** Mints USDC and resolves, once mined, to the transaction hash. */
  readonly mint: (to: Address, amountAtomic: bigint) => Promise<Hash>
  /** USDC balance of an address, in atomic units (6 decimals). */
  readonly balanceOf: (address: Address) => Promise<bigint>
  /** Development account `index`, 0 to 9, with plenty of ether. Account 0 owns the USDC contract. */
  readonly accounts: (index: number) => HDAccount
  readonly client: ChainClient
  /** Stops the chain and waits until its process has exited. Safe to call twice. */
  readonly stop: () => Promise<void>
}

const mnemonic = "test test test test test test test test test test test junk"
const known = new Map<number, HDAccount>()

/** The account of an index, derived once: that takes a twentieth of a second. */
const accounts = (index: number): HDAccount => {
  const account = known.get(index) ?? mnemonicToAccount(mnemonic, { addressIndex: index })
  known.set(index, account)
  return account
}

/**
 * Starts a local chain (anvil) with Circle's FiatTokenV2_2 at the address of the public network.
 *
 * It mines each transaction at once, and a block every few seconds. Calls are simulated at the time of the
 * latest block: on an idle chain without blocks, recent payments would be refused as not valid yet.
 *
 * @example
 * ```ts
 * const chain = await startChain()
 * await chain.mint("0x70997970C51812dc3A010C7d01b50e0d17dc79C8", 5_000_000n) // 5 USDC
 * await chain.stop()
 * ```
 *
 * @throws Error if the chain id is unknown, an option is out of range, or anvil is missing or can't start.
 */
export const startChain = async (options: ChainOptions = {}): Promise<Chain> => {
  const { blockSeconds = 5, chainId = 84532, port = 0 } = options
  const deployment = usdcDeployments[chainId]
  if (deployment === undefined) {
    throw new Error(
      `No USDC is known for chain id ${chainId}; choose one of ${Object.keys(usdcDeployments).join(", ")}.`
    )
  }
  if (!Number.isInteger(blockSeconds) || blockSeconds < 0) {
    throw new Error(`blockSeconds must be a whole number of seconds, 0 or more; got ${blockSeconds}.`)
  }
  const anvil = await startAnvil({ chainId, port, blockSeconds })
  try {
    const client = connect(anvil.rpcUrl, chainId, accounts(0))
    // By default, anvil prints every call.
    await client.setLoggingEnabled(false)
    await placeUsdc(client, deployment.address, deployment.name)
    const send = makeSender()
    return {
      rpcUrl: anvil.rpcUrl,
      chainId,
      usdc: deployment.address,
      mint: async (to, amountAtomic) => {
        const hash = await send(() =>
          client.writeContract({
            address: deployment.address,
            abi: usdcAbi,
            functionName: "mint",
            args: [to, amountAtomic]
          })
        )
        return confirm(client, hash)
      },
      balanceOf: (address) =>
        client.readContract({
          address: deployment.address,
          abi: usdcAbi,
          functionName: "balanceOf",
          args: [address]
        }),
      accounts,
      client,
      stop: anvil.stop
    }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

const connect = (rpcUrl: string, chainId: number, account: Account): ChainClient =>
  createTestClient({
    mode: "anvil",
    account,
    chain: defineChain({
      id: chainId,
      name: `Local chain ${chainId}`,
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
      // At the same address on every network, and predeployed by anvil.
      contracts: { multicall3: { address: "0xcA11bde05977b3631167028862bE2a173976CA11" } }
    }),
    transport: http(rpcUrl, { retryCount: 0 }),
    pollingInterval: 20,
    cacheTime: 0
  })
    .extend(publicActions)
    .extend(walletActions)

/** Deploys the token's code and runs the initializers that its proxy ran on the public network. */
const placeUsdc = async (client: ChainClient, address: Address, name: string): Promise<void> => {
  const code = usdcBytecode()
  await client.setCode({ address: signatureCheckerAddress, bytecode: code.signatureChecker })
  await client.setCode({ address, bytecode: code.token })
  const token = { address, abi: usdcAbi } as const
  const owner = client.account.address
  const nobody: Address = "0x000000000000000000000000000000000000dEaD"
  await confirm(
    client,
    await client.writeContract({
      ...token,
      functionName: "initialize",
      args: [name, "USDC", "USD", 6, owner, owner, owner, owner]
    })
  )
  await confirm(client, await client.writeContract({ ...token, functionName: "initializeV2", args: [name] }))
  await confirm(
    client,
    await client.writeContract({ ...token, functionName: "initializeV2_1", args: [nobody] })
  )
  await confirm(
    client,
    await client.writeContract({ ...token, functionName: "initializeV2_2", args: [[], "USDC"] })
  )
  await confirm(
    client,
    await client.writeContract({ ...token, functionName: "configureMinter", args: [owner, maxUint256] })
  )
}

const confirm = async (client: ChainClient, hash: Hash): Promise<Hash> => {
  const receipt = await client.waitForTransactionReceipt({ hash, timeout: 10_000 })
  if (receipt.status !== "success") throw new Error(`Transaction ${hash} was reverted by the local chain.`)
  return hash
}
