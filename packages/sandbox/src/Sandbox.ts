import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { memory, Till, type TillEvent } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import type { Address, Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { type Chain, startChain } from "./chain/index.ts"
import { startFacilitator } from "./facilitator/index.ts"
import { type AdapterName, serve } from "./Serve.ts"
import { sampleShop, type SampleShop } from "./shop/index.ts"

/** A wallet that holds test USDC on the sandbox's chain, and nothing anywhere else. */
export interface Wallet {
  readonly address: Address
  readonly privateKey: Hex
  readonly balanceAtomic: bigint
}

export interface SandboxOptions {
  /** Of the service; 0, the default, takes a free one. */
  readonly port?: number
  readonly adapter?: AdapterName
  readonly storage?: "sqlite" | "memory"
  readonly walletCount?: number
  /** What each wallet holds: atomic units, 6 decimals; default 1,000 USDC. */
  readonly walletBalanceAtomic?: bigint
  /** Told what is being started. */
  readonly onProgress?: (words: string) => void
  /** Told what the till tells its operator. */
  readonly onEvent?: (event: TillEvent) => void
}

/** The whole service on this machine: chain, stablecoin, facilitator, sample shop, wallets. */
export interface Sandbox {
  readonly baseUrl: string
  readonly adapter: AdapterName
  readonly chainId: number
  /** CAIP-2. */
  readonly network: string
  readonly rpcUrl: string
  readonly asset: Address
  readonly payTo: Address
  readonly facilitatorUrl: string
  readonly wallets: ReadonlyArray<Wallet>
  readonly till: Till
  readonly chain: Chain
  readonly shop: SampleShop
  /** Stops all it started, last first. */
  readonly stop: () => Promise<void>
}

type Stop = () => Promise<unknown>

/** Runs every stop, last first, also where one fails; rethrows the first failure. */
const stopAll = async (stops: ReadonlyArray<Stop>): Promise<void> => {
  const failures: Array<unknown> = []
  for (const stop of stops.toReversed()) {
    try {
      await stop()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Starts the sandbox. Each call is a world of its own: several may run side by side.
 *
 * @example
 * const sandbox = await startSandbox({ adapter: "express" })
 * await fetch(`${sandbox.baseUrl}/x402/search?q=lamp`) // 402
 * await sandbox.stop()
 */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const stops: Array<Stop> = []
  try {
    return await start(options, stops)
  } catch (error) {
    await stopAll(stops)
    throw error
  }
}

const start = async (options: SandboxOptions, stops: Array<Stop>): Promise<Sandbox> => {
  const { adapter = "hono", onEvent, onProgress = () => undefined, port = 0, storage = "sqlite" } = options
  onProgress("a local chain with USDC")
  const chain = await startChain()
  stops.push(chain.stop)
  onProgress("a facilitator")
  const facilitator = await startFacilitator({ chain })
  stops.push(facilitator.stop)
  onProgress("wallets with test USDC")
  const wallets = await fundWallets(chain, options)
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const folder = storage === "sqlite" ? await mkdtemp(join(tmpdir(), "till402-sandbox-")) : undefined
  if (folder !== undefined) stops.push(() => rm(folder, { recursive: true, force: true }))
  onProgress(`the service, mounted in ${adapter}`)
  const shop = sampleShop()
  const serving = await serve(adapter, port, async (baseUrl) => {
    const { assistant, fulfilment, mailer, marketplaces, tracker, vault, vaultItems } = shop
    const till = Till.make({
      baseUrl,
      payTo,
      networks: [{ network: chain.chainId === 84532 ? "base-sepolia" : "base", rpcUrl: chain.rpcUrl }],
      facilitator: { url: facilitator.url },
      secret: generatePrivateKey(),
      storage: folder === undefined ? memory() : sqlite({ filename: join(folder, "till.sqlite") }),
      marketplaces,
      assistant,
      fulfilment,
      tracker,
      vault,
      mailer,
      ...(onEvent === undefined ? {} : { onEvent })
    })
    await till.ready
    for (const item of vaultItems) await till.vault.put(item)
    return till
  })
  stops.push(serving.stop)
  return {
    baseUrl: serving.url,
    adapter,
    chainId: chain.chainId,
    network: `eip155:${chain.chainId}`,
    rpcUrl: chain.rpcUrl,
    asset: chain.usdc,
    payTo,
    facilitatorUrl: facilitator.url,
    wallets,
    till: serving.till,
    chain,
    shop,
    stop: () => stopAll(stops.splice(0))
  }
}

const fundWallets = async (chain: Chain, options: SandboxOptions): Promise<ReadonlyArray<Wallet>> => {
  const { walletBalanceAtomic = 1_000_000_000n, walletCount = 2 } = options
  const wallets: Array<Wallet> = []
  for (let index = 0; index < walletCount; index++) {
    const privateKey = generatePrivateKey()
    const { address } = privateKeyToAccount(privateKey)
    await chain.mint(address, walletBalanceAtomic)
    wallets.push({ address, privateKey, balanceAtomic: walletBalanceAtomic })
  }
  return wallets
}
