/*
 * A server with three tills, whose calls have spans, or none, and which measures the processor time of their paid calls.
 * One process has all three: two processes of one program differ by more than spans cost.
 */
import { context, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { BatchSpanProcessor, type Sampler, SamplingDecision, TracerProvider } from "@opentelemetry/sdk-trace"
import { sqlite } from "@till402/core/sqlite"
import { tillTraces } from "@till402/telemetry/traces"
import { join } from "node:path"
import { type Contender, inProcess, ourApp } from "./contenders.ts"
import { readChallenge, signPayments } from "./payments.ts"
import { report, respond, workerOptions } from "./processes.ts"

/** `exported`: every span goes to an exporter that does nothing. `unsampled`: the sampler keeps none. */
export type Traced = "off" | "exported" | "unsampled"

export interface TracedOptions {
  readonly facilitatorUrl: string
  /** Where the tills' databases are. */
  readonly folder: string
}

/** Some paid calls of one of the tills. */
export interface Portion {
  readonly traced: Traced
  readonly count: number
}

/** What they took. */
export interface TracedCalls {
  /** Processor time of a call, in microseconds. */
  readonly cpuMicros: number
  /** Spans of a call that were exported. */
  readonly spans: number
}

const { facilitatorUrl, folder } = workerOptions<TracedOptions>()
const callers = 32
let exported = 0
let sampled = true

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const exporter = {
  export: (spans: ReadonlyArray<unknown>, done: (result: { readonly code: 0 }) => void) => {
    exported += spans.length
    done({ code: 0 })
  },
  forceFlush: async () => {},
  shutdown: async () => {}
}
const sampler: Sampler = {
  shouldSample: () => ({
    decision: sampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD
  })
}
const provider = new TracerProvider({
  sampler,
  spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: 100_000 })]
})
trace.setGlobalTracerProvider(provider)

const start = async (traced: Traced): Promise<Contender> => {
  const { app, stop } = await ourApp("hono", {
    storage: sqlite({ filename: join(folder, `${traced}.sqlite`) }),
    facilitator: { url: facilitatorUrl },
    ...(traced === "off" ? {} : { traces: tillTraces() })
  })
  return inProcess(app, stop)
}
const servers: Readonly<Record<Traced, Contender>> = {
  off: await start("off"),
  exported: await start("exported"),
  unsampled: await start("unsampled")
}

respond(async ({ count, traced }: Portion): Promise<TracedCalls> => {
  const server = servers[traced]
  sampled = traced === "exported"
  const { headers } = await server.call()
  const challenge = readChallenge(headers.get("payment-required"))
  const job = {
    concurrency: callers,
    status: 200,
    headers: signPayments(challenge, count).map((payment) => ({ "payment-signature": payment }))
  }
  const before = { cpu: process.cpuUsage(), exported }
  await server.sendAll(job)
  await provider.forceFlush()
  const { system, user } = process.cpuUsage(before.cpu)
  return { cpuMicros: (user + system) / count, spans: (exported - before.exported) / count }
})
report("ready")
