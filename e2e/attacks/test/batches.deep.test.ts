import { describe, it } from "vitest"
import { calls } from "../src/Calls.ts"
import {
  frontRun,
  moveRefused,
  pair,
  presentAfterwards,
  type Run,
  spends,
  startBatchChain,
  verdicts
} from "./batchRuns.ts"

/*
 * The attacks of batches.test.ts, with as many payments as fit a batch, whose nonces are used up in any way.
 */

startBatchChain()

const track = { call: calls.track, count: 20, spend: spends.toSelf }
const vault = { call: calls.vaultBuy, count: 10, spend: spends.toSelf }

const runs: ReadonlyArray<Run> = [
  {
    title: "64 refunds for one price",
    run: (open, title) => moveRefused(open, { ...track, count: 64 }, title)
  },
  {
    title: "20 refunds, by transfers of 0 to payTo",
    mayLose: 520_000n,
    run: (open, title) => presentAfterwards(open, { ...track, spend: spends.toPayTo }, title)
  },
  {
    title: "20 refunds",
    mayLose: 520_000n,
    run: (open, title) => presentAfterwards(open, track, title)
  },
  {
    title: "10 refunds of vault purchases",
    mayLose: 5_000_000n,
    run: (open, title) => presentAfterwards(open, vault, title)
  },
  {
    title: "20 tracked parcels, by transfers of a millionth",
    run: (open, title) => frontRun(open, { ...track, spend: spends.split }, verdicts.invalidState, title)
  },
  {
    title: "20 tracked parcels, by a contract that receives nothing, before a silent facilitator",
    run: (open, title) => frontRun(open, { ...track, spend: spends.received }, verdicts.silence, title)
  },
  {
    title: "10 vault purchases for one price",
    run: (open, title) => frontRun(open, vault, verdicts.invalidState, title)
  }
]

describe.each(runs)("one transfer for $title", (run) => {
  const { fails, lands, on } = pair(run)
  it(`lands on ${on}`, lands)
  it("fails on ours", fails)
})
