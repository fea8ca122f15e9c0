import { describe, expect, it, vi } from "vitest"
import { privateKeyToAccount } from "viem/accounts"
import { NotPlaced, PlacementRefused } from "../../../src/shop/ports/PortErrors.ts"
import type { FulfilmentOptions } from "../../../src/shop/ports/FulfilmentOptions.ts"
import { refundNonce } from "../../../src/refunds/RefundAuthorization.ts"
import { fakeFacilitator, fakeFulfilment } from "../../../../testing/src/index.ts"
import { openShop, mailsOf } from "./orderShop.ts"

const wallet = privateKeyToAccount(`0x${"42".repeat(32)}`)

describe("an order that can't be placed", () => {
  const refused = { place: () => Promise.reject(new PlacementRefused({ reason: "Out of stock!" })) }

  it("fails, is owed back, and refunded once the host decides so", async () => {
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
    expect(mailsOf(shop)).toEqual([`order-confirmed:${id}`, `order-failed:${id}`, `order-refunded:${id}`])
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

  it("is not recorded by hand while the wallet may be sending it", async () => {
    const facilitator = fakeFacilitator()
    const sending = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const shop = await openShop(refused, {
      refundWallet: wallet,
      facilitator: {
        ...facilitator,
        settle: async (payload, requirements) => {
          if (payload.payload.authorization.from === wallet.address) {
            sending.resolve()
            await released.promise
          }
          return facilitator.settle(payload, requirements)
        }
      }
    })
    const { id } = await shop.orderOf()
    await sending.promise
    const { chargeKey } = (await shop.till.orders.find(id))!
    expect(await shop.till.orders.markRefunded(id, "0xmine")).toMatchObject({ outcome: "conflict" })
    expect(await shop.till.charges.recordRefund(chargeKey, "0xmine")).toBe(false)
    expect(shop.events.map(({ code }) => code)).toContain("refund_in_progress")
    released.resolve()
    await shop.until(id, "refunded")
    const refunds = (await shop.till.ledger.list()).filter(({ kind }) => kind === "refunded")
    expect(refunds.map(({ transaction }) => transaction)).toEqual([facilitator.settled.at(-1)!.transaction])
    expect(await shop.till.charges.recordRefund(chargeKey, "0xmine")).toBe(false)
    expect(shop.events).toContainEqual(
      expect.objectContaining({
        code: "refund_recorded_twice",
        transaction: "0xmine",
        otherTransaction: facilitator.settled.at(-1)!.transaction
      })
    )
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
    await vi.waitFor(() => expect(shop.events.map(({ code }) => code)).toContain("refund_wallet_short"))
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

it("an order records the result of its placement, although a mail went out meanwhile", async () => {
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

  it("is looked up where upstream supports it, and never placed twice", async () => {
    const upstream = fakeFulfilment()
    const { place } = lost(true, upstream)
    const find = vi.fn(async (orderId: string) => upstream.orders.get(orderId)?.upstreamReference ?? null)
    const shop = await openShop({ place, find })
    const { id } = await shop.orderOf()
    await vi.waitFor(() => expect(find).toHaveBeenCalled())
    expect(await shop.until(id, "placed")).toMatchObject({ upstreamReference: "upstream-order-1" })
    expect(upstream.placements(id)).toBe(1)
    expect(find.mock.calls[0]).toEqual([id, expect.objectContaining({ reference: "upstream-quote-1" })])
  })
})
