import { Agent } from "node:http"
import type { PricedRouteOptions, TillOptions } from "@till402/core"
import { describe, expect, it, onTestFinished } from "vitest"
import { openRaw, send } from "./client.ts"
import { serve } from "./hosts.ts"
import { notes, openTill, openWallet, weather } from "./pricedHandlers.ts"
import type { Handler, HandlerRequest, PricedApp, PricedHost, Reply } from "./pricedHosts.ts"

/*
 * The rules by which a handler is charged, the same in every framework: over real sockets, paid by the official client.
 */

type Selling = Partial<Pick<PricedApp, "errorStatus" | "notFoundStatus" | "outer" | "parsesEarly">> & {
  readonly options?: Partial<TillOptions>
  readonly route?: PricedRouteOptions
}

const sellers = (host: PricedHost) => {
  const open = async (routes: PricedApp["routes"], selling: Selling = {}) => {
    const { options = {}, outer, route: _route, ...app } = selling
    const { facilitator, till } = openTill(options)
    let requests = 0
    const requestId = () => ({ "x-request-id": String(++requests) })
    const port = await serve(host({ till, routes, outer: () => ({ ...requestId(), ...outer?.() }), ...app }))
    return { facilitator, till, port, origin: `http://127.0.0.1:${port}`, ...openWallet() }
  }
  const sell = async (handler: Handler, selling: Selling = {}) => {
    const calls: Array<HandlerRequest> = []
    const counted: Handler = (request) => {
      calls.push(request)
      return handler(request)
    }
    const host = await open([{ route: selling.route ?? weather, handler: counted }], selling)
    return { ...host, calls, oslo: `${host.origin}/weather/oslo?days=2`, notes: `${host.origin}/notes` }
  }
  return { open, sell }
}

const contents = async (response: Response) => ({
  status: response.status,
  text: await response.text(),
  type: response.headers.get("content-type"),
  made: response.headers.get("x-made"),
  receipt: response.headers.get("payment-response")
})

const selling = (host: PricedHost): void => {
  const { sell } = sellers(host)

  it("is paid once: the same payment replays its status, headers and bytes", async () => {
    let made = 0
    const { calls, facilitator, oslo, pay, payment, till } = await sell(() => ({
      status: 201,
      headers: { "x-made": String(++made), "set-cookie": "session=of-one-payer" },
      body: "\uFEFFsol i Oslo, 12\u00a0°"
    }))
    const first = await pay(oslo)
    const replay = await fetch(oslo, { headers: payment() })
    expect([first, replay].map(({ headers }) => headers.get("set-cookie"))).toEqual([null, null])
    expect(Number(replay.headers.get("x-request-id"))).toBeGreaterThan(
      Number(first.headers.get("x-request-id"))
    )
    const bytes = Buffer.from(await first.clone().arrayBuffer())
    expect(bytes.toString("utf8")).toBe("\uFEFFsol i Oslo, 12\u00a0°")
    expect(Buffer.from(await replay.clone().arrayBuffer())).toEqual(bytes)
    expect(first.headers.get("content-length")).toBe(String(bytes.byteLength))
    const paid = await contents(first)
    expect(paid).toMatchObject({ status: 201, type: expect.stringMatching(/^text\//), made: "1" })
    expect(paid.receipt).toBeTruthy()
    expect(await contents(replay)).toEqual(paid)
    expect([calls.length, facilitator.settled.length]).toEqual([1, 1])
    expect(calls[0]).toMatchObject({ city: "oslo", acceptEncoding: undefined })
    expect(await till.ledger.list()).toMatchObject([{ operation: "weather", kind: "settled" }])
  })

  it("is called once for many copies of a payment at once", async () => {
    const { calls, facilitator, oslo, pay, payment } = await sell(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return { body: `call ${calls.length}` }
    })
    facilitator.verify.failsOnceWith(new Error("down"))
    expect((await pay(oslo)).status).toBe(503)
    expect(calls).toHaveLength(0)
    const copies = await Promise.all(Array.from({ length: 20 }, () => fetch(oslo, { headers: payment() })))
    const received = await Promise.all(copies.map(contents))
    expect(new Set(received.map((copy) => JSON.stringify(copy))).size).toBe(1)
    expect(received[0]).toMatchObject({ status: 200, text: "call 1" })
    expect([calls.length, facilitator.settled.length]).toEqual([1, 1])
  })

  it("is not called without a payment", async () => {
    const { calls, oslo, origin } = await sell(() => ({ body: "sun" }))
    const unpaid = await fetch(oslo)
    expect(unpaid.status).toBe(402)
    const { accepts, resource } = JSON.parse(atob(unpaid.headers.get("payment-required")!))
    expect(accepts).toMatchObject([{ amount: "20000" }])
    expect(resource).toMatchObject({ url: "https://shop.example/weather/oslo" })
    expect(unpaid.headers.get("x-request-id")).toBe("1")
    const head = await fetch(oslo, { method: "HEAD" })
    expect([head.status, await head.text()]).toEqual([402, ""])
    expect((await fetch(oslo, { headers: { "payment-signature": "e30=" } })).status).toBe(402)
    expect(calls).toEqual([])
    expect(await (await fetch(`${origin}/free`)).text()).toBe("free")
  })

  it("is not sent where its payment does not settle", async () => {
    const { calls, facilitator, oslo, pay } = await sell(() => ({
      headers: { "x-made": "secret" },
      body: "sun"
    }))
    facilitator.rejectsSettlement()
    const refused = await pay(oslo)
    expect(refused.status).toBe(402)
    expect(JSON.parse(atob(refused.headers.get("payment-response")!))).toMatchObject({ success: false })
    expect(refused.headers.get("x-made")).toBeNull()
    expect(await refused.text()).not.toContain("sun")
    expect(calls).toHaveLength(1)
  })

  it("sells a response without a body, and one in chunks", async () => {
    const chunks = async function* () {
      yield Buffer.from("s")
      await new Promise((resolve) => setImmediate(resolve))
      yield Buffer.from("un")
    }
    const replies: Array<Reply> = [
      { status: 204, body: null },
      { headers: { "content-type": "text/plain" }, body: chunks() }
    ]
    const { oslo, pay, payment } = await sell(() => replies.shift()!)
    for (const expected of [
      { status: 204, text: "" },
      { status: 200, text: "sun" }
    ]) {
      const first = await contents(await pay(oslo))
      expect(first).toMatchObject(expected)
      expect(await contents(await fetch(oslo, { headers: payment() }))).toEqual(first)
    }
  })

  it("has a body up to 64 KiB, which its parser reads after the till", async () => {
    const {
      calls,
      notes: url,
      pay,
      payment
    } = await sell(({ text }) => ({ body: `got ${text.length}` }), {
      route: notes
    })
    for (const size of [3, 64 * 1024]) {
      const body = "é".repeat(size / 2)
      const sent = { method: "POST", headers: { "content-type": "text/plain" }, body }
      expect(await (await pay(url, sent)).text()).toBe(`got ${body.length}`)
      const again = { ...sent, headers: { ...sent.headers, ...payment() } }
      expect(await (await fetch(url, again)).text()).toBe(`got ${body.length}`)
    }
    const large = await pay(url, { method: "POST", body: "a".repeat(70_000) })
    expect([large.status, await large.json()]).toMatchObject([413, { code: "BODY_TOO_LARGE" }])
    const empty = await pay(url, { method: "POST" })
    expect(await empty.text()).toBe("got 0")
    expect(calls).toHaveLength(3)
  })

  it("has a body that an earlier parser has read", async () => {
    const {
      notes: url,
      pay,
      payment
    } = await sell(({ text }) => ({ body: text }), {
      route: notes,
      parsesEarly: true
    })
    const sent = { method: "POST", headers: { "content-type": "text/plain" }, body: '{"a":1}' }
    expect(await (await pay(url, sent)).text()).toBe('{"a":1}')
    const headers = { ...sent.headers, ...payment() }
    expect(await (await fetch(url, { ...sent, headers })).text()).toBe('{"a":1}')
    expect((await fetch(url, { ...sent, headers, body: '{"a":2}' })).status).toBe(402)
  })
}

const unsold = (host: PricedHost, seesFallthrough: boolean): void => {
  const { sell } = sellers(host)
  const failing =
    (error: unknown): Handler =>
    () =>
      Promise.reject(error)

  it.each<[string, Handler, number, string, Selling]>([
    ["responds 404", () => ({ status: 404, body: "no such city" }), 404, "no such city", {}],
    ["redirects", () => ({ status: 302, headers: { location: "/free" }, body: "moved" }), 302, "moved", {}],
    ["responds 402", () => ({ status: 402, body: "pay me" }), 402, "pay me", {}],
    ["throws", failing(new Error("no weather")), 500, "host: no weather", {}],
    [
      "throws, and the error handler responds 200",
      failing(new Error("sorry")),
      200,
      "host: sorry",
      { errorStatus: 200 }
    ],
    ["finds nothing", () => ({ notFound: true }), 404, "nothing here", {}]
  ])(
    "costs nothing where it %s: the caller gets the host's own response",
    async (_how, fail, status, text, app) => {
      let isBroken = true
      const { facilitator, oslo, pay, payment } = await sell(
        (request) => (isBroken ? fail(request) : { body: "sun" }),
        app
      )
      const failed = await pay(oslo, { redirect: "manual" })
      expect([failed.status, await failed.text(), failed.headers.get("payment-response")]).toEqual([
        status,
        text,
        null
      ])
      expect(failed.headers.get("cache-control")).toContain("no-store")
      expect(facilitator.settle.calls).toHaveLength(0)
      isBroken = false
      expect(await (await fetch(oslo, { headers: payment() })).text()).toBe("sun")
      expect(facilitator.settled).toHaveLength(1)
    }
  )

  if (seesFallthrough)
    it("is never sold by a page for paths without a route, even with a 200", async () => {
      const { facilitator, oslo, pay } = await sell(() => ({ notFound: true }), { notFoundStatus: 200 })
      const page = await pay(oslo)
      expect([page.status, await page.text()]).toEqual([200, "nothing here"])
      expect(facilitator.settle.calls).toHaveLength(0)
    })

  it.each<[string, Reply]>([
    ["more than 1 MiB", { body: "a".repeat(1024 * 1024 + 1) }],
    ["bytes that are no text", { body: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) }],
    [
      "headers of more than 8 KiB",
      { headers: { "x-a": "a".repeat(4096), "x-b": "b".repeat(4096) }, body: "" }
    ]
  ])("costs nothing where it responds with %s", async (_what, reply) => {
    const errors: Array<unknown> = []
    const { calls, facilitator, oslo, pay } = await sell(() => reply, {
      options: { onProviderError: (failure) => errors.push(failure) }
    })
    const failed = await pay(oslo)
    expect([failed.status, await failed.json()]).toMatchObject([500, { code: "INTERNAL_ERROR" }])
    expect([calls.length, facilitator.settle.calls.length]).toEqual([1, 0])
    expect(errors).toMatchObject([{ port: "operations", operation: "weather" }])
  })

  it("costs nothing where its body does not end in time, and the body's source is ended", async () => {
    const ended = Promise.withResolvers<void>()
    const endless = async function* () {
      try {
        for (;;) {
          yield Buffer.from("data: 1\n\n")
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      } finally {
        ended.resolve()
      }
    }
    const { facilitator, oslo, pay } = await sell(
      () => ({ headers: { "content-type": "text/event-stream" }, body: endless() }),
      { options: { upstreamTimeoutMillis: 500 } }
    )
    const failed = await pay(oslo)
    expect([failed.status, await failed.json()]).toMatchObject([503, { code: "OPERATION_TIMEOUT" }])
    expect(facilitator.settle.calls).toHaveLength(0)
    return ended
  })

  it("sends a large body of its own at the client's pace", async () => {
    const size = 8_000_000
    const chunks = async function* () {
      for (let sent = 0; sent < size; sent += 64_000) yield Buffer.alloc(64_000, "x")
    }
    const { oslo, pay } = await sell(() => ({ status: 404, body: chunks() }))
    const failed = await pay(oslo)
    expect([failed.status, (await failed.arrayBuffer()).byteLength]).toEqual([404, size])
  })

  it("owes its response where the payment settles first", async () => {
    let isBroken = true
    const { facilitator, oslo, pay, payment } = await sell(
      () => (isBroken ? { status: 503, body: "no sun" } : { body: "sun" }),
      { route: { ...weather, settlement: "before-work" } }
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
}

const connections = (host: PricedHost): void => {
  const { sell } = sellers(host)

  it.each<[string, () => Reply]>([
    ["responds", () => ({ headers: { "x-late": "1" }, body: "late" })],
    [
      "throws",
      () => {
        throw new Error("late")
      }
    ]
  ])("a late handler that %s costs nothing, and leaves the connection usable", async (_how, reply) => {
    const gate = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    let isLate = true
    const { calls, facilitator, oslo, pay, payment, port } = await sell(
      async () => {
        if (!isLate) return { body: "sun" }
        await gate.promise
        setTimeout(done.resolve, 20)
        return reply()
      },
      { options: { upstreamTimeoutMillis: 500, onProviderError: () => undefined } }
    )
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    expect((await pay(oslo)).status).toBe(503)
    const headers = payment()
    const late = await send(port, "/weather/oslo?days=2", { headers, agent })
    expect([late.status, late.headers["x-late"]]).toEqual([503, undefined])
    gate.resolve()
    await done.promise
    expect(facilitator.settle.calls).toHaveLength(0)
    isLate = false
    const sold = await send(port, "/weather/oslo?days=2", { headers, agent })
    expect([sold.status, sold.text]).toEqual([200, "sun"])
    expect(calls).toHaveLength(3)
    expect(facilitator.settled).toHaveLength(1)
  })

  it("finishes a call whose client has disconnected: the payment gets its response", async () => {
    const entered = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const { calls, facilitator, oslo, pay, payment, port } = await sell(async () => {
      entered.resolve()
      await gate.promise
      return { body: `call ${calls.length}` }
    })
    facilitator.verify.failsOnceWith(new Error("down"))
    expect((await pay(oslo)).status).toBe(503)
    const header = payment()["payment-signature"]
    const socket = openRaw(
      port,
      `GET /weather/oslo?days=2 HTTP/1.1\r\nHost: x\r\nPAYMENT-SIGNATURE: ${header}\r\n\r\n`
    )
    await entered.promise
    socket.destroy()
    // Time for the server to see that the client is gone.
    await new Promise((resolve) => setTimeout(resolve, 50))
    gate.resolve()
    await expect.poll(() => facilitator.settled.length).toBe(1)
    const replay = await fetch(oslo, { headers: payment() })
    expect([replay.status, await replay.text(), calls.length]).toEqual([200, "call 1", 1])
  })

  it("survives a client that goes away in the middle of its body", async () => {
    const { calls, notes: url, pay, port } = await sell(({ text }) => ({ body: text }), { route: notes })
    const sent = { method: "POST", headers: { "content-type": "text/plain" }, body: "abc" }
    // Unpaid, so the till reads no more than it must.
    const socket = openRaw(port, "POST /notes HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()
    expect(await (await pay(url, sent)).text()).toBe("abc")
    expect(calls).toHaveLength(1)
  })

  it("serves several calls over one connection, refused, sold and failed", async () => {
    const { oslo, origin, pay, payment, port } = await sell(({ url }) =>
      url.includes("days=3") ? { status: 404, body: "none" } : { body: "sun" }
    )
    await pay(oslo)
    const sold = payment()
    await pay(`${origin}/weather/oslo?days=3`)
    const failed = payment()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    for (let round = 0; round < 3; round++) {
      expect((await send(port, "/weather/oslo?days=2", { agent })).status).toBe(402)
      expect((await send(port, "/weather/oslo?days=2", { agent, headers: sold })).text).toBe("sun")
      expect((await send(port, "/weather/oslo?days=3", { agent, headers: failed })).text).toBe("none")
      expect((await send(port, "/free", { agent })).text).toBe("free")
    }
  })
}

const bound = (host: PricedHost): void => {
  const { open } = sellers(host)
  const handler: Handler = ({ text, url }) => ({ body: `${new URL(url, "http://x").pathname} ${text}` })
  const several = () =>
    open([
      { route: weather, handler },
      { route: { ...weather, id: "tides", path: "/tides/:city" }, handler },
      { route: notes, handler }
    ])

  it.each(["/tides/oslo?days=2", "/weather/rome?days=2", "/weather/oslo?days=3", "/weather/oslo"])(
    "buys nothing at %s",
    async (path) => {
      const { facilitator, origin, pay, payment } = await several()
      expect((await pay(`${origin}/weather/oslo?days=2`)).status).toBe(200)
      expect((await fetch(origin + path, { headers: payment() })).status).toBe(402)
      expect(facilitator.settled).toHaveLength(1)
    }
  )

  it("buys nothing with another body or type", async () => {
    const { origin, pay, payment } = await several()
    const sent = { method: "POST", body: '{"a":1}', headers: { "content-type": "text/plain" } }
    const bought = await pay(`${origin}/notes`, sent)
    expect([bought.status, await bought.text()]).toEqual([200, '/notes {"a":1}'])
    const send = async (body: string, type: string) =>
      (await fetch(`${origin}/notes`, { ...sent, body, headers: { "content-type": type, ...payment() } }))
        .status
    expect(await send('{"a":1.0}', "text/plain")).toBe(402)
    expect(await send('{"a":1}', "text/html")).toBe(402)
    expect(await send('{"a":1}', "text/plain")).toBe(200)
  })

  it("is in the documents before its first request", async () => {
    const { origin } = await several()
    const document = (await (await fetch(`${origin}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, object>>
    }
    expect(document.paths["/weather/{city}"]).toMatchObject({ get: { operationId: "weather" } })
    expect(document.paths["/notes"]).toMatchObject({ post: { operationId: "notes" } })
  })

  it("fails loudly where its path is not that of the app", async () => {
    const { facilitator, origin, pay } = await open([{ route: weather, path: "/wetter/:city", handler }])
    expect((await pay(`${origin}/wetter/oslo`)).status).toBe(500)
    expect(facilitator.verify.calls).toHaveLength(0)
  })
}

const headersOfCaches = {
  "cdn-cache-control": "public, max-age=600",
  "surrogate-control": "max-age=600",
  expires: "Thu, 01 Jan 2099 00:00:00 GMT",
  age: "1"
}

const headers = (host: PricedHost): void => {
  const { sell } = sellers(host)
  const ofCaches = (response: Response) =>
    Object.keys(headersOfCaches).filter((name) => response.headers.has(name))

  it.each(["the handler", "earlier middleware"])("for caches, of %s, are left out", async (whose) => {
    const isOuter = whose !== "the handler"
    let status = 200
    const { oslo, pay, payment } = await sell(
      () => ({ status, headers: { ...(isOuter ? {} : headersOfCaches), "x-made": "1" }, body: "sun" }),
      { outer: () => (isOuter ? headersOfCaches : {}) }
    )
    const sold = await pay(oslo)
    const replay = await fetch(oslo, { headers: payment() })
    for (const response of [sold, replay]) {
      expect(ofCaches(response)).toEqual([])
      expect(response.headers.get("cache-control")).toBe("private, no-store")
      expect(response.headers.get("x-made")).toBe("1")
    }
    status = 404
    const failed = await pay(oslo)
    expect([failed.status, failed.headers.get("x-made"), ofCaches(failed)]).toEqual([404, "1", []])
    expect(failed.headers.get("cache-control")).toBe("no-store")
    expect(failed.headers.get("vary")).toContain("PAYMENT-SIGNATURE")
  })

  it("of earlier middleware yield to the handler's, and are those of each request", async () => {
    let requests = 0
    const { oslo, origin, pay, payment } = await sell(
      ({ city }) => ({
        status: city === "rome" ? 404 : 200,
        headers: { "content-language": "nb" },
        body: "sol"
      }),
      {
        outer: () => ({
          "content-language": "en",
          "x-request": String(++requests),
          "payment-response": "forged",
          vary: "Accept-Language"
        })
      }
    )
    const of = ({ headers }: Response) => [headers.get("content-language"), headers.get("x-request")]
    expect(of(await fetch(oslo))).toEqual(["en", "1"])
    const sold = await pay(oslo)
    const replay = await fetch(oslo, { headers: payment() })
    expect([of(sold), of(replay)]).toEqual([
      ["nb", "3"],
      ["nb", "4"]
    ])
    for (const { headers } of [sold, replay]) {
      expect(JSON.parse(atob(headers.get("payment-response")!))).toMatchObject({ success: true })
      expect(headers.get("vary")).toContain("Accept-Language")
      expect(headers.get("vary")).toContain("PAYMENT-SIGNATURE")
    }
    expect(of(await pay(`${origin}/weather/rome`))).toEqual(["nb", "6"])
  })
}

/** `seesFallthrough`: the framework shows when a handler leaves a request to other routes. */
export const pricedSuite = (
  name: string,
  host: PricedHost,
  seesFallthrough = !name.startsWith("Koa")
): void => {
  describe(`${name}: a priced handler`, () => selling(host))
  describe(`${name}: what is not sold`, () => unsold(host, seesFallthrough))
  describe(`${name}: connections`, () => connections(host))
  describe(`${name}: a payment`, () => bound(host))
  describe(`${name}: headers`, () => headers(host))
}
