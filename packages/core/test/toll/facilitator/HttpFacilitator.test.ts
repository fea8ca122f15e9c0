import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Context, Effect, Layer, Metric } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { gzipSync } from "node:zlib"
import { getGlobalDispatcher, setGlobalDispatcher } from "undici"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import type { FacilitatorOptions } from "../../../src/toll/facilitator/FacilitatorOptions.ts"
import { platformHttp } from "../../../src/till/platformHttp.ts"
import { Facilitator, type FacilitatorRequest } from "../../../src/toll/facilitator/Facilitator.ts"
import { wireRequest } from "../../../src/toll/facilitator/Wire.ts"
import { authorization } from "../payments.ts"

/*
 * The facilitator's HTTP layer against a real server on a socket that responds as each case specifies: over an
 * `HttpClient`, and by the optional peer `undici`.
 */

const transports = {
  "an HttpClient": FetchHttpClient.layer,
  "an HttpClient that fails for statuses": Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, HttpClient.filterStatusOk)
  ).pipe(Layer.provide(FetchHttpClient.layer)),
  undici: platformHttp
}

const hash = `0x${"12".repeat(32)}`

interface Reply {
  readonly status?: number
  readonly body?: string | Buffer
  readonly delayMillis?: number
  /** Cuts the connection instead of responding. */
  readonly cut?: boolean
  /** Cuts the connection after the body, which is shorter than it says. */
  readonly breaksOff?: boolean
  readonly headers?: Record<string, string>
  /** Sends without end until the other side hangs up; counts what was sent. */
  readonly endless?: boolean
}

interface Call {
  readonly path: string
  readonly headers: Record<string, unknown>
  readonly body: string
}

let server: Server
let calls: Array<Call>
let replies: Array<Reply>
let sentBytes: number
let connections: number
/** Where `/verify` has moved to. */
let movedTo: string | undefined
/** Requests whose connection was cut by the other side before their response. */
let cutRequests: number

const block = Buffer.alloc(64 * 1024, " ")

const sendEndlessly = (response: ServerResponse): void => {
  const more = (): void => {
    while (!response.destroyed) {
      sentBytes += block.byteLength
      if (!response.write(block)) return
    }
  }
  response.writeHead(200, { "content-type": "application/json" }).on("drain", more)
  more()
}

beforeEach(async () => {
  calls = []
  replies = []
  sentBytes = 0
  connections = 0
  movedTo = undefined
  cutRequests = 0
  server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    response.on("close", () => {
      if (!response.writableFinished) cutRequests++
    })
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      calls.push({
        path: request.url!,
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8")
      })
      if (movedTo !== undefined && request.url === "/verify")
        return response.writeHead(308, { location: movedTo }).end()
      const reply = replies.length > 1 ? replies.shift()! : replies[0]!
      if (reply.cut) return request.socket.destroy()
      if (reply.endless) return sendEndlessly(response)
      setTimeout(() => {
        response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers })
        if (reply.breaksOff === true) response.write(reply.body, () => request.socket.destroy())
        else response.end(reply.body ?? "{}")
      }, reply.delayMillis ?? 0)
    })
  })
  server.on("connection", () => connections++)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

const requestOf = (x402Version: 1 | 2): FacilitatorRequest => ({
  x402Version,
  payload: { signature: "0x01", authorization: authorization() },
  requirements: {
    scheme: "exact",
    network: "eip155:84532",
    amount: "10000",
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    maxTimeoutSeconds: 120,
    extra: { name: "USDC", version: "2" }
  },
  resource: { url: "https://shop.example/x402/search", description: "Search", mimeType: "application/json" }
})

/** For replies that come too late. */
const impatient = { verifyTimeoutMillis: 200, settleTimeoutMillis: 200 }

describe.each(Object.entries(transports))("over %s", (name, transport) => {
  const facilitator = (options: Partial<FacilitatorOptions> = {}) =>
    Facilitator.layerHttp({
      url: urlOf(server),
      verifyTimeoutMillis: 60_000,
      settleTimeoutMillis: 60_000,
      ...options
    }).pipe(Layer.provide(transport))

  const run = <A>(
    use: (service: Facilitator["Service"]) => Effect.Effect<A>,
    options?: Partial<FacilitatorOptions>
  ) => Effect.runPromise(Effect.provide(Effect.flatMap(Facilitator, use), facilitator(options)))

  const verify = (options?: Partial<FacilitatorOptions>) =>
    run((service) => service.verify(requestOf(2)), options)
  const settle = (options?: Partial<FacilitatorOptions>) =>
    run((service) => service.settle(requestOf(2)), options)

  it("is timed, by operation and verdict", async () => {
    const metrics = Context.make(Metric.MetricRegistry, new Map())
    replies = [
      { body: '{"isValid":true}' },
      { status: 500 },
      { body: `{"success":true,"transaction":"${hash}"}` }
    ]
    await run((service) =>
      Effect.all([
        service.verify(requestOf(2)),
        service.verify(requestOf(2)),
        service.settle(requestOf(2))
      ]).pipe(Effect.provide(metrics))
    )
    const series = Metric.snapshotUnsafe(metrics).filter(
      ({ id }) => id === "till402_facilitator_operation_duration_seconds"
    )
    expect(series.map(({ attributes, state }) => ({ ...attributes, ...state }))).toEqual(
      [
        ["verify", "valid", 1],
        // A verification is tried again.
        ["verify", "unreachable", 3],
        ["settle", "settled", 1]
      ].map(([operation, outcome, count]) =>
        expect.objectContaining({ facilitator: expect.stringMatching(/./), operation, outcome, count })
      )
    )
  })

  describe("what is sent", () => {
    it("version 2: the payment and our requirement", async () => {
      replies = [{ body: '{"isValid":true,"payer":"0xabc"}' }]
      expect(await verify()).toMatchObject({ _tag: "Valid", payer: "0xabc" })
      expect(calls[0]!.path).toBe("/verify")
      expect(JSON.parse(calls[0]!.body)).toEqual({
        x402Version: 2,
        ...wireRequest(requestOf(2))
      })
    })

    it("version 1: the requirement in version 1's words", async () => {
      replies = [{ body: `{"success":true,"transaction":"${hash}"}` }]
      expect(await run((service) => service.settle(requestOf(1)))).toEqual({
        _tag: "Settled",
        transaction: hash,
        payer: undefined
      })
      const { amount, ...rest } = requestOf(1).requirements
      expect((JSON.parse(calls[0]!.body) as { paymentRequirements: unknown }).paymentRequirements).toEqual({
        ...rest,
        network: "base-sepolia",
        maxAmountRequired: amount,
        resource: "https://shop.example/x402/search",
        description: "Search",
        mimeType: "application/json"
      })
    })

    it("the host's own headers, made anew for each call", async () => {
      replies = [{ body: '{"isValid":true}' }]
      await verify({ headers: async (operation) => ({ authorization: `Bearer for ${operation}` }) })
      expect(calls[0]!.headers["authorization"]).toBe("Bearer for verify")
    })
  })

  describe("verify", () => {
    it.each([
      ["invalid", { body: '{"isValid":false,"invalidReason":"insufficient_funds"}' }, "insufficient_funds"],
      [
        "invalid, with a 400",
        { status: 400, body: '{"isValid":false,"invalidReason":"invalid_network"}' },
        "invalid_network"
      ],
      [
        "an address in place of a reason is not passed on",
        { body: `{"isValid":false,"invalidReason":"0x${"ab".repeat(20)}"}` },
        "invalid_payment"
      ],
      [
        "a reason that is no code is not passed on",
        { body: '{"isValid":false,"invalidReason":"<b>hi</b>"}' },
        "invalid_payment"
      ]
    ] as const)("%s", async (_name, reply, reason) => {
      replies = [reply]
      expect(await verify()).toEqual({ _tag: "Invalid", reason })
    })

    it("retries after a passing fault, three attempts at the most", async () => {
      replies = [{ status: 500, body: "oops" }, { cut: true }, { body: '{"isValid":true}' }]
      expect((await verify())._tag).toBe("Valid")
      expect(calls).toHaveLength(3)
    })

    it.each([
      ["down", { cut: true }, {}],
      ["no document", { status: 502, body: "<html>bad gateway</html>" }, {}],
      ["another document", { body: '{"ok":true}' }, {}],
      ["too long a response", { body: `{"isValid":true,"pad":"${"x".repeat(300_000)}"}` }, {}],
      ["too slow", { delayMillis: 1_000, body: '{"isValid":true}' }, impatient]
    ] as const)("unreachable: %s", async (_name, reply, options) => {
      replies = [reply]
      expect((await verify(options))._tag).toBe("Unreachable")
      expect(calls.length).toBeLessThanOrEqual(3)
    })

    it("unreachable: an endless response, of which little more than the bound is read", async () => {
      replies = [{ endless: true }]
      expect((await verify())._tag).toBe("Unreachable")
      expect(calls).toHaveLength(3)
      // The bound, and what stood in the sockets' buffers, three times.
      expect(sentBytes).toBeLessThan(3 * 16 * 1024 * 1024)
    })

    it("headers that can't be had are no verdict", async () => {
      replies = [{ body: '{"isValid":true}' }]
      const verdict = await verify({ headers: () => Promise.reject(new Error("no key")) })
      expect(verdict._tag).toBe("Unreachable")
      expect(calls).toHaveLength(0)
    })

    it("headers that never come end the reading of its clock, too", async () => {
      const headers = () => new Promise<never>(() => undefined)
      const read = run(({ clocks }) => clocks!, { verifyTimeoutMillis: 50, headers })
      expect(await read).toEqual([])
    })
  })

  describe("settle", () => {
    it.each([
      ["insufficient_funds", "Rejected"],
      ["invalid_exact_evm_payload_signature", "Rejected"],
      ["invalid_exact_evm_insufficient_balance", "Rejected"],
      ["invalid_transaction_state", "Unknown"],
      ["invalid_exact_evm_nonce_already_used", "Unknown"],
      ["invalid_exact_evm_transaction_failed", "Unknown"],
      ["settlement_pending", "Unknown"],
      ["duplicate_settlement", "Unknown"],
      ["invalid_exact_evm_payload_authorization_valid_before", "Unknown"],
      ["some_reason_of_tomorrow", "Unknown"]
    ])("refused for %s: %s", async (errorReason, tag) => {
      replies = [{ body: JSON.stringify({ success: false, errorReason, transaction: "" }) }]
      expect(await settle()).toMatchObject({ _tag: tag, reason: errorReason })
    })

    it("a transaction hash leaves the outcome open, whatever the reason", async () => {
      replies = [{ body: `{"success":false,"errorReason":"insufficient_funds","transaction":"${hash}"}` }]
      expect(await settle()).toEqual({ _tag: "Unknown", reason: "insufficient_funds", transaction: hash })
    })

    it.each(["0x12", "a\r\nb", `${hash}00`, "pending"])(
      "what is no hash (%j) is not repeated",
      async (transaction) => {
        replies = [{ body: JSON.stringify({ success: true, transaction }) }]
        expect(await settle()).toMatchObject({ _tag: "Unknown", transaction: undefined })
        replies = [
          { body: JSON.stringify({ success: false, errorReason: "insufficient_funds", transaction }) }
        ]
        expect(await settle()).toMatchObject({ _tag: "Unknown", transaction: undefined })
      }
    )

    it("a settlement on another network settles nothing here", async () => {
      replies = [{ body: JSON.stringify({ success: true, transaction: hash, network: "eip155:1" }) }]
      expect(await settle()).toMatchObject({ _tag: "Unknown", reason: "settled_on_another_network" })
      for (const network of ["eip155:84532", "base-sepolia"]) {
        replies = [{ body: JSON.stringify({ success: true, transaction: hash, network }) }]
        expect((await settle())._tag).toBe("Settled")
      }
    })

    it("success without a transaction proves nothing", async () => {
      replies = [{ body: '{"success":true,"transaction":""}' }]
      expect((await settle())._tag).toBe("Unknown")
    })

    it.each([
      ["down", { cut: true }, {}],
      ["an error page", { status: 500, body: "oops" }, {}],
      ["too slow", { delayMillis: 1_000, body: `{"success":true,"transaction":"${hash}"}` }, impatient]
    ] as const)("never retried, and unknown: %s", async (_name, reply, options) => {
      replies = [reply]
      expect((await settle(options))._tag).toBe("Unknown")
      await vi.waitFor(() => expect(calls).toHaveLength(1))
    })
  })

  describe("supported", () => {
    it("is read once and cached", async () => {
      replies = [
        {
          body: '{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:84532"}],"extensions":[],"signers":{}}'
        }
      ]
      const kinds = await run((service) => Effect.andThen(service.supported, service.supported))
      expect(kinds).toEqual([{ x402Version: 2, scheme: "exact", network: "eip155:84532" }])
      expect(calls).toHaveLength(1)
    })

    it("is never fatal", async () => {
      replies = [{ status: 500, body: "oops" }]
      expect(await run((service) => service.supported)).toEqual([])
    })
  })

  describe("a settlement that is pending", () => {
    const paymentId = "5b3f6c1e-9d2a-4f08-b1c7-2e9a14d0c3aa"
    const pending = { success: false, errorReason: "settlement_pending", network: "eip155:84532" }

    it("is read with its transaction, also from a response with status 500", async () => {
      replies = [{ status: 500, body: JSON.stringify({ ...pending, transaction: hash }) }]
      expect(await settle()).toEqual({ _tag: "Unknown", reason: "settlement_pending", transaction: hash })
      expect(calls).toHaveLength(1)
    })

    it("is followed by its status, where the facilitator names its id", async () => {
      const status = { paymentId, network: "eip155:84532", transaction: null }
      replies = [
        { body: JSON.stringify({ ...pending, transaction: "", paymentId }) },
        { body: JSON.stringify({ ...status, status: "pending" }) },
        { body: JSON.stringify({ ...status, status: "completed", transaction: hash }) }
      ]
      const headers = async (operation: string) => ({ authorization: `Bearer for ${operation}` })
      expect(await settle({ settleTimeoutMillis: 10_000, headers })).toMatchObject({
        _tag: "Settled",
        transaction: hash
      })
      const paths = ["/settle", `/status/${paymentId}`, `/status/${paymentId}`]
      expect(calls.map(({ path }) => path)).toEqual(paths)
      expect(calls[1]!.headers["authorization"]).toBe("Bearer for settle")
    })
  })

  describe("an error status", () => {
    it("is the reason why nothing is known", async () => {
      replies = [{ status: 401, body: "Unauthorized" }]
      expect(await verify()).toEqual({ _tag: "Unreachable", reason: "http_401" })
      expect(await settle()).toMatchObject({ _tag: "Unknown", reason: "http_401", isUnreachable: true })
    })
  })

  describe("a connection", () => {
    it("is kept for the next call", async () => {
      replies = [{ body: '{"isValid":true}' }]
      const verifications = Array.from({ length: 10 }, () =>
        Effect.flatMap(Facilitator, (service) => service.verify(requestOf(2)))
      )
      await Effect.runPromise(Effect.provide(Effect.all(verifications), facilitator()))
      expect(calls.length).toBeGreaterThanOrEqual(10)
      // What the facilitator supports is read at the same time.
      expect(connections).toBeLessThanOrEqual(2)
    })

    it("is cut at the deadline", async () => {
      replies = [{ delayMillis: 2_000 }]
      expect(await settle(impatient)).toMatchObject({ _tag: "Unknown", reason: "TimeoutError" })
      await vi.waitFor(() => expect(cutRequests).toBe(1))
    })

    it("that breaks within a response leaves the outcome open", async () => {
      replies = [{ headers: { "content-length": "1000" }, body: '{"success":', breaksOff: true }]
      expect(await settle()).toMatchObject({ _tag: "Unknown", isUnreachable: true })
      expect(calls).toHaveLength(1)
    })
  })

  describe("a facilitator", () => {
    it("may have moved: its redirect is followed with the same body", async () => {
      replies = [{ body: '{"isValid":true}' }]
      movedTo = "/moved/verify"
      expect((await verify())._tag).toBe("Valid")
      const [first, last] = [calls[0]!, calls.at(-1)!]
      expect([first.path, last.path, last.body]).toEqual(["/verify", movedTo, first.body])
    })

    it("that moves a settlement without asking to repeat it gets it once", async () => {
      replies = [{ status: 303, headers: { location: "/elsewhere" } }, { body: "{}" }]
      expect(await settle()).toMatchObject({ _tag: "Unknown" })
      expect(calls.filter(({ path }) => path === "/settle")).toHaveLength(1)
    })

    it("may say that its responses are not encoded", async () => {
      const body = JSON.stringify({ success: true, transaction: hash, network: "eip155:84532" })
      replies = [{ headers: { "content-encoding": "identity" }, body }]
      expect(await settle()).toMatchObject({ _tag: "Settled", transaction: hash })
    })

    it("may compress its responses", async () => {
      replies = [{ headers: { "content-encoding": "gzip" }, body: gzipSync('{"isValid":true}') }]
      expect((await verify())._tag).toBe("Valid")
    })
  })

  it("never names a header that can't be sent", async () => {
    replies = [{ body: '{"isValid":true}' }]
    const verdict = await verify({ headers: () => ({ authorization: "Bearer sesame\nx: y" }) })
    expect(verdict._tag).toBe("Unreachable")
    expect(JSON.stringify(verdict)).not.toContain("sesame")
    expect(calls).toHaveLength(0)
  })

  it("sends what fetch alone sends only over fetch", async () => {
    replies = [{ body: '{"isValid":true}' }]
    await verify()
    expect("sec-fetch-mode" in calls[0]!.headers).toBe(name !== "undici")
    expect(calls[0]!.headers).toMatchObject({ "content-type": "application/json", "user-agent": "node" })
  })

  it("is sent by a dispatcher that the host has set, such as a proxy's", async () => {
    replies = [{ body: '{"isValid":true}' }]
    const paths: Array<string> = []
    const before = getGlobalDispatcher()
    onTestFinished(() => setGlobalDispatcher(before))
    setGlobalDispatcher(
      before.compose((dispatch) => (options, handler) => {
        paths.push(options.path)
        return dispatch(options, handler)
      })
    )
    await verify()
    expect(paths).toEqual(["/verify"])
  })
})
