import type { AddressInfo } from "node:net"
import { Till } from "@till402/core"
import { till402 } from "@till402/fastify"
import { sampleShop } from "@till402/sandbox/shop"
import Fastify from "fastify"
import options from "./till.config.ts"

const till = Till.make(options)
await till.ready
for (const item of sampleShop().vaultItems) await till.vault.put(item)

const app = Fastify()
await app.register(till402(till))
app.get("/", () => "A shop of my own. Agents pay per call under /x402.")
app.get("/health", () => ({ ok: true }))

const stop = async (): Promise<void> => {
  await app.close()
  await till.dispose()
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop)

// Fastify's own default is this machine alone, which a container can't be reached by.
await app.listen({ port: Number(process.env["PORT"] ?? 3000), host: "0.0.0.0" })
console.log(`Listening on http://localhost:${(app.server.address() as AddressInfo).port}`)
