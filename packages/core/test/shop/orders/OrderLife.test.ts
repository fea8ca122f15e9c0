import { describe, expect, it, vi } from "vitest"
import type { FulfilmentStatus } from "../../../src/shop/goods/Order.ts"
import type { TillOptions } from "../../../src/till/settings/TillOptions.ts"
import type { Margin } from "../../../src/shop/orders/Margin.ts"
import { buy, challengeOf, email, jsonOf } from "../../toll/openTill.ts"
import { openShop, mailsOf } from "./orderShop.ts"

describe("an order that goes well", () => {
  it("is placed, shipped and delivered, and its buyer gets mails", async () => {
    let standing: FulfilmentStatus = { status: "placed", shipments: [] }
    const shop = await openShop({ status: async () => standing })
    const changes = shop.till.orders.changes()
    const { id, response } = await shop.orderOf()
    expect(response).toMatchObject({ status: "processing", totalPrice: { amount: "26.64" } })
    const placed = await shop.until(id, "placed")
    expect(placed).toMatchObject({ upstreamReference: "upstream-order-1", email, reason: undefined })

    standing = {
      status: "shipped",
      shipments: [{ carrier: "UPS", trackingNumber: "1Z9", trackingUrl: "https://ups.example/1Z9" }]
    }
    expect(await shop.till.orders.processNowByReference("upstream-order-1")).toMatchObject({
      outcome: "done"
    })
    expect((await shop.until(id, "shipped")).shipments).toEqual(standing.shipments)
    standing = { ...standing, status: "delivered" }
    expect(await shop.till.orders.processNow(id)).toMatchObject({ outcome: "done" })
    expect(await shop.until(id, "delivered")).toMatchObject({ dueAtMillis: undefined })
    expect(await shop.till.orders.processNow(id)).toMatchObject({ outcome: "conflict" })

    const steps: Array<string> = []
    for await (const { from, order } of changes) {
      steps.push(`${from} → ${order.status}`)
      if (order.status === "delivered") break
    }
    expect(steps).toEqual([
      "awaiting_payment → processing",
      "processing → placing",
      "placing → placed",
      "placed → shipped",
      "shipped → delivered"
    ])
    expect(mailsOf(shop)).toEqual([`order-confirmed:${id}`, expect.stringMatching(`^order-shipped:${id}:`)])
    const mail = shop.mailer.send.calls.at(-1)![0]
    expect(mail.text).toContain("https://ups.example/1Z9")
  })

  it("is placed with its payment's network and transaction", async () => {
    const shop = await openShop()
    await shop.until((await shop.orderOf()).id, "placed")
    const [settled] = shop.facilitator.settled
    const { network, transaction } = settled!
    expect(transaction).toMatch(/^0x[0-9a-f]{64}$/)
    expect(shop.upstream.place.calls[0]![0].payment).toEqual({ network, transaction })
  })

  it.each([
    [
      "throws",
      () => {
        throw new Error("no listener today")
      }
    ],
    ["rejects", () => Promise.reject(new Error("no listener today"))]
  ] as ReadonlyArray<readonly [string, NonNullable<TillOptions["onOrderChange"]>]>)(
    "continues where the host's listener %s, which is reported to the host",
    async (_, onOrderChange) => {
      const shop = await openShop({}, { onOrderChange })
      await shop.until((await shop.orderOf()).id, "placed")
      await vi.waitFor(() =>
        expect(shop.events.map(({ message }) => message)).toContain("A listener to orders failed")
      )
    }
  )

  it("shows the host's margin, and upstream is to charge no more than its own total", async () => {
    const shop = await openShop({}, { margin: 250 })
    const { extra } = (await shop.challenge(buy)).accepts[0]!
    expect(extra).toMatchObject({
      item: "Canvas tote bag",
      subtotal: "20.00",
      tax: "1.65",
      shipping: "4.99",
      fee: "0.666",
      total: "27.306",
      currency: "USD"
    })
    const { response } = await shop.orderOf()
    expect(response["totalPrice"]).toEqual({ amount: "27.306", currency: "USD" })
    await vi.waitFor(() => expect(shop.upstream.place.calls.map(([order]) => order.total)).toEqual(["26.64"]))
  })

  const throwing: Margin = () => {
    throw new Error("no margin today")
  }
  const wordy: Margin = () => "a lot"
  it.each([
    ["throws", throwing],
    ["returns no amount", wordy]
  ] as const)("is not quoted where the margin %s", async (_, margin) => {
    const shop = await openShop({}, { margin })
    const response = await shop.send(buy)
    expect([response.status, jsonOf(response)["code"]]).toEqual([502, "FULFILMENT_ERROR"])
  })

  it.each([
    [600, 120, 1],
    [90, 90, 1],
    [20, 20, 2]
  ])(
    "is to be paid while its quote stands: for %i s, at most %i s",
    async (life, maxTimeoutSeconds, quotes) => {
      const shop = await openShop()
      shop.upstream.quote.returns(() => ({
        product: { title: "Tote" },
        subtotal: "1",
        tax: "0",
        shipping: "0",
        total: "1",
        currency: "USD",
        reference: "q",
        expiresAt: new Date(Date.now() + life * 1000 + 500)
      }))
      for (let attempt = 0; attempt < 2; attempt++) {
        expect((await shop.challenge(buy)).accepts[0]!.maxTimeoutSeconds).toBe(maxTimeoutSeconds)
      }
      // One that is about to lapse is not offered again.
      expect(shop.upstream.quote.calls).toHaveLength(quotes)
      await shop.until((await shop.orderOf()).id, "placed")
    }
  )

  it("mails a long title without losing the sum", async () => {
    const shop = await openShop()
    shop.upstream.quote.returns({
      product: { title: "x".repeat(2_000) },
      subtotal: "1",
      tax: "0",
      shipping: "0",
      total: "1",
      currency: "USD",
      reference: "q",
      expiresAt: new Date(Date.now() + 600_000)
    })
    const unpaid = await shop.send(buy)
    const { accepts } = JSON.parse(unpaid.text) as { accepts: ReadonlyArray<{ description: string }> }
    expect(accepts[0]!.description).toHaveLength(500)
    expect(accepts[0]!.description).toMatch(/= 1\.00 USD$/)
    expect(challengeOf(unpaid).accepts).toHaveLength(1)
  })
})
