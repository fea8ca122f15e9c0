import { createServer } from "node:http"
import {
  type BuyRequest,
  type Caller,
  type FulfilmentOptions,
  memory,
  NoTrackingInfo,
  type Order,
  ProductUnavailable,
  type Product,
  type SearchProduct,
  Till,
  type TillEvent,
  type TillOptions,
  type TrackerOptions,
  type TrackResult,
  type VaultItem
} from "@till402/core"
import { incoming, targetOf, writeResponse } from "@till402/core/node"
import { postgres } from "@till402/core/postgres"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator, fakeFulfilment } from "@till402/testing"
import { priced as pricedExpress, till402 as forExpress } from "@till402/express"
import { priced as pricedFastify, till402 as forFastify } from "@till402/fastify"
import { till402 as forHono } from "@till402/hono"
import { priced as pricedKoa, till402 as forKoa } from "@till402/koa"
import { canopy } from "@till402/providers/canopy"
import { seventeenTrack } from "@till402/providers/17track"
import { logMailer } from "@till402/providers/mail/log"
import { sampleShop } from "@till402/sandbox/shop"
import express from "express"
import Fastify from "fastify"
import { Hono } from "hono"
import Koa from "koa"

/*
 * A host in strict TypeScript that neither imports Effect nor has it installed.
 */

const found = new Map<string, TrackResult>()

export const tracker: TrackerOptions = {
  track: async ({ number }) => {
    const result = found.get(number)
    if (result === undefined) throw new NoTrackingInfo({ message: "Nothing is known of this number yet." })
    return result
  }
}

export const fulfilment: FulfilmentOptions = {
  ...fakeFulfilment(),
  quote: () => Promise.reject(new ProductUnavailable({ message: "Sold out." }))
}

export const storages = {
  file: sqlite({ filename: "till.sqlite" }),
  server: postgres({ url: "postgres://till@localhost/till", maxConnections: 4 }),
  none: memory()
}

const events: Array<TillEvent> = []
export const options: TillOptions = {
  baseUrl: "https://shop.example",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  networks: ["base-sepolia", { network: "base", rpcUrl: "https://rpc.example" }],
  facilitator: fakeFacilitator(),
  secret: "a text that nobody can guess, of 32 characters or more",
  storage: storages.file,
  marketplaces: { marketplace_a: canopy({ apiKey: "key" }) },
  tracker: seventeenTrack({ apiKey: "key" }),
  fulfilment,
  onEvent: (event) => {
    events.push(event)
  }
}

// Without an annotation: the emitted declaration must be able to name its type.
export const till = Till.make(options)

export const list = async (): Promise<ReadonlyArray<Order>> => {
  await till.ready
  const orders = await till.orders.list({})
  return orders
}

express().use(forExpress(till))
new Hono().use(forHono(till))
new Koa().use(forKoa(till))
void Fastify().register(forFastify(till))

const tides = { id: "tides", path: "/tides/:port", price: "0.02" } as const
express().get("/tides/:port", pricedExpress(till, tides), (request, response) => {
  response.json({ port: request.params.port.toUpperCase() })
})
Fastify().get<{ Params: { port: string } }>("/tides/:port", pricedFastify(till, tides), (request) => ({
  port: request.params.port.toUpperCase()
}))
new Koa().use(pricedKoa(till, tides))

createServer((request, response) => {
  const url = targetOf(request.url ?? "/")
  if (url === undefined || !till.handles(url.pathname)) {
    response.writeHead(404).end()
    return
  }
  const caller: Caller = { clientAddress: request.socket.remoteAddress }
  till
    .handle(incoming(request, { url }), caller)
    .then((result) => writeResponse(result, response))
    .catch((error: unknown) => response.destroy(error as Error))
})

export const shop = sampleShop()
export const mailer = logMailer(console.log)
export const items: ReadonlyArray<VaultItem> = shop.vaultItems
export const titleOf = ({ title }: Product | SearchProduct): string => title
export const isForAda = ({ email }: BuyRequest): boolean => email === "ada@shop.example"

// Proves that the packages have types: an `any` would let all of this pass.
// @ts-expect-error there is no such name
export { absent } from "@till402/core"
// @ts-expect-error a price is decimal text, never a float
export const wrongPrice: TillOptions = { ...options, prices: { search: 0.01 } }
// @ts-expect-error Express's handler is no middleware of Koa
new Koa().use(forExpress(till))
