import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator } from "@till402/testing"
import { expect, onTestFinished, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { freshAccount } from "../src/Attacker.ts"
import { calls, trackOf } from "../src/Calls.ts"
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
  const all = await Promise.all(
    Array.from({ length: payments }, (_, number) => visitor.payFor(trackOf(number), { account }))
  )
  let ended = 0
  const presented = all.map((payment, number) =>
    visitor.present(trackOf(number), payment).finally(() => ended++)
  )
  await vi.waitFor(() => expect(track.calls.length - paidBefore).toBe(allowed))
  await clockAhead(vi.waitFor(() => expect(ended).toBe(payments - allowed), { timeout: 60_000 }))
  const verified = facilitator.verify.calls.length - before
  gate.reject(new Error("no such shipment"))
  await Promise.all(presented)
  return verified
}

/**
 * One payment is sent to two processes at once, whose work fails, so that one of them verifies it twice. Nothing of it
 * stays open: two minutes later, the payer is served in both.
 */
const aloneAfterCopies = async (): Promise<ReadonlyArray<number>> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const facilitator = fakeFacilitator().delays(50)
  const open = () => openOurs(facilitator, { storage: sqlite({ filename: join(folder, "till.sqlite") }) })
  const servers = [await open(), await open()]
  for (const { goods } of servers) goods.tracker.track.delays(100).failsOnceWith(new Error("down"))
  const [first, second] = [visit(servers[0]!), visit(servers[1]!)]
  const payment = await first.payFor(calls.track)
  await Promise.all([first, second].map((visitor) => visitor.present(calls.track, payment)))
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000, shouldAdvanceTime: true })
  try {
    const statuses: Array<number> = []
    for (const visitor of [first, second]) {
      const { status } = await visitor.present(calls.track, await visitor.payFor(calls.track))
      statuses.push(status)
    }
    return statuses
  } finally {
    vi.useRealTimers()
  }
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
    expect(await aloneAfterCopies()).toEqual([200, 200])
    const openFirst = (facilitator: ReturnType<typeof fakeFacilitator>) =>
      openOurs(facilitator, { settlement: { track: "before-work" } })
    expect(await verifiedOf(openFirst, { paidBefore: 0, allowed: 3 })).toBe(3)
  }
})
