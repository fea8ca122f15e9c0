import { priced as pricedFastify } from "@till402/fastify"
import Fastify from "fastify"
import { describe, expect, it } from "vitest"
import { serverOfFastify } from "./fastify.ts"
import { serve } from "./hosts.ts"
import { openTill, openWallet, started, weather } from "./pricedHandlers.ts"
import { pricedHosts } from "./pricedHosts.ts"

/*
 * Spellings of a priced route's path: those that a framework routes to the handler must never be a fault of the host.
 */

const tides = { id: "tides", path: "/tides", price: "0.02" } as const

const priced = async () => {
  const faults: Array<Error> = []
  const calls: Array<string> = []
  const host = await started({ baseUrl: "https://shop.example/api" }, (app, price) => {
    app.onError((error, context) => {
      faults.push(error)
      return context.text(error.message, 500)
    })
    const api = app.basePath("/api")
    api.get("/tides", price(tides), (context) => {
      calls.push(context.req.url)
      return context.text("high")
    })
    api.get("/weather/:city", price(weather), (context) => context.text(context.req.param("city")))
  })
  return { ...host, calls, faults }
}

describe("the path of a priced route", () => {
  it.each(["/api/tides", "/api/tid%65s", "/%61pi/tides", "/api/weather/%6fslo", "/api/we%61ther/%zz"])(
    "is known as %s",
    async (path) => {
      const { calls, faults, origin } = await priced()
      expect((await fetch(origin + path)).status).toBe(402)
      expect([faults, calls]).toEqual([[], []])
    }
  )

  it("is paid by any of its spellings", async () => {
    const { calls, origin, pay } = await priced()
    expect(await (await pay(`${origin}/api/tid%65s`)).text()).toBe("high")
    expect(await (await pay(`${origin}/api/weather/%6fslo`)).text()).toBe("oslo")
    expect(calls).toHaveLength(1)
  })

  it.each([
    [1024, 402],
    [1025, 404]
  ])("of %d characters gets a %d", async (length, status) => {
    const { faults, origin } = await priced()
    const response = await fetch(`${origin}/api${"/weather/".padEnd(length, "a")}`)
    expect(response.status).toBe(status)
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(faults).toEqual([])
  })
})

describe("in a framework that takes other letters and slashes for the same path", () => {
  it.each(["Express 5", "Express 4", "Koa 3", "Koa 2"] as const)(
    "of %s, the handler is paid",
    async (name) => {
      const { facilitator, till } = openTill({})
      const handler = ({ city }: { readonly city: string }) => ({ body: city })
      const routes = [{ route: weather, handler }]
      const server = pricedHosts[name]({ till, routes, outer: () => ({}) })
      const { pay } = openWallet()
      const paid = await pay(`http://127.0.0.1:${await serve(server)}/Weather/Oslo`)
      expect([paid.status, await paid.text()]).toEqual([200, "Oslo"])
      expect(facilitator.settled).toHaveLength(1)
    }
  )

  it("of Fastify with such options, the handler is paid", async () => {
    const { facilitator, till } = openTill({ baseUrl: "https://shop.example/api" })
    const app = Fastify({ routerOptions: { caseSensitive: false, ignoreDuplicateSlashes: true } })
    app.get<{ Params: { city: string } }>(
      "/api/weather/:city",
      pricedFastify(till, weather),
      ({ params }) => params.city
    )
    const { pay } = openWallet()
    const origin = `http://127.0.0.1:${await serve(serverOfFastify(app))}`
    for (const path of ["/API/Weather/Oslo", "/api//weather/Oslo"])
      expect((await pay(origin + path)).status).toBe(200)
    expect(facilitator.settled).toHaveLength(2)
  })
})

describe("a payment for a priced handler", () => {
  it.each([
    ["/api/tides?a=%FF", "/api/tides?a=%FE"],
    ["/api/tides?a=1&b=1", "/api/tides?b=1&a=1"],
    ["/api/tides?a=+", "/api/tides?a=%20"],
    ["/api/tides?a", "/api/tides?a="],
    ["/api/weather/%FF", "/api/weather/%25FF"]
  ])("of %s buys nothing at %s, which only decodes alike", async (bought, other) => {
    const { facilitator, origin, pay, payment } = await priced()
    expect((await pay(origin + bought)).status).toBe(200)
    const headers = payment()
    expect((await fetch(origin + other, { headers })).status).toBe(402)
    expect((await fetch(origin + bought, { headers })).status).toBe(200)
    expect(facilitator.settled).toHaveLength(1)
  })
})
