import { randomBytes } from "node:crypto"
import { context, propagation, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { W3CTraceContextPropagator } from "@opentelemetry/core"
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import { memory, Till } from "@till402/core"
import { tillTraces } from "@till402/telemetry/traces"
import { fakeFacilitator, fakeTracker } from "@till402/testing"
import { payingFetch } from "@till402/testing/payer"
import { afterEach, expect, it, onTestFinished } from "vitest"
import { express4Hosts, expressHosts } from "./express.ts"
import { fastifyHosts } from "./fastify.ts"
import { honoHosts } from "./hono.ts"
import { serve } from "./hosts.ts"
import { koaHosts } from "./koa.ts"

/*
 * A caller's trace continues through a server of each framework, whose own HTTP isn't instrumented.
 */

afterEach(() => {
  for (const api of [trace, context, propagation]) api.disable()
})

it.each(
  Object.entries({
    "Express 5": expressHosts,
    "Express 4": express4Hosts,
    Fastify: fastifyHosts,
    Hono: honoHosts,
    Koa: koaHosts
  })
)("%s: a call's span belongs to the span that the caller named", async (_, hosts) => {
  const exporter = new InMemorySpanExporter()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  )
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
    onEvent: () => {}
  })
  onTestFinished(() => till.dispose())
  await till.ready
  const port = await serve(hosts.atRoot(till, () => {}))
  const traceId = randomBytes(16).toString("hex")
  const spanId = randomBytes(8).toString("hex")
  const pay = payingFetch(`0x${randomBytes(32).toString("hex")}`, 1)
  const response = await pay(`http://127.0.0.1:${port}/x402/track?number=9400100000000000000000`, {
    headers: { traceparent: `00-${traceId}-${spanId}-01` }
  })
  expect(response.status).toBe(200)
  const spans = exporter.getFinishedSpans()
  const charge = spans.find(({ name }) => name === "till402.charge")
  expect(charge?.spanContext().traceId).toBe(traceId)
  expect(charge?.parentSpanContext?.spanId).toBe(spanId)
  expect(charge?.events.map(({ name }) => name)).toEqual([
    "till402.verify",
    "till402.claim",
    "till402.Tracker.track",
    "till402.work",
    "till402.settle"
  ])
})
