import { describe, expect, it } from "vitest"
import { clientOf, QuoteBudget } from "../../src/orders/QuoteBudget.ts"
import {
  answered,
  baseUrl,
  buy,
  email,
  expectFailed,
  openTill,
  search,
  shippingAddress,
  vaultBuy
} from "./openTill.ts"

type Shop = Awaited<ReturnType<typeof openTill>>

/** Asks for a quote from an address; each asin is a request of its own. */
const ask = async ({ till }: Shop, asin: string, clientAddress?: string, headers = {}) =>
  answered(
    await till.fetch(
      new Request(`${baseUrl}/x402/buy`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ shippingAddress, email, asin })
      }),
      { clientAddress }
    )
  )

describe("unpaid quotes", () => {
  it("of one client have a budget: past it a 429, and fulfilment is not asked", async () => {
    const shop = await openTill({ limits: { quotesPerClientPerMinute: 2 } })
    for (const asin of ["B000000001", "B000000002"])
      expect((await ask(shop, asin, "192.0.2.1")).status).toBe(402)
    const over = await ask(shop, "B000000003", "192.0.2.1")
    expectFailed(over, 429, "RATE_LIMITED")
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(shop.fulfilment.quote.calls).toHaveLength(2)
    // A live quote costs nothing, another client has a budget of their own.
    expect((await ask(shop, "B000000001", "192.0.2.1")).status).toBe(402)
    expect((await ask(shop, "B000000003", "192.0.2.2")).status).toBe(402)
  })

  it("of all clients have a budget too, also of those whose address nobody knows", async () => {
    const shop = await openTill({ limits: { quotesPerMinute: 2 } })
    expect((await ask(shop, "B000000001", "192.0.2.1")).status).toBe(402)
    expect((await ask(shop, "B000000002")).status).toBe(402)
    expectFailed(await ask(shop, "B000000003", "192.0.2.3"), 429, "RATE_LIMITED")
  })

  it("are counted by the host's own word for who asks", async () => {
    const shop = await openTill({
      limits: { quotesPerClientPerMinute: 1 },
      clientAddress: (request) => request.headers.get("x-real-ip") ?? undefined
    })
    expect((await ask(shop, "B000000001", "10.0.0.1", { "x-real-ip": "192.0.2.1" })).status).toBe(402)
    expect((await ask(shop, "B000000002", "10.0.0.1", { "x-real-ip": "192.0.2.2" })).status).toBe(402)
    expect((await ask(shop, "B000000003", "10.0.0.1", { "x-real-ip": "192.0.2.2" })).status).toBe(429)
  })

  it("fail by an answer where the host's word is a defect, and no other call does", async () => {
    const shop = await openTill({
      clientAddress: () => {
        throw new Error("no such header")
      }
    })
    const failed = await ask(shop, "B000000001", "10.0.0.1")
    expectFailed(failed, 500, "INTERNAL_ERROR")
    expect(failed.text).not.toContain("no such header")
    const paid = await shop.present(search, await shop.payFor(search))
    expect(paid.status).toBe(200)
  })

  it("leave a payment of a standing quote alone, and other routes", async () => {
    const shop = await openTill({ limits: { quotesPerMinute: 1 } })
    const payment = await shop.payFor(buy)
    expect((await ask(shop, "B000000009")).status).toBe(429)
    expect((await shop.present(buy, payment)).status).toBe(200)
    expect((await shop.send(vaultBuy)).status).toBe(402)
  })

  it("for one request are made once, however many ask at a time", async () => {
    const shop = await openTill({ limits: { quotesPerClientPerMinute: 1 } })
    shop.fulfilment.quote.delays(30)
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(shop, "B000000001", "192.0.2.1")))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([402]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(shop.fulfilment.quote.calls).toHaveLength(1)
  })

  it("that fail fail for all who waited, and the next one asks anew", async () => {
    const shop = await openTill()
    shop.fulfilment.quote.delays(30).failsOnceWith(new Error("reset by peer"))
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(shop, "B000000001")))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]))
    expect((await ask(shop, "B000000001")).status).toBe(402)
  })
})

describe("a budget", () => {
  it("is full again after a minute, and says how long that is", () => {
    const budget = new QuoteBudget({ perClient: 1, inAll: 10 })
    const taken = [0, 1_000, 59_500, 60_000].map((at) => budget.take("192.0.2.1", at))
    expect(taken).toEqual([undefined, 59, 1, undefined])
  })

  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["::1", "0:0:0:0"]
  ])("counts %s as %s", (address, client) => {
    expect(clientOf(address)).toBe(client)
  })
})
