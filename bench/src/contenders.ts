import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import { Till, type TillOptions } from "@till402/core"
import { sampleProducts } from "@till402/testing"
import { till402 as tillExpress } from "@till402/express"
import { till402 as tillHono } from "@till402/hono"
import { ExactEvmScheme } from "@x402/evm/exact/server"
import { paymentMiddleware as officialExpress } from "@x402/express"
import { paymentMiddleware as officialHono, x402ResourceServer } from "@x402/hono"
import express from "express"
import { Hono } from "hono"
import { network, payTo } from "./payments.ts"
import { startWorker } from "./processes.ts"
import { type Job, searchPath, sendAll, type Sent } from "./sending.ts"

/*
 * Ours and the official middleware, before the same route.
 */

export const page = {
  products: sampleProducts("marketplace_a", 10),
  totalResults: 10,
  page: 1,
  hasMore: false
}

/** What the route returns. */
export type Work = () => Promise<typeof page>
export const respondAtOnce: Work = async () => page

export type App = Hono | express.Express
export type Framework = "hono" | "express"

export interface OurOptions {
  readonly storage: TillOptions["storage"]
  readonly facilitator: TillOptions["facilitator"]
  readonly limits?: NonNullable<TillOptions["limits"]>
  readonly traces?: NonNullable<TillOptions["traces"]>
  readonly work?: Work
}

export const ourApp = async (framework: Framework, { work = respondAtOnce, ...options }: OurOptions) => {
  const till = Till.make({
    baseUrl: "http://localhost",
    payTo,
    networks: ["base-sepolia"],
    secret: "a secret of the benchmark, known to all",
    marketplaces: { marketplace_a: { search: work } },
    // A terminal must not slow the server down.
    onEvent: () => undefined,
    ...options
  })
  await till.ready
  const app: App = framework === "hono" ? new Hono().use(tillHono(till)) : express().use(tillExpress(till))
  return { app, stop: till.dispose }
}

/** A facilitator as the official middleware takes it. */
export type OfficialClient = NonNullable<ConstructorParameters<typeof x402ResourceServer>[0]>

const routes = {
  "GET /x402/search": {
    accepts: [{ scheme: "exact", price: "$0.01", network, payTo, maxTimeoutSeconds: 120 }],
    description: "Product search over two marketplaces",
    mimeType: "application/json"
  }
} as Parameters<typeof officialHono>[0]

export const officialApp = (
  framework: Framework,
  client: OfficialClient,
  work: Work = respondAtOnce
): App => {
  const resourceServer = new x402ResourceServer(client).register(network, new ExactEvmScheme())
  return framework === "hono"
    ? new Hono()
        .use(officialHono(routes, resourceServer))
        .get("/x402/search", async (context) => context.json(await work()))
    : express()
        .use(officialExpress(routes as Parameters<typeof officialExpress>[0], resourceServer))
        .get("/x402/search", async (_request, response) => {
          response.json(await work())
        })
}

export const listenerOf = (app: App): RequestListener =>
  app instanceof Hono ? getRequestListener(app.fetch) : app

/** A server under load: handles requests in this process, or over sockets to processes of callers. */
export interface Contender {
  readonly call: (
    headers?: Record<string, string>
  ) => Promise<{ readonly status: number; readonly headers: Headers }>
  readonly sendAll: (job: Job) => Promise<Sent>
  readonly stop: () => Promise<void>
}

export const inProcess = (app: App, stop = async (): Promise<void> => undefined): Contender => {
  if (!(app instanceof Hono)) throw new Error("only Hono handles requests without a socket")
  const call: Contender["call"] = async (headers = {}) => {
    const response = await app.fetch(new Request(`http://localhost${searchPath}`, { headers }))
    await response.arrayBuffer()
    return response
  }
  return { call, sendAll: (job) => sendAll(call, job), stop }
}

/** The load over a socket comes from so many processes. */
const callerProcesses = 2

export const overSocket = async (
  app: App,
  stop = async (): Promise<void> => undefined
): Promise<Contender> => {
  // Callers keep their sockets while payments are signed and the other side is measured.
  const server = createServer({ keepAliveTimeout: 600_000 }, listenerOf(app))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${searchPath}`
  const callers = await Promise.all(
    Array.from({ length: callerProcesses }, () => startWorker<string, Job, Sent>("callers.ts", url))
  )
  return {
    call: async (headers = {}) => {
      const response = await fetch(url, { headers })
      await response.arrayBuffer()
      return response
    },
    sendAll: async ({ concurrency, headers, status }) => {
      const sent = await Promise.all(
        callers.map((caller, index) =>
          caller.request({
            status,
            concurrency: concurrency / callerProcesses,
            headers: headers.filter((_, at) => at % callerProcesses === index)
          })
        )
      )
      return {
        millis: Math.max(...sent.map(({ millis }) => millis)),
        times: sent.flatMap(({ times }) => times)
      }
    },
    stop: async () => {
      for (const caller of callers) await caller.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await stop()
    }
  }
}
