/*
 * A server whose calls have spans, or none, and which measures the processor time of its paid calls.
 */
import { context, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { AlwaysOffSampler, BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import { sqlite } from "@till402/core/sqlite"
import { tillTraces } from "@till402/telemetry/traces"
import { inProcess, ourApp } from "./contenders.ts"
import { readChallenge, signPayments } from "./payments.ts"
import { report, respond, workerOptions } from "./processes.ts"

/** `exported`: every span goes to an exporter that does nothing. `unsampled`: the sampler keeps none. */
export type Traced = "off" | "exported" | "unsampled"

export interface TracedOptions {
  readonly traced: Traced
  readonly facilitatorUrl: string
  readonly database: string
}

/** What some paid calls took. */
export interface TracedCalls {
  /** Processor time of a call, in microseconds. */
  readonly cpuMicros: number
  /** Spans of a call that were exported. */
  readonly spans: number
}

const { database, facilitatorUrl, traced } = workerOptions<TracedOptions>()
const callers = 32
let exported = 0

if (traced !== "off") {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const exporter = {
    export: (spans: ReadonlyArray<unknown>, done: (result: { readonly code: 0 }) => void) => {
      exported += spans.length
      done({ code: 0 })
    },
    forceFlush: async () => {},
    shutdown: async () => {}
  }
  trace.setGlobalTracerProvider(
    new TracerProvider({
      spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: 100_000 })],
      ...(traced === "unsampled" ? { sampler: new AlwaysOffSampler() } : {})
    })
  )
}

const { app, stop } = await ourApp("hono", {
  storage: sqlite({ filename: database }),
  facilitator: { url: facilitatorUrl },
  ...(traced === "off" ? {} : { traces: tillTraces() })
})
const server = inProcess(app, stop)

respond(async (count: number): Promise<TracedCalls> => {
  const { headers } = await server.call()
  const challenge = readChallenge(headers.get("payment-required"))
  const job = {
    concurrency: callers,
    status: 200,
    headers: signPayments(challenge, count).map((payment) => ({ "payment-signature": payment }))
  }
  const before = { cpu: process.cpuUsage(), exported }
  await server.sendAll(job)
  const { system, user } = process.cpuUsage(before.cpu)
  // Of the batches that were exported meanwhile.
  return { cpuMicros: (user + system) / count, spans: (exported - before.exported) / count }
})
report("ready")
