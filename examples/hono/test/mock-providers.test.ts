import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { CarrierNotDetected, memory, Till, type TillOptions } from "@till402/core"
import { fakeFacilitator } from "@till402/testing"
import { till402 } from "@till402/hono"
import { payingFetch } from "@till402/sandbox"
import { Hono } from "hono"
import { describe, expect, it, onTestFinished } from "vitest"

/*
 * How a host tests its own shop: providers are plain functions, storage is memory, and the facilitator is a fake in the
 * same process. It needs no chain, network or account.
 */

/** Any key works: it signs, and the fake facilitator moves no money. */
const pay = payingFetch(`0x${"07".repeat(32)}`)

type Providers = Pick<TillOptions, "marketplaces" | "tracker" | "fulfilment" | "vault" | "assistant">

const startShop = async (providers: Providers) => {
  const facilitator = fakeFacilitator()
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator,
    // There is no chain to read.
    trustFacilitator: true,
    secret: "no secret at all, since this is a test",
    storage: memory(),
    onEvent: () => undefined,
    ...providers
  })
  await till.ready
  const server = serve({ fetch: new Hono().use(till402(till)).fetch, port: 0, hostname: "127.0.0.1" })
  onTestFinished(async () => {
    server.close()
    await till.dispose()
  })
  await once(server, "listening")
  return { facilitator, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const lamp = {
  asin: "B000000007",
  title: "A lamp",
  price: 19.99,
  currency: "USD",
  rating: null,
  reviewCount: null,
  imageUrl: null,
  productUrl: null,
  source: "marketplace_a",
  isExpedited: false
} as const

describe("a shop with the test's own providers", () => {
  it("sells what the marketplace finds", async () => {
    const queries: Array<string> = []
    const { facilitator, url } = await startShop({
      marketplaces: {
        marketplace_a: {
          search: async ({ q }) => {
            queries.push(q)
            return { products: [lamp], totalResults: 1, hasMore: false }
          }
        }
      }
    })
    const response = await pay(`${url}/x402/search?q=lamp`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ products: [lamp], totalResults: 1, page: 1, hasMore: false })
    expect(queries).toEqual(["lamp"])
    expect(facilitator.settled.map(({ amountAtomic }) => amountAtomic)).toEqual(["10000"])
  })

  it("charges nothing when the tracker doesn't recognize the carrier", async () => {
    const { facilitator, url } = await startShop({
      tracker: {
        track: async () => {
          throw new CarrierNotDetected({ message: "Two carriers use such numbers." })
        }
      }
    })
    const response = await pay(`${url}/x402/track?number=AB123456789`)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ code: "CARRIER_NOT_DETECTED" })
    expect(facilitator.settled).toEqual([])
  })

  it("charges nothing when a provider breaks", async () => {
    const { facilitator, url } = await startShop({
      assistant: {
        reply: async () => {
          throw new Error("the model is on holiday")
        }
      }
    })
    const response = await pay(`${url}/x402/shop`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: "a lamp, please" })
    })
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ code: "ASSISTANT_ERROR" })
    expect(facilitator.settled).toEqual([])
  })

  it("offers only what it has providers for", async () => {
    const { url } = await startShop({
      tracker: { track: () => Promise.reject(new Error("must not be called")) }
    })
    expect((await fetch(`${url}/x402/track?number=AB123456789`)).status).toBe(402)
    expect((await fetch(`${url}/x402/search?q=lamp`)).status).toBe(404)
  })
})
