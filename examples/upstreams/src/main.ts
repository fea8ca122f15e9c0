import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { ConfigurationError, Till } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { till402 } from "@till402/hono"
import { Hono } from "hono"
import { type Upstreams, upstreamsFrom } from "./upstreams.ts"

const giveUp = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const missing: Array<string> = []
const variable = (name: string): string => {
  const value = process.env[name] ?? ""
  if (value === "") missing.push(name)
  return value
}
const options = {
  baseUrl: variable("BASE_URL"),
  payTo: variable("PAY_TO"),
  networks: [{ network: process.env["NETWORK"] ?? "base-sepolia", rpcUrl: variable("RPC_URL") }],
  facilitator: { url: variable("FACILITATOR_URL") },
  secret: variable("TILL_SECRET"),
  storage: sqlite({ filename: process.env["TILL_DATABASE"] ?? "till.sqlite" })
}
if (missing.length > 0) {
  giveUp(`Set these in the environment first: ${missing.join(", ")}. README.md describes each of them.`)
}

const open = (): Upstreams => {
  try {
    return upstreamsFrom(process.env)
  } catch (error) {
    // The message never contains a key.
    return giveUp(error instanceof ConfigurationError ? error.message : String(error))
  }
}
const { ports, report, shopify, tracker } = open()
for (const line of report) console.log(line)
if (Object.keys(ports).length === 0) giveUp("No upstream is configured, so there is nothing to sell.")

const publicRoutes = {
  // Shopify fetches this before it responds to a search.
  ...(shopify === undefined ? {} : { [shopify.profilePath]: shopify.profile }),
  // Set this address in 17TRACK's dashboard. Unsigned webhooks are refused.
  ...(tracker === undefined ? {} : { "/webhooks/17track": tracker.webhook })
}
const till = Till.make({ ...options, ...ports, publicRoutes })
await till.ready

const app = new Hono()
app.use(till402(till))
app.get("/", (context) => context.text("A shop of my own. Agents pay per call under /x402."))

const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) })

const stop = async (): Promise<void> => {
  server.close()
  await once(server, "close")
  await till.dispose()
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop)

await once(server, "listening")
console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`)
