import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  type ReceivedResponse,
  buy,
  challengeOf,
  expectRefused,
  jsonOf,
  openTill
} from "../../toll/openTill.ts"
import { headerOf, payChallenge } from "../../toll/wallet.ts"

const start = Date.UTC(2026, 2, 2, 12)
const minutes = (count: number): void => {
  vi.setSystemTime(Date.now() + count * 60_000)
}

// Only the clock's time: timers stay real, so that whatever waits goes on.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start })
})
afterEach(() => {
  vi.useRealTimers()
})

const optionOf = (response: ReceivedResponse) => challengeOf(response).accepts[0]!
const quoteIdOf = (response: ReceivedResponse): string | undefined => optionOf(response).extra["quoteId"]

const dearer = {
  product: { title: "Canvas tote bag", price: "30.00" },
  subtotal: "30.00",
  tax: "2.48",
  shipping: "4.99",
  total: "37.47",
  currency: "USD",
  reference: "upstream-quote-dearer"
}

describe("a quote", () => {
  it.each([
    ["Canvas tote bag", "Canvas tote bag"],
    // 40 bytes fit.
    ["A tote bag whose title has forty letters", "A tote bag whose title has forty letters"],
    ["A tote bag whose title has more letters: 41", "A tote bag whose title has more…"],
    ["Thermosflasche für unterwegs, doppelwandig, grün", "Thermosflasche für unterwegs…"],
    ["東京都千代田区東京都千代田区", "東京都千代田区東京都千代…"],
    ["👜👜👜👜👜👜👜👜👜👜👜", "👜👜👜👜👜👜👜👜👜…"]
  ])("names the item %j as %j", async (title, item) => {
    const shop = await openTill()
    shop.fulfilment.quote.returns({ ...dearer, product: { title }, expiresAt: new Date(start + 600_000) })
    const named = optionOf(await shop.send(buy)).extra["item"]!
    expect(named).toBe(item)
    expect(Buffer.byteLength(named)).toBeLessThanOrEqual(40)
  })

  it("isn't requested where state and ZIP code contradict each other, and nothing is charged", async () => {
    const shop = await openTill()
    const body = buy.body as { readonly shippingAddress: object }
    const to = (changes: object) => ({
      ...buy,
      body: { ...body, shippingAddress: { ...body.shippingAddress, ...changes } }
    })
    const wrong = to({ state: "Texas" })
    const payment = await shop.payFor(buy)
    const quotes = shop.fulfilment.quote.calls.length
    for (const refused of [await shop.send(wrong), await shop.present(wrong, payment)]) {
      expect([refused.status, jsonOf(refused)["code"]]).toEqual([400, "VALIDATION_ERROR"])
      expect(refused.text).toContain("is a ZIP code of NJ: correct it, or the state")
    }
    expect(shop.fulfilment.quote.calls).toHaveLength(quotes)
    expect(shop.facilitator.settled).toHaveLength(0)
    for (const honest of [
      to({ state: "NY" }),
      to({ state: "AE", postalCode: "09012" }),
      to({ country: "DE" })
    ])
      expect((await shop.send(honest)).status).toBe(402)
  })

  it("is one for a request, as long as it lives", async () => {
    const shop = await openTill()
    const first = await shop.send(buy)
    expect(optionOf(first)).toMatchObject({
      amount: "26640000",
      extra: { subtotal: "20.00", tax: "1.65", shipping: "4.99", total: "26.64" }
    })
    minutes(9)
    expect(quoteIdOf(await shop.send(buy))).toBe(quoteIdOf(first))
    expect(shop.fulfilment.quote.calls).toHaveLength(1)
    minutes(2)
    expect(quoteIdOf(await shop.send(buy))).not.toBe(quoteIdOf(first))
  })

  it("is another for another address", async () => {
    const shop = await openTill()
    const body = buy.body as { readonly shippingAddress: object }
    const elsewhere = { ...buy, body: { ...body, shippingAddress: { ...body.shippingAddress, state: "NY" } } }
    expect(quoteIdOf(await shop.send(elsewhere))).not.toBe(quoteIdOf(await shop.send(buy)))
  })

  it("buys one order: a second payment is quoted afresh and costs nothing", async () => {
    const shop = await openTill()
    const challenge = await shop.challenge(buy)
    const [first, second] = await Promise.all([payChallenge(challenge), payChallenge(challenge)])
    expect((await shop.present(buy, headerOf(first))).status).toBe(200)
    const refused = await shop.presentAgain(buy, headerOf(second))
    expectRefused(refused, "quote_expired")
    expect(quoteIdOf(refused)).not.toBe(challenge.accepts[0]!.extra["quoteId"])
    expect(await shop.till.orders.list()).toHaveLength(1)
    expect(shop.facilitator.settled).toHaveLength(1)
    // What the 402 offers can be paid.
    const third = await payChallenge(challengeOf(refused))
    expect((await shop.presentAgain(buy, headerOf(third))).status).toBe(200)
    expect(await shop.till.orders.list()).toHaveLength(2)
  })
})

describe("a quote that has expired", () => {
  it.each([1, 2] as const)("can't be paid in version %i: 402 with a fresh one", async (version) => {
    const shop = await openTill()
    const challenge = await shop.challenge(buy)
    minutes(10)
    const payment = await payChallenge(challenge, { version })
    const refused = await shop.present(buy, headerOf(payment))
    expectRefused(refused, "quote_expired")
    expect(quoteIdOf(refused)).not.toBe(challenge.accepts[0]!.extra["quoteId"])
    expect([shop.facilitator.verify.calls.length, (await shop.till.orders.list()).length]).toEqual([0, 0])
  })

  it("and was replaced by a dearer one can't be paid: the new amount is named", async () => {
    const shop = await openTill()
    const earlier = await shop.challenge(buy)
    minutes(10)
    shop.fulfilment.quote.returns({ ...dearer, expiresAt: new Date(Date.now() + 600_000) })
    const later = await shop.challenge(buy)
    for (const version of [1, 2] as const) {
      const refused = await shop.present(buy, headerOf(await payChallenge(earlier, { version })))
      expectRefused(
        refused,
        version === 2 ? "quote_expired" : "invalid_exact_evm_payload_authorization_value_mismatch"
      )
      expect(optionOf(refused)).toEqual(later.accepts[0])
      expect(optionOf(refused).amount).toBe("37470000")
    }
    expect(await shop.till.orders.list()).toEqual([])
  })

  it("and was replaced by one of the same total can't be paid by its name", async () => {
    const shop = await openTill()
    const earlier = await shop.challenge(buy)
    minutes(10)
    await shop.challenge(buy)
    expectRefused(await shop.present(buy, headerOf(await payChallenge(earlier))), "quote_expired")
    // Version 1 names no quote: the amount is the agreement, and it is still right.
    const unnamed = headerOf(await payChallenge(earlier, { version: 1 }))
    expect((await shop.present(buy, unnamed)).status).toBe(200)
  })

  it("after payment changes nothing: the response is replayed", async () => {
    const shop = await openTill()
    const payment = await shop.payFor(buy)
    const response = await shop.present(buy, payment)
    minutes(60)
    shop.fulfilment.quote.failsWith(new Error("must not be called"))
    const again = await shop.present(buy, payment)
    expect([again.status, again.text]).toEqual([200, response.text])
  })

  it("while the payment is verified buys nothing", async () => {
    const shop = await openTill()
    const payment = await shop.payFor(buy)
    shop.facilitator.verify.returnsOnce(() => {
      minutes(10)
      return { isValid: true }
    })
    expectRefused(await shop.present(buy, payment), "quote_expired")
    expect([shop.facilitator.settle.calls.length, (await shop.till.orders.list()).length]).toEqual([0, 0])
  })
})

describe("an order", () => {
  it("is what was quoted, for whom it was quoted", async () => {
    const shop = await openTill()
    const response = jsonOf(await shop.present(buy, await shop.payFor(buy)))
    expect(response).toMatchObject({ status: "processing", totalPrice: { amount: "26.64", currency: "USD" } })
    await vi.waitFor(() => expect(shop.mailer.sent).toHaveLength(1))
    const { email, shippingAddress } = buy.body as Record<string, unknown>
    expect(shop.fulfilment.orders.get(String(response["orderId"]))).toMatchObject({
      reference: "upstream-quote-1",
      total: "26.64",
      email,
      shippingAddress
    })
  })

  it.each([
    ["no body", {}],
    ["an empty body", { body: {} }]
  ])("is not bought by a payment with %s: the indicative amount can't be paid", async (_, without) => {
    const shop = await openTill()
    const probe = { path: buy.path, ...without }
    const unpaid = await shop.till.fetch(
      new Request(`https://shop.example/api${buy.path}`, { method: "POST" })
    )
    const challenge = challengeOf({ status: 402, text: "", headers: unpaid.headers })
    expect(challenge.accepts[0]!.extra["indicative"]).toBe("true")
    const payment = headerOf(await payChallenge(challenge))
    const paid = await shop.till.fetch(
      new Request(`https://shop.example/api${probe.path}`, {
        method: "POST",
        headers: { "payment-signature": payment, "content-type": "application/json" },
        ...("body" in probe ? { body: JSON.stringify(probe.body) } : {})
      })
    )
    expect([unpaid.status, paid.status]).toEqual([402, 400])
    expect(shop.facilitator.verify.calls).toHaveLength(0)
  })
})
