import { expect, it } from "vitest"
import { trackPrice } from "../src/Dodgers.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { naiveTarget, tillTarget } from "../src/LossTargets.ts"
import { openOfficial } from "../src/Official.ts"
import { emptyAccounts } from "./unpaidRuns.ts"

/*
 * The attack of unpaidWork.test.ts, by more keys and with more calls.
 */

const local = localChainOfFile()

it("keys that pass their money on have most work done for nothing by a naive server", async () => {
  const dodging = { keys: 2, rounds: 3, callsAtOnce: 64 }
  const unpaid = await emptyAccounts(local(), naiveTarget(openOfficial), dodging, "64 calls at once, naive")
  expect(unpaid).toBeGreaterThan(2n * 3n * 32n * trackPrice)
})

it("and one call each by ours, up to the limit of an hour", async () => {
  const [each, inAll, first] = await Promise.all([
    emptyAccounts(local(), tillTarget(local()), { keys: 2, rounds: 1, callsAtOnce: 64 }, "64 calls at once"),
    emptyAccounts(
      local(),
      tillTarget(local(), { limits: { lossPerHour: "1.04" } }),
      { keys: 4, rounds: 1, callsAtOnce: 8 },
      "8 calls at once by 4 keys, at most 1.04 an hour"
    ),
    emptyAccounts(
      local(),
      tillTarget(local(), { settlement: { track: "before-work" } }),
      { keys: 2, rounds: 1, callsAtOnce: 16 },
      "16 calls at once, settled before the work"
    )
  ])
  expect(each).toBeLessThanOrEqual(2n * trackPrice)
  expect(inAll).toBeLessThanOrEqual(2n * trackPrice)
  expect(first).toBe(0n)
})
