import type { PricedRouteOptions, TillEvent } from "@till402/core"
import type { Context } from "hono"
import { etag } from "hono/etag"
import { HTTPException } from "hono/http-exception"
import { describe, expect, it } from "vitest"
import { weather, notes, type Handler, started, selling } from "./pricedHandlers.ts"

/*
 * Handlers that a Hono app has already, priced by a middleware and paid by the official client over real sockets.
 */

const contents = async (response: Response) => ({
  status: response.status,
  text: await response.text(),
  type: response.headers.get("content-type"),
  made: response.headers.get("x-made"),
  receipt: response.headers.get("payment-response")
})

describe("a priced handler", () => {
  it("is paid once: the same payment replays its status, headers and bytes", async () => {
    let made = 0
    const { calls, facilitator, oslo, pay, payment, till } = await selling((context) => {
      context.header("x-made", String(++made))
      context.header("set-cookie", "session=of-one-payer")
      return context.text("\uFEFFsol i Oslo, 12\u00a0°", 201)
    })
    const first = await pay(oslo)
    const replay = await fetch(oslo, { headers: payment() })
    expect([first, replay].map(({ headers }) => headers.get("set-cookie"))).toEqual([null, null])
    expect(Number(replay.headers.get("x-request-id"))).toBeGreaterThan(
      Number(first.headers.get("x-request-id"))
    )
    const bytes = new Uint8Array(await first.clone().arrayBuffer())
    expect(new Uint8Array(await replay.clone().arrayBuffer())).toEqual(bytes)
    expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)).toBe("\uFEFFsol i Oslo, 12\u00a0°")
    const paid = await contents(first)
    expect(paid).toMatchObject({ status: 201, type: "text/plain; charset=UTF-8", made: "1" })
    expect(paid.receipt).toBeTruthy()
    expect(await contents(replay)).toEqual(paid)
    expect([calls.length, facilitator.settled.length]).toEqual([1, 1])
    expect(await till.ledger.list()).toMatchObject([{ operation: "weather", kind: "settled" }])
  })

  it("is called once for many copies of a payment at once", async () => {
    const { calls, facilitator, oslo, pay, payment } = await selling(async (context) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return context.json({ calls: calls.length })
    })
    facilitator.verify.failsOnceWith(new Error("down"))
    expect((await pay(oslo)).status).toBe(503)
    expect(calls).toHaveLength(0)
    const copies = await Promise.all(Array.from({ length: 20 }, () => fetch(oslo, { headers: payment() })))
    const received = await Promise.all(copies.map(contents))
    expect(new Set(received.map((copy) => JSON.stringify(copy))).size).toBe(1)
    expect(received[0]).toMatchObject({ status: 200, text: '{"calls":1}' })
    expect([calls.length, facilitator.settled.length]).toEqual([1, 1])
  })

  it("is not called without a payment", async () => {
    const { calls, oslo, origin } = await selling()
    const unpaid = await fetch(oslo)
    expect(unpaid.status).toBe(402)
    const { accepts, resource } = JSON.parse(atob(unpaid.headers.get("payment-required")!))
    expect(accepts).toMatchObject([{ amount: "20000" }])
    expect(resource).toMatchObject({ url: "https://shop.example/weather/oslo" })
    expect((await fetch(oslo, { method: "HEAD" })).status).toBe(402)
    expect((await fetch(oslo, { headers: { "payment-signature": "e30=" } })).status).toBe(402)
    expect(calls).toEqual([])
    expect(await (await fetch(`${origin}/free`)).text()).toBe("free")
  })

  it.each<[string, Handler, number, string]>([
    ["responds 404", (context) => context.text("no such city", 404), 404, "no such city"],
    ["redirects", (context) => context.body("elsewhere", 302, { location: "/free" }), 302, "elsewhere"],
    ["responds 402", (context) => context.text("pay me", 402), 402, "pay me"],
    ["throws", () => Promise.reject(new Error("no weather")), 500, "host: no weather"],
    [
      "throws an HTTPException",
      () => Promise.reject(new HTTPException(451, { message: "banned" })),
      451,
      "banned"
    ],
    [
      "throws, and the error handler responds 200",
      () => Promise.reject(new HTTPException(200, { message: "sorry" })),
      200,
      "sorry"
    ]
  ])(
    "costs nothing where it %s: the caller gets the host's own response",
    async (_how, fail, status, text) => {
      let isBroken = true
      const { calls, facilitator, oslo, pay, payment } = await selling((context) =>
        isBroken ? fail(context) : context.text("sun")
      )
      const failed = await pay(oslo, { redirect: "manual" })
      expect([failed.status, await failed.text(), failed.headers.get("payment-response")]).toEqual([
        status,
        text,
        null
      ])
      expect(facilitator.settle.calls).toHaveLength(0)
      isBroken = false
      const headers = calls.length === 1 ? payment() : {}
      expect(await (await fetch(oslo, { headers })).text()).toBe("sun")
      expect(facilitator.settled).toHaveLength(1)
    }
  )

  it("is charged where its caller asks only whether it has changed; a POST sees all conditions", async () => {
    const { facilitator, origin, pay } = await started({}, (app, price) => {
      app.get("/weather/:city", price(weather), etag(), (context) => context.text("sun"))
      app.post("/notes", price(notes), (context) => context.text(String(context.req.header("if-match"))))
    })
    const headers = { "if-none-match": "*" }
    const sold = await pay(`${origin}/weather/oslo`, { headers })
    expect([sold.status, await sold.text()]).toEqual([200, "sun"])
    const tag = sold.headers.get("etag")!
    expect((await pay(`${origin}/weather/oslo`, { headers: { "if-none-match": tag } })).status).toBe(200)
    const kept = await pay(`${origin}/notes`, { method: "POST", body: "sun", headers: { "if-match": tag } })
    expect([kept.status, await kept.text()]).toEqual([200, tag])
    expect(facilitator.settled).toHaveLength(3)
  })

  it("is reported once where it redirects payers to another host, or after a POST, which isn't charged", async () => {
    const events: Array<unknown> = []
    const onEvent = (event: TillEvent) => {
      if (event.code === "sale_doubtful") events.push(event)
    }
    const leading = async (location: string) => {
      const { facilitator, oslo, pay } = await selling((context) => context.redirect(location), { onEvent })
      for (const _ of [1, 2]) expect((await pay(oslo, { redirect: "manual" })).status).toBe(302)
      expect(facilitator.settle.calls).toEqual([])
    }
    for (const own of ["/login", "https://shop.example/weather/rome"]) await leading(own)
    expect(events).toEqual([])
    await leading("https://bucket.example/oslo.pdf?signature=a")
    expect(events).toEqual([
      expect.objectContaining({
        level: "warning",
        operation: "weather",
        message: expect.stringContaining("isn't charged")
      })
    ])
    expect(JSON.stringify(events)).not.toContain("signature")
    const { notes: form, pay } = await selling(
      (context) => context.redirect("/done", 303),
      { onEvent },
      notes
    )
    expect((await pay(form, { method: "POST", redirect: "manual" })).status).toBe(303)
    expect(events).toMatchObject([{ operation: "weather" }, { operation: "notes" }])
  })

  it("is reported once where it responds with an error and a 2xx, which is charged", async () => {
    const events: Array<unknown> = []
    const onEvent = (event: TillEvent) => {
      if (event.code === "sale_doubtful") events.push(event)
    }
    const bodies: Array<object> = [{ error: null, city: "oslo" }, { status: "sunny" }, ["error"]]
    const { facilitator, oslo, pay } = await selling((context) => context.json(bodies.shift() ?? {}), {
      onEvent
    })
    while (bodies.length > 0) expect((await pay(oslo)).status).toBe(200)
    expect(events).toEqual([])
    bodies.push({ data: null, error: "no such city" }, { success: false, message: "no such city" })
    while (bodies.length > 0) expect((await pay(oslo)).status).toBe(200)
    expect(facilitator.settled).toHaveLength(5)
    expect(events).toEqual([
      expect.objectContaining({ operation: "weather", message: expect.stringContaining("which is charged") })
    ])
  })

  it("is reported once where a GET has sold three empty responses in a row, as without await", async () => {
    const events: Array<unknown> = []
    const onEvent = (event: TillEvent) => {
      if (event.code === "sale_doubtful") events.push(event)
    }
    const buyFour = async (handler: Handler, route?: PricedRouteOptions) => {
      const { notes: form, oslo, pay } = await selling(handler, { onEvent }, route)
      for (const _ of [1, 2, 3, 4])
        expect((await (route === undefined ? pay(oslo) : pay(form, { method: "POST" }))).status).toBe(200)
    }
    let calls = 0
    await buyFour((context) => context.json(calls++ === 2 ? { city: "oslo" } : {}))
    await buyFour((context) => context.json([]))
    await buyFour((context) => context.text(""), notes)
    expect(events).toEqual([])
    await buyFour((context) => context.json({}), notes)
    expect(events).toEqual([])
    await buyFour((context) => context.json({}))
    expect(events).toEqual([
      expect.objectContaining({ operation: "weather", message: expect.stringContaining("must await that") })
    ])
    await buyFour((context) => context.json({ tides: [], high: {} }))
    expect(events).toHaveLength(1)
    // Not by the framework, which shows what it writes.
    await buyFour(() => Response.json({ high: Promise.resolve("09:30") }))
    expect(events).toHaveLength(2)
    await buyFour(() => Response.json({ high: Promise.resolve("09:30") }), notes)
    expect(events).toHaveLength(3)
    let later = 0
    await buyFour((context) => context.json(later++ === 0 ? { city: "oslo" } : {}))
    expect(events).toHaveLength(4)
  })

  it("is a 500 without a charge where it returns no response, always or in one branch", async () => {
    const { facilitator, origin, pay } = await started({}, (app, price) => {
      app.get("/weather/:city", price(weather), ((context: Context) => {
        const made = context.json({ city: "oslo" })
        return context.req.query("days") === undefined ? undefined : made
      }) as Handler)
    })
    expect((await pay(`${origin}/weather/oslo`)).status).toBe(500)
    expect(facilitator.settled).toEqual([])
    expect((await pay(`${origin}/weather/oslo?days=1`)).status).toBe(200)
    expect(facilitator.settled).toHaveLength(1)
  })

  it.each<[string, Handler]>([
    ["more than 1 MiB", (context) => context.text("a".repeat(1024 * 1024 + 1))],
    ["bytes that are no text", (context) => context.body(new Uint8Array([0x89, 0x50, 0x4e, 0x47]))],
    [
      "headers of more than 8 KiB",
      (context) => context.text("sun", 200, { "x-a": "a".repeat(4096), "x-b": "b".repeat(4096) })
    ]
  ])("costs nothing where it responds with %s", async (_what, handler) => {
    const errors: Array<unknown> = []
    const { calls, facilitator, oslo, pay } = await selling(handler, {
      onProviderError: (failure) => errors.push(failure)
    })
    const failed = await pay(oslo)
    expect([failed.status, await failed.json()]).toMatchObject([500, { code: "INTERNAL_ERROR" }])
    expect([calls.length, facilitator.settle.calls.length]).toEqual([1, 0])
    expect(errors).toMatchObject([{ port: "operations", operation: "weather" }])
  })

  it("costs nothing where its body does not end in time, and the body is canceled", async () => {
    const canceled = Promise.withResolvers<void>()
    const endless = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
        cancel: () => canceled.resolve()
      })
    const { facilitator, oslo, pay } = await selling(
      () => new Response(endless(), { headers: { "content-type": "text/event-stream" } }),
      { upstreamTimeoutMillis: 500 }
    )
    const failed = await pay(oslo)
    expect([failed.status, await failed.json()]).toMatchObject([503, { code: "OPERATION_TIMEOUT" }])
    await canceled.promise
    expect(facilitator.settle.calls).toHaveLength(0)
  })

  it("costs nothing where it is late, and what it returns then is dropped", async () => {
    const gate = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const { calls, facilitator, oslo, pay, payment } = await selling(
      async (context) => {
        await gate.promise
        setTimeout(done.resolve, 0)
        return context.text(`call ${calls.length}`)
      },
      { upstreamTimeoutMillis: 500 }
    )
    const failed = await pay(oslo)
    expect([failed.status, await failed.json()]).toMatchObject([503, { code: "OPERATION_TIMEOUT" }])
    gate.resolve()
    await done.promise
    expect(facilitator.settle.calls).toHaveLength(0)
    expect(await (await fetch(oslo, { headers: payment() })).text()).toBe("call 2")
    expect(facilitator.settled).toHaveLength(1)
  })

  it("is not sent where its payment does not settle", async () => {
    const { calls, facilitator, oslo, pay } = await selling()
    facilitator.rejectsSettlement()
    const refused = await pay(oslo)
    const { errorReason, success } = JSON.parse(atob(refused.headers.get("payment-response")!))
    expect([refused.status, success, errorReason]).toEqual([402, false, "insufficient_funds"])
    expect(await refused.text()).not.toContain('"city"')
    expect(calls).toHaveLength(1)
  })

  it("sells a response without a body", async () => {
    const { oslo, pay, payment } = await selling((context) => context.body(null, 204))
    const first = await contents(await pay(oslo))
    expect(first).toMatchObject({ status: 204, text: "" })
    expect(await contents(await fetch(oslo, { headers: payment() }))).toEqual(first)
  })

  it("owes its response where the payment settles first", async () => {
    let isBroken = true
    const { facilitator, oslo, pay, payment } = await selling(
      (context) => (isBroken ? context.text("no sun", 503) : context.text("sun")),
      {},
      { ...weather, settlement: "before-work" }
    )
    const failed = await pay(oslo)
    expect([failed.status, await failed.json()]).toMatchObject([
      503,
      { code: "HANDLER_FAILED", details: { owedUntil: expect.any(String) } }
    ])
    isBroken = false
    expect(await (await fetch(oslo, { headers: payment() })).text()).toBe("sun")
    expect(facilitator.settled).toHaveLength(1)
  })
})

describe("a payment for a priced handler", () => {
  const twoRoutes = async () => {
    const calls: Array<string> = []
    const handler: Handler = async (context) => {
      calls.push(context.req.url)
      return context.text(`${context.req.path} ${await context.req.text()}`)
    }
    const host = await started({}, (app, price) => {
      app.get("/weather/:city", price(weather), handler)
      app.get("/tides/:city", price({ ...weather, id: "tides", path: "/tides/:city" }), handler)
      app.post("/notes", price(notes), handler)
    })
    return { ...host, calls }
  }

  it.each(["/tides/oslo?days=2", "/weather/rome?days=2", "/weather/oslo?days=3", "/weather/oslo"])(
    "buys nothing at %s",
    async (path) => {
      const { calls, facilitator, origin, pay, payment } = await twoRoutes()
      expect((await pay(`${origin}/weather/oslo?days=2`)).status).toBe(200)
      const refused = await fetch(`${origin}${path}`, { headers: payment() })
      expect(refused.status).toBe(402)
      expect([calls.length, facilitator.settled.length]).toEqual([1, 1])
    }
  )

  it.each<[string, RequestInit]>([
    ["another body", { body: '{"a":2}', headers: { "content-type": "application/json" } }],
    ["a body that reads alike", { body: '{"a":1.0}', headers: { "content-type": "application/json" } }],
    ["another type", { body: '{"a":1}', headers: { "content-type": "text/plain" } }]
  ])("buys nothing with %s", async (_what, other) => {
    const { calls, origin, pay, payment } = await twoRoutes()
    const sent = { method: "POST", body: '{"a":1}', headers: { "content-type": "application/json" } }
    const bought = await pay(`${origin}/notes`, sent)
    expect([bought.status, await bought.text()]).toEqual([200, '/notes {"a":1}'])
    const headers = { ...other.headers, ...payment() }
    expect((await fetch(`${origin}/notes`, { ...other, method: "POST", headers })).status).toBe(402)
    const again = await fetch(`${origin}/notes`, { ...sent, headers: { ...sent.headers, ...payment() } })
    expect(await again.text()).toBe('/notes {"a":1}')
    expect(calls).toHaveLength(1)
  })
})
