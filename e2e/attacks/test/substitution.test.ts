import type { FacilitatorClient } from "@till402/core"
import { fakeFacilitator } from "@till402/core/testing"
import { describe, expect, it, vi } from "vitest"
import { attack } from "../src/attack.ts"
import {
  address,
  type ReceivedResponse,
  buyOf,
  type Call,
  calls,
  jsonOf,
  searchFor,
  shopFor,
  vaultBuyOf
} from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { slowWork, workDone } from "../src/Goods.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOptimistic, optimistic } from "../src/Optimistic.ts"
import { openOurs } from "../src/Ours.ts"
import type { Payment } from "../src/Payments.ts"
import { type Visitor, visit } from "../src/Visitor.ts"

/** Presents one payment for several calls while the first is in flight. */
const presentTogether = (visitor: Visitor, payment: Payment, all: ReadonlyArray<Call>) =>
  Promise.all(all.map((call) => visitor.present(call, payment)))

/** A till whose facilitator delays the first settlement, so that its charge stays open until released. */
const openHeld = async () => {
  const facilitator = fakeFacilitator()
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const held: FacilitatorClient = {
    verify: facilitator.verify,
    settle: async (payment, requirements) => {
      reached.resolve()
      await gate.promise
      return facilitator.settle(payment, requirements)
    }
  }
  const server = await openOurs(held)
  const visitor = visit(server)
  /** Presents a payment; resolves once its work is done and its settlement is about to start. */
  const claim = async (
    call: Call,
    payment: Payment
  ): Promise<{ readonly response: Promise<ReceivedResponse> }> => {
    const response = visitor.present(call, payment)
    await reached.promise
    return { response }
  }
  return { server, facilitator, visitor, claim, letGo: gate.resolve }
}

const everyOther = (call: Call): ReadonlyArray<Call> => Object.values(calls).filter((other) => other !== call)

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
    for (const call of [
      calls.search,
      calls.shop,
      calls.track,
      calls.buy,
      calls.vaultSearch,
      calls.vaultBuy
    ]) {
      const { claim, facilitator, letGo, server, visitor } = await openHeld()
      const payment = await visitor.payFor(call, { withoutResource: true })
      const here = await claim(call, payment)
      for (const response of await presentTogether(visitor, payment, everyOther(call)))
        expectRefused(response, "payment_already_used")
      letGo()
      expect((await here.response).status).toBe(200)
      expect(facilitator.settle.calls).toHaveLength(1)
      if (call === calls.buy) await vi.waitFor(() => expect(server.goods.fulfilment.orders.size).toBe(1))
      const ofVault = call === calls.vaultSearch || call === calls.vaultBuy
      expect(workDone(server.goods)).toBe(ofVault ? 0 : call === calls.shop ? 2 : 1)
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
    for (const call of [
      calls.search,
      calls.shop,
      calls.track,
      calls.buy,
      calls.vaultSearch,
      calls.vaultBuy
    ]) {
      const facilitator = fakeFacilitator()
      const server = await openOurs(facilitator)
      const visitor = visit(server)
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
    const facilitator = fakeFacilitator()
    const visitor = visit(await openOurs(facilitator))
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
})

/** Sends both calls at once with one payment for the first; counts the responses that it bought from a naive server. */
const swapOnOfficial = async (paid: Call, swapped: Call) => {
  const facilitator = fakeFacilitator()
  const server = openOfficial(facilitator)
  slowWork(server.goods, 30)
  const visitor = visit(server)
  const payment = await visitor.payFor(paid)
  await presentTogether(visitor, payment, [paid, swapped])
  expect(facilitator.settled).toHaveLength(1)
  return server
}

/** Sends the swapped call during and after the paid one: it gets nothing and doesn't harm the paid one. */
const swapOnOurs = async (paid: Call, swapped: Call) => {
  const { claim, facilitator, letGo, server, visitor } = await openHeld()
  const payment = await visitor.payFor(paid)
  const buying = await claim(paid, payment)
  expectRefused(await visitor.present(swapped, payment), "payment_already_used")
  letGo()
  const bought = await buying.response
  expect(bought.status).toBe(200)
  expectRefused(await visitor.present(swapped, payment), "payment_already_used")
  expect((await visitor.present(paid, payment)).text).toBe(bought.text)
  expect(facilitator.settle.calls).toHaveLength(1)
  return server
}

attack("query swapped under a payment", {
  on: official,
  lands: async () => {
    const { goods } = await swapOnOfficial(searchFor("tote"), searchFor("laptop"))
    expect(goods.marketplace.search.calls.map(([{ q }]) => q)).toEqual(["tote", "laptop"])
  },
  fails: async () => {
    const { goods } = await swapOnOurs(searchFor("tote"), searchFor("laptop"))
    expect(goods.marketplace.search.calls.map(([{ q }]) => q)).toEqual(["tote"])
  }
})

attack("body swapped under a payment", {
  on: official,
  lands: async () => {
    const { goods } = await swapOnOfficial(shopFor("a bag"), shopFor("a laptop"))
    expect(goods.assistant.reply.calls.map(([{ message }]) => message)).toEqual(["a bag", "a laptop"])
  },
  fails: async () => {
    const { goods } = await swapOnOurs(shopFor("a bag"), shopFor("a laptop"))
    expect(goods.assistant.reply.calls.map(([{ message }]) => message)).toEqual(["a bag"])
  }
})

const elsewhere = { ...address, line1: "2 Other Street", city: "Hoboken" }

attack("shipping address swapped under a payment", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const server = openOfficial(facilitator)
    const visitor = visit(server)
    const payment = await visitor.payFor(buyOf("B000000001"))
    // Quoted for one address, shipped to another of the same price.
    expect((await visitor.present(buyOf("B000000001", elsewhere), payment)).status).toBe(200)
    expect(server.goods.fulfilment.place.calls[0]![0].shippingAddress.city).toBe("Hoboken")
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    const server = await openOurs(facilitator)
    const visitor = visit(server)
    const payment = await visitor.payFor(buyOf("B000000001"))
    // Not even if the other address was quoted too, at the same price.
    await visitor.challenge(buyOf("B000000001", elsewhere))
    expectRefused(await visitor.present(buyOf("B000000001", elsewhere), payment), "quote_expired")
    expect(facilitator.settle.calls).toHaveLength(0)
    expect((await visitor.present(buyOf("B000000001"), payment)).status).toBe(200)
    expectRefused(await visitor.present(buyOf("B000000001", elsewhere), payment), "payment_already_used")
    await vi.waitFor(() => expect(server.goods.fulfilment.orders.size).toBe(1))
    expect(server.goods.fulfilment.place.calls.map(([{ shippingAddress }]) => shippingAddress.city)).toEqual([
      "Newark"
    ])
  }
})

attack("vault slug swapped under a payment", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const server = openOfficial(facilitator)
    const visitor = visit(server)
    const payment = await visitor.payFor(vaultBuyOf("launch-plan"))
    const swapped = [vaultBuyOf("launch-plan"), vaultBuyOf("press-kit")]
    await presentTogether(visitor, payment, swapped)
    expect(server.purchases.map(({ slug }) => slug)).toEqual(["launch-plan", "press-kit"])
    expect(facilitator.settled).toHaveLength(1)
  },
  fails: async () => {
    const { goods } = await swapOnOurs(vaultBuyOf("launch-plan"), vaultBuyOf("press-kit"))
    await vi.waitFor(() => expect(goods.mailer.sent).toHaveLength(1))
    expect(goods.mailer.sent[0]!.subject).toContain("Vault item 1")
    // A payment of another price buys nothing, even if presented first.
    const facilitator = fakeFacilitator()
    const visitor = visit(await openOurs(facilitator))
    const payment = await visitor.payFor(vaultBuyOf("launch-plan"))
    expectRefused(
      await visitor.present(vaultBuyOf("brand-voice"), payment),
      "invalid_exact_evm_payload_authorization_value_mismatch"
    )
    expect(facilitator.settle.calls).toHaveLength(0)
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
