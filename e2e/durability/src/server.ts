import { createInterface } from "node:readline"
import { serve } from "@hono/node-server"
import { type ChargeSummary, Till } from "@till402/core"
import { till402 } from "@till402/hono"
import { Effect } from "effect"
import { Hono } from "hono"
import type { Books } from "./Books.ts"
import type { ServerLine, ServerSettings } from "./ServerSettings.ts"
import { shop, notifyOutside, vaultItem } from "./Shop.ts"
import { observedStorage } from "./Storage.ts"

/*
 * A server as a host would write it, for tests to kill: Hono, a till, a store on disk. It loads everything, waits for a
 * line on its standard input, serves, and ends with its parent.
 */

const print = (line: ServerLine): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const settings = JSON.parse(process.argv[2] ?? "") as ServerSettings
const notify = notifyOutside(settings.outsideUrl, settings.name)
const storage = await observedStorage(settings, notify)
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

const start = async (): Promise<void> => {
  const till = Till.make({
    baseUrl: settings.baseUrl,
    payTo: settings.payTo,
    networks: [{ network: "base-sepolia", rpcUrl: settings.rpcUrl }],
    facilitator: { url: settings.outsideUrl, headers: () => ({ "x-server": settings.name }) },
    secret: settings.secret,
    storage: storage.layer,
    // One operation settles before its work, so that servers also die between the two.
    settlement: { vaultDownload: "before-work" },
    ...shop(notify),
    onEvent: ({ at, error, level, message, reason }) =>
      print({
        kind: "event",
        level,
        message,
        error: [error, reason, at].filter((part) => part !== undefined).join(" ")
      })
  })
  await till.ready
  await till.vault.put(vaultItem)

  const books = async (purchaseIds: ReadonlyArray<string>): Promise<Books> => {
    const find = (id: string) => Effect.runPromise(storage.purchases().find(id))
    const found = await Promise.all(purchaseIds.map(find))
    const always = { from: new Date(0), to: new Date(Date.now() + 86_400_000) }
    const [check, totals] = await Promise.all([till.ledger.check(always), till.ledger.totals(always)])
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
      ledgerAtomic: String(
        totals.reduce((sum, { amountAtomic, kind }) => (kind === "settled" ? sum + amountAtomic : sum), 0n)
      ),
      bookFaults: check.faults.map(({ chargeKey, fault }) => `${chargeKey}: ${fault}`)
    }
  }

  const app = new Hono()
  app.post("/control/reconcile", async (context) => context.json(await till.reconcile()))
  app.post("/control/books", async (context) => context.json(await books(await context.req.json())))
  app.use(till402(till))
  serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) =>
    print({ kind: "listening", port })
  )
}

const input = createInterface({ input: process.stdin })
input.once("line", () => {
  start().catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
input.once("close", () => process.exit(0))
