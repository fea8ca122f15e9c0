import { fakeFacilitator } from "@till402/core/testing"
import { expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { freshAccount } from "../src/Attacker.ts"
import { calls } from "../src/Calls.ts"
import { clockAhead } from "../src/ClockAhead.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { type Server, visit } from "../src/Visitor.ts"

/*
 * A facilitator may hold money for each payment that it verifies, until that settles: a local one holds gas money.
 */

const payments = 20

/** Presents many payments of one key whose work doesn't end; returns how many of them were verified. */
const verifiedOf = async (
  open: (facilitator: ReturnType<typeof fakeFacilitator>) => Promise<Server> | Server,
  { allowed, paidBefore }: { readonly paidBefore: number; readonly allowed: number }
): Promise<number> => {
  const facilitator = fakeFacilitator()
  const server = await open(facilitator)
  const visitor = visit(server)
  const account = freshAccount()
  const pay = () => visitor.payFor(calls.track, { account })
  for (let paid = 0; paid < paidBefore; paid++)
    expect((await visitor.present(calls.track, await pay())).status).toBe(200)
  const before = facilitator.verify.calls.length
  const gate = Promise.withResolvers<never>()
  const { track } = server.goods.tracker
  track.returns(() => gate.promise)
  const all = await Promise.all(Array.from({ length: payments }, pay))
  let ended = 0
  const presented = all.map((payment) => visitor.present(calls.track, payment).finally(() => ended++))
  await vi.waitFor(() => expect(track.calls.length - paidBefore).toBe(allowed))
  await clockAhead(vi.waitFor(() => expect(ended).toBe(payments - allowed), { timeout: 60_000 }))
  const verified = facilitator.verify.calls.length - before
  gate.reject(new Error("no such shipment"))
  await Promise.all(presented)
  return verified
}

attack("many payments of one key at once, each verified, to use up what a facilitator holds for them", {
  on: official,
  lands: async () => {
    for (const paidBefore of [0, 4])
      expect(await verifiedOf(openOfficial, { paidBefore, allowed: payments })).toBe(payments)
  },
  fails: async () => {
    expect(await verifiedOf(openOurs, { paidBefore: 0, allowed: 1 })).toBe(1)
    // 0.10, and what was paid within a minute: 2.08.
    expect(await verifiedOf(openOurs, { paidBefore: 4, allowed: 4 })).toBe(4)
    const openFirst = (facilitator: ReturnType<typeof fakeFacilitator>) =>
      openOurs(facilitator, { settlement: { track: "before-work" } })
    expect(await verifiedOf(openFirst, { paidBefore: 0, allowed: 3 })).toBe(3)
  }
})
