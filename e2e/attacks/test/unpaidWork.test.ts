import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { trackPrice } from "../src/Dodgers.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { naiveTarget, tillTarget } from "../src/LossTargets.ts"
import { official, openOfficial } from "../src/Official.ts"
import { emptyAccounts } from "./unpaidRuns.ts"

/*
 * Upstream work that nobody pays for. The attacker gets no response; the damage is the host's bill from its providers.
 */

const local = localChainOfFile()

attack("an account that covers one call, emptied while it pays for 24", {
  on: official,
  lands: async () => {
    const dodging = { keys: 1, rounds: 2, callsAtOnce: 24 }
    const unpaid = await emptyAccounts(local(), naiveTarget(openOfficial), dodging, "24 calls at once, naive")
    expect(unpaid).toBeGreaterThan(2n * 12n * trackPrice)
  },
  fails: async () => {
    // At once: most of these calls wait until the others end, and are then refused.
    const [each, inAll, first] = await Promise.all([
      emptyAccounts(
        local(),
        tillTarget(local()),
        { keys: 1, rounds: 1, callsAtOnce: 24 },
        "24 calls at once"
      ),
      emptyAccounts(
        local(),
        tillTarget(local(), { limits: { lossPerHour: "1.04" } }),
        { keys: 4, rounds: 1, callsAtOnce: 4 },
        "4 calls at once by 4 keys, at most 1.04 an hour"
      ),
      emptyAccounts(
        local(),
        tillTarget(local(), { settlement: { track: "before-work" } }),
        { keys: 2, rounds: 1, callsAtOnce: 8 },
        "8 calls at once, settled before the work"
      )
    ])
    // One call for each fresh key, up to the host's hourly limit.
    expect(each).toBeLessThanOrEqual(trackPrice)
    expect(inAll).toBeLessThanOrEqual(2n * trackPrice)
    expect(first).toBe(0n)
  }
})
