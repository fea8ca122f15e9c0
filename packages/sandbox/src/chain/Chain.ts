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

/** A viem client that reads, writes (as account 0) and steers the local chain. */
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
  /** 84532 (Base Sepolia, the default) or 8453 (Base): whose chain id and USDC address are played. */
  readonly chainId?: number
  /** JSON-RPC port on the loopback interface; default 0, a free one. */
  readonly port?: number
  /**
   * Seconds from block to block, as on a public network; default 5. Each transaction gets a block at once besides. `0`
   * mines for transactions alone: the time that contracts see then stands still between them.
   */
  readonly blockSeconds?: number
}

/** A local EVM chain with real USDC on it. */
export interface Chain {
  readonly rpcUrl: string
  readonly chainId: number
  /** Address of the USDC contract: the one of the public network. */
  readonly usdc: Address
  /** Creates USDC out of nothing and resolves, once it is mined, with the transaction hash. */
  readonly mint: (to: Address, amountAtomic: bigint) => Promise<Hash>
  /** USDC of an address, in atomic units (6 decimals). */
  readonly balanceOf: (address: Address) => Promise<bigint>
  /** Well-known development account `index`, 0 to 9, rich in ether; 0 owns the USDC contract. */
  readonly accounts: (index: number) => HDAccount
  readonly client: ChainClient
  /** Ends the chain and waits until its process is gone. Safe to call twice. */
  readonly stop: () => Promise<void>
}

const mnemonic = "test test test test test test test test test test test junk"

/**
 * Starts a local chain (anvil) that mines each transaction at once, and puts Circle's FiatTokenV2_2
 * at the address where the public network has it. Ready in well under a second.
 *
 * Mines a block every few seconds besides. Calls are simulated at the time of the latest block: on an idle chain
 * without blocks, a payment whose `validAfter` lies behind the clock by less than the idle time would be refused as
 * not yet valid.
 *
 * @example
 * ```ts
 * const chain = await startChain()
 * await chain.mint("0x70997970C51812dc3A010C7d01b50e0d17dc79C8", 5_000_000n) // 5 USDC
 * await chain.stop()
 * ```
 *
 * @throws Error when the chain id is another, an option is out of bounds, anvil is missing on this machine, or it can't start.
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
    const accounts = (index: number) => mnemonicToAccount(mnemonic, { addressIndex: index })
    const client = connect(anvil.rpcUrl, chainId, accounts(0))
    // Anvil prints every call it answers unless told not to.
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

/** Places the token's code and runs the initialisers that its proxy runs on a public network. */
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
