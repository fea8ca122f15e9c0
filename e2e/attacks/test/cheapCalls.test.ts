import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { openAttacker } from "../src/Attacker.ts"
import { callCredit, openCallCredit } from "../src/CallCredit.ts"
import { calls, searchFor } from "../src/Calls.ts"
import { lossOf, openDodgers, searchPrice, trackPrice } from "../src/Dodgers.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { naiveTarget, type OpenTarget, report, tillTarget } from "../src/LossTargets.ts"
import { official, openOfficial } from "../src/Official.ts"
import { visit } from "../src/Visitor.ts"

/*
 * Cheap calls that trigger expensive work, or more work than their payer can pay.
 */

const local = localChainOfFile()
const searches = 12

/** Pays for cheap calls, then presents payments for expensive ones without money. */
const spendCredit = async (open: OpenTarget, title: string): Promise<bigint> => {
  const dodgers = openDodgers(local())
  const { payTo, server } = await open(dodgers.facilitator)
  const visitor = visit(server)
  const loss = await lossOf(local(), server, payTo, async () => {
    const account = await dodgers.attacker.fund(BigInt(searches) * searchPrice + trackPrice)
    for (let made = 0; made < searches; made++) {
      const call = searchFor(`tote ${made}`)
      expect((await visitor.present(call, await visitor.payFor(call, { account }))).status).toBe(200)
    }
    await dodgers.dodge(visitor, account, searches)
  })
  return report(title, loss)
}

attack("credit earned by cheap calls and spent on expensive ones", {
  on: callCredit,
  lands: async () => {
    const unpaid = await spendCredit(naiveTarget(openCallCredit), "12 searches, then 12 parcels, naive")
    expect(unpaid).toBeGreaterThan(BigInt(searches - 1) * trackPrice)
  },
  fails: async () => {
    const [after, before] = await Promise.all([
      spendCredit(tillTarget(local()), "12 searches, then 12 parcels"),
      spendCredit(
        tillTarget(local(), { settlement: { track: "before-work" } }),
        "12 searches, then 12 parcels, settled before the work"
      )
    ])
    // The bound starts at 0.10 and has grown by the settled 0.12: one call of 0.52 at a time.
    expect(after).toBeLessThanOrEqual(trackPrice)
    expect(before).toBe(0n)
  }
})

/** Presents 24 searches at once from an account with the price of one, and moves nothing away. */
const overdraw = async (open: OpenTarget, title: string): Promise<bigint> => {
  const { payTo, server } = await open(local().facilitator.client)
  const visitor = visit(server)
  const loss = await lossOf(local(), server, payTo, async () => {
    const account = await openAttacker(local()).fund(searchPrice)
    const payments = []
    for (let made = 0; made < 24; made++) payments.push(await visitor.payFor(calls.search, { account }))
    await Promise.all(payments.map((payment) => visitor.present(calls.search, payment)))
  })
  return report(title, loss)
}

attack("many small calls at once, more than a payer's balance covers", {
  on: official,
  lands: async () => {
    expect(await overdraw(naiveTarget(openOfficial), "24 searches for one, naive")).toBe(23n * searchPrice)
  },
  fails: async () => {
    // Ten are admitted at once; the balance, if the chain can be read, covers one. Two claimed at the same moment may
    // each be checked before the other is visible.
    const unpaid = await overdraw(tillTarget(local()), "24 searches for one")
    expect(unpaid).toBeLessThanOrEqual(searchPrice)
  }
})
