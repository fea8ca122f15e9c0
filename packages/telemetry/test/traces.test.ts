import { randomBytes } from "node:crypto"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { context, diag, DiagLogLevel, propagation, SpanStatusCode, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { W3CTraceContextPropagator } from "@opentelemetry/core"
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  type SpanProcessor,
  TracerProvider
} from "@opentelemetry/sdk-trace"
import { memory, operation, Till, type TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator, fakeTracker } from "@till402/testing"
import { payingFetch } from "@till402/testing/payer"
import { afterEach, describe, expect, it, onTestFinished } from "vitest"
import { tillTraces } from "../src/traces.ts"

const newKey = (): `0x${string}` => `0x${randomBytes(32).toString("hex")}`
const key = newKey()
const url = "https://shop.example/x402/track?number=9400100000000000000000"
const callerTrace = "0af7651916cd43dd8448eb211c80319c"
const callerSpan = "b7ad6b7169203331"
const traceparent = `00-${callerTrace}-${callerSpan}-01`

afterEach(() => {
  for (const api of [trace, context, propagation, diag]) api.disable()
})

/** Registers an SDK as a host does; returns what it exports. */
const register = ({
  processors = [],
  sampler
}: {
  readonly processors?: ReadonlyArray<SpanProcessor>
  readonly sampler?: Sampler
} = {}): InMemorySpanExporter => {
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor({ exporter }), ...processors]
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors, ...(sampler === undefined ? {} : { sampler }) })
  )
  return exporter
}

const open = async (given: Partial<TillOptions> = {}) => {
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(),
    trustFacilitator: true,
    secret: "no secret at all, since this is a test",
    storage: memory(),
    tracker: fakeTracker(),
    traces: tillTraces(),
    onEvent: () => {},
    onProviderError: () => {},
    ...given
  })
  onTestFinished(() => till.dispose())
  await till.ready
  const sent: Array<string> = []
  const pay = (headers: Readonly<Record<string, string>> = {}, privateKey = key, at = url) =>
    payingFetch(privateKey, 1, async (input, init) => {
      const request = new Request(input, init)
      sent.push(request.headers.get("payment-signature") ?? "")
      return till.fetch(request)
    })(at, { headers })
  return { till, pay, sent }
}

/** On a thread, whose replies reach a call outside of every span: no step inherits that of the step before. */
const onDisk = () => {
  const folder = mkdtempSync(join(tmpdir(), "till402-spans-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return sqlite({ filename: join(folder, "till.sqlite") })
}

const named = (spans: ReadonlyArray<ReadableSpan>, name: string): ReadableSpan => {
  const found = spans.filter((span) => span.name === name)
  expect(found, name).toHaveLength(1)
  return found[0]!
}
const facts = (exporter: InMemorySpanExporter) =>
  exporter.getFinishedSpans().map(({ attributes, events, name, status }) => ({
    name,
    attributes,
    events,
    status
  }))

describe("the spans of a call", () => {
  it("are one with its steps as events, below the span that the caller named", async () => {
    const exporter = register()
    const { pay, sent } = await open()
    expect((await pay({ traceparent })).status).toBe(200)
    const spans = exporter.getFinishedSpans()
    const charge = named(spans, "till402.charge")
    expect(charge.spanContext().traceId).toBe(callerTrace)
    expect(charge.parentSpanContext?.spanId).toBe(callerSpan)
    const labels = { operation: "track", network: "eip155:84532", outcome: "paid" }
    expect(charge.attributes).toEqual(labels)
    expect(charge.status.code).toBe(SpanStatusCode.UNSET)
    const steps = ["verify", "claim", "Tracker.track", "work", "settle"].map((step) => `till402.${step}`)
    expect(charge.events.map(({ name }) => name)).toEqual(steps)
    expect(spans).toEqual([charge])
    // The span doesn't name the call's payer, payment or input.
    const written = JSON.stringify(facts(exporter)).toLowerCase()
    const payment = sent.find((header) => header !== "")!
    const { payload } = JSON.parse(Buffer.from(payment, "base64").toString("utf8"))
    const { authorization, signature } = payload
    for (const secret of [payment, signature, authorization.from, authorization.nonce, "9400100000000000"])
      expect(written).not.toContain(String(secret).toLowerCase())
  })

  it("belong to the host's own span, and the host's spans to the call that made them", async () => {
    const exporter = register()
    const own = trace.getTracer("host")
    const { pay } = await open({
      tracker: {
        track: async (input) => {
          await new Promise((resolve) => setTimeout(resolve, 1))
          own.startSpan("look up").end()
          return fakeTracker().track(input, { signal: new AbortController().signal })
        }
      }
    })
    const response = await own.startActiveSpan("GET /x402/track", async (span) => {
      const paid = await pay({ traceparent })
      span.end()
      return paid
    })
    expect(response.status).toBe(200)
    const spans = exporter.getFinishedSpans()
    const server = named(spans, "GET /x402/track").spanContext()
    const charge = named(spans, "till402.charge")
    expect(charge.parentSpanContext?.spanId).toBe(server.spanId)
    const call = charge.spanContext()
    expect(named(spans, "look up").parentSpanContext?.spanId).toBe(call.spanId)
    expect(spans.every((span) => span.spanContext().traceId === server.traceId)).toBe(true)
  })

  it("have below them those of every function of the host's, each by itself", async () => {
    const exporter = register()
    const own = trace.getTracer("host")
    const spanned =
      <Args extends ReadonlyArray<unknown>, A>(name: string, call: (...args: Args) => Promise<A>) =>
      async (...args: Args): Promise<A> => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        own.startSpan(name).end()
        return call(...args)
      }
    const { getSupported, settle, verify } = fakeFacilitator()
    const tides = { id: "tides", path: "/tides", price: "0.01", description: "Tides" } as const
    const { pay, till } = await open({
      storage: onDisk(),
      facilitator: { verify: spanned("verify", verify), settle: spanned("settle", settle), getSupported },
      tracker: { track: spanned("work", fakeTracker().track) },
      operations: [
        operation({ ...tides, method: "GET", work: spanned("work", async () => ({ high: "12:04" })) })
      ]
    })
    const sun = till.price({ id: "sun", path: "/sun", price: "0.01" })
    const handler = spanned("work", async () => new Response("sun"))
    const paid = [
      await pay(),
      await pay({}, key, "https://shop.example/tides"),
      await payingFetch(key, 1, async (input, init) => sun.fetch(new Request(input, init), handler))(
        "https://shop.example/sun"
      )
    ]
    expect(paid.map(({ status }) => status)).toEqual([200, 200, 200])
    const spans = exporter.getFinishedSpans()
    const charges = spans
      .filter(({ name }) => name === "till402.charge")
      .map((span) => span.spanContext().spanId)
    expect(charges).toHaveLength(3)
    for (const name of ["verify", "work", "settle"])
      expect(
        spans.filter((span) => span.name === name).map(({ parentSpanContext }) => parentSpanContext?.spanId),
        name
      ).toEqual(charges)
  })

  it("are active when a facilitator is asked over HTTP", async () => {
    const exporter = register()
    const { getSupported, settle, verify } = fakeFacilitator()
    const server = createServer(async (request, response) => {
      const { paymentPayload, paymentRequirements } =
        request.method === "POST" ? JSON.parse(await text(request)) : {}
      const call = { "/verify": verify, "/settle": settle }[request.url!]
      response.end(JSON.stringify(await (call?.(paymentPayload, paymentRequirements) ?? getSupported())))
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const asked: Array<readonly [string, string | undefined]> = []
    const note = (message: unknown) => {
      const { path } = (message as { readonly request: { readonly path: string } }).request
      asked.push([path, trace.getActiveSpan()?.spanContext().spanId])
    }
    subscribe("undici:request:create", note)
    onTestFinished(() => void unsubscribe("undici:request:create", note))
    const { pay } = await open({ storage: onDisk(), facilitator: { url: `http://127.0.0.1:${port}` } })
    expect((await pay()).status).toBe(200)
    const { spanId } = named(exporter.getFinishedSpans(), "till402.charge").spanContext()
    expect(asked.filter(([path]) => path !== "/supported")).toEqual([
      ["/verify", spanId],
      ["/settle", spanId]
    ])
  })

  it("of calls at the same time don't mix", async () => {
    const exporter = register()
    const { pay } = await open()
    const ids = Array.from({ length: 16 }, () => randomBytes(16).toString("hex"))
    await Promise.all(ids.map(async (id) => pay({ traceparent: `00-${id}-${callerSpan}-01` }, newKey())))
    const spans = exporter.getFinishedSpans()
    const ofTrace = (id: string) => spans.filter((span) => span.spanContext().traceId === id)
    const expected = ofTrace(ids[0]!).map(({ name }) => name)
    expect(expected).toEqual(["till402.charge"])
    for (const id of ids) expect(ofTrace(id).map(({ name }) => name)).toEqual(expected)
    expect(ids.flatMap(ofTrace)).toHaveLength(spans.length)
  })

  it.each([
    ["empty", ""],
    ["malformed", "00-zz"],
    ["of no trace", `00-${"0".repeat(32)}-${callerSpan}-01`],
    ["long", `00-${callerTrace}-${callerSpan}-01-x`.repeat(99)]
  ])("begin a trace of their own where traceparent is %s", async (_, given) => {
    const exporter = register()
    const { pay } = await open()
    expect((await pay({ traceparent: given })).status).toBe(200)
    const charge = named(exporter.getFinishedSpans(), "till402.charge")
    expect(charge.parentSpanContext).toBeUndefined()
    expect(charge.spanContext().traceId).not.toBe(callerTrace)
  })
})

describe("a failure", () => {
  it("marks the span and the call of the port, and its text is in none", async () => {
    const exporter = register()
    const { pay } = await open({
      tracker: {
        track: async () => {
          throw new Error("key=hunter2 https://user:hunter2@upstream.example/?q=hunter2")
        }
      }
    })
    expect((await pay({ traceparent })).status).toBe(502)
    const spans = exporter.getFinishedSpans()
    const charge = named(spans, "till402.charge")
    const steps = ["verify", "claim", "Tracker.track.failed", "work"].map((step) => `till402.${step}`)
    expect(charge.events.map(({ name }) => name)).toEqual(steps)
    expect([charge.status.code, charge.attributes["outcome"]]).toEqual([SpanStatusCode.ERROR, "failed"])
    expect(JSON.stringify(facts(exporter))).not.toContain("hunter2")
  })

  it("isn't what a stranger without money can cause", async () => {
    const exporter = register()
    const { pay } = await open({ facilitator: fakeFacilitator().rejectsVerification("insufficient_funds") })
    expect((await pay()).status).toBe(402)
    const charge = named(exporter.getFinishedSpans(), "till402.charge")
    expect([charge.status.code, charge.attributes["outcome"]]).toEqual([SpanStatusCode.UNSET, "refused"])
  })

  it("of the SDK ends no paid call, and is told to its log", async () => {
    const problems: Array<string> = []
    const fail = () => {
      throw new Error("exporter is broken")
    }
    const broken = { onStart: fail, onEnd: fail, forceFlush: async () => {}, shutdown: async () => {} }
    register({ processors: [broken] })
    const note = (message: string) => void problems.push(message)
    diag.setLogger({ error: note, warn: note, info: note, debug: note, verbose: note }, DiagLogLevel.ERROR)
    // The SDK doesn't catch it: without a guard, a call would end here.
    expect(() => trace.getTracer("host").startSpan("x")).toThrow("exporter is broken")
    const { pay } = await open()
    expect((await pay({ traceparent })).status).toBe(200)
    expect(problems).toContain("Till402: a span failed")
  })
})

describe("no spans", () => {
  it("of calls of a till without traces, though an SDK is registered", async () => {
    const exporter = register()
    const { pay } = await open({ traces: undefined as never })
    expect((await pay({ traceparent })).status).toBe(200)
    expect(exporter.getFinishedSpans()).toEqual([])
  })

  it("of statements, which are many", async () => {
    const exporter = register()
    const { pay } = await open({ storage: sqlite({ filename: ":memory:" }) })
    expect((await pay()).status).toBe(200)
    const names = exporter.getFinishedSpans().map(({ name }) => name)
    expect(names).toEqual(["till402.charge"])
  })

  it("are asked of the sampler below one that it leaves out", async () => {
    const asked: Array<string> = []
    const off = new AlwaysOffSampler()
    const exporter = register({
      sampler: {
        shouldSample: (_context, _traceId, name) => {
          asked.push(name)
          return off.shouldSample()
        },
        toString: () => "off"
      }
    })
    const { pay } = await open()
    expect((await pay()).status).toBe(200)
    expect(asked).toEqual(["till402.charge"])
    expect(exporter.getFinishedSpans()).toEqual([])
  })

  it("of calls that the sampler leaves out, or without an SDK", async () => {
    const exporter = register({ sampler: new AlwaysOffSampler() })
    const { pay } = await open()
    expect((await pay({ traceparent })).status).toBe(200)
    expect(exporter.getFinishedSpans()).toEqual([])
    for (const api of [trace, context, propagation]) api.disable()
    expect((await pay({ traceparent })).status).toBe(200)
  })

  it("of requests without a payment, and of the till's background work", async () => {
    const exporter = register()
    const { till } = await open()
    expect((await till.fetch(new Request(url, { headers: { traceparent } }))).status).toBe(402)
    await till.reconcile()
    expect(exporter.getFinishedSpans()).toEqual([])
  })
})

it("the option is checked", () => {
  const make = () => Till.make({ traces: {} } as unknown as TillOptions)
  expect(make).toThrow("traces must be what tillTraces() of @till402/telemetry/traces returns")
})
