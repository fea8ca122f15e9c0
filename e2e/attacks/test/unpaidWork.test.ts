import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { type Dodging, dodgeFor, lossOf, openDodgers, trackPrice } from "../src/Dodgers.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { naiveTarget, type OpenTarget, report, tillTarget } from "../src/LossTargets.ts"
import { official, openOfficial } from "../src/Official.ts"

/*
 * Upstream work that nobody pays for. The attacker gets no response; the damage is the host's bill from its providers.
 */

const local = localChainOfFile()

/** Many calls at once by each key, whose money covers one of them. */
const emptyAccounts = async (open: OpenTarget, dodging: Dodging, title: string): Promise<bigint> => {
  const dodgers = openDodgers(local())
  const { payTo, server } = await open(dodgers.facilitator)
  const loss = await lossOf(local(), server, payTo, () => dodgeFor(dodgers, server, dodging))
  return report(title, loss)
}

attack("an account that covers one call, emptied while it pays for 64", {
  on: official,
  timeout: 30_000,
  lands: async () => {
    const dodging = { keys: 2, rounds: 3, callsAtOnce: 64 }
    const unpaid = await emptyAccounts(naiveTarget(openOfficial), dodging, "64 calls at once, naive")
    expect(unpaid).toBeGreaterThan(2n * 3n * 32n * trackPrice)
  },
  fails: async () => {
    // At once: most of these calls wait until the others end, and are then refused.
    const [each, inAll, first] = await Promise.all([
      emptyAccounts(tillTarget(local()), { keys: 2, rounds: 1, callsAtOnce: 64 }, "64 calls at once"),
      emptyAccounts(
        tillTarget(local(), { limits: { lossPerHour: "1.04" } }),
        { keys: 4, rounds: 1, callsAtOnce: 8 },
        "8 calls at once by 4 keys, at most 1.04 an hour"
      ),
      emptyAccounts(
        tillTarget(local(), { settlement: { track: "before-work" } }),
        { keys: 2, rounds: 1, callsAtOnce: 16 },
        "16 calls at once, settled before the work"
      )
    ])
    // One call for each fresh key, up to the host's hourly limit.
    expect(each).toBeLessThanOrEqual(2n * trackPrice)
    expect(inAll).toBeLessThanOrEqual(2n * trackPrice)
    expect(first).toBe(0n)
  }
})
