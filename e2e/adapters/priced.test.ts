import { createAdaptorServer } from "@hono/node-server"
import { memory, type PricedRouteOptions, Till, type TillOptions } from "@till402/core"
import { fakeFacilitator } from "@till402/core/testing"
import { priced, till402 } from "@till402/hono"
import { payingFetch } from "@till402/sandbox"
import { type Context, Hono } from "hono"
import { cors } from "hono/cors"
import { HTTPException } from "hono/http-exception"
import type { Server } from "node:http"
import { generatePrivateKey } from "viem/accounts"
import { describe, expect, it, onTestFinished } from "vitest"
import { serve } from "./hosts.ts"

/*
 * Handlers that a Hono app has already, priced by a middleware and paid by the official client over real sockets.
 */

const weather = { id: "weather", path: "/weather/:city", price: "0.02" } as const
const notes = { id: "notes", method: "POST", path: "/notes", price: "0.02" } as const

type Handler = (context: Context) => Response | Promise<Response>

const started = async (
  options: Partial<TillOptions>,
  routesOf: (app: Hono, price: (route: PricedRouteOptions) => ReturnType<typeof priced>) => void
) => {
  const facilitator = fakeFacilitator()
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    secret: "a text that nobody can guess, of 32 characters or more",
    facilitator,
    storage: memory(),
    operations: [],
    onEvent: () => undefined,
    trustFacilitator: true,
    ...options
  })
  onTestFinished(() => till.dispose())
  const app = new Hono()
  let requests = 0
  app.use(async (context, next) => {
    context.header("x-request-id", String(++requests))
    await next()
  })
  app.use(till402(till))
  app.onError((error, context) =>
    error instanceof HTTPException ? error.getResponse() : context.text(`host: ${error.message}`, 500)
  )
  routesOf(app, (route) => priced(till, route))
  const origin = `http://127.0.0.1:${await serve(createAdaptorServer({ fetch: app.fetch }) as Server)}`
  const sent: Array<Request> = []
  const recording: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    sent.push(request.clone())
    return fetch(request)
  }
  return {
    facilitator,
    till,
    origin,
    pay: payingFetch(generatePrivateKey(), 1_000, recording),
    /** The header of the last payment. */
    payment: () => ({ "payment-signature": sent.at(-1)!.headers.get("payment-signature")! })
  }
}

/** An app with one priced handler, and how often that was called. */
const selling = async (
  handler: Handler = (context) => context.json({ city: context.req.param("city") }),
  options: Partial<TillOptions> = {},
  route: PricedRouteOptions = weather
) => {
  const calls: Array<string> = []
  const host = await started(options, (app, price) => {
    app.on(route.method ?? "GET", route.path, price(route), (context) => {
      calls.push(context.req.path)
      return handler(context)
    })
    app.get("/free", (context) => context.text("free"))
  })
  return { ...host, calls, oslo: `${host.origin}/weather/oslo?days=2` }
}

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
    expect([refused.status, refused.headers.get("payment-response")]).toEqual([402, null])
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

describe("a priced handler of a POST", () => {
  const form = (size: number) => {
    const body = new FormData()
    body.set("text", "a".repeat(size))
    return body
  }

  it("reads a body of any type itself, up to 64 KiB", async () => {
    const { calls, origin, pay } = await selling(
      async (context) => context.text(String((await context.req.parseBody())["text"])),
      {},
      notes
    )
    const bought = await pay(`${origin}/notes`, { method: "POST", body: form(3) })
    expect([bought.status, await bought.text()]).toEqual([200, "aaa"])
    const large = await pay(`${origin}/notes`, { method: "POST", body: form(70_000) })
    expect([large.status, await large.json()]).toMatchObject([413, { code: "BODY_TOO_LARGE" }])
    expect(calls).toHaveLength(1)
  })

  it("reads a body that an earlier middleware has read", async () => {
    const { origin, pay } = await started({}, (app, price) => {
      app.use(async (context, next) => {
        await context.req.json()
        return next()
      })
      app.post("/notes", price(notes), async (context) => context.json(await context.req.json()))
    })
    const bought = await pay(`${origin}/notes`, {
      method: "POST",
      body: '{"a":1}',
      headers: { "content-type": "application/json" }
    })
    expect([bought.status, await bought.text()]).toEqual([200, '{"a":1}'])
  })
})

describe("a priced route", () => {
  it("is in the documents before its first request", async () => {
    const { origin } = await started({}, (app, price) => {
      const described = {
        description: "Weather of a city, now",
        mimeType: "text/plain",
        example: { input: { city: "oslo", days: "2" }, output: "sun" }
      }
      app.get("/weather/:city", price({ ...weather, ...described }), (context) => context.text("sun"))
      app.post("/notes", price(notes), (context) => context.json({}))
    })
    const document = (await (await fetch(`${origin}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, Record<string, unknown>>>
    }
    const get = document.paths["/weather/{city}"]!["get"]!
    expect(get).toMatchObject({
      operationId: "weather",
      summary: "Weather of a city, now",
      "x-payment-info": { price: { mode: "fixed", amount: "0.02" } },
      responses: { 200: { content: { "text/plain": {} } } }
    })
    expect((get["parameters"] as ReadonlyArray<{ name: string }>).map(({ name }) => name)).toEqual([
      "city",
      "days"
    ])
    expect(document.paths["/notes"]!["post"]).toMatchObject({ operationId: "notes", summary: "POST /notes" })
    expect(await (await fetch(`${origin}/.well-known/x402`)).json()).toMatchObject({
      resources: ["GET /weather/{city}", "POST /notes"]
    })
    const unpaid = await fetch(`${origin}/weather/oslo`)
    const { extensions } = JSON.parse(atob(unpaid.headers.get("payment-required")!))
    expect(extensions.bazaar.info).toMatchObject({ input: { method: "GET", pathParams: { city: "oslo" } } })
  })

  it("keeps the headers of earlier middleware, and its own", async () => {
    const { origin, pay, payment } = await started({ cors: false }, (app, price) => {
      app.use(cors({ origin: (from) => from }))
      app.get("/weather/:city", price(weather), (context) => context.text("sun", 200, { "x-made": "1" }))
    })
    const path = `${origin}/weather/oslo`
    expect((await fetch(path, { headers: { origin: "https://a.example" } })).status).toBe(402)
    await pay(path, { headers: { origin: "https://a.example" } })
    const replay = await fetch(path, { headers: { ...payment(), origin: "https://b.example" } })
    expect(replay.headers.get("access-control-allow-origin")).toBe("https://b.example")
    expect(replay.headers.get("cache-control")).toBe("private, no-store")
    expect(replay.headers.get("vary")).toContain("PAYMENT-SIGNATURE")
    expect(replay.headers.get("x-made")).toBe("1")
  })

  it("has its path below the base URL", async () => {
    const { origin, pay } = await started({ baseUrl: "https://shop.example/api" }, (app, price) => {
      app.basePath("/api").get("/weather/:city", price(weather), (context) => context.text("sun"))
    })
    const { resource } = JSON.parse(
      atob((await fetch(`${origin}/api/weather/oslo`)).headers.get("payment-required")!)
    )
    expect(resource).toMatchObject({ url: "https://shop.example/api/weather/oslo" })
    expect(await (await pay(`${origin}/api/weather/oslo`)).text()).toBe("sun")
  })

  it("fails loudly where its path is not that of the app", async () => {
    const { origin, pay } = await started({}, (app, price) => {
      app.get("/wetter/:city", price(weather), (context) => context.text("sun"))
    })
    const failed = await pay(`${origin}/wetter/oslo`)
    expect([failed.status, await failed.text()]).toEqual([
      500,
      expect.stringContaining("its path /weather/:city doesn't match the request /wetter/oslo")
    ])
  })
})
