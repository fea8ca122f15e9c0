import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator } from "@till402/testing"
import { expect, onTestFinished, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import { slowWork, workDone } from "../src/Goods.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { introduce, type Standing, standings } from "../src/Standing.ts"
import { countOf, flood, type Server, visit } from "../src/Visitor.ts"

const copies = 200

attack("concurrent replay of one payment", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const server = openOfficial(facilitator)
    slowWork(server.goods, 5)
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.buy)
    await flood(visitor, calls.buy, payment, copies)
    expect(facilitator.settled).toHaveLength(1)
    expect(server.goods.fulfilment.orders.size).toBeGreaterThan(1)
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    const server = await openOurs(facilitator)
    slowWork(server.goods, 5)
    const visitor = visit(server)
    const rounds = [calls.search, calls.shop, calls.buy, calls.vaultBuy, calls.track]
    for (const [round, call] of rounds.entries()) {
      const payment = await visitor.payFor(call)
      const responses = await flood(visitor, call, payment, copies)
      // Copies beyond the waiting limit get 409: no copy gets anything else.
      expect(countOf(responses, 200) + countOf(responses, 409)).toBe(copies)
      expect(new Set(responses.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1)
      expect(facilitator.settle.calls).toHaveLength(round + 1)
    }
    await vi.waitFor(() => expect(server.goods.fulfilment.orders.size).toBe(1))
    const { assistant, fulfilment, marketplace, tracker } = server.goods
    const done = [assistant.reply, fulfilment.place, marketplace.search, tracker.track]
    // The assistant searches as well.
    expect(done.map(({ calls: made }) => made.length)).toEqual([1, 1, 2, 1])
    // The sale of the vault opens its archive.
    expect(server.goods.files.open.calls).toHaveLength(1)
    expect(workDone(server.goods)).toBe(6)
  }
})

/** A facilitator that refuses the first payment that is to settle, once its copy has come, and settles the next. */
const presentTwice = async (
  open: (facilitator: ReturnType<typeof fakeFacilitator>) => Promise<Server> | Server,
  isKnown: boolean
) => {
  const facilitator = fakeFacilitator()
  const visitor = visit(await open(facilitator))
  if (isKnown)
    expect((await visitor.present(calls.search, await visitor.payFor(calls.search))).status).toBe(200)
  const before = facilitator.settled.length
  const tries = facilitator.settle.calls.length
  const gate = Promise.withResolvers<void>()
  facilitator.settle.returnsOnce(async () => {
    await gate.promise
    return { success: false, errorReason: "settlement_gas_above_limit", transaction: "" }
  })
  const payment = await visitor.payFor(calls.track)
  const first = visitor.present(calls.track, payment)
  await vi.waitFor(() => expect(facilitator.settle.calls.length).toBeGreaterThan(tries))
  const copy = visitor.present(calls.track, payment)
  await new Promise((resolve) => setTimeout(resolve, 50))
  gate.resolve()
  const responses = await Promise.all([first, copy])
  return { statuses: responses.map(({ status }) => status), settled: facilitator.settled.length - before }
}

/**
 * Two processes of one server. The facilitator verifies the copy at the second one for as long as the first one takes to
 * serve the payment, whose settlement it refuses.
 */
const presentInBoth = async (
  open: (facilitator: ReturnType<typeof fakeFacilitator>) => Promise<Server> | Server,
  standing: Standing
) => {
  const facilitator = fakeFacilitator()
  const [first, second] = [visit(await open(facilitator)), visit(await open(facilitator))]
  for (const process of [first, second]) await introduce(process, standing)
  const before = facilitator.settled.length
  const verifications = facilitator.verify.calls.length
  const gate = Promise.withResolvers<void>()
  facilitator.verify.returnsOnce(async () => {
    await gate.promise
    return { isValid: true }
  })
  facilitator.settle.returnsOnce({
    success: false,
    errorReason: "settlement_gas_above_limit",
    transaction: ""
  })
  const payment = await first.payFor(calls.track)
  const copy = second.present(calls.track, payment)
  await vi.waitFor(() => expect(facilitator.verify.calls.length).toBeGreaterThan(verifications))
  const { status } = await first.present(calls.track, payment)
  gate.resolve()
  const statuses = [status, (await copy).status]
  return { statuses, settled: facilitator.settled.length - before }
}

attack("two copies of one payment in two processes, of which one is refused and the other charged", {
  on: `${official}, twice behind a load balancer`,
  lands: async () => {
    for (const standing of standings)
      expect(await presentInBoth((facilitator) => openOfficial(facilitator), standing)).toEqual({
        statuses: [402, 200],
        settled: 1
      })
  },
  fails: async () => {
    const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    for (const standing of standings) {
      const storage = () => sqlite({ filename: join(folder, `${standing}.sqlite`) })
      const outcome = await presentInBoth(
        (facilitator) => openOurs(facilitator, { storage: storage() }),
        standing
      )
      expect(outcome).toEqual({ statuses: [402, 402], settled: 0 })
    }
  }
})

attack("two copies of one payment, of which one is refused and the other charged", {
  on: official,
  lands: async () => {
    for (const isKnown of [false, true])
      expect(await presentTwice((facilitator) => openOfficial(facilitator), isKnown)).toEqual({
        statuses: [402, 200],
        settled: 1
      })
  },
  fails: async () => {
    for (const isKnown of [false, true])
      expect(await presentTwice((facilitator) => openOurs(facilitator), isKnown)).toEqual({
        statuses: [402, 402],
        settled: 0
      })
  }
})
