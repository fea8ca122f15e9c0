import type { PricedRouteOptions } from "@till402/core"
import { Hono } from "hono"
import { createMiddleware } from "hono/factory"
import { describe, expect, it } from "vitest"
import { started, weather } from "./pricedHandlers.ts"

/*
 * An app whose `notFound` responds with 200, as those of single-page apps do: a page that doesn't exist is not for sale.
 */

const tides = { id: "tides", path: "/tides", price: "0.02" } as const

const appWithPage = (route: PricedRouteOptions = weather) => {
  let isKnown = false
  return {
    learn: () => void (isKnown = true),
    start: () =>
      started({}, (app, price) => {
        app.notFound((context) => context.html("<p>the app</p>", 200))
        app.get("/weather/:city", price(route), (context) =>
          isKnown ? context.text("sun") : context.notFound()
        )
      })
  }
}

describe("a 2xx of the app's notFound", () => {
  it("costs nothing where the handler returns it: the caller gets it, and the payment stays valid", async () => {
    const { learn, start } = appWithPage()
    const { facilitator, origin, pay, payment } = await start()
    const unsold = await pay(`${origin}/weather/oslo`)
    expect([unsold.status, await unsold.text(), unsold.headers.get("payment-response")]).toEqual([
      200,
      "<p>the app</p>",
      null
    ])
    expect(unsold.headers.get("cache-control")).toContain("no-store")
    expect(facilitator.settle.calls).toHaveLength(0)
    learn()
    expect(await (await fetch(`${origin}/weather/oslo`, { headers: payment() })).text()).toBe("sun")
    expect(facilitator.settled).toHaveLength(1)
  })

  it("is owed where the payment settles first", async () => {
    const { learn, start } = appWithPage({ ...weather, settlement: "before-work" })
    const { facilitator, origin, pay, payment } = await start()
    const failed = await pay(`${origin}/weather/oslo`)
    expect([failed.status, await failed.json()]).toMatchObject([404, { code: "HANDLER_FAILED" }])
    learn()
    expect(await (await fetch(`${origin}/weather/oslo`, { headers: payment() })).text()).toBe("sun")
    expect(facilitator.settled).toHaveLength(1)
  })
})

describe("a priced route without a handler", () => {
  const startBare = () =>
    started({}, (app, price) => {
      app.notFound((context) => context.html("<p>the app</p>", 200))
      app.use("/tides", price(tides))
      app.post("/tides", (context) => context.text("posted"))
    })

  it("fails loudly before a payment is requested", async () => {
    const { facilitator, origin } = await startBare()
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(`${origin}/tides`, { method })
      expect(response.status, method).toBe(500)
      expect(response.headers.get("payment-required")).toBeNull()
    }
    expect(await (await fetch(`${origin}/tides`)).text()).toContain("priced route tides has no handler")
    expect(facilitator.verify.calls).toHaveLength(0)
  })

  it("fails loudly in an app that is mounted in another and has its own error handler", async () => {
    const { origin } = await started({}, (app, price) => {
      const mounted = new Hono().use("/tides", price(tides))
      mounted.onError((error, context) => context.text(`mounted: ${error.message}`, 500))
      app.notFound((context) => context.html("<p>the app</p>", 200))
      app.route("/", mounted)
    })
    const response = await fetch(`${origin}/tides`)
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining("host: priced route tides has no handler")
    ])
  })

  it("gives nothing away where the handler comes before it", async () => {
    const { origin } = await started({}, (app, price) => {
      app.get("/tides", (context) => context.text("high"), price(tides))
    })
    const response = await fetch(`${origin}/tides`)
    const text = await response.text()
    expect([response.status, text]).toEqual([500, expect.stringContaining("Add one after priced")])
    expect(text).not.toContain("high")
  })

  it("responds to other methods as any priced route", async () => {
    const { origin } = await startBare()
    const [options, put] = await Promise.all(
      ["OPTIONS", "PUT"].map((method) => fetch(`${origin}/tides`, { method }))
    )
    expect([options!.status, put!.status]).toEqual([204, 405])
  })

  it("isn't confused with one whose handler follows other middleware", async () => {
    const { origin, pay } = await started({}, (app, price) => {
      app.use("/tides", price(tides))
      app.use(
        "/tides",
        createMiddleware((_context, next) => next())
      )
      app.get("/tides", (context) => context.text("high"))
    })
    expect(await (await pay(`${origin}/tides`)).text()).toBe("high")
  })
})
