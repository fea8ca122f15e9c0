import { flushCompileCache } from "node:module"
import { createInterface } from "node:readline"
import { serve } from "@hono/node-server"
import { type ChargeSummary, type LedgerCheck, type LedgerKind, Till, type TillOptions } from "@till402/core"
import { till402 } from "@till402/hono"
import { tillMetrics } from "@till402/telemetry"
import { Effect } from "effect"
import { Hono } from "hono"
import { privateKeyToAccount } from "viem/accounts"
import type { Books } from "./Books.ts"
import type { DaySettings, ServerLine, ServerSettings } from "./ServerSettings.ts"
import { measureProcess } from "./day/MemoryProbe.ts"
import { failingDeliveries, shop, notifyOutside, vaultItem } from "./Shop.ts"
import { observedStorage } from "./Storage.ts"

/*
 * A server as a host would write it, for tests to kill: Hono, a till, a store on disk. It loads everything, waits for a
 * line on its standard input, serves, and ends with its parent.
 */

const print = (line: ServerLine): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const settings = JSON.parse(process.argv[2] ?? "") as ServerSettings
const { day, network = "base-sepolia", relayer } = settings
const notify = notifyOutside(settings.outsideUrl, settings.name)
const storage = await observedStorage(settings, notify)
const metrics = tillMetrics()
const maxOrders = 100_000
const pageSize = 200

const allCharges = async (till: Till): Promise<ReadonlyArray<ChargeSummary>> => {
  const charges: Array<ChargeSummary> = []
  for (;;) {
    const before = charges.at(-1)
    const page = await till.charges.list({ limit: pageSize, ...(before === undefined ? {} : { before }) })
    charges.push(...page)
    if (page.length < pageSize) return charges
  }
}

/** All callers of a long run have one address, and its wallet refunds more than a person would buy. */
const optionsOfDay = ({ refundKey }: DaySettings): Partial<TillOptions> => ({
  fulfilment: failingDeliveries(notify),
  refundWallet: privateKeyToAccount(refundKey),
  refunds: { perPayerPerHour: "1000000.00" },
  limits: { quotesPerMinute: 100_000, quotesPerClientPerMinute: 100_000, lossPerHour: "10000.00" }
})

/** What a check with the chain leaves open counts as a fault, too. */
const chainFaults = ({ chain }: LedgerCheck): ReadonlyArray<string> =>
  chain === undefined
    ? []
    : [
        ...chain.unreadNetworks.map((network) => `${network} could not be read`),
        ...chain.foreign.map(({ transaction }) => `the ledger lacks the transfer in ${transaction}`),
        ...(chain.openEntries === 0 ? [] : [`${chain.openEntries} entries can't be judged yet`])
      ]

/** Loads the local facilitators only where they settle. */
const facilitatorInside =
  relayer && (await import("./LocalSettlement.ts")).localSettlement(settings, relayer, notify)

const start = async (): Promise<void> => {
  const till = Till.make({
    baseUrl: settings.baseUrl,
    payTo: settings.payTo,
    networks: [{ network, rpcUrl: settings.rpcUrl, ...(day ? { finalitySeconds: 20 } : {}) }],
    facilitator: facilitatorInside ?? {
      url: day?.facilitatorUrl ?? settings.outsideUrl,
      headers: () => ({ "x-server": settings.name })
    },
    secret: settings.secret,
    storage: storage.layer,
    // One operation settles before its work, so that servers also die between the two.
    settlement: { vaultDownload: "before-work" },
    ...shop(notify),
    ...(day === undefined ? {} : optionsOfDay(day)),
    onPayment: metrics.onPayment,
    onEvent: metrics.countEvents(({ at, error, level, message, reason }) =>
      print({
        kind: "event",
        level,
        message,
        error: [error, reason, at].filter((part) => part !== undefined).join(" ")
      })
    )
  })
  metrics.watch(till)
  await till.ready
  await till.vault.put(vaultItem)

  const books = async (purchaseIds: ReadonlyArray<string>): Promise<Books> => {
    const find = (id: string) => Effect.runPromise(storage.purchases().find(id))
    const found = await Promise.all(purchaseIds.map(find))
    const always = { from: new Date(0), to: new Date(Date.now() + 86_400_000) }
    const [check, totals] = await Promise.all([
      // A chain is read window by window, so for a day alone.
      till.ledger.check(
        day === undefined ? always : { ...always, from: new Date(Date.now() - 86_400_000), chain: true }
      ),
      till.ledger.totals(always)
    ])
    const sumOf = (wanted: LedgerKind): string =>
      String(totals.reduce((sum, { amountAtomic, kind }) => (kind === wanted ? sum + amountAtomic : sum), 0n))
    return {
      charges: (await allCharges(till)).map(({ amountAtomic, key, refund, state, transaction }) => ({
        amountAtomic: String(amountAtomic),
        key,
        refund,
        state,
        transaction
      })),
      orders: (await till.orders.list({ limit: maxOrders })).map(({ email = "", id, status }) => ({
        email,
        id,
        status
      })),
      purchases: found
        .filter((purchase) => purchase !== undefined)
        .map(({ email = "", id, status }) => ({ email, id, status })),
      ledgerAtomic: sumOf("settled"),
      refundedAtomic: sumOf("refunded"),
      bookFaults: [
        ...check.faults.map(({ chargeKey, fault }) => `${chargeKey}: ${fault}`),
        ...chainFaults(check)
      ]
    }
  }

  const app = new Hono()
  app.post("/control/reconcile", async (context) => context.json(await till.reconcile()))
  app.post("/control/memory", async (context) => context.json(await measureProcess()))
  app.post("/control/books", async (context) => context.json(await books(await context.req.json())))
  app.post("/control/stop-refunds", async (context) => context.json(await till.refunds.stop("a test")))
  app.use(till402(till)).use(till402(metrics))
  serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) =>
    print({ kind: "listening", port })
  )
}

// Node would keep what it compiled only when a process ends by itself.
flushCompileCache()

const input = createInterface({ input: process.stdin })
input.once("line", () => {
  start().catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
input.once("close", () => process.exit(0))
