/*
 * The server of the crowd, in a process of its own: Express, ours or the official middleware, over a facilitator and an
 * upstream that take their time.
 */
import { memory, Till, type TillOptions } from "@till402/core"
import { till402 } from "@till402/express"
import express from "express"
import type { AddressInfo } from "node:net"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { type OfficialClient, officialExpressApp, slowFacilitator, slowSearch } from "./servers.ts"
import { payTo } from "./payments.ts"
import { report, respond, workerOptions } from "./processes.ts"

export interface CrowdServerOptions {
  readonly side: "ours" | "official"
  /** Milliseconds that the facilitator and the upstream take for each call. */
  readonly millis: number
  readonly limits?: TillOptions["limits"] | undefined
}

/** What the server has gone through since the last report. */
export interface Strain {
  /** The longest time that the event loop was blocked. */
  readonly stallMillis: number
  readonly peakHeapBytes: number
}

const { limits, millis, side } = workerOptions<CrowdServerOptions>()

const search = () => slowSearch(millis)

const ours = async (): Promise<express.Express> => {
  const till = Till.make({
    baseUrl: "http://localhost",
    payTo,
    networks: ["base-sepolia"],
    facilitator: slowFacilitator(millis, false),
    trustFacilitator: true,
    secret: "a secret of the benchmark, known to all",
    storage: memory(),
    marketplaces: { marketplace_a: { search } },
    onEvent: () => undefined,
    ...(limits === undefined ? {} : { limits })
  })
  await till.ready
  return express().use(till402(till))
}

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let peakHeapBytes = 0
setInterval(() => {
  peakHeapBytes = Math.max(peakHeapBytes, process.memoryUsage().heapUsed)
}, 50).unref()

respond(async (): Promise<Strain> => {
  const strain = { stallMillis: delay.max / 1e6, peakHeapBytes }
  globalThis.gc?.()
  delay.reset()
  peakHeapBytes = process.memoryUsage().heapUsed
  return strain
})

const app =
  side === "ours"
    ? await ours()
    : officialExpressApp(slowFacilitator(millis, true) as unknown as OfficialClient, search)
const server = app.listen({ port: 0, host: "127.0.0.1", backlog: 8_192 }, () =>
  report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
)
