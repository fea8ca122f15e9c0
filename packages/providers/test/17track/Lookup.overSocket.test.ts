import { gzipSync } from "node:zlib"
import { TemporarilyUnavailable } from "@till402/core"
import { seventeenTrack } from "@till402/providers/17track"
import { describe, expect, it } from "vitest"
import { json, type Reply, type ScriptedServer, startScriptedServer } from "../upstream/scriptedServer.ts"
import { inTransit } from "./documents.ts"
import { apiKey } from "./provider.ts"
import { number } from "./tracking.ts"

/*
 * What real sockets do to a lookup. Repeats are off: real pauses are slow.
 */

let server: ScriptedServer

const context = { signal: new AbortController().signal }

const lookUp = async (reply: Reply, { timeoutMillis = 60_000 } = {}) => {
  server = await startScriptedServer(reply)
  const tracker = seventeenTrack({
    apiKey,
    baseUrl: `${server.url}/track/v2.4`,
    retries: 0,
    timeoutMillis,
    maxResponseBytes: 64 * 1024
  })
  return tracker.track({ number }, context)
}

const failureOf = (lookup: Promise<unknown>): Promise<unknown> =>
  lookup.then(
    (result) => expect.fail(`the lookup should have failed, and gave ${JSON.stringify(result)}`),
    (error: unknown) => error
  )

const whole = JSON.stringify(inTransit)

describe("a lookup over a socket", () => {
  it("is a POST of a list of numbers with the key in its header", async () => {
    const result = await lookUp(json(inTransit))
    expect(result.status).toBe("InTransit")
    const [request] = server.requests
    expect(request).toMatchObject({
      method: "POST",
      url: "/track/v2.4/gettrackinfo",
      headers: { "17token": apiKey, "content-type": "application/json" }
    })
    expect(JSON.parse(request!.body)).toEqual([{ number }])
  })

  it("reads a compressed response", async () => {
    const result = await lookUp((response) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(gzipSync(whole))
    )
    expect(result.status).toBe("InTransit")
  })

  it("reads a response in chunks", async () => {
    const result = await lookUp((response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const half = Math.floor(whole.length / 2)
      response.write(whole.slice(0, half))
      setImmediate(() => response.end(whole.slice(half)))
    })
    expect(result.status).toBe("InTransit")
  })

  const failing: ReadonlyArray<readonly [string, Reply, string]> = [
    [
      "that is no JSON",
      (response) => void response.writeHead(200).end("<html>busy</html>"),
      "ResponseMalformed"
    ],
    ["that is empty", (response) => void response.writeHead(200).end(), "ResponseMalformed"],
    ["that is cut", (response) => void response.writeHead(200).end(whole.slice(0, 900)), "ResponseMalformed"],
    [
      "whose connection breaks in its midst",
      (response, { socket }) => {
        response.writeHead(200, { "content-length": String(whole.length) })
        response.write(whole.slice(0, 900), () => socket.destroy())
      },
      "TemporarilyUnavailable"
    ],
    [
      "that is cut compressed",
      (response) =>
        void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(whole).subarray(0, 200)),
      "ResponseMalformed"
    ],
    [
      "that points elsewhere",
      (response) => void response.writeHead(302, { location: "http://127.0.0.1:9/" }).end(),
      "Redirected"
    ],
    [
      "that is too large",
      (response) => void response.writeHead(200).end(whole + " ".repeat(64 * 1024)),
      "ResponseTooLarge"
    ],
    [
      "that unpacks into too much",
      (response) =>
        void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(" ".repeat(1024 * 1024))),
      "ResponseTooLarge"
    ],
    ["of a connection that is refused", (_, { socket }) => void socket.destroy(), "TemporarilyUnavailable"],
    ["of 500", json({}, 500), "Rejected"],
    ["of 503", json({}, 503, { "retry-after": "7" }), "TemporarilyUnavailable"],
    ["of 429", json({ code: 429 }, 429, { "retry-after": "7" }), "TemporarilyUnavailable"]
  ]
  it.each(failing)("fails with a response %s", async (_, reply, tag) => {
    const error = await failureOf(lookUp(reply))
    expect(error).toMatchObject({ _tag: tag })
    const text = `${String(error)} ${JSON.stringify(error)}`
    for (const secret of [apiKey, number, "Seattle", "Durham"]) expect(text).not.toContain(secret)
  })

  it.each<readonly [string, Reply]>([
    ["never comes", () => undefined],
    ["stops coming", (response) => void response.writeHead(200).write(whole.slice(0, 900))]
  ])("doesn't wait for a response that %s", async (_, reply) => {
    const error = await failureOf(lookUp(reply, { timeoutMillis: 500 }))
    expect(error).toMatchObject({ _tag: "TemporarilyUnavailable" })
  })

  it("includes the time to retry", async () => {
    const error = await failureOf(lookUp(json({}, 429, { "retry-after": "7" })))
    expect(error).toBeInstanceOf(TemporarilyUnavailable)
    expect(error).toMatchObject({ retryAfterSeconds: 7 })
  })
})
