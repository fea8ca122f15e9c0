import type { AddressInfo } from "node:net"
import { Till } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { till402 } from "@till402/fastify"
import { sampleShop } from "@till402/sandbox/shop"
import Fastify from "fastify"

const missing: Array<string> = []
const variable = (name: string): string => {
  const value = process.env[name] ?? ""
  if (value === "") missing.push(name)
  return value
}
// Replace `...ports` below with your own marketplaces, tracker and so on.
const { ports, vaultItems } = sampleShop()
const options = {
  baseUrl: variable("BASE_URL"),
  payTo: variable("PAY_TO"),
  networks: [{ network: process.env["NETWORK"] ?? "base-sepolia", rpcUrl: variable("RPC_URL") }],
  facilitator: { url: variable("FACILITATOR_URL") },
  secret: variable("TILL_SECRET"),
  storage: sqlite({ filename: process.env["DATABASE"] ?? "till.sqlite" }),
  ...ports
}
if (missing.length > 0) {
  console.error(`Set these in the environment first: ${missing.join(", ")}. README.md describes them.`)
  process.exit(1)
}

const till = Till.make(options)
await till.ready
for (const item of vaultItems) await till.vault.put(item)

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
