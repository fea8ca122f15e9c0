import { Till } from "@till402/core"
import { sampleShop } from "@till402/sandbox/shop"
import options from "./till.config.ts"

/*
 * The till of this process. Restart the server after a change here: in development, Next loads modules anew, but not this till.
 */

const start = async (): Promise<Till> => {
  const till = Till.make(options())
  await till.ready
  for (const item of sampleShop().vaultItems) await till.vault.put(item)
  // Next itself waits for running calls, and ends the process.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => till.dispose())
  return till
}

// Next loads this module once for each bundle.
const shared = globalThis as { till?: Promise<Till> }

export const till = (): Promise<Till> => (shared.till ??= start())
