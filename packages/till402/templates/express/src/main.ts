import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { Till } from "@till402/core"
import { till402 } from "@till402/express"
import { sampleShop } from "@till402/sandbox/shop"
import express from "express"
import options from "./till.config.ts"

const till = Till.make(options)
await till.ready
for (const item of sampleShop().vaultItems) await till.vault.put(item)

const app = express()
app.use(till402(till))
app.get("/", (_request, response) => {
  response.send("A shop of my own. Agents pay per call under /x402.")
})
app.get("/health", (_request, response) => {
  response.json({ ok: true })
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
