import { gzipSync } from "node:zlib"
import type { UpstreamSettings, UpstreamUsage } from "@till402/providers/upstream"
import { assert, describe, expect, it } from "vitest"
import { rejectionOf } from "../rejectionOf.ts"
import { json, type Reply, type ScriptedServer, startScriptedServer } from "./scriptedServer.ts"

/*
 * What real sockets do to one call of a provider: the same for all of them. Repeats are off, save where a case is about
 * them: real pauses are slow.
 */

export interface SocketSubject {
  /** What the call is, in the names of the cases: `a status`. */
  readonly call: string
  /** A provider at an address; what is given overrides its own settings. */
  readonly open: (baseUrl: string, settings: UpstreamSettings) => Opened
  /** The document that the upstream returns, and the call's result for it. */
  readonly document: unknown
  readonly expected: unknown
  /** The request that the call sends: its path, and where the key stands. */
  readonly path: string
  readonly key: { readonly header: string; readonly value: string }
  /** Documents of another shape, by what they are. */
  readonly malformed: ReadonlyArray<readonly [string, unknown]>
}

export interface Opened {
  readonly send: () => Promise<unknown>
  readonly usage: () => UpstreamUsage
}

const settings: UpstreamSettings = { retries: 0, timeoutMillis: 60_000, maxResponseBytes: 64 * 1024 }
/** For responses that don't come in time. */
const impatient: UpstreamSettings = { ...settings, timeoutMillis: 300 }

/** A way in which a response goes wrong, with the error of the call, and the settings if others than these. */
type BadResponse = readonly [what: string, reply: Reply, tag: string, given?: UpstreamSettings]

const badResponses = (whole: string): ReadonlyArray<BadResponse> => [
  [
    "is cut short",
    (response) => {
      response.writeHead(200, { "content-length": whole.length }).write(whole.slice(0, 100))
      setTimeout(() => response.destroy(), 10)
    },
    "TemporarilyUnavailable"
  ],
  ["never comes", () => undefined, "TemporarilyUnavailable", impatient],
  [
    "comes too slowly",
    (response) => {
      response.writeHead(200).write(whole.slice(0, 10))
    },
    "TemporarilyUnavailable",
    impatient
  ],
  ["is a broken connection", (_response, { socket }) => void socket.destroy(), "TemporarilyUnavailable"],
  [
    "leads elsewhere",
    (response) => void response.writeHead(302, { location: "https://thief.example/" }).end(),
    "Redirected"
  ],
  ["is too large", (response) => void response.writeHead(200).end("x".repeat(65 * 1024)), "ResponseTooLarge"],
  [
    "unpacks to too much",
    (response) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(1024 * 1024))),
    "ResponseTooLarge"
  ],
  ["is not JSON", (response) => void response.writeHead(200).end("<html>"), "ResponseMalformed"],
  [
    "is half a document",
    (response) => void response.writeHead(200).end(whole.slice(0, whole.length / 2)),
    "ResponseMalformed"
  ],
  ["is empty", (response) => void response.writeHead(200).end(), "ResponseMalformed"]
]

/** Declares the cases of one provider's call. */
export const describeSockets = (subject: SocketSubject): void => {
  const { call, document, expected, key, malformed, open, path } = subject
  const whole = JSON.stringify(document)
  let server: ScriptedServer
  const start = async (...replies: Array<Reply>) => (server = await startScriptedServer(...replies))
  const send = async (reply: Reply, given = settings) => open((await start(reply)).url, given).send()

  describe(`${call} over a socket`, () => {
    it("is read, whole and compressed", async () => {
      assert.deepStrictEqual(await send(json(document)), expected)
      const [received] = server.requests
      assert.deepStrictEqual([received!.headers[key.header], received!.url], [key.value, path])
      await server.close()
      const packed = await send((response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(gzipSync(whole))
      )
      assert.deepStrictEqual(packed, expected)
    })

    it.each([
      ...badResponses(whole).map(
        ([what, reply, tag, given = settings]) => [what, reply, tag, given] as const
      ),
      ...malformed.map(([what, odd]) => [what, json(odd), "ResponseMalformed", settings] as const)
    ])("fails when the response %s", async (_what, reply, tag, given) => {
      const rejection = await rejectionOf(send(reply, given))
      assert.strictEqual(rejection._tag, tag)
      const [secret] = key.value.split(" ").slice(-1)
      assert.notInclude(JSON.stringify(rejection) + String(rejection["message"]), secret!)
      await expect.poll(() => server.requests.length).toBe(1)
    })

    it("is requested again after a fault that passes, and the circuit opens after many", async () => {
      const busy: Reply = (response) => void response.writeHead(503).end()
      const { replies, requests, url } = await start(busy)
      const opened = open(url, { ...settings, circuitFailures: 2 })
      for (let attempt = 0; attempt < 4; attempt++) await rejectionOf(opened.send())
      assert.strictEqual(requests.length, 2)
      assert.deepInclude(opened.usage(), { calls: 4, failures: 4, requests: 2, circuit: "open" })
      replies.splice(0, 1, busy, json(document))
      assert.deepStrictEqual(await open(url, { ...settings, retries: 1 }).send(), expected)
    })
  })
}
