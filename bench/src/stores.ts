/*
 * The stores on SQLite and PostgreSQL: reads and sweeps among up to a million charges, queued orders, and searches in a
 * vault of up to a million items. Ends with exit code 1 if a goal is missed.
 */
import type { Mode } from "./Bench.ts"
import { type EngineName, engines } from "./databases.ts"
import { measureLists } from "./lists.ts"
import { measureOrders } from "./orders.ts"
import { measureCharges } from "./scale.ts"
import { measureVault } from "./vault.ts"

export const mode: Mode = {
  facts: {
    storage: "SQLite and PostgreSQL, each commit on the disk",
    library: "not used",
    verified: "nothing: no payment is presented"
  },
  run: async (bench) => {
    const { brief } = bench.settings
    for (const name of Object.keys(engines) as ReadonlyArray<EngineName>) {
      const engine = await engines[name]()
      try {
        await measureCharges(bench, name, engine, brief ? [10_000] : [10_000, 100_000, 1_000_000])
        await measureLists(bench, name, engine, brief ? 10_000 : 1_000_000)
        await measureOrders(bench, name, engine, brief ? 200 : 10_000)
        for (const items of brief ? [2_000] : [10_000, 100_000, 1_000_000])
          await measureVault(bench, name, engine, items)
      } finally {
        await engine.stop()
      }
    }
  }
}
