import { describe, expect, it, onTestFinished, vi } from "vitest"
import { operation } from "../../src/index.ts"
import type { PricedRouteOptions } from "../../src/operations/PricedRouteOptions.ts"
import { baseUrl, challengeOf, openTill, readResponse, receiptOf } from "../toll/openTill.ts"
import { headerOf, payChallenge } from "../toll/wallet.ts"

/*
 * Priced handlers of a server that takes a web `Request` and returns a `Response`.
 */

const weather: PricedRouteOptions = { id: "weather", path: "/weather/:city", price: "0.02" }

const requestOf = (init?: RequestInit) => new Request(`${baseUrl}/weather/oslo`, init)

describe("a priced handler over fetch", () => {
  it("is paid once, and replayed", async () => {
    const { till } = await openTill()
    const route = till.price(weather)
    let calls = 0
    const send = async (init?: RequestInit) =>
      readResponse(await route.fetch(requestOf(init), () => Response.json({ calls: ++calls })))
    const header = headerOf(await payChallenge(challengeOf(await send()), {}))
    const first = await send({ headers: { "payment-signature": header } })
    const replay = await send({ headers: { "payment-signature": header } })
    expect([first.text, replay.text, calls]).toEqual(['{"calls":1}', '{"calls":1}', 1])
    expect(receiptOf(replay)).toEqual(receiptOf(first))
    expect((await send({ method: "PUT" })).status).toBe(405)
    expect((await send({ method: "OPTIONS" })).status).toBe(204)
  })

  it("reads the body that its payment is bound to", async () => {
    const { facilitator, till } = await openTill()
    const route = till.price({ ...weather, method: "POST" })
    const send = async (body: string, headers: Record<string, string> = {}) => {
      const request = requestOf({ method: "POST", body, headers })
      return readResponse(await route.fetch(request, async () => new Response(await request.text())))
    }
    const header = headerOf(await payChallenge(challengeOf(await send("a=1")), {}))
    expect((await send("a=2", { "payment-signature": header })).text).toBe("a=2")
    expect((await send("a=1", { "payment-signature": header })).status).toBe(402)
    const encoded = { "payment-signature": header, "content-encoding": "gzip" }
    expect((await send("a=2", encoded)).status).toBe(402)
    expect(facilitator.settled).toHaveLength(1)
  })

  it("throws what its handler throws, and charges nothing", async () => {
    const { facilitator, till } = await openTill()
    const route = till.price(weather)
    const unpaid = await readResponse(await route.fetch(requestOf(), () => new Response()))
    const header = headerOf(await payChallenge(challengeOf(unpaid), {}))
    const thrown = new Error("no weather")
    const paid = requestOf({ headers: { "payment-signature": header } })
    await expect(route.fetch(paid, () => Promise.reject(thrown))).rejects.toBe(thrown)
    expect(facilitator.settle.calls).toHaveLength(0)
    expect(await (await route.fetch(paid, () => new Response("sun"))).text()).toBe("sun")
  })

  it("is not called again where its request takes its charge over a second time", async () => {
    const { facilitator, till } = await openTill()
    const route = till.price({ ...weather, settlement: "before-work" })
    const unpaid = await readResponse(await route.fetch(requestOf(), () => new Response()))
    const header = headerOf(await payChallenge(challengeOf(unpaid), {}))
    const paid = () => requestOf({ headers: { "payment-signature": header } })
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    let calls = 0
    const response = await route.fetch(paid(), async () => {
      if (++calls > 1) return new Response("rain")
      // The lease expires, and a copy takes the charge over, whose handler fails.
      vi.setSystemTime(Date.now() + 300_000)
      const copy = await route.fetch(paid(), () => new Response("no weather", { status: 503 }))
      expect((await readResponse(copy)).status).toBe(503)
      return new Response("sun")
    })
    expect([response.status, await response.text(), calls]).toEqual([200, "sun", 1])
    expect(facilitator.settled).toHaveLength(1)
  })

  it("is late, and its body is canceled unread", async () => {
    const { till } = await openTill({ upstreamTimeoutMillis: 500 })
    const route = till.price(weather)
    const unpaid = await readResponse(await route.fetch(requestOf(), () => new Response()))
    const header = headerOf(await payChallenge(challengeOf(unpaid), {}))
    const gate = Promise.withResolvers<void>()
    const canceled = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({ cancel: () => canceled.resolve() })
    const read = vi.spyOn(body, "getReader")
    const response = await route.fetch(requestOf({ headers: { "payment-signature": header } }), async () => {
      await gate.promise
      return new Response(body)
    })
    expect(response.status).toBe(503)
    gate.resolve()
    await canceled.promise
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(read).not.toHaveBeenCalled()
  })

  it("can be opened again from an encrypted record only by its payment", async () => {
    const { till } = await openTill()
    const route = till.price({ ...weather, encrypted: true })
    const unpaid = await readResponse(await route.fetch(requestOf(), () => new Response()))
    const header = headerOf(await payChallenge(challengeOf(unpaid), {}))
    const paid = () => requestOf({ headers: { "payment-signature": header } })
    await route.fetch(paid(), () => new Response("sun"))
    expect(await (await route.fetch(paid(), () => new Response("rain"))).text()).toBe("sun")
  })
})

describe("options of a priced route", () => {
  it.each<[string, unknown, string]>([
    ["id", "the weather", "id must be"],
    ["id", "search", "this id belongs to another paid route"],
    ["id", "tides", "this id belongs to another paid route"],
    ["id", "taken", "this id belongs to another paid route"],
    ["method", "PUT", 'method must be "GET" or "POST"'],
    ["path", "weather", "path must be"],
    ["path", undefined, "path must be"],
    ["path", "/x402/weather", "path must not be below /x402"],
    ["path", "/openapi.json", "belongs to another route of the till"],
    ["path", "/tides/:town", "belongs to another route of the till"],
    ["path", "/taken", "belongs to another route of the till"],
    ["price", "0", "price must be dollars"],
    ["price", { min: "0.01", max: "0.02", of: () => "0.01" }, "price must be fixed"],
    ["example", { input: {}, output: 1n }, "example must be data that JSON can hold"],
    ["example", { city: "oslo" }, "example must be an object such as { input"],
    ["mimeType", "text", "mimeType must be"],
    ["settlement", "first", "settlement must be"],
    ["work", () => ({}), "there is no option work"]
  ])("%s can't be %o", async (name, value, message) => {
    const tides = operation({
      id: "tides",
      method: "POST",
      path: "/tides/:city",
      description: "Tides",
      price: "0.02",
      work: () => ({})
    })
    const { till } = await openTill({ operations: [tides] })
    till.price({ id: "taken", path: "/taken", price: "0.01" })
    till.price({ id: "taken_too", method: "POST", path: "/taken", price: "0.01" })
    const options: Record<string, unknown> = { ...weather, [name]: value }
    expect(() => Reflect.apply(till.price, undefined, [options])).toThrow(message)
  })
  it("may be given again, as by a server that reloads its handlers: it is the same route, listed once", async () => {
    const { till } = await openTill()
    const routes = [till.price(weather), till.price({ ...weather })]
    for (const route of routes)
      expect((await route.fetch(requestOf(), () => new Response("sun"))).status).toBe(402)
    expect(() => till.price({ ...weather, price: "0.03" })).toThrow("this id belongs to another paid route")
    expect(() => till.price({ ...weather, id: "other" })).toThrow("belongs to another route of the till")
    const listing = await till.fetch(new Request(`${baseUrl}/.well-known/x402`))
    const { resources } = (await listing.json()) as { readonly resources: ReadonlyArray<string> }
    expect(resources.filter((each) => each.startsWith("GET /weather"))).toHaveLength(1)
  })
})
