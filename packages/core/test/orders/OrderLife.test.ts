import { describe, expect, it, vi } from "vitest"
import { privateKeyToAccount } from "viem/accounts"
import { NotPlaced, PlacementRefused } from "../../src/domain/Errors.ts"
import type { FulfilmentStatus } from "../../src/domain/Order.ts"
import type { TillOptions } from "../../src/till/TillOptions.ts"
import type { Margin } from "../../src/orders/Margin.ts"
import type { FulfilmentOptions } from "../../src/ports/FulfilmentOptions.ts"
import { refundNonce } from "../../src/orders/RefundAuthorization.ts"
import { fakeFacilitator, fakeFulfilment } from "../../src/testing.ts"
import { buy, challengeOf, email, jsonOf, openTill } from "../toll/openTill.ts"

const wallet = privateKeyToAccount(`0x${"42".repeat(32)}`)

/** An upstream that can be scripted; what it leaves out of a fulfilment is left out of it. */
const openShop = async (fulfilment: Partial<FulfilmentOptions> = {}, options: Partial<TillOptions> = {}) => {
  const upstream = fakeFulfilment()
  const { placesOnce: _, ...plain } = upstream
  const shop = await openTill({ fulfilment: { ...plain, ...fulfilment }, ...options })
  const orderOf = async (): Promise<{ readonly id: string; readonly response: Record<string, unknown> }> => {
    const received = await shop.present(buy, await shop.payFor(buy))
    expect(received.status, received.text).toBe(200)
    const response = jsonOf(received)
    return { id: String(response["orderId"]), response }
  }
  const until = (id: string, status: string) =>
    vi.waitFor(
      async () => {
        const order = await shop.till.orders.find(id)
        expect([order?.status, order?.mails]).toEqual([status, []])
        return order!
      },
      { timeout: 10_000 }
    )
  return { ...shop, upstream, orderOf, until }
}

const mailsOf = ({ mailer }: Awaited<ReturnType<typeof openShop>>) =>
  mailer.send.calls.map(([mail]) => mail.idempotencyKey)

describe("an order that goes well", () => {
  it("is placed, shipped and delivered, and its buyer is told", async () => {
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

  it.each([
    [
      "throws",
      () => {
        throw new Error("no listener today")
      }
    ],
    ["rejects", () => Promise.reject(new Error("no listener today"))]
  ] as ReadonlyArray<readonly [string, NonNullable<TillOptions["onOrderChange"]>]>)(
    "goes its way where the host's listener %s, and the host is told",
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
      for (let asked = 0; asked < 2; asked++) {
        expect((await shop.challenge(buy)).accepts[0]!.maxTimeoutSeconds).toBe(maxTimeoutSeconds)
      }
      // One that is about to lapse is not offered again.
      expect(shop.upstream.quote.calls).toHaveLength(quotes)
      await shop.until((await shop.orderOf()).id, "placed")
    }
  )

  it("tells a long title without losing the sum", async () => {
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

describe("an order that can't be placed", () => {
  const refused = { place: () => Promise.reject(new PlacementRefused({ reason: "Out of stock!" })) }

  it("fails, is owed back, and refunded once the host says so", async () => {
    const shop = await openShop(refused)
    const { id } = await shop.orderOf()
    expect(await shop.until(id, "refund_due")).toMatchObject({ reason: "out_of_stock" })
    expect(await shop.till.charges.list()).toMatchObject([{ state: "settled", refund: "due" }])
    expect(shop.events.map(({ code }) => code)).toContain("order_refund_due")

    expect(await shop.till.orders.markRefunded(id, "0xback")).toMatchObject({ outcome: "done" })
    expect(await shop.until(id, "refunded")).toMatchObject({ reason: "out_of_stock" })
    expect(await shop.till.orders.markRefunded(id, "0xagain")).toMatchObject({ outcome: "conflict" })
    const entries = await shop.till.ledger.list()
    expect(entries.map(({ kind }) => kind).toSorted()).toEqual(["refund_due", "refunded", "settled"])
    expect(entries.find(({ kind }) => kind === "refunded")?.transaction).toBe("0xback")
    expect(mailsOf(shop)).toEqual([`order-confirmed:${id}`, `order-refunded:${id}`])
    expect(shop.mailer.send.calls.at(-1)![0].text).toContain("0xback")
    expect((await shop.till.ledger.check()).faults).toEqual([])
  })

  it("is refunded from the host's wallet, by the payment's own coin, network and payer", async () => {
    const shop = await openShop(refused, { refundWallet: wallet })
    const { id } = await shop.orderOf()
    const order = await shop.until(id, "refunded")
    const [payment, refund] = shop.facilitator.settled
    expect(shop.facilitator.settled).toHaveLength(2)
    expect(refund).toMatchObject({
      payer: wallet.address,
      amountAtomic: payment!.amountAtomic,
      network: payment!.network
    })
    expect(refund!.payTo.toLowerCase()).toBe(payment!.payer!.toLowerCase())
    const sent = shop.facilitator.settle.calls[1]![0] as {
      readonly payload: { readonly authorization: { readonly nonce: string } }
    }
    expect(sent.payload.authorization.nonce).toBe(refundNonce(order.chargeKey))
    const entries = await shop.till.ledger.list()
    expect(entries.find(({ kind }) => kind === "refunded")?.transaction).toBe(refund!.transaction)
    expect((await shop.till.ledger.check()).faults).toEqual([])
  })

  it("does not take the host's word for a refund that is in the books by another transaction", async () => {
    const shop = await openShop(refused)
    const { id } = await shop.orderOf()
    const { chargeKey } = await shop.until(id, "refund_due")
    expect(await shop.till.charges.recordRefund(chargeKey, "0xfirst")).toBe(true)
    expect(await shop.till.orders.markRefunded(id, "0xsecond")).toMatchObject({ outcome: "conflict" })
    expect(await shop.till.orders.markRefunded(id, "0xfirst")).toMatchObject({ outcome: "done" })
    await shop.until(id, "refunded")
  })

  it("keeps a refund due that the facilitator does not take, and sends it later", async () => {
    let isShort = true
    const facilitator = fakeFacilitator()
    const shop = await openShop(refused, {
      refundWallet: wallet,
      facilitator: {
        ...facilitator,
        settle: async (payload, requirements) =>
          isShort && payload.payload.authorization.from === wallet.address
            ? { success: false, errorReason: "insufficient_funds", transaction: "" }
            : facilitator.settle(payload, requirements)
      }
    })
    const { id } = await shop.orderOf()
    await vi.waitFor(() =>
      expect(shop.events.map(({ message }) => message)).toContain(
        "A refund was sent, and its transfer is not confirmed yet"
      )
    )
    await shop.until(id, "refund_due")
    expect(facilitator.settled).toHaveLength(1)
    isShort = false
    await vi.waitFor(async () => {
      await shop.till.orders.processNow(id)
      expect((await shop.till.orders.find(id))?.status).toBe("refunded")
    })
    expect(facilitator.settled).toHaveLength(2)
  })

  it("is tried again where it is certain that it was not placed", async () => {
    let attempts = 0
    const upstream = fakeFulfilment()
    const shop = await openShop({
      place: async (order, context) => {
        if (++attempts < 2) throw new NotPlaced({ message: "down" })
        return upstream.place(order, context)
      }
    })
    const { id } = await shop.orderOf()
    await shop.until(id, "processing")
    expect(await shop.till.orders.processNow(id)).toMatchObject({ outcome: "done" })
    await shop.until(id, "placed")
    expect(attempts).toBe(2)
  })
})

it("what came of placing an order is told to it, although a mail went out meanwhile", async () => {
  const mailing = Promise.withResolvers<void>()
  const mailed = Promise.withResolvers<void>()
  const placing = Promise.withResolvers<void>()
  const responses = Promise.withResolvers<void>()
  let attempts = 0
  const shop = await openShop(
    {
      place: async () => {
        if (++attempts === 2) {
          placing.resolve()
          await responses.promise
        }
        throw new NotPlaced({ message: "down" })
      }
    },
    {
      mailer: {
        send: async () => {
          mailing.resolve()
          await mailed.promise
        }
      }
    }
  )
  const { id } = await shop.orderOf()
  await mailing.promise
  expect(await shop.till.orders.processNow(id)).toMatchObject({ outcome: "done" })
  await placing.promise
  mailed.resolve()
  await shop.until(id, "placing")
  responses.resolve()
  expect(await shop.until(id, "processing")).toMatchObject({ attempts: 2 })
})

describe("an order of which nobody knows whether it was placed", () => {
  const lost = (keeps: boolean, upstream = fakeFulfilment()) => ({
    upstream,
    place: async (
      order: Parameters<FulfilmentOptions["place"]>[0],
      context: { readonly signal: AbortSignal }
    ) => {
      if (keeps) await upstream.place(order, context)
      throw new Error("connection reset")
    }
  })

  it("is parked, and placed again, followed up or given up by the operator's word", async () => {
    const { place, upstream } = lost(false)
    const shop = await openShop({ place })
    const [retried, resolved, cancelled] = [await shop.orderOf(), await shop.orderOf(), await shop.orderOf()]
    for (const { id } of [retried, resolved, cancelled]) {
      expect(await shop.until(id, "needs_operator")).toMatchObject({ reason: "placement_unknown" })
    }
    const { orders } = shop.till
    expect(upstream.orders.size).toBe(0)
    expect(await orders.retry(retried!.id)).toMatchObject({ outcome: "done" })
    await shop.until(retried!.id, "needs_operator")
    expect(await orders.resolve(resolved!.id, "upstream-9")).toMatchObject({ outcome: "done" })
    expect(await shop.until(resolved!.id, "placed")).toMatchObject({ upstreamReference: "upstream-9" })
    expect(await orders.cancel(cancelled!.id, "Sold out")).toMatchObject({ outcome: "done" })
    expect(await shop.until(cancelled!.id, "refund_due")).toMatchObject({ reason: "sold_out" })
    expect(await orders.retry(cancelled!.id)).toMatchObject({ outcome: "conflict" })
    expect(await orders.retry("00000000-0000-4000-8000-000000000000")).toEqual({ outcome: "not_found" })
    expect(shop.events.map(({ message }) => message)).toContain("An order needs an operator")
  })

  it("is looked up where upstream can be asked, and never placed twice", async () => {
    const upstream = fakeFulfilment()
    const { place } = lost(true, upstream)
    const find = vi.fn(async (orderId: string) => upstream.orders.get(orderId)?.upstreamReference)
    const shop = await openShop({ place, find })
    const { id } = await shop.orderOf()
    await vi.waitFor(() => expect(find).toHaveBeenCalled(), 5_000)
    expect(await shop.until(id, "placed")).toMatchObject({ upstreamReference: "upstream-order-1" })
    expect(upstream.placements(id)).toBe(1)
    expect(find.mock.calls[0]).toEqual([id, expect.objectContaining({ reference: "upstream-quote-1" })])
  })
})

describe("orders as text", () => {
  it("are exported as CSV and JSON, without personal data unless asked for", async () => {
    const shop = await openShop({ status: async () => undefined })
    shop.upstream.quote.returns({
      product: { title: '=HYPERLINK("https://evil.example"),"' },
      subtotal: "1.00",
      tax: "0",
      shipping: "0",
      total: "1.00",
      currency: "USD",
      reference: "q",
      expiresAt: new Date(Date.now() + 600_000)
    })
    const { id } = await shop.orderOf()
    await shop.until(id, "placed")
    const textOf = async (options: Parameters<typeof shop.till.orders.export>[0]) => {
      let text = ""
      for await (const piece of shop.till.orders.export(options)) text += piece
      return text
    }
    const [header, line, ...rest] = (await textOf({ format: "csv" })).split("\r\n")
    expect(header).toMatch(/^id,status,reason,/)
    expect(line).toContain(`${id},placed,,`)
    expect(line).toContain(`"'=HYPERLINK(""https://evil.example""),"""`)
    expect(rest).toEqual([""])
    expect(line).not.toContain(email)
    const [order] = JSON.parse(await textOf({ format: "json", personal: true })) as ReadonlyArray<object>
    expect(order).toMatchObject({ id, status: "placed", total: "1.00", fee: null, email })
    expect(JSON.parse(await textOf({ format: "json", status: "refunded" }))).toEqual([])
  })
})
