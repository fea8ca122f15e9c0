import { type Chain, startChain } from "@till402/sandbox"
import { type SolanaChain, startSolanaChain, startSolanaFacilitator } from "@till402/sandbox/solana"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { killRun } from "../src/KillRun.ts"
import type { Moment } from "../src/Moments.ts"
import { evmRail } from "../src/rails/EvmRail.ts"
import type { Rail } from "../src/rails/Rail.ts"
import { solanaRail } from "../src/rails/SolanaRail.ts"

/*
 * Servers are killed around their settlements: on Solana, and where each server settles by itself, on either rail.
 * kill.test.ts has the official facilitator on an EVM chain; killRounds.ts runs more rounds.
 */

let evm: Chain
let solana: SolanaChain

beforeAll(async () => {
  ;[evm, solana] = await Promise.all([startChain(), startSolanaChain()])
})

afterAll(async () => {
  await evm.stop()
  await solana.stop()
})

const solanaWithFacilitator = async (): Promise<Rail> => {
  const facilitator = await startSolanaFacilitator({ chain: solana })
  onTestFinished(facilitator.stop)
  return solanaRail({ chain: solana, facilitator })
}

type Moments = readonly [Moment, ...ReadonlyArray<Moment>]
const around: Moments = ["settle", "settled", "completed"]
/** Also between the record in the journal and the node's response. */
const aroundLocally: Moments = ["send", "sent", "settled", "completed"]

it.each([
  { title: "by a local facilitator", openRail: () => evmRail({ chain: evm }), moments: aroundLocally },
  { title: "on Solana", openRail: solanaWithFacilitator, moments: around },
  {
    title: "on Solana by a local facilitator",
    openRail: () => solanaRail({ chain: solana }),
    moments: aroundLocally
  }
])("servers that settle $title lose no payment and sell nothing twice", async ({ moments, openRail }) => {
  const report = await killRun({
    rail: await openRail(),
    storage: "sqlite",
    rounds: 5,
    seed: 420,
    moments
  })
  expect(report.faults, `seed ${report.seed}: ${JSON.stringify(report.events)}`).toEqual([])
  expect(report.transfers).toBeGreaterThan(report.kills)
  expect(report.cutOff).toBeGreaterThanOrEqual(report.kills)
  const hits = moments.filter((moment) => (report.moments[moment] ?? 0) > 0)
  expect(hits.length, JSON.stringify(report.moments)).toBeGreaterThan(0)
})

it("the audit sees on Solana, too, that a store forgets receipts", async () => {
  const report = await killRun({
    rail: await solanaRail({ chain: solana }),
    storage: "sqlite",
    rounds: 2,
    seed: 421,
    moments: ["settled"],
    fault: "forgets-receipts",
    restMillis: 2_000
  })
  expect(report.faults.join("\n")).toMatch(/moved|waiting for its settlement/)
})
