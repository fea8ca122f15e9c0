import { gzipSync } from "node:zlib"
import { Effect, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { assert, describe, it } from "vitest"
import {
  makeUpstream,
  makeWithFetch,
  parseJson,
  readJson,
  type UpstreamFault,
  type UpstreamOptions
} from "../../src/upstream/index.ts"
import { json, type Reply, type ScriptedServer, startScriptedServer } from "./scriptedServer.ts"

/*
 * What real sockets do to a call. Retries are off unless a case is about them: real pauses are slow.
 */

let server: ScriptedServer

const open = async (reply: Reply, options: Partial<UpstreamOptions> = {}) => {
  server = await startScriptedServer(reply)
  const upstream = makeWithFetch(makeUpstream({ name: "shop", retries: 0, ...options }))
  const request = HttpClientRequest.get(`${server.url}/search?api_key=s3cret-key&q=phone`)
  return { upstream, request, server }
}

const callOnce = async (reply: Reply, options: Partial<UpstreamOptions> = {}) => {
  const { request, upstream } = await open(reply, options)
  return Effect.runPromise(Effect.result(upstream.call(request)))
}

const faultOf = async (reply: Reply, options: Partial<UpstreamOptions> = {}): Promise<UpstreamFault> => {
  const result = await callOnce(reply, options)
  assert(Result.isFailure(result), "the call should have failed")
  return result.failure
}

describe("a call over a socket", () => {
  it("reads the whole response", async () => {
    const result = await callOnce(json({ found: 3 }, 201, { "x-trace": "1" }))
    assert(Result.isSuccess(result))
    assert.strictEqual(result.success.status, 201)
    assert.strictEqual(result.success.headers["x-trace"], "1")
    assert.deepStrictEqual(await Effect.runPromise(parseJson(result.success)), { found: 3 })
  })

  it("uses the given fetch for each upstream, or the platform's current one", async () => {
    const responding = (word: string) => () => Promise.resolve(new Response(JSON.stringify(word)))
    const upstreams = [responding("first"), responding("second")].map((fetch) =>
      makeWithFetch(makeUpstream({ name: "shop" }), fetch)
    )
    const late = makeWithFetch(makeUpstream({ name: "shop" }))
    const request = HttpClientRequest.get("https://shop.example/")
    const messageOf = (upstream: typeof late) =>
      Effect.runPromise(Effect.flatMap(upstream.call(request), parseJson))
    const platform = globalThis.fetch
    globalThis.fetch = responding("installed later")
    try {
      assert.deepStrictEqual(await Promise.all([...upstreams, late].map(messageOf)), [
        "first",
        "second",
        "installed later"
      ])
    } finally {
      globalThis.fetch = platform
    }
  })

  it("sends no trace headers", async () => {
    const { request, server, upstream } = await open(json({}))
    await Effect.runPromise(upstream.call(request).pipe(Effect.withSpan("outer")))
    assert.notProperty(server.requests[0]!.headers, "traceparent")
    assert.notProperty(server.requests[0]!.headers, "b3")
  })

  it("unpacks gzip, characters split over chunks included", async () => {
    const text = JSON.stringify({ title: "Körbchen – 篮子 🧺".repeat(4_000) })
    const result = await callOnce((response) => {
      const packed = gzipSync(text)
      response.writeHead(200, { "content-encoding": "gzip" })
      response.write(packed.subarray(0, 7))
      setTimeout(() => response.end(packed.subarray(7)), 5)
    })
    assert(Result.isSuccess(result))
    assert.strictEqual(result.success.text, text)
  })

  it("stops a compressed response that exceeds the bound when decompressed", async () => {
    const packed = gzipSync(Buffer.alloc(8 * 1024 * 1024, "a"))
    const fault = await faultOf(
      (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed),
      { maxResponseBytes: 100_000 }
    )
    assert.strictEqual(fault._tag, "ResponseTooLarge")
  })

  it("stops an endless response at the bound and closes the connection", async () => {
    let timer: ReturnType<typeof setInterval> | undefined
    const closed = Promise.withResolvers<void>()
    const fault = await faultOf(
      (response) => {
        response.writeHead(200)
        timer = setInterval(() => response.write("x".repeat(10_000)), 1)
        response.on("close", () => {
          clearInterval(timer)
          closed.resolve()
        })
      },
      { maxResponseBytes: 50_000 }
    )
    assert.strictEqual(fault._tag, "ResponseTooLarge")
    await closed.promise
  })

  it("refuses a response whose announced length is too long, without reading it", async () => {
    const closed = Promise.withResolvers<void>()
    const fault = await faultOf(
      (response) => {
        response.on("close", () => closed.resolve())
        response.writeHead(200, { "content-length": "5000000" }).write("{")
      },
      { maxResponseBytes: 1_000_000 }
    )
    assert.strictEqual(fault._tag, "ResponseTooLarge")
    await closed.promise
  })

  it("treats a truncated response as no response", async () => {
    const fault = await faultOf((response, { socket }) => {
      response.writeHead(200, { "content-length": "1000" }).write('{"found":', () => socket.destroy())
    })
    assert.strictEqual(fault._tag, "Unreachable")
  })

  it("treats invalid gzip as no response", async () => {
    const fault = await faultOf((response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("this is not gzip")
    )
    assert.strictEqual(fault._tag, "Unreachable")
  })

  it("treats a broken connection as no response, and keeps the key out of the error", async () => {
    const fault = await faultOf((_response, { socket }) => socket.destroy())
    assert.strictEqual(fault._tag, "Unreachable")
    const { inspect } = await import("node:util")
    const shown = `${inspect(fault, { depth: 20, showHidden: true })} ${JSON.stringify(fault)} ${String(fault.stack)}`
    assert.notInclude(shown, "s3cret-key")
  })

  it("names the platform's code of a refused connection", async () => {
    const { request, server, upstream } = await open(json({}))
    await server.close()
    const fault = await Effect.runPromise(Effect.flip(upstream.call(request)))
    assert.strictEqual(fault._tag, "Unreachable")
    assert.strictEqual("code" in fault ? fault.code : undefined, "ECONNREFUSED")
  })

  it("does not follow a redirect", async () => {
    const { request, server, upstream } = await open((response) =>
      response.writeHead(302, { location: "/elsewhere" }).end()
    )
    const fault = await Effect.runPromise(Effect.flip(upstream.call(request)))
    assert.strictEqual(fault._tag, "Redirected")
    assert.strictEqual(server.requests.length, 1)
  })

  it("gives up on headers that don't come, and on a body that stalls", async () => {
    const silent = await faultOf(() => {}, { timeoutMillis: 40 })
    assert.strictEqual(silent._tag, "TimedOut")
    await server.close()
    const closed = Promise.withResolvers<void>()
    const stalling = await faultOf(
      (response) => {
        response.on("close", () => closed.resolve())
        response.writeHead(200).write("{")
      },
      { timeoutMillis: 40 }
    )
    assert.strictEqual(stalling._tag, "TimedOut")
    await closed.promise
  })

  it("closes the connection when the caller cancels", async () => {
    const arrived = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const { request, upstream } = await open((response) => {
      response.on("close", () => closed.resolve())
      arrived.resolve()
    })
    const controller = new AbortController()
    const running = Effect.runPromiseExit(upstream.call(request), { signal: controller.signal })
    await arrived.promise
    controller.abort()
    assert.strictEqual((await running)._tag, "Failure")
    await closed.promise
  })

  it("keeps the upstream's own error document out of sight, but at hand", async () => {
    const fault = await faultOf(json({ message: "api key s3cret-key is unknown" }, 401))
    assert(fault._tag === "Rejected")
    assert.strictEqual(fault.code, "HTTP_401")
    const { inspect } = await import("node:util")
    assert.notInclude(`${inspect(fault, { depth: 20 })}${JSON.stringify(fault)}`, "s3cret-key")
  })

  it("names the fields of a document that don't fit, never their values", async () => {
    const result = await callOnce(json({ prices: [1, "s3cret-value", null] }))
    assert(Result.isSuccess(result))
    const read = readJson(Schema.Struct({ prices: Schema.Array(Schema.Finite) }))
    const fault = await Effect.runPromise(Effect.flip(read(result.success)))
    assert.include(fault.message, "prices.1")
    assert.notInclude(fault.message, "s3cret-value")
  })
})
