import { fork } from "node:child_process"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import { memory, operation, Till, type TillOptions } from "@till402/core"
import { sampleProducts } from "@till402/core/testing"
import { till402 as tillExpress } from "@till402/express"
import { till402 as tillHono } from "@till402/hono"
import { HTTPFacilitatorClient } from "@x402/core/server"
import { ExactEvmScheme } from "@x402/evm/exact/server"
import { paymentMiddleware as officialExpress } from "@x402/express"
import { paymentMiddleware as officialHono, x402ResourceServer } from "@x402/hono"
import express from "express"
import { Hono } from "hono"
import { verifyTypedData } from "viem"
import { domain, network, payTo, types } from "./payments.ts"
import { allAtOnce, type Job, sendAll } from "./sending.ts"

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

/** What both sides settle at. */
export interface Facilitators {
  readonly ours: TillOptions["facilitator"]
  readonly official: OfficialClient
  readonly stop: () => void
}

/** A facilitator as the official middleware takes it. */
export type OfficialClient = NonNullable<ConstructorParameters<typeof x402ResourceServer>[0]>

/** In the server's process. Ours: the signature is checked in the till itself, so the facilitator need not. */
export const facilitatorsInProcess = (verifies: boolean): Facilitators => ({
  ours: fakeFacilitator(false),
  official: fakeFacilitator(verifies) as unknown as OfficialClient,
  stop: () => undefined
})

export type FacilitatorKind = "verifying" | "native" | "instant" | "realistic"

/** A facilitator in a process of its own, over HTTP. */
export const startFacilitator = async (
  kind: FacilitatorKind
): Promise<Facilitators & { readonly url: string }> => {
  const child = fork(new URL("facilitatorServer.ts", import.meta.url), [kind], {
    execArgv: process.execArgv
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once("message", (message) => resolve(String(message)))
    child.once("exit", () => reject(new Error("the facilitator did not start")))
  })
  return { url, ours: { url }, official: new HTTPFacilitatorClient({ url }), stop: () => void child.kill() }
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

const till = (serving: Partial<TillOptions>, facilitator: Facilitators["ours"]) =>
  Till.make({
    baseUrl: "http://localhost",
    payTo,
    networks: ["base-sepolia"],
    facilitator,
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

const official = (facilitator: OfficialClient) =>
  new x402ResourceServer(facilitator).register(network, new ExactEvmScheme())

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

/** The load over a socket comes from so many processes. */
const clientProcesses = 2

const overSocket = async (listener: RequestListener, stop: () => Promise<void>): Promise<Contender> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clients = Array.from({ length: clientProcesses }, () => startClient(origin))
  return {
    path: searchPath,
    sendAll: async ({ headers, ...job }) => {
      const parts = clients.map((client, index) =>
        client.sendAll({
          ...job,
          concurrency: allAtOnce / clientProcesses,
          headers: headers.filter((_, at) => at % clientProcesses === index)
        })
      )
      return Math.max(...(await Promise.all(parts)))
    },
    call: async (path, headers = {}) => {
      const response = await fetch(origin + path, { headers })
      await response.arrayBuffer()
      return response
    },
    stop: async () => {
      for (const client of clients) client.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await stop()
    }
  }
}

const honoOverSocket = (app: Hono, stop: () => Promise<void>) =>
  overSocket(getRequestListener(app.fetch), stop)

export const nothing = async (): Promise<void> => undefined

/** The official middleware before a route that searches. */
export const officialExpressApp = (
  facilitator: OfficialClient,
  work: () => Promise<unknown>
): express.Express =>
  express()
    .use(officialExpress(routes as Parameters<typeof officialExpress>[0], official(facilitator)))
    .get("/x402/search", async (_request, response) => {
      response.json(await work())
    })

const ourHono = async (serving: Partial<TillOptions>, { ours }: Facilitators) => {
  const made = till(serving, ours)
  await made.ready
  return [new Hono().use(tillHono(made)), made.dispose] as const
}

const officialSearchHono = (facilitators: Facilitators) =>
  new Hono()
    .use(officialHono(routes, official(facilitators.official)))
    .get("/x402/search", (context) => context.json(page))

interface Contenders {
  readonly ours: (facilitators: Facilitators) => Promise<Contender>
  readonly official: (facilitators: Facilitators) => Promise<Contender>
}

const hono: Contenders = {
  ours: async (facilitators) => inProcess(...(await ourHono(search, facilitators))),
  official: async (facilitators) => inProcess(officialSearchHono(facilitators), nothing)
}

const ownHono: Contenders = {
  ours: async (facilitators) => inProcess(...(await ourHono(own, facilitators)), ownPath),
  official: async (facilitators) =>
    inProcess(
      new Hono()
        .use(officialHono(ownRoutes, official(facilitators.official)))
        .get("/weather", (context) => context.json(weather)),
      nothing,
      ownPath
    )
}

const honoSocket: Contenders = {
  ours: async (facilitators) => honoOverSocket(...(await ourHono(search, facilitators))),
  official: async (facilitators) => honoOverSocket(officialSearchHono(facilitators), nothing)
}

const expressSocket: Contenders = {
  ours: async (facilitators) => {
    const made = till(search, facilitators.ours)
    await made.ready
    return overSocket(express().use(tillExpress(made)), made.dispose)
  },
  official: async (facilitators) =>
    overSocket(
      officialExpressApp(facilitators.official, async () => page),
      nothing
    )
}

export const contenders = {
  hono,
  "hono, a host's route": ownHono,
  "hono, over a socket": honoSocket,
  "express, over a socket": expressSocket
}
