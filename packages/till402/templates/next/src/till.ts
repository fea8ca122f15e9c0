import { Till } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { sampleShop } from "@till402/sandbox/shop"

/*
 * The till of this process. Restart the server after a change here: in development, Next loads modules anew, but not this till.
 */

const start = async (): Promise<Till> => {
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
    // Next doesn't show who calls. Behind a proxy, add `clientAddress`, which reads a header that only the proxy can set.
    ...ports
  }
  if (missing.length > 0) {
    console.error(`Set these in the environment first: ${missing.join(", ")}. README.md describes them.`)
    process.exit(1)
  }
  const till = Till.make(options)
  await till.ready
  for (const item of vaultItems) await till.vault.put(item)
  // Next itself waits for running calls, and ends the process.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => till.dispose())
  return till
}

// Next loads this module once for each bundle.
const shared = globalThis as { till?: Promise<Till> }

export const till = (): Promise<Till> => (shared.till ??= start())
