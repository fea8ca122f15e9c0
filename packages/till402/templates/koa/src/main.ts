import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { Till } from "@till402/core"
import { till402 } from "@till402/koa"
import { sampleShop } from "@till402/sandbox/shop"
import Koa from "koa"
import options from "./till.config.ts"

const till = Till.make(options)
await till.ready
for (const item of sampleShop().vaultItems) await till.vault.put(item)

const app = new Koa()
app.use(till402(till))
app.use((context) => {
  if (context.path === "/") context.body = "A shop of my own. Agents pay per call under /x402."
  if (context.path === "/health") context.body = { ok: true }
})

const server = app.listen(Number(process.env["PORT"] ?? 3000))

const stop = async (): Promise<void> => {
  server.close()
  await once(server, "close")
  await till.dispose()
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop)

await once(server, "listening")
console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`)
