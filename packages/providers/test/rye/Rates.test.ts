import { afterEach, assert, describe, it, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../treasury/treasuries.ts"
import { intentFixture } from "./fakeRye.ts"
import { request, startShop } from "./shop.ts"

/*
 * Rye counts mutations, reads and lookups of products apart: https://rye.com/docs/api-v2.
 */

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())

const kinds = {
  mutations: /^POST /,
  reads: /^GET \/(?:checkout-intents|billing|shipments)/,
  lookups: /^GET \/products\/lookup/
} as const
type Kind = keyof typeof kinds

/** A shop with these rates, whose clock stands still: calls beyond a rate miss their deadline. */
const start = (rates: { readonly [kind in `${Kind}PerSecond`]?: number | undefined }) => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const started = startShop(server, { ...rates, deadlineMillis: 400, timeoutMillis: 300 })
  const { quote, shop, upstream } = started
  upstream.put({ ...intentFixture("3-placing"), id: "ci_placing" })
  const placeable = (count: number) => ({
    ...request,
    shippingAddress: { ...request.shippingAddress, line1: `${count} Test St` }
  })
  const sent = (kind: Kind) => upstream.count(kinds[kind])
  return {
    sent,
    status: () => shop.status("ci_placing"),
    quoteMany: (count: number) =>
      Promise.allSettled(Array.from({ length: count }, (_, index) => quote(placeable(index)))),
    readMany: (count: number) =>
      Promise.allSettled(Array.from({ length: count }, () => shop.status("ci_placing")))
  }
}

describe("the rates of an account at Rye", () => {
  it.each<[Kind, number]>([
    ["mutations", 5],
    ["lookups", 10]
  ])("allow by default that many %s in a second: %i", async (kind, rate) => {
    const { quoteMany, sent } = start({ [`${kind}PerSecond`]: undefined })
    await quoteMany(12)
    assert.strictEqual(sent(kind), rate)
  })

  it("allow by default ten reads in a second", async () => {
    const { readMany, sent } = start({ readsPerSecond: undefined })
    await readMany(12)
    assert.strictEqual(sent("reads"), 10)
  })

  it("are used up one by one: no kind takes the turns of another", async () => {
    const looking = start({ lookupsPerSecond: 2 })
    await looking.quoteMany(4)
    assert.deepStrictEqual([looking.sent("mutations"), looking.sent("lookups")], [4, 2])
    const changing = start({ mutationsPerSecond: 1 })
    await changing.quoteMany(4)
    assert.strictEqual(changing.sent("mutations"), 1)
    assert.deepInclude(await changing.status(), { status: "placed" })
    const reading = start({ readsPerSecond: 1 })
    await reading.status()
    assert.deepInclude(await rejectionOf(reading.status()), {
      _tag: "TemporarilyUnavailable",
      code: "Overloaded"
    })
    assert.strictEqual(reading.sent("reads"), 1)
  })
})
