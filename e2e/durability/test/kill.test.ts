import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { type Postgres, sharedPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll, expect, it } from "vitest"
import { killRun } from "../src/KillRun.ts"
import { evmRail } from "../src/rails/EvmRail.ts"

/*
 * Servers are killed with SIGKILL while official clients buy from them on a real chain. At any moment of death, money
 * that moved has its response or a refund due, and nothing is ordered or bought twice. kill.deep.test.ts has more rounds and
 * buyers, two servers on one PostgreSQL, and stores that the audit must catch; killRails.deep.test.ts has other rails.
 */

let chain: Chain
let facilitator: LocalFacilitator
let postgres: Omit<Postgres, "stop">

beforeAll(async () => {
  ;[chain, postgres] = await Promise.all([startChain(), sharedPostgres()])
  facilitator = await startFacilitator({ chain })
})

afterAll(async () => {
  await facilitator.stop()
  await chain.stop()
})

const newRail = () => evmRail({ chain, facilitator })

/** Each server dies where most is at stake: money has moved, or an order is placed, and no record has it yet. */
const storages = [
  { name: "one server on SQLite", moment: "settled", storage: async () => "sqlite" as const },
  {
    name: "one server on PostgreSQL",
    moment: "placed",
    storage: async () => ({ postgresUrl: await postgres.createDatabase(), servers: 1 })
  }
] as const

it.each(storages)("$name: no payment is lost, nothing is sold twice", async ({ moment, storage }) => {
  const report = await killRun({
    rail: await newRail(),
    storage: await storage(),
    rounds: 1,
    seed: 402,
    moments: [moment],
    buyers: 3,
    restMillis: 30_000
  })
  expect(report.faults, `seed ${report.seed}: ${JSON.stringify(report.events)}`).toEqual([])
  // A run without sales proves nothing.
  expect(report.transfers).toBeGreaterThan(0)
})
