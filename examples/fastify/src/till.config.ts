import type { TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { sampleShop } from "@till402/sandbox/shop"

/*
 * The options of the till, which the server and `till402 doctor` read.
 */

const missing: Array<string> = []
const variable = (name: string): string => {
  const value = process.env[name] ?? ""
  if (value === "") missing.push(name)
  return value
}
const options: TillOptions = {
  baseUrl: variable("BASE_URL"),
  payTo: variable("PAY_TO"),
  networks: [{ network: process.env["NETWORK"] ?? "base-sepolia", rpcUrl: variable("RPC_URL") }],
  facilitator: { url: variable("FACILITATOR_URL") },
  secret: variable("TILL_SECRET"),
  storage: sqlite({ filename: process.env["TILL_DATABASE"] ?? "till.sqlite" }),
  // Replace the sample shop by your own marketplaces, tracker and so on.
  ...sampleShop().ports
}
if (missing.length > 0)
  throw new Error(`Set these in the environment first: ${missing.join(", ")}. README.md describes them.`)

export default options
