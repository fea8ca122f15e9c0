import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { Till } from "@till402/core"
import { till402 } from "@till402/hono"
import { sampleShop } from "@till402/sandbox/shop"
import { Hono } from "hono"
import options from "./till.config.ts"

const till = Till.make(options)
await till.ready
for (const item of sampleShop().vaultItems) await till.vault.put(item)

const app = new Hono()
app.use(till402(till))
app.get("/", (context) => context.text("A shop of my own. Agents pay per call under /x402."))
app.get("/health", (context) => context.json({ ok: true }))

const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) })

const stop = async (): Promise<void> => {
  server.close()
  await once(server, "close")
  await till.dispose()
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop)

await once(server, "listening")
console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`)
