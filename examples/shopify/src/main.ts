import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { ConfigurationError } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { isHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { openShop } from "./shop.ts"

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
const refundKey = variable("REFUND_KEY")
const operatorToken = variable("OPERATOR_TOKEN")
const shopify = {
  shop: variable("SHOPIFY_ADMIN_SHOP"),
  clientId: variable("SHOPIFY_ADMIN_CLIENT_ID"),
  clientSecret: variable("SHOPIFY_ADMIN_CLIENT_SECRET")
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
const refundWallet =
  isHex(refundKey) && refundKey.length === 66
    ? privateKeyToAccount(refundKey)
    : giveUp("REFUND_KEY must be 0x and 64 hex digits.")

const open = (): ReturnType<typeof openShop> => {
  try {
    return openShop({ till: { ...options, refundWallet }, shopify, operatorToken })
  } catch (error) {
    // The message never contains a key.
    return giveUp(error instanceof ConfigurationError ? error.message : String(error))
  }
}
const { app, noteRecentRefunds, till } = open()
await till.ready

const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) })

const stop = async (): Promise<void> => {
  server.close()
  await once(server, "close")
  await till.dispose()
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop)

await once(server, "listening")
console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`)
await noteRecentRefunds().catch((error: unknown) => console.error("Refunds were not noted:", String(error)))
