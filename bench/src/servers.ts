import { fork } from "node:child_process"
import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { memory, operation, Till, type TillOptions } from "@till402/core"
import { sampleProducts } from "@till402/core/testing"
import { till402 as tillExpress } from "@till402/express"
import { till402 as tillHono } from "@till402/hono"
import { ExactEvmScheme } from "@x402/evm/exact/server"
import { paymentMiddleware as officialExpress } from "@x402/express"
import { paymentMiddleware as officialHono, x402ResourceServer } from "@x402/hono"
import express from "express"
import { Hono } from "hono"
import { verifyTypedData } from "viem"
import { domain, network, payTo, types } from "./payments.ts"
import { type Job, sendAll } from "./sending.ts"

/** A server under load: handles a request in this process, or over a socket to a client's process. */
export interface Contender {
  /** Path and query of the route that is paid. */
  readonly path: string
  readonly call: (
    path: string,
    headers?: Record<string, string>
  ) => Promise<{ readonly status: number; readonly headers: Headers }>
  /** Milliseconds of many requests at once. */
  readonly sendAll: (job: Job) => Promise<number>
  readonly stop: () => Promise<void>
}

interface Paid {
  readonly payload: { readonly signature: `0x${string}`; readonly authorization: Record<string, string> }
}

/** Responds at once and moves no money. `verifies`: checks the signature, as a real one does. */
export const fakeFacilitator = (verifies: boolean) => {
  let settled = 0
  return {
    verify: async (payment: unknown) => {
      const { authorization, signature } = (payment as Paid).payload
      const isValid =
        !verifies ||
        (await verifyTypedData({
          address: authorization["from"] as `0x${string}`,
          domain,
          types,
          primaryType: "TransferWithAuthorization",
          message: {
            from: authorization["from"] as `0x${string}`,
            to: authorization["to"] as `0x${string}`,
            value: BigInt(authorization["value"]!),
            validAfter: BigInt(authorization["validAfter"]!),
            validBefore: BigInt(authorization["validBefore"]!),
            nonce: authorization["nonce"] as `0x${string}`
          },
          signature
        }))
      return { isValid, payer: authorization["from"]! }
    },
    settle: async (payment: unknown) => ({
      success: true,
      transaction: `0x${(++settled).toString(16).padStart(64, "0")}`,
      network,
      payer: (payment as Paid).payload.authorization["from"]!
    }),
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: "exact", network }],
      extensions: [],
      signers: {}
    })
  }
}

const waiting = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Milliseconds that a facilitator takes for each call. */
export interface FacilitatorMillis {
  readonly verify: number
  readonly settle: number
}

/** The same, and takes its time for each call: the same time for all, or one for each kind. */
export const slowFacilitator = (
  millis: number | FacilitatorMillis,
  verifies: boolean
): ReturnType<typeof fakeFacilitator> => {
  const { settle: settleMillis, verify: verifyMillis } =
    typeof millis === "number" ? { verify: millis, settle: millis } : millis
  const { getSupported, settle, verify } = fakeFacilitator(verifies)
  return {
    getSupported,
    verify: async (payment) => {
      await waiting(verifyMillis)
      return verify(payment)
    },
    settle: async (payment) => {
      await waiting(settleMillis)
      return settle(payment)
    }
  }
}

/** Searches a marketplace that takes its time. */
export const slowSearch = async (millis: number) => {
  await waiting(millis)
  return page
}

export const page = {
  products: sampleProducts("marketplace_a", 10),
  totalResults: 10,
  page: 1,
  hasMore: false
}

const searchPath = "/x402/search?q=mouse"
const ownPath = "/weather?city=oslo"
const weather = { city: "oslo", celsius: 21 }

const search: Partial<TillOptions> = { marketplaces: { marketplace_a: { search: async () => page } } }

const own: Partial<TillOptions> = {
  operations: [
    operation({
      id: "weather",
      method: "GET",
      path: "/weather",
      description: "Weather of a city",
      price: "0.01",
      work: async () => weather
    })
  ]
}

/** Ours: the signature is checked in the till itself, so the facilitator need not. */
const till = (serving: Partial<TillOptions>) =>
  Till.make({
    baseUrl: "http://localhost",
    payTo,
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(false),
    trustFacilitator: true,
    secret: "a secret of the benchmark, known to all",
    storage: memory(),
    ...serving
  })

export const routes = {
  "GET /x402/search": {
    accepts: [{ scheme: "exact", price: "$0.01", network, payTo, maxTimeoutSeconds: 120 }],
    description: "Product search over two marketplaces",
    mimeType: "application/json"
  }
} as Parameters<typeof officialHono>[0]

const ownRoutes = {
  "GET /weather": {
    accepts: [{ scheme: "exact", price: "$0.01", network, payTo, maxTimeoutSeconds: 120 }],
    description: "Weather of a city",
    mimeType: "application/json"
  }
} as Parameters<typeof officialHono>[0]

const official = (verifies: boolean, facilitator = fakeFacilitator(verifies)) =>
  new x402ResourceServer(
    facilitator as unknown as ConstructorParameters<typeof x402ResourceServer>[0]
  ).register(network, new ExactEvmScheme())

export const inProcess = (app: Hono, stop: () => Promise<void>, path = searchPath): Contender => {
  const call: Contender["call"] = async (path, headers = {}) => {
    const response = await app.fetch(new Request(`http://localhost${path}`, { headers }))
    await response.arrayBuffer()
    return response
  }
  return { path, call, sendAll: (job) => sendAll(call, job), stop }
}

/** Has a process of its own send what is to be sent. */
const startClient = (origin: string) => {
  const client = fork(new URL("client.ts", import.meta.url), [origin], { execArgv: process.execArgv })
  const ended = once(client, "exit").then(() => [{ error: "the client has ended" }])
  return {
    sendAll: async (job: Job): Promise<number> => {
      client.send(job)
      const [reported] = (await Promise.race([once(client, "message"), ended])) as [
        { readonly millis?: number; readonly error?: string }
      ]
      if (reported.millis === undefined) throw new Error(reported.error)
      return reported.millis
    },
    stop: () => client.kill()
  }
}

const overSocket = async (app: express.Express, stop: () => Promise<void>): Promise<Contender> => {
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening))
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = startClient(origin)
  return {
    path: searchPath,
    sendAll: client.sendAll,
    call: async (path, headers = {}) => {
      const response = await fetch(origin + path, { headers })
      await response.arrayBuffer()
      return response
    },
    stop: async () => {
      client.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await stop()
    }
  }
}

export const nothing = async (): Promise<void> => undefined

/** The official middleware before a route that searches. */
export const officialExpressApp = (
  facilitator: ReturnType<typeof fakeFacilitator>,
  work: () => Promise<unknown>
): express.Express =>
  express()
    .use(officialExpress(routes as Parameters<typeof officialExpress>[0], official(true, facilitator)))
    .get("/x402/search", async (_request, response) => {
      response.json(await work())
    })

export const contenders = {
  hono: {
    ours: async () => {
      const ours = till(search)
      await ours.ready
      return inProcess(new Hono().use(tillHono(ours)), ours.dispose)
    },
    official: async (verifies: boolean) =>
      inProcess(
        new Hono()
          .use(officialHono(routes, official(verifies)))
          .get("/x402/search", (context) => context.json(page)),
        nothing
      )
  },
  "hono, a host's route": {
    ours: async () => {
      const ours = till(own)
      await ours.ready
      return inProcess(new Hono().use(tillHono(ours)), ours.dispose, ownPath)
    },
    official: async (verifies: boolean) =>
      inProcess(
        new Hono()
          .use(officialHono(ownRoutes, official(verifies)))
          .get("/weather", (context) => context.json(weather)),
        nothing,
        ownPath
      )
  },
  express: {
    ours: async () => {
      const ours = till(search)
      await ours.ready
      return overSocket(express().use(tillExpress(ours)), ours.dispose)
    },
    official: async (verifies: boolean) =>
      overSocket(
        officialExpressApp(fakeFacilitator(verifies), async () => page),
        nothing
      )
  }
} as const
