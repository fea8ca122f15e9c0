import { fakeFacilitator } from "@till402/core/testing"
import { expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import { slowWork, workDone } from "../src/Goods.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { countOf, flood, visit } from "../src/Visitor.ts"

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
    expect(workDone(server.goods)).toBe(5)
  }
})
