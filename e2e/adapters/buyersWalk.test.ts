import { memory, Till } from "@till402/core"
import { VaultSearch } from "@till402/core/effect"
import {
  fakeFacilitator,
  fakeFulfilment,
  fakeMailer,
  fakeMarketplace,
  fakeTracker,
  fakeVaultFiles,
  sampleTrackResult
} from "@till402/testing"
import { expect, it, onTestFinished, vi } from "vitest"
import { loseResponse, payFor, signIn } from "./buyer.ts"
import { type Received, send } from "./client.ts"
import { expressHosts } from "./express.ts"
import { serve } from "./hosts.ts"

/*
 * What a buyer does from a first search to the last download, over real sockets, and the words that they read.
 */

const baseUrl = "https://shop.example"
const email = "ada@example.com"
const trackingNumber = "1Z999AA10123456784"
const shippingAddress = {
  name: "Ada Lovelace",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}
const item = {
  ...VaultSearch.example.output.items[0]!,
  title: "Launch plan",
  shortDescription: "Plans the launch of a product, week by week."
}

const openShop = async () => {
  const facilitator = fakeFacilitator()
  const tracker = fakeTracker()
  const mailer = fakeMailer()
  const upstream = { status: "placed" as "placed" | "shipped" | "delivered" }
  const parcel = { carrier: "UPS", trackingNumber, trackingUrl: `https://ups.example/${trackingNumber}` }
  const till = Till.make({
    baseUrl,
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator,
    trustFacilitator: true,
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: memory(),
    marketplaces: { marketplace_a: fakeMarketplace() },
    fulfilment: {
      ...fakeFulfilment(),
      status: async () => ({
        status: upstream.status,
        shipments: upstream.status === "placed" ? [] : [parcel]
      })
    },
    tracker,
    vault: fakeVaultFiles(),
    mailer,
    onEvent: () => undefined
  })
  onTestFinished(() => till.dispose())
  await till.ready
  await till.vault.put(item)
  const port = await serve(expressHosts.atRoot(till, () => undefined))
  const call = (path: string, body?: object, payment?: string): Promise<Received> =>
    send(port, path, {
      headers: {
        ...(body && { "content-type": "application/json" }),
        ...(payment !== undefined && { "payment-signature": payment })
      },
      ...(body && { method: "POST", body: JSON.stringify(body) })
    })
  /** Pays what the 402 of a call asks for. */
  const pay = async (path: string, body?: object): Promise<Received> =>
    call(path, body, await payFor(await call(path, body)))
  return { till, facilitator, tracker, mailer, upstream, port, call, pay }
}

const json = ({ status, text }: Received, expected = 200) => {
  expect(status, text).toBe(expected)
  return JSON.parse(text)
}

/** Path of the page that a purchase's `Link` names. */
const pageOf = ({ headers }: Received): string => {
  const [, url = ""] = /^<(.*)>; rel="status"$/.exec(String(headers["link"])) ?? []
  return new URL(url).pathname
}

it("search, buy, a lost response, the same order, its status, delivered, tracked", async () => {
  const shop = await openShop()
  const { call, facilitator, mailer, pay, port, till, tracker, upstream } = shop
  const [found] = json(await pay("/x402/search?q=tote%20bag")).products
  const order = { productUrl: found.productUrl, email, shippingAddress }

  const unpaid = await call("/x402/buy", order)
  expect(JSON.parse(unpaid.text).error).toMatch(/Keep the payment.*send the same/s)
  const payment = await payFor(unpaid)
  await loseResponse(shop, "/x402/buy", JSON.stringify(order), payment)
  const bought = await call("/x402/buy", order, payment)
  const { orderId } = json(bought)
  expect(json(await pay("/x402/buy", order), 409)).toMatchObject({
    code: "DUPLICATE_ORDER",
    message: expect.stringMatching(/not charged\. Send the first payment again, with its body/)
  })
  expect(facilitator.settled).toHaveLength(2)

  const page = pageOf(bought)
  for (const status of ["shipped", "delivered"] as const) {
    upstream.status = status
    await vi.waitFor(
      async () => {
        await till.orders.processNow(orderId)
        expect((await till.orders.find(orderId))?.status).toBe(status)
      },
      { timeout: 60_000, interval: 100 }
    )
    expect(json(await signIn(port, page))).toMatchObject({
      orderId,
      status,
      parcels: [{ carrier: "UPS", trackingNumber }],
      refund: null,
      response: { body: JSON.parse(bought.text) }
    })
  }
  await vi.waitFor(() => expect(mailer.sent.length).toBeGreaterThan(1), { timeout: 60_000 })
  for (const { text, to } of mailer.sent) expect([to, text]).toEqual([email, expect.stringContaining(page)])

  tracker.track.returns(sampleTrackResult(trackingNumber, { delivered: true, status: "Delivered" }))
  expect(json(await pay(`/x402/track?number=${trackingNumber}`))).toMatchObject({
    found: true,
    delivered: true
  })
})

it("vault search, buy, a lost token, a new token, the download", async () => {
  const { call, mailer, pay, port } = await openShop()
  const [listed] = json(await pay("/x402/vault/search?q=plan%20a%20launch")).items
  const walletAddress = "So11111111111111111111111111111111111111112"
  const bought = await pay("/x402/vault/buy", { slug: listed.slug, walletAddress, email })
  const { downloadToken, purchaseId } = json(bought)

  const page = pageOf(bought)
  expect(json(await signIn(port, page))).toMatchObject({ purchaseId, downloadToken: { isReplaced: false } })
  const renewed = json(await signIn(port, `${page}/token`, "POST"))
  expect(renewed).toMatchObject({ purchaseId, isMailed: true })
  expect(renewed.downloadToken).not.toBe(downloadToken)

  const download = (token: string) => `/x402/vault/download/${purchaseId}?downloadToken=${token}`
  const ended = json(await pay(download(downloadToken)), 403)
  expect(ended.message).toMatch(/sign in at .* with the wallet that paid, and POST to .*\/token/)
  const file = await pay(download(renewed.downloadToken))
  expect(file.status).toBe(200)
  expect([file.headers["content-type"], file.bytes.subarray(0, 2).toString()]).toEqual([
    "application/zip",
    "PK"
  ])
  await vi.waitFor(() => expect(mailer.sent).toHaveLength(2), { timeout: 60_000 })
  expect((await call(download(renewed.downloadToken))).status).toBe(402)
})
