import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type AssistantOptions, memory, type OrderChange, Till, type TillEvent } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import type { Address, Hex } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { type Chain, startChain } from "./chain/index.ts"
import { startFacilitator } from "./facilitator/index.ts"
import { type AdapterName, openServer } from "./Server.ts"
import { sampleShop, type SampleShop, type SampleShopOptions } from "./shop/index.ts"
import { shopWebhook } from "./ShopWebhook.ts"

/** A wallet with test USDC on the sandbox's chain. */
export interface Wallet {
  readonly address: Address
  readonly privateKey: Hex
  /** Its initial USDC balance, in atomic units (6 decimals). */
  readonly balanceAtomic: bigint
}

export interface SandboxOptions {
  /** Port of the service on the loopback interface; default 0, a free one. */
  readonly port?: number
  /** Framework that mounts the till; default `hono`. */
  readonly adapter?: AdapterName
  /** `sqlite` (default) keeps a file in a temporary folder until `stop`. */
  readonly storage?: "sqlite" | "memory"
  /** Number of wallets; default 2. */
  readonly walletCount?: number
  /** Initial balance of each wallet, in atomic units (6 decimals); default 1,000 USDC. */
  readonly walletBalanceAtomic?: bigint
  /** Clock and timetable of the sample shop. By default, orders ship after 5 seconds and arrive after 10. */
  readonly shop?: SampleShopOptions
  /** Replies to `shop`; default: the sample assistant, which has rules instead of a language model. */
  readonly assistant?: AssistantOptions
  /** Called for each status change of an order. */
  readonly onOrderChange?: (change: OrderChange) => void
  /** Called with a short description of each part that is being started. */
  readonly onProgress?: (part: string) => void
  /** Called for each event of the till; by default, events are printed as JSON lines on standard error. */
  readonly onEvent?: (event: TillEvent) => void
}

/** The running service on this machine: chain, stablecoin, facilitator, sample shop, wallets. */
export interface Sandbox {
  readonly baseUrl: string
  readonly adapter: AdapterName
  readonly chainId: number
  /** CAIP-2: `eip155:84532`. */
  readonly network: string
  readonly rpcUrl: string
  /** Address of the USDC contract. */
  readonly asset: Address
  /** The address that receives payments and sends refunds, created for this sandbox. */
  readonly payTo: Address
  readonly facilitatorUrl: string
  readonly wallets: ReadonlyArray<Wallet>
  readonly till: Till
  readonly chain: Chain
  readonly shop: SampleShop
  /** Stops everything, in reverse order of starting, within a time limit. Safe to call twice. */
  readonly stop: () => Promise<void>
}

type Stop = () => Promise<unknown>

/** Longer than any part takes to stop, so that it only ends a part that hangs. */
const stopTimeoutMillis = 8_000

/** Runs all stops in reverse order, even if one fails or hangs; rethrows the first failure. */
const stopAll = async (stops: ReadonlyArray<Stop>): Promise<void> => {
  const failures: Array<unknown> = []
  for (const stop of stops.toReversed()) {
    try {
      await within(stopTimeoutMillis, stop())
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

const within = async (millis: number, work: Promise<unknown>): Promise<void> => {
  let deadline: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    deadline = setTimeout(
      () => reject(new Error(`A part of the sandbox did not stop within ${millis / 1000} seconds.`)),
      millis
    )
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(deadline)
  }
}

/**
 * Starts a sandbox. Several can run at the same time.
 *
 * @example
 * const sandbox = await startSandbox({ adapter: "express" })
 * await fetch(`${sandbox.baseUrl}/x402/search?q=lamp`) // 402
 * await sandbox.stop()
 *
 * @throws Error with code `EADDRINUSE` if the port is taken; Error if there is no chain for this machine.
 */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const stops: Array<Stop> = []
  try {
    return await start(options, stops)
  } catch (error) {
    // Reports the failed start, even if stopping the other parts fails too.
    await stopAll(stops).catch(() => undefined)
    throw error
  }
}

/** Starts part by part, registering each part's stop as soon as it runs. */
const start = async (options: SandboxOptions, stops: Array<Stop>): Promise<Sandbox> => {
  const { adapter = "hono", onProgress = () => undefined, port = 0, storage = "sqlite" } = options
  const server = await openServer(port)
  stops.push(server.stop)

  onProgress("a local chain with USDC")
  const chain = await startChain()
  stops.push(chain.stop)

  onProgress("a facilitator")
  const facilitator = await startFacilitator({ chain })
  stops.push(facilitator.stop)

  onProgress("wallets with test USDC")
  const wallets = await fundWallets(chain, options)

  onProgress(`the service, mounted in ${adapter}`)
  const folder = storage === "sqlite" ? await mkdtemp(join(tmpdir(), "till402-sandbox-")) : undefined
  if (folder !== undefined) stops.push(() => rm(folder, { recursive: true, force: true }))
  const payee = privateKeyToAccount(generatePrivateKey())
  const shop = sampleShop(options.shop)
  const till = makeTill(options, {
    baseUrl: server.url,
    payee,
    rpcUrl: chain.rpcUrl,
    facilitatorUrl: facilitator.url,
    shop,
    folder,
    stops
  })
  await till.ready
  for (const item of shop.vaultItems) await till.vault.put(item)
  server.mount(adapter, till)
  // Calls end before their till; the first entry covers a start that failed halfway.
  stops.push(server.stop)

  let stopped: Promise<void> | undefined
  return {
    baseUrl: server.url,
    adapter,
    chainId: chain.chainId,
    network: `eip155:${chain.chainId}`,
    rpcUrl: chain.rpcUrl,
    asset: chain.usdc,
    payTo: payee.address,
    facilitatorUrl: facilitator.url,
    wallets,
    till,
    chain,
    shop,
    stop: () => (stopped ??= stopAll(stops))
  }
}

interface Surroundings {
  readonly baseUrl: string
  readonly payee: PrivateKeyAccount
  readonly rpcUrl: string
  readonly facilitatorUrl: string
  readonly shop: SampleShop
  /** The database file; `undefined` keeps everything in memory. */
  readonly folder: string | undefined
  readonly stops: Array<Stop>
}

/** The till with the sample shop, and the shop's webhook, which stops first. */
const makeTill = (
  { assistant, onEvent, onOrderChange, shop: shopOptions }: SandboxOptions,
  { baseUrl, facilitatorUrl, folder, payee, rpcUrl, shop, stops }: Surroundings
): Till => {
  const { fulfilment, mailer, marketplaces, tracker, vault } = shop
  const webhook = shopWebhook(shopOptions?.timetable ?? {}, (reference) =>
    till.orders.processNowByReference(reference)
  )
  const till = Till.make({
    baseUrl,
    payTo: payee.address,
    // Only payments are stored there.
    refundWallet: payee,
    // Test money: orders of any price are refunded without an operator.
    refunds: { perPayerPerHour: "100000.00" },
    // This chain has no reorganizations, so refunds need not wait for finality.
    networks: [{ network: "base-sepolia", rpcUrl, finalitySeconds: 0 }],
    facilitator: { url: facilitatorUrl },
    secret: generatePrivateKey(),
    // One machine plays all clients, without rate limits.
    limits: { quotesPerClientPerMinute: 100_000, quotesPerMinute: 100_000 },
    storage: folder === undefined ? memory() : sqlite({ filename: join(folder, "till.sqlite") }),
    marketplaces,
    assistant: assistant ?? shop.assistant,
    fulfilment,
    tracker,
    vault,
    mailer,
    onOrderChange: (change) => {
      webhook.onOrderChange(change)
      onOrderChange?.(change)
    },
    // The sample shop fails on purpose; events report it.
    onProviderError: () => undefined,
    ...(onEvent === undefined ? {} : { onEvent })
  })
  stops.push(till.dispose, webhook.stop)
  return till
}

const fundWallets = (chain: Chain, options: SandboxOptions): Promise<ReadonlyArray<Wallet>> => {
  const { walletBalanceAtomic: balanceAtomic = 1_000_000_000n, walletCount = 2 } = options
  return Promise.all(
    Array.from({ length: walletCount }, async (): Promise<Wallet> => {
      const privateKey = generatePrivateKey()
      const { address } = privateKeyToAccount(privateKey)
      await chain.mint(address, balanceAtomic)
      return { address, privateKey, balanceAtomic }
    })
  )
}
