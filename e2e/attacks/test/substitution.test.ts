import { fakeFacilitator } from "@till402/testing"
import { describe, expect, it, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { type Call, calls, jsonOf } from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { slowWork, workDone } from "../src/Goods.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOptimistic, optimistic } from "../src/Optimistic.ts"
import { openOurs } from "../src/Ours.ts"
import { introduce, standings } from "../src/Standing.ts"
import { visit } from "../src/Visitor.ts"
import { presentTogether, openHeld } from "./heldPayments.ts"

const everyOther = (call: Call): ReadonlyArray<Call> => Object.values(calls).filter((other) => other !== call)

/** Every paid call but a download, by a new payer and by a known one. */
const attempts = standings.flatMap((standing) =>
  [calls.search, calls.shop, calls.track, calls.buy, calls.vaultSearch, calls.vaultBuy].map(
    (call) => [call, standing] as const
  )
)

attack("a payment claimed at one route, tried at every other", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const server = openOfficial(facilitator)
    slowWork(server.goods, 30)
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.search)
    const [here, there] = await presentTogether(visitor, payment, [calls.search, calls.vaultSearch])
    // The prices are equal, so both were verified and both handlers ran. One responds before the other settles.
    expect([here!.status, there!.status]).toContain(200)
    expect(facilitator.verify.calls).toHaveLength(2)
    expect([facilitator.settle.calls.length, facilitator.settled.length]).toEqual([2, 1])
    expect(server.goods.marketplace.search.calls).toHaveLength(1)
  },
  fails: async () => {
    for (const [call, standing] of attempts) {
      const { claim, facilitator, letGo, server, visitor } = await openHeld(standing)
      const payment = await visitor.payFor(call, { withoutResource: true })
      const here = await claim(call, payment)
      for (const response of await presentTogether(visitor, payment, everyOther(call)))
        expectRefused(response, "payment_already_used")
      letGo()
      expect((await here.response).status).toBe(200)
      expect(facilitator.settle.calls).toHaveLength(1)
      if (call === calls.buy) await vi.waitFor(() => expect(server.goods.fulfilment.orders.size).toBe(1))
      expect(workDone(server.goods)).toBe(call === calls.vaultSearch ? 0 : call === calls.shop ? 2 : 1)
    }
  }
})

attack("a payment settled at one route, tried at every other", {
  on: optimistic,
  lands: async () => {
    const server = openOptimistic(fakeFacilitator())
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.search)
    expect((await visitor.present(calls.search, payment)).status).toBe(200)
    // Its own route knows it by now, but the other route's middleware has a separate map.
    await vi.waitFor(async () => expect((await visitor.present(calls.search, payment)).status).toBe(402))
    expect((await visitor.present(calls.vaultSearch, payment)).status).toBe(200)
  },
  fails: async () => {
    for (const [call, standing] of attempts) {
      const facilitator = fakeFacilitator()
      const server = await openOurs(facilitator)
      const visitor = visit(server)
      await introduce(visitor, standing, facilitator)
      const payment = await visitor.payFor(call, { withoutResource: true })
      expect((await visitor.present(call, payment)).status).toBe(200)
      if (call === calls.buy) await vi.waitFor(() => expect(server.goods.fulfilment.orders.size).toBe(1))
      const done = workDone(server.goods)
      for (const other of everyOther(call))
        expectRefused(await visitor.present(other, payment), "payment_already_used")
      expect([workDone(server.goods), facilitator.settle.calls.length]).toEqual([done, 1])
    }
  }
})

attack("a payment made for one resource, presented first at another", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const visitor = visit(openOfficial(facilitator))
    const payment = await visitor.payFor(calls.search)
    expect(payment.resource!.url).toMatch(/\/x402\/search$/)
    const response = await visitor.present(calls.vaultSearch, payment)
    expect([response.status, facilitator.settled.length]).toEqual([200, 1])
  },
  fails: async () => {
    for (const standing of standings) {
      const facilitator = fakeFacilitator()
      const visitor = visit(await openOurs(facilitator))
      await introduce(visitor, standing, facilitator)
      const payment = await visitor.payFor(calls.search)
      expect(payment.resource!.url).toMatch(/\/x402\/search\?q=tote$/)
      // Clients may choose queries and origins, but not the path.
      for (const url of [payment.resource!.url, "http://127.0.0.1:8080/x402/search?q=/x402/vault/search"])
        for (const other of everyOther(calls.search))
          expectRefused(
            await visitor.present(other, { ...payment, resource: { url } }),
            // A purchase that nobody has requested yet is quoted first.
            ...(other === calls.buy ? ["quote_expired", "resource_mismatch"] : ["resource_mismatch"])
          )
      expect(facilitator.verify.calls).toHaveLength(0)
      expect(facilitator.settle.calls).toHaveLength(0)
      // The payment still buys its own resource.
      expect((await visitor.present(calls.search, payment)).status).toBe(200)
    }
  }
})

attack("a more expensive order at an expired price", {
  on: optimistic,
  lands: async () => {
    const server = openOptimistic(fakeFacilitator())
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.buy)
    // The quote has expired and the upstream costs more; the server trusts the payment's own `accepted`.
    server.goods.fulfilment.quote.returns(dearer)
    expect((await visitor.present(calls.buy, payment)).status).toBe(200)
    expect(server.goods.fulfilment.place.calls[0]![0].total).toBe("96.64")
    expect(payment.accepted.amount).toBe("26640000")
  },
  fails: async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    try {
      const facilitator = fakeFacilitator()
      const server = await openOurs(facilitator, { maxTimeoutSeconds: 600 })
      const visitor = visit(server)
      const payment = await visitor.payFor(calls.buy, {
        authorization: { validBefore: String(Math.floor(Date.now() / 1000) + 625) }
      })
      vi.setSystemTime(Date.now() + 601_000)
      server.goods.fulfilment.quote.returns(dearer)
      const response = await visitor.present(calls.buy, payment)
      expectRefused(response, "quote_expired", "invalid_exact_evm_payload_authorization_valid_before")
      expect(jsonOf(response)["accepts"]).toMatchObject([{ maxAmountRequired: "96640000" }])
      expect([facilitator.settle.calls.length, server.goods.fulfilment.place.calls.length]).toEqual([0, 0])
    } finally {
      vi.useRealTimers()
    }
  }
})

describe("what no server can promise", () => {
  it("an unspent payment that names no resource belongs to the first request that presents it", async () => {
    const facilitator = fakeFacilitator()
    const visitor = visit(await openOurs(facilitator))
    const payment = await visitor.payFor(calls.search, { withoutResource: true })
    expect((await visitor.present(calls.vaultSearch, payment)).status).toBe(200)
    expectRefused(await visitor.present(calls.search, payment), "payment_already_used")
    expect(facilitator.settled).toHaveLength(1)
  })
})

const dearer = {
  product: { title: "Canvas tote bag", price: "90.00" },
  subtotal: "90.00",
  tax: "1.65",
  shipping: "4.99",
  total: "96.64",
  currency: "USD",
  reference: "upstream-quote-dearer",
  expiresAt: new Date("2100-01-01T00:00:00Z")
}
