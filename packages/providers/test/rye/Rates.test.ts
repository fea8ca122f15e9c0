import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { intentFixture } from "./fakeRye.ts"
import { request, startShop } from "./shop.ts"

/*
 * Rye counts mutations, reads and lookups of products apart: https://rye.com/docs/api-v2.
 */

const server = interceptRequests()
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

const kinds = {
  mutations: /^POST /,
  reads: /^GET \/(?:checkout-intents|billing|shipments)/,
  lookups: /^GET \/products\/lookup/
} as const
type Kind = keyof typeof kinds

/** Sockets and promises go on; clocks stand still. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Lets the clocks go on until the calls have ended. */
const finish = async (...calls: ReadonlyArray<Promise<unknown>>): Promise<void> => {
  const going = { on: true }
  const all = Promise.all(calls).finally(() => {
    going.on = false
  })
  while (going.on) {
    await turn()
    await vi.advanceTimersByTimeAsync(100)
  }
  await all
}

/** A shop with these rates, whose clocks stand still: calls beyond a rate wait. */
const start = (rates: { readonly [kind in `${Kind}PerSecond`]?: number | undefined }) => {
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
    /** So many are sent, and no more until the clocks go on. */
    sends: async (kind: Kind, count: number) => {
      for (let turns = 0; sent(kind) < count && turns < 100_000; turns++) await turn()
      for (let turns = 0; turns < 100; turns++) await turn()
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
    await finish(quoting)
  })

  it("allow by default ten reads in a second", async () => {
    const { readMany, sends } = start({ readsPerSecond: undefined })
    const reading = readMany(12)
    await sends("reads", 10)
    await finish(reading)
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
    await finish(looked, changed, read)
  })
})
