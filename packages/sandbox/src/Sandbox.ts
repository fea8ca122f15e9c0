import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { memory, type OrderChange, Till, type TillEvent } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import type { Address, Hex } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { type Chain, startChain } from "./chain/index.ts"
import { startFacilitator } from "./facilitator/index.ts"
import { type AdapterName, openServer } from "./Server.ts"
import { sampleShop, type SampleShop, type SampleShopOptions } from "./shop/index.ts"
import { shopWebhook } from "./ShopWebhook.ts"

/** A wallet that holds test USDC on the sandbox's chain, and nothing anywhere else. */
export interface Wallet {
  readonly address: Address
  readonly privateKey: Hex
  /** USDC it was given at the start, in atomic units (6 decimals). */
  readonly balanceAtomic: bigint
}

export interface SandboxOptions {
  /** Of the service, on the loopback interface; default 0, a free one. */
  readonly port?: number
  /** Framework that mounts the till; default `hono`. */
  readonly adapter?: AdapterName
  /** `sqlite` (the default) keeps a file in a temporary folder until `stop`. */
  readonly storage?: "sqlite" | "memory"
  /** Default 2. */
  readonly walletCount?: number
  /** What each wallet holds: atomic units, 6 decimals; default 1,000 USDC. */
  readonly walletBalanceAtomic?: bigint
  /** Clock and timetable of the sample shop; orders are shipped after 5 seconds and delivered after 10. */
  readonly shop?: SampleShopOptions
  /** Told of each step in the life of an order. */
  readonly onOrderChange?: (change: OrderChange) => void
  /** Told what is being started, in a few words. */
  readonly onProgress?: (words: string) => void
  /** Told what the till tells its operator; default: one JSON line per event on standard error. */
  readonly onEvent?: (event: TillEvent) => void
}

/** The whole service on this machine: chain, stablecoin, facilitator, sample shop, wallets. */
export interface Sandbox {
  readonly baseUrl: string
  readonly adapter: AdapterName
  readonly chainId: number
  /** CAIP-2: `eip155:84532`. */
  readonly network: string
  readonly rpcUrl: string
  /** Address of the USDC contract. */
  readonly asset: Address
  /** Where payments go, and refunds come from: an address made for this sandbox. */
  readonly payTo: Address
  readonly facilitatorUrl: string
  readonly wallets: ReadonlyArray<Wallet>
  readonly till: Till
  readonly chain: Chain
  readonly shop: SampleShop
  /** Stops all it started, last first, and waits for it; bounded. Safe to call twice. */
  readonly stop: () => Promise<void>
}

type Stop = () => Promise<unknown>

/** Longer than any part takes to stop on its own, so that it is reached only where one hangs. */
const stopTimeoutMillis = 8_000

/** Runs every stop, last first, also where one fails or hangs; rethrows the first failure. */
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
 * Starts the sandbox. Each call is a world of its own: several may run side by side.
 *
 * @example
 * const sandbox = await startSandbox({ adapter: "express" })
 * await fetch(`${sandbox.baseUrl}/x402/search?q=lamp`) // 402
 * await sandbox.stop()
 *
 * @throws Error with code `EADDRINUSE` when the port is taken; Error when there is no chain for this machine.
 */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const stops: Array<Stop> = []
  try {
    return await start(options, stops)
  } catch (error) {
    // What failed to start is the news; a part that then fails to stop as well adds nothing.
    await stopAll(stops).catch(() => undefined)
    throw error
  }
}

/** Starts part by part, noting how each is stopped as soon as it runs. */
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
  // Calls end before the till they run in; the first entry is for a start that failed half way.
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
  /** Of its database; `undefined`: it keeps everything in memory. */
  readonly folder: string | undefined
  readonly stops: Array<Stop>
}

/** The till over the sample shop, and the shop's webhook, which is stopped before it. */
const makeTill = (
  { onEvent, onOrderChange, shop: shopOptions }: SandboxOptions,
  { baseUrl, facilitatorUrl, folder, payee, rpcUrl, shop, stops }: Surroundings
): Till => {
  const { assistant, fulfilment, mailer, marketplaces, tracker, vault } = shop
  const webhook = shopWebhook(shopOptions?.timetable ?? {}, (reference) =>
    till.orders.hurryReference(reference)
  )
  const till = Till.make({
    baseUrl,
    payTo: payee.address,
    // What was paid lies there, and nothing else.
    refundWallet: payee,
    // Test money: an order of any price is refunded without an operator.
    refunds: { perPayerPerHour: "100000.00" },
    // Nothing reorganizes this chain: a refund need not wait until its payment is final.
    networks: [{ network: "base-sepolia", rpcUrl, finalitySeconds: 0 }],
    facilitator: { url: facilitatorUrl },
    secret: generatePrivateKey(),
    // One machine plays all clients, as fast as it likes.
    limits: { quotesPerClientPerMinute: 100_000, quotesPerMinute: 100_000 },
    storage: folder === undefined ? memory() : sqlite({ filename: join(folder, "till.sqlite") }),
    marketplaces,
    assistant,
    fulfilment,
    tracker,
    vault,
    mailer,
    onOrderChange: (change) => {
      webhook.onOrderChange(change)
      onOrderChange?.(change)
    },
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
