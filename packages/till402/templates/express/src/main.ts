import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { Till } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { till402 } from "@till402/express"
import { sampleShop } from "@till402/sandbox/shop"
import express from "express"

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
