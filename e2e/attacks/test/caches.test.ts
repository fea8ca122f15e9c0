import { fakeFacilitator } from "@till402/testing"
import { describe, expect, it } from "vitest"
import { attack } from "../src/attack.ts"
import { type Call, calls, downloadOf, jsonOf, requestOf } from "../src/Calls.ts"
import { openOptimistic, optimistic } from "../src/Optimistic.ts"
import { openOurs } from "../src/Ours.ts"
import { headerOf } from "../src/Payments.ts"
import { sharedCache } from "../src/SharedCache.ts"
import { visit } from "../src/Visitor.ts"

const cachingServer = () => openOptimistic(fakeFacilitator(), { cacheControl: "public, max-age=60" })

describe("the shared cache of these tests", () => {
  const respondWith = (headers: Record<string, string>, status = 200) => {
    let times = 0
    const cache = sharedCache(async () => new Response(String(++times), { status, headers }))
    return async (request: HeadersInit = {}) =>
      (await cache.fetch(new Request("https://shop.example/", { headers: request }))).text()
  }

  it.each([
    ["public, max-age=60", 200, "1"],
    ["max-age=60", 402, "1"],
    ["", 200, "1"],
    ["", 404, "1"],
    ["", 402, "2"],
    ["max-age=0", 200, "2"],
    ["private, max-age=60", 200, "2"],
    ["no-store", 200, "2"],
    ["public, max-age=60, private", 200, "2"]
  ])("%j with status %d: the second caller gets response %s", async (cacheControl, status, second) => {
    const get = respondWith({ "cache-control": cacheControl }, status)
    expect([await get(), await get()]).toEqual(["1", second])
  })

  it("distinguishes requests by the headers in Vary", async () => {
    const get = respondWith({ "cache-control": "max-age=60", vary: "Origin, X-Payment" })
    const both = { origin: "https://a.example", "x-payment": "a" }
    expect([await get(both), await get(both), await get(), await get({ ...both, "x-payment": "b" })]).toEqual(
      ["1", "1", "2", "3"]
    )
  })
})

attack("a paid response given to others by a shared cache", {
  on: `${optimistic}, with Cache-Control: public on its catalogue`,
  lands: async () => {
    const server = cachingServer()
    const cached = visit(sharedCache(server.fetch))
    const payment = await visit(server).payFor(calls.track)
    expect((await cached.present(calls.track, payment)).status).toBe(200)
    const free = await cached.send(calls.track)
    expect([free.status, jsonOf(free)["number"]]).toEqual([200, "1Z999AA10123456784"])
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    const server = await openOurs(facilitator)
    const direct = visit(server)
    const bought = jsonOf(await direct.present(calls.vaultBuy, await direct.payFor(calls.vaultBuy)))
    const download = downloadOf(String(bought["purchaseId"]), String(bought["downloadToken"]))
    for (const call of [calls.search, calls.track, calls.vaultSearch, download]) {
      const cache = sharedCache(server.fetch)
      const cached = visit(cache)
      const payment = await direct.payFor(call)
      const paid = await cached.present(call, payment)
      expect(paid.status).toBe(200)
      expect(paid.headers.get("cache-control")).toMatch(/no-store/)
      // No caller without the payment gets it: unpaid, with another header, or with the other version's.
      for (const headers of [
        {},
        { "payment-signature": "e30=" },
        { "x-payment": "e30=" },
        { accept: "text/html" }
      ])
        expect((await cached.send(call, headers)).status).toBe(402)
      expect((await cache.fetch(new Request(requestOf(call), { method: "HEAD" }))).status).toBe(402)
      // The payer still gets the response, from the till.
      expect((await cached.send(call, { "x-payment": headerOf(payment) })).text).toBe(paid.text)
      expect(cache.hits()).toBe(0)
    }
  }
})

attack("a challenge given to others by a shared cache", {
  on: `${optimistic}, with Cache-Control: public on its catalogue`,
  lands: async () => {
    const server = cachingServer()
    const cached = visit(sharedCache(server.fetch))
    const payment = await cached.payFor(calls.track)
    // Pays, and gets a 402 that the cache stored for somebody else.
    expect((await cached.present(calls.track, payment)).status).toBe(402)
    expect(server.goods.tracker.track.calls).toHaveLength(0)
  },
  fails: async () => {
    const server = await openOurs(fakeFacilitator())
    const cache = sharedCache(server.fetch)
    const cached = visit(cache)
    const all: ReadonlyArray<Call> = [calls.search, calls.track, calls.vaultSearch, calls.shop, calls.buy]
    for (const call of all) {
      const payment = await cached.payFor(call)
      const refused = await cached.send(call, { "payment-signature": "e30=" })
      expect([refused.status, refused.headers.get("cache-control")]).toEqual([402, "no-store"])
      expect((await cached.present(call, payment)).status).toBe(200)
    }
    expect(cache.hits()).toBe(0)
  }
})

attack("an error or a document given to others by a shared cache", {
  on: `${optimistic}, with Cache-Control: public on its catalogue`,
  lands: async () => {
    const server = cachingServer()
    server.goods.tracker.track.failsOnceWith(new Error("down"))
    const cached = visit(sharedCache(server.fetch))
    const direct = visit(server)
    expect((await cached.present(calls.track, await direct.payFor(calls.track))).status).toBe(500)
    // One caller's error is served to everybody.
    expect((await cached.present(calls.track, await direct.payFor(calls.track))).status).toBe(500)
  },
  fails: async () => {
    const origins = ["https://a.example", "https://b.example"]
    const server = await openOurs(fakeFacilitator(), { cors: origins })
    const cache = sharedCache(server.fetch)
    const cached = visit(cache)
    const direct = visit(server)
    server.goods.tracker.track.failsOnceWith(new Error("down"))
    expect((await cached.present(calls.track, await direct.payFor(calls.track))).status).toBe(502)
    expect((await cached.present(calls.track, await direct.payFor(calls.track))).status).toBe(200)
    const wrong: Call = { path: "/x402/track?number=!" }
    const payment = await direct.payFor(calls.track)
    expect((await cached.present(wrong, payment)).status).toBe(400)
    expect((await cached.send({ path: "/x402/nothing" })).headers.get("cache-control")).toBe("no-store")
    expect(cache.hits()).toBe(0)
    // Public documents are cached separately for each origin.
    const document: Call = { path: "/openapi.json" }
    const allowed: Array<string | null> = []
    for (const origin of [...origins, ...origins, undefined])
      allowed.push(
        (await cached.send(document, origin === undefined ? {} : { origin })).headers.get(
          "access-control-allow-origin"
        )
      )
    expect(allowed).toEqual([...origins, ...origins, null])
    expect(cache.hits()).toBe(2)
  }
})
