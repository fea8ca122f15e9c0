import { afterEach, assert, describe, it, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
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

/** A shop with these rates, whose clock stands still: calls beyond a rate wait. */
const start = (rates: { readonly [kind in `${Kind}PerSecond`]?: number | undefined }) => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const started = startShop(server, {
    ...rates,
    deadlineMillis: 60_000,
    timeoutMillis: 50_000,
    quoteTimeoutMillis: 60_000
  })
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
      Promise.allSettled(Array.from({ length: count }, () => shop.status("ci_placing"))),
    /** So many are sent, and no more until the clock goes on. */
    sends: async (kind: Kind, count: number) => {
      await vi.waitFor(() => assert.isAtLeast(sent(kind), count), { timeout: 60_000 })
      await new Promise((resolve) => setTimeout(resolve, 200))
      assert.strictEqual(sent(kind), count)
    }
  }
}

describe("the rates of an account at Rye", () => {
  it.each<[Kind, number]>([
    ["mutations", 5],
    ["lookups", 10]
  ])("allow by default that many %s in a second: %i", async (kind, rate) => {
    const { quoteMany, sends } = start({ [`${kind}PerSecond`]: undefined })
    const quoting = quoteMany(12)
    await sends(kind, rate)
    vi.useRealTimers()
    await quoting
  })

  it("allow by default ten reads in a second", async () => {
    const { readMany, sends } = start({ readsPerSecond: undefined })
    const reading = readMany(12)
    await sends("reads", 10)
    vi.useRealTimers()
    await reading
  })

  it("are used up one by one: no kind takes the turns of another", async () => {
    const looking = start({ lookupsPerSecond: 2 })
    const looked = looking.quoteMany(4)
    await looking.sends("lookups", 2)
    await looking.sends("mutations", 4)
    const changing = start({ mutationsPerSecond: 1 })
    const changed = changing.quoteMany(4)
    await changing.sends("mutations", 1)
    assert.deepInclude(await changing.status(), { status: "placed" })
    const reading = start({ readsPerSecond: 1 })
    await reading.status()
    const read = reading.status()
    await reading.sends("reads", 1)
    vi.useRealTimers()
    await Promise.all([looked, changed, read])
  })
})
