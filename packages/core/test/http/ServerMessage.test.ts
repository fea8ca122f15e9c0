import { Context, Effect, Scope, Exit } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { describe, expect, it } from "vitest"
import type { Handled } from "../../src/http/Http.ts"
import type { PlainResponse } from "../../src/http/HttpMessage.ts"
import { ServerRequest, toServerResponse } from "../../src/http/ServerMessage.ts"

const url = { pathname: "/x402/shop", search: "?a=1" }
const ownUrl = "http://till.invalid/x402/shop?a=1"
const received = (request: HttpServerRequest.HttpServerRequest) =>
  new ServerRequest(request, { context: Context.empty(), url })
const fromWeb = (init?: RequestInit, address = "https://shop.example/x402/shop?a=1") =>
  HttpServerRequest.fromWeb(new Request(address, init))
/** A request with another source than the web's, as Node has it. */
const fromNode = (method: string, rawHeaders: ReadonlyArray<string>) =>
  Object.defineProperty(fromWeb(), "source", { value: { method, rawHeaders } })

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe("a request of an Effect server", () => {
  it("has a header by its name in lower case, or none", () => {
    const request = received(fromWeb({ headers: { "X-Payment": "abc" } }))
    expect([request.header("x-payment"), request.header("payment-signature")]).toEqual(["abc", null])
  })

  it("becomes a web request of the till's own origin, made once", () => {
    const request = received(fromWeb({ headers: { "x-payment": "abc" } }))
    const made = request.toRequest()
    expect([made.url, made.method, made.headers.get("x-payment")]).toEqual([ownUrl, "GET", "abc"])
    expect(request.toRequest()).toBe(made)
  })

  it("is the web request that it came from, where that has the same address", () => {
    const source = new Request(ownUrl)
    expect(received(HttpServerRequest.fromWeb(source)).toRequest()).toBe(source)
  })

  it("keeps every repeated header of Node, and none of HTTP/2's own", () => {
    const rawHeaders = [
      ":authority",
      "shop.example",
      "X-Payment",
      "a",
      "x-payment",
      "b",
      "Host",
      "shop.example"
    ]
    const { headers } = received(fromNode("GET", rawHeaders)).toRequest()
    expect([...headers]).toEqual([
      ["host", "shop.example"],
      ["x-payment", "a, b"]
    ])
  })

  it.each(["HEAD", "TRACE"])("keeps the method %s, without a body", (method) => {
    const made = received(fromNode(method, [])).toRequest()
    expect([made.method, made.body]).toEqual([method, null])
  })

  it("has its body, which is read only on demand", async () => {
    let pulls = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          pulls++
          controller.enqueue(bytesOf(`{"n":${pulls}}`))
          controller.close()
        }
      },
      { highWaterMark: 0 }
    )
    const init: RequestInit & { duplex: "half" } = { method: "POST", body, duplex: "half" }
    const made = received(fromWeb(init)).toRequest()
    expect(pulls).toBe(0)
    expect(await made.text()).toBe('{"n":1}')
  })

  it("has its body also where a middleware of the host has read it", async () => {
    const request = fromWeb({ method: "POST", body: '{"q":"tote"}' })
    expect(await Effect.runPromise(request.text)).toBe('{"q":"tote"}')
    expect(await received(request).toRequest().text()).toBe('{"q":"tote"}')
  })
})

/** Chunks that come one after the other, and whether the rest was canceled. */
const streamOf = (...chunks: ReadonlyArray<string | Error>) => {
  const left = [...chunks]
  const state = { canceled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      // In a later turn of the event loop, as from a socket.
      pull: async (controller) => {
        await new Promise((resolve) => setImmediate(resolve))
        const next = left.shift()
        if (next === undefined) controller.close()
        else if (next instanceof Error) controller.error(next)
        else controller.enqueue(bytesOf(next))
      },
      cancel: () => {
        state.canceled = true
      }
    },
    { highWaterMark: 0 }
  )
  return { body, state }
}

/** A response as the platform sends it, and what ends its request. */
const sent = async (handled: Handled, method = "GET") => {
  const scope = Effect.runSync(Scope.make())
  const response = await Effect.runPromise(
    Effect.provideService(toServerResponse(handled, method), Scope.Scope, scope)
  )
  return {
    kind: response.body._tag,
    /** Begins to read a body that is streamed. */
    toWeb: () => HttpServerResponse.toWeb(response),
    end: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const headers = { "content-type": "application/json", "payment-response": "e30=" }

describe("a response of the till", () => {
  it.each<readonly [string, PlainResponse["body"], string, string]>([
    ["a text", '{"a":"é"}', "Uint8Array", '{"a":"é"}'],
    ["bytes", bytesOf("PK"), "Uint8Array", "PK"],
    ["nothing", null, "Empty", ""]
  ])("keeps its status, its headers and %s", async (_, body, kind, text) => {
    const { kind: sentAs, toWeb } = await sent({ status: 402, headers, body })
    const web = toWeb()
    expect([web.status, sentAs, await web.text()]).toEqual([402, kind, text])
    expect(web.headers.get("payment-response")).toBe("e30=")
    if (kind !== "Empty") expect(web.headers.get("content-type")).toBe("application/json")
  })

  it("has no body for HEAD, and the same headers", async () => {
    const { kind, toWeb } = await sent({ status: 402, headers, body: "{}" }, "HEAD")
    const web = toWeb()
    expect([kind, web.headers.get("payment-response")]).toEqual(["Empty", "e30="])
  })

  it("streams with the declared length", async () => {
    const { body } = streamOf("PK", "zip")
    const { kind, toWeb } = await sent({ status: 200, headers: { "content-length": "5" }, body })
    const web = toWeb()
    expect([kind, web.headers.get("content-length"), await web.text()]).toEqual(["Stream", "5", "PKzip"])
  })

  it("sends each cookie of a host's own route", async () => {
    const response = new Response("noted", { status: 202 })
    response.headers.append("set-cookie", "a=1; Path=/")
    response.headers.append("set-cookie", "b=2; HttpOnly")
    const { toWeb } = await sent(response)
    const web = toWeb()
    expect([web.status, web.headers.getSetCookie()]).toEqual([202, ["a=1; Path=/", "b=2; HttpOnly"]])
  })

  it("is sent whole where a host's own route has all of it at once", async () => {
    const { kind, toWeb } = await sent(new Response("noted"))
    const web = toWeb()
    expect([kind, await web.text()]).toEqual(["Uint8Array", "noted"])
    const empty = await sent(new Response(new ReadableStream({ start: (controller) => controller.close() })))
    expect(await empty.toWeb().text()).toBe("")
  })

  it("is streamed where a host's own route has more to come", async () => {
    const { body } = streamOf("no", "t", "ed")
    const { kind, toWeb } = await sent(new Response(body))
    const web = toWeb()
    expect([kind, await web.text()]).toEqual(["Stream", "noted"])
  })

  it("breaks off where the stream of a host's own route does", async () => {
    const { body } = streamOf("no", new Error("cut"))
    const { toWeb } = await sent(new Response(body))
    const web = toWeb()
    await expect(web.text()).rejects.toThrow()
  })

  it.each([
    ["of the till", (body: ReadableStream<Uint8Array>): Handled => ({ status: 200, headers: {}, body })],
    ["of the host", (body: ReadableStream<Uint8Array>): Handled => new Response(body)]
  ])("that nobody has read is canceled with its request: a stream %s", async (_, respond) => {
    const { body, state } = streamOf("a", "b", "c")
    const { end } = await sent(respond(body))
    await end()
    expect(state.canceled).toBe(true)
  })

  it("to HEAD is not read at all", async () => {
    const { body, state } = streamOf("a")
    const { end } = await sent({ status: 200, headers: {}, body }, "HEAD")
    await end()
    expect(state.canceled).toBe(true)
  })

  it("that is being read is not canceled", async () => {
    const { body, state } = streamOf("a", "b")
    const { end, toWeb } = await sent({ status: 200, headers: {}, body })
    const web = toWeb()
    const reader = web.body!.getReader()
    await reader.read()
    await end()
    expect(state.canceled).toBe(false)
    await reader.cancel()
  })
})
