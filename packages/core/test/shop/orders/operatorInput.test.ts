import { describe, expect, it, vi } from "vitest"
import type { FulfilmentOptions } from "../../../src/shop/ports/FulfilmentOptions.ts"
import { fakeFulfilment } from "../../../../testing/src/index.ts"
import { buy, jsonOf, openTill } from "../../toll/openTill.ts"

const openShop = async (fulfilment: Partial<FulfilmentOptions> = {}) => {
  const { find: _find, placesOnce: _once, ...plain } = fakeFulfilment()
  const shop = await openTill({ fulfilment: { ...plain, ...fulfilment } })
  const order = async (): Promise<string> => {
    const received = await shop.presentAgain(buy, await shop.payFor(buy))
    expect(received.status, received.text).toBe(200)
    return String(jsonOf(received)["orderId"])
  }
  const until = (id: string, status: string) =>
    vi.waitFor(async () => expect((await shop.till.orders.find(id))?.status).toBe(status))
  return { ...shop, order, until }
}

const unusable = ["", "   ", "up\u0000-1", "up-1\n", "x".repeat(501)]

describe("what an operator passes", () => {
  it("names a transaction, or no refund is recorded", async () => {
    const shop = await openShop({
      place: async () => {
        throw Object.assign(new Error("no"), { _tag: "PlacementRefused", reason: "sold_out" })
      }
    })
    const id = await shop.order()
    await shop.until(id, "refund_due")
    const { chargeKey } = (await shop.till.orders.find(id))!
    for (const text of unusable) {
      expect(await shop.till.orders.markRefunded(id, text), JSON.stringify(text)).toEqual({
        outcome: "invalid"
      })
      expect(await shop.till.charges.recordRefund(chargeKey, text), JSON.stringify(text)).toBe(false)
    }
    expect((await shop.till.orders.find(id))?.status).toBe("refund_due")
    expect((await shop.till.ledger.list()).map(({ kind }) => kind)).not.toContain("refunded")
    expect(await shop.till.orders.markRefunded(id, "written off")).toMatchObject({ outcome: "done" })
  })

  it("names an upstream's order, or nothing is resolved", async () => {
    const shop = await openShop({
      place: async () => {
        throw new Error("connection reset")
      }
    })
    const id = await shop.order()
    await shop.until(id, "needs_operator")
    for (const text of unusable) {
      expect(await shop.till.orders.resolve(id, text), JSON.stringify(text)).toEqual({ outcome: "invalid" })
      expect(await shop.till.orders.processNowByReference(text)).toEqual({ outcome: "invalid" })
    }
    expect((await shop.till.orders.find(id))?.status).toBe("needs_operator")
    expect(await shop.till.orders.resolve(id, "up-1")).toMatchObject({ outcome: "done" })
  })

  it.each([-1, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("is no page of %s lines", async (limit) => {
    const { till } = await openShop()
    await expect(till.orders.list({ limit })).rejects.toThrow(RangeError)
    await expect(till.charges.list({ limit })).rejects.toThrow(RangeError)
    await expect(till.ledger.list({ limit })).rejects.toThrow(RangeError)
  })
})

describe("an upstream's reference", () => {
  it("that another order has is reported", async () => {
    const shop = await openShop({ place: async () => ({ reference: "up-1" }) })
    const first = await shop.order()
    await shop.until(first, "placed")
    expect(shop.events.map(({ code }) => code)).not.toContain("order_reference_shared")
    const second = await shop.order()
    await shop.until(second, "placed")
    await vi.waitFor(() =>
      expect(shop.events).toContainEqual(
        expect.objectContaining({
          level: "error",
          code: "order_reference_shared",
          orderId: second,
          otherOrderId: first
        })
      )
    )
  })

  it("that no database can hold leaves the order to an operator", async () => {
    const shop = await openShop({ place: async () => ({ reference: "up\u0000-1" }) })
    const id = await shop.order()
    await shop.until(id, "needs_operator")
    expect(shop.events.map(({ code }) => code)).toContain("provider_failed")
  })
})

describe("a till that was disposed", () => {
  it("fails every call of an operator", async () => {
    const { till } = await openShop()
    await till.dispose()
    const calls = [
      till.reconcile(),
      till.orders.find("1"),
      till.orders.list(),
      till.orders.markRefunded("1", "0x1"),
      till.charges.list(),
      till.charges.recordRefund("1", "0x1"),
      till.ledger.list(),
      till.ledger.check(),
      till.refunds.status(),
      till.refunds.stop("by hand"),
      till.refunds.resume(),
      till.orders.export({ format: "csv" }).next()
    ]
    for (const call of calls) await expect(call).rejects.toThrow(/till was closed by dispose/)
  })

  it("fails calls that were running", async () => {
    const { till } = await openShop()
    const calls = Array.from({ length: 20 }, () => till.ledger.check())
    const disposed = till.dispose()
    for (const result of await Promise.allSettled(calls))
      if (result.status === "rejected") expect(result.reason).toBeInstanceOf(Error)
    await disposed
  })
})
