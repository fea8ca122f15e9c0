import { HttpResponse } from "msw"
import { sqliteJournals } from "@till402/providers/journals"
import { afterEach, assert, describe, it, vi } from "vitest"
import { phoneOf } from "../../src/fulfilment/Buyer.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { context, request, startShop } from "./shop.ts"

const server = interceptRequests()
const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)
afterEach(() => void vi.useRealTimers())
const created = /^POST \/checkout-intents$/

/** A caller who buys nothing, with an address of its own each time. */
const stranger = (count: number) => ({
  email: `eve${count}@example.com`,
  shippingAddress: { ...request.shippingAddress, line1: `${count} Fresh St` }
})

describe("the intents of a day", () => {
  it("are not used up by one caller with fresh addresses: a buyer still gets a quote", async () => {
    const { place, quote, upstream } = start()
    await place((await quote()).reference)
    for (let count = 1; count <= 29; count++) await quote(stranger(count))
    assert.deepInclude(await rejectionOf(quote(stranger(30))), {
      _tag: "TemporarilyUnavailable",
      code: "IntentBudgetSpent"
    })
    assert.strictEqual(upstream.count(created), 30)
    assert.strictEqual((await quote()).total, "97.35")
  })

  it("are refused with the time until one is free, without a request to create one", async () => {
    const { quote, upstream } = start({ intentsPerDay: 1, intentsForBuyers: 0 })
    await quote()
    const { retryAfterSeconds } = (await rejectionOf(quote())) as { retryAfterSeconds?: number }
    assert.isAtLeast(retryAfterSeconds ?? 0, 86_300)
    assert.isAtMost(retryAfterSeconds ?? 0, 86_400)
    assert.strictEqual(upstream.count(created), 1)
  })

  it("are reserved for a buyer known by the email with the address, after a restart too", async () => {
    const { close, placements } = sqliteJournals(":memory:")
    const { open, place, quote } = start({ placements, intentsPerDay: 5, intentsForBuyers: 5 })
    assert.deepInclude(await rejectionOf(quote()), { code: "IntentBudgetSpent" })
    const { open: openAll } = start({ placements })
    const { reference } = await openAll().quote(request, context)
    await place(reference, {}, openAll())
    const restarted = open()
    assert.strictEqual(
      (await restarted.quote({ ...request, email: "ADA@example.com" }, context)).total,
      "97.35"
    )
    const sameEmail = { ...request, shippingAddress: stranger(1).shippingAddress }
    assert.deepInclude(await rejectionOf(restarted.quote(sameEmail, context)), { code: "IntentBudgetSpent" })
    // One buyer has a fifth of the reserve.
    assert.deepInclude(await rejectionOf(restarted.quote(request, context)), { code: "IntentBudgetSpent" })
    await close()
  })

  it("count no request that Rye refused", async () => {
    const { quote, upstream } = start({ intentsPerDay: 1, intentsForBuyers: 0 })
    for (const status of [400, 429]) {
      upstream.next(created, () => HttpResponse.json({ message: "no such product" }, { status }))
      await rejectionOf(quote())
    }
    assert.strictEqual((await quote()).total, "97.35")
  })

  it("count no quote that waits for an intent already created", async () => {
    const { quote, upstream } = start({ intentsPerDay: 1, intentsForBuyers: 0 })
    upstream.looksToOffer = 100
    assert.deepInclude(await rejectionOf(quote()), { code: "OfferNotReady" })
    upstream.looksToOffer = 0
    assert.strictEqual((await quote()).reference, "ci_1")
  })
})

describe("the orders that Rye places at once", () => {
  const confirmed = /\/confirm$/
  const placements = async () => {
    const started = start({ ordersAtOnce: 1 })
    const [first, second] = [await started.quote(), await started.quote(stranger(1))]
    await started.place(first.reference)
    const placeSecond = () => started.place(second.reference, { orderId: "order-2" })
    return { ...started, first, second, placeSecond }
  }

  it("are not exceeded: another order is retried, and nothing is confirmed", async () => {
    const { placeSecond, upstream } = await placements()
    const refused = await rejectionOf(placeSecond())
    assert.deepInclude(refused, { _tag: "NotPlaced", code: "TooManyOrders", retryAfterSeconds: 15 })
    assert.strictEqual(upstream.count(confirmed), 1)
  })

  it("include no order that Rye has placed", async () => {
    const { first, placeSecond, second, shop, upstream } = await placements()
    await shop.status(first.reference)
    assert.deepInclude(await rejectionOf(placeSecond()), { code: "TooManyOrders" })
    Object.assign(upstream.intents.get(first.reference)!, { state: "completed", orderId: "ord_1" })
    await shop.status(first.reference)
    assert.strictEqual((await placeSecond()).reference, second.reference)
  })

  it("include no order that Rye refused, nor one of which nothing is heard for ten minutes", async () => {
    const { place, quote, upstream } = start({ ordersAtOnce: 1 })
    const [first, second] = [await quote(), await quote(stranger(1))]
    upstream.next(confirmed, () => HttpResponse.json({}, { status: 429 }))
    assert.deepInclude(await rejectionOf(place(first.reference)), { _tag: "NotPlaced", code: "HTTP_429" })
    await place(second.reference, { orderId: "order-2" })
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 599_000 })
    assert.deepInclude(await rejectionOf(place(first.reference)), { code: "TooManyOrders" })
    vi.setSystemTime(Date.now() + 2_000)
    assert.strictEqual((await place(first.reference)).reference, first.reference)
  })
})

describe("the balance", () => {
  it.each<[string, number | undefined, string]>([
    ["is used up", 0, "BalanceTooLow"],
    ["is in debt", -100, "BalanceTooLow"],
    ["is not enabled", undefined, "DrawdownDisabled"]
  ])("that %s sells nothing and costs no intent", async (_what, balanceCents, code) => {
    const { quote, upstream } = start()
    upstream.balanceCents = balanceCents
    assert.deepInclude(await rejectionOf(quote()), { _tag: "TemporarilyUnavailable", code })
    assert.strictEqual(upstream.count(created), 0)
  })

  it("must cover the price, without the surcharge", async () => {
    const { open, quote, upstream } = start()
    upstream.balanceCents = 9_734
    assert.deepInclude(await rejectionOf(quote()), { code: "BalanceTooLow" })
    upstream.arrange = (intent) => {
      intent.offer!.cost["surcharge"] = { amountSubunits: 1, currencyCode: "USD" }
    }
    assert.strictEqual((await open().quote(request, context)).total, "97.34")
  })

  it("that is too low keeps the intent for the time after a top-up", async () => {
    const { quote, upstream } = start()
    upstream.balanceCents = 100
    assert.deepInclude(await rejectionOf(quote()), { code: "BalanceTooLow" })
    assert.deepInclude(await rejectionOf(quote()), { code: "BalanceTooLow" })
    assert.strictEqual(upstream.count(created), 1)
  })

  it("is read once for the quotes of half a minute, and again if that failed", async () => {
    const { quote, upstream } = start({ quoteTimeoutMillis: 60_000 })
    upstream.next(/^GET \/billing/, () => HttpResponse.json({}, { status: 503 }))
    assert.deepInclude(await rejectionOf(quote()), { code: "HTTP_503" })
    await Promise.all([quote(), quote(stranger(1)), quote(stranger(2))])
    assert.strictEqual(upstream.count(/^GET \/billing\/balance$/), 2)
  })
})

describe("Rye's rates", () => {
  it("count lookups, reads and changes apart", async () => {
    const { open } = start()
    const shop = open({ mutationsPerSecond: 1, readsPerSecond: 1, lookupsPerSecond: 1, deadlineMillis: 300 })
    // One request of each kind.
    assert.strictEqual((await shop.quote(request, context)).total, "97.35")
    assert.deepInclude(await rejectionOf(shop.quote({ ...request, ...stranger(1) }, context)), {
      code: "Overloaded"
    })
  })
})

describe("a phone number", () => {
  it.each([
    ["+15555550100", "555-555-0100"],
    ["+1 (555) 555-0100", "555-555-0100"],
    ["1-555-555-0100", "555-555-0100"],
    ["555.555.0100", "555-555-0100"],
    ["5555550100", "555-555-0100"],
    ["+44 20 7946 0958", "+44 20 7946 0958"],
    ["+3412345678", "+3412345678"],
    ["555-0100", "555-0100"]
  ])("%s is sent as %s", (phone, sent) => {
    assert.strictEqual(phoneOf(phone), sent)
  })
})
