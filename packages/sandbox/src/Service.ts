import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type AssistantOptions,
  memory,
  type OrderChange,
  type PaymentEvent,
  Till,
  type TillEvent,
  type TillOptions
} from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { type ArchiveStorage, memoryStorage, vaultOver } from "@till402/vault"
import { generatePrivateKey } from "viem/accounts"
import type { AdapterName, Server } from "./Server.ts"
import { type Payer, sandboxConsole } from "./sandboxConsole.ts"
import { examples, sampleShop, type SampleShop, type SampleShopOptions } from "./shop/index.ts"
import { shopWebhook } from "./ShopWebhook.ts"
import type { Stop } from "./Stops.ts"

/*
 * The service of a sandbox: the till with the sample shop, over whatever networks it is paid on.
 */

export interface ServiceOptions {
  /** Port of the service on the loopback interface; default 0, a free one. */
  readonly port?: number
  /**
   * Another name that requests may give in `Host`, such as that of a tunnel. Without it, the sandbox answers only to
   * `localhost`, to IP addresses and to `host.docker.internal`, so that no website reads its keys.
   */
  readonly host?: string
  /** Framework that mounts the till; default `hono`. */
  readonly adapter?: AdapterName
  /** `sqlite` (default) keeps a file in a temporary folder until `stop`. */
  readonly storage?: "sqlite" | "memory"
  /** Clock and timetable of the sample shop. By default, orders ship after 5 seconds and arrive after 10. */
  readonly shop?: SampleShopOptions
  /** Replies to `shop`; default: the sample assistant, which has rules instead of a language model. */
  readonly assistant?: AssistantOptions
  /** Called for each status change of an order. */
  readonly onOrderChange?: (change: OrderChange) => void
  /** Called for each step of a payment. */
  readonly onPayment?: (event: PaymentEvent) => void
  /** Called with a short description of each part that is being started. */
  readonly onProgress?: (part: string) => void
  /** Called for each event of the till; by default, events are printed as JSON lines on standard error. */
  readonly onEvent?: (event: TillEvent) => void
}

/** The wallets of a sandbox. */
export interface WalletOptions {
  /** Number of wallets on each network; default 2. */
  readonly walletCount?: number
  /** Initial balance of each wallet, in atomic units (6 decimals); default 1,000 USDC. */
  readonly walletBalanceAtomic?: bigint
}

/** The parts of a sandbox that don't depend on its networks. */
export interface Service {
  readonly baseUrl: string
  readonly adapter: AdapterName
  readonly facilitatorUrl: string
  readonly till: Till
  readonly shop: SampleShop
  /** Files of items that are published with `publish` of `@till402/vault`. */
  readonly archives: ArchiveStorage
  /** Serves a JSON document beside the till, on this machine only. */
  readonly serve: (path: string, document: string) => void
}

/** How a till is paid, and refunds. */
export type PaidBy = Pick<TillOptions, "payTo" | "networks" | "refundWallet" | "solanaRefunds"> & {
  readonly facilitatorUrl: string
  /** Pays calls that a visitor of the console asks for. */
  readonly payer?: Payer | undefined
}

/** Starts the till and mounts it. Every part's stop is registered as soon as it runs. */
export const startService = async (
  options: ServiceOptions,
  server: Server,
  { payer, ...paidBy }: PaidBy,
  stops: Array<Stop>
): Promise<Service> => {
  const { adapter = "hono", onProgress = () => undefined, storage = "sqlite" } = options
  onProgress(`the service, mounted in ${adapter}`)
  const folder = storage === "sqlite" ? await mkdtemp(join(tmpdir(), "till402-sandbox-")) : undefined
  if (folder !== undefined) stops.push(() => rm(folder, { recursive: true, force: true }))
  const shop = sampleShop(options.shop)
  const archives = memoryStorage()
  const till = makeTill(options, { archives, baseUrl: server.url, paidBy, shop, folder, stops })
  await till.ready
  for (const item of shop.vaultItems) await till.vault.put(item)
  const console = sandboxConsole(till, server.url, payer)
  server.mount(adapter, till, console)
  // Calls end before their till; the first entry covers a start that failed halfway.
  stops.push(server.stop)
  // Live pages that are open would keep the server from ending.
  stops.push(async () => console.dispose())
  const { serve, url: baseUrl } = server
  return { baseUrl, adapter, facilitatorUrl: paidBy.facilitatorUrl, till, shop, archives, serve }
}

interface Surroundings {
  readonly archives: ArchiveStorage
  readonly baseUrl: string
  readonly paidBy: Omit<PaidBy, "payer">
  readonly shop: SampleShop
  /** The database file's folder; `undefined` keeps everything in memory. */
  readonly folder: string | undefined
  readonly stops: Array<Stop>
}

/** Prints an event as the till does. A sandbox's database is always new: nobody needs to hear that it was empty. */
const printEvent = ({ level, ...event }: TillEvent): void => {
  if (event.code !== "storage_created") console.error(JSON.stringify({ till402: level, ...event }))
}

/** The till with the sample shop, and the shop's webhook, which stops first. */
const makeTill = (
  { assistant, onEvent = printEvent, onOrderChange, onPayment, shop: shopOptions }: ServiceOptions,
  { archives, baseUrl, folder, paidBy: { facilitatorUrl, ...paidBy }, shop, stops }: Surroundings
): Till => {
  const { fulfilment, mailer, marketplaces, tracker } = shop
  const published = vaultOver(archives)
  const webhook = shopWebhook(shopOptions?.timetable ?? {}, (reference) =>
    till.orders.processNowByReference(reference)
  )
  const till = Till.make({
    baseUrl,
    ...paidBy,
    // Test money: orders of any price are refunded without an operator.
    refunds: { perPayerPerHour: "100000.00" },
    facilitator: { url: facilitatorUrl },
    secret: generatePrivateKey(),
    serviceName: "Till402 sandbox",
    examples,
    // One machine plays all clients, without rate limits.
    limits: { quotesPerClientPerMinute: 100_000, quotesPerMinute: 100_000 },
    storage: folder === undefined ? memory() : sqlite({ filename: join(folder, "till.sqlite") }),
    marketplaces,
    assistant: assistant ?? shop.assistant,
    fulfilment,
    tracker,
    vault: {
      open: (item, context) =>
        item.archive === undefined ? shop.vault.open(item, context) : published.open(item, context)
    },
    mailer,
    onOrderChange: (change) => {
      webhook.onOrderChange(change)
      onOrderChange?.(change)
    },
    // The sample shop fails on purpose; events report it.
    onProviderError: () => undefined,
    onEvent,
    ...(onPayment === undefined ? {} : { onPayment })
  })
  stops.push(till.dispose, webhook.stop)
  return till
}
