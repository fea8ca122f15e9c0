import { fakeFacilitator } from "@till402/core/testing"
import { expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { freshAccount } from "../src/Attacker.ts"
import { calls } from "../src/Calls.ts"
import { openOurs } from "../src/Ours.ts"
import { openRetriesOwed, retriesOwed } from "../src/RetriesOwed.ts"
import { type Server, visit } from "../src/Visitor.ts"

/*
 * Work that is paid first, fails on purpose, and is refunded: the upstream may bill each try.
 */

const payments = 6
const paidBefore = 2

type Open = (facilitator: ReturnType<typeof fakeFacilitator>) => Promise<Server> | Server

/** Pays for work that fails, presents each payment ten times, and returns how often it was tried. */
const failPaidWork = async (open: Open, isKnown: boolean): Promise<number> => {
  const server = await open(fakeFacilitator())
  const visitor = visit(server)
  const { track } = server.goods.tracker
  const account = freshAccount()
  const pay = () => visitor.payFor(calls.track, { account })
  for (let paid = 0; paid < (isKnown ? paidBefore : 0); paid++)
    expect((await visitor.present(calls.track, await pay())).status).toBe(200)
  const before = track.calls.length
  // No work fails before all payments have settled.
  const gate = Promise.withResolvers<never>()
  track.returns(() => gate.promise)
  const all = []
  for (let made = 0; made < payments; made++) all.push(await pay())
  const presented = all.map((payment) => visitor.present(calls.track, payment))
  await vi.waitFor(() => expect(track.calls.length - before).toBe(payments))
  gate.reject(new Error("no such shipment"))
  await Promise.all(presented)
  for (let round = 1; round < 10; round++)
    await Promise.all(all.map((payment) => visitor.present(calls.track, payment)))
  return track.calls.length - before
}

attack("paid work that fails again and again, and is refunded", {
  on: retriesOwed,
  lands: async () => {
    for (const isKnown of [false, true])
      expect(await failPaidWork(openRetriesOwed, isKnown)).toBe(payments * 8)
  },
  fails: async () => {
    const open: Open = (facilitator) => openOurs(facilitator, { settlement: { track: "before-work" } })
    // Paid at the same moment, each gets its first try. That exceeds a tenth of 20.00 and what the payer has paid.
    for (const isKnown of [false, true]) expect(await failPaidWork(open, isKnown)).toBe(payments)
  }
})
