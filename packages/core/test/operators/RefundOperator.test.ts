import { privateKeyToAccount } from "viem/accounts"
import { describe, expect, it, vi } from "vitest"
import { PlacementRefused } from "../../src/shop/ports/PortErrors.ts"
import type { TillOptions } from "../../src/till/settings/TillOptions.ts"
import { sharedDatabase } from "../stores/sql/keptInMemory.ts"
import { fakeFacilitator, fakeFulfilment } from "../../../testing/src/index.ts"
import type { Till } from "../../src/till/PlainTill.ts"
import { buy, openTill } from "../toll/openTill.ts"

const wallet = privateKeyToAccount(`0x${"42".repeat(32)}`)

/** Tills over one database and one facilitator, which sell what they can't deliver. */
const openShops = async () => {
  const { storage } = sharedDatabase()
  const facilitator = fakeFacilitator()
  const open = (options: Partial<TillOptions> = {}) =>
    openTill({
      storage: storage(),
      facilitator,
      fulfilment: {
        quote: fakeFulfilment().quote,
        place: () => Promise.reject(new PlacementRefused({ reason: "out_of_stock" }))
      },
      ...options
    })
  const refunds = () => facilitator.settled.filter(({ payer }) => payer === wallet.address)
  return { open, refunds }
}

type Shop = Awaited<ReturnType<Awaited<ReturnType<typeof openShops>>["open"]>>

/** Sells orders that fail after payment, so that refunds are due. */
const owe = async (shop: Shop, count: number): Promise<ReadonlyArray<string>> => {
  for (let order = 0; order < count; order++) {
    const paid = await shop.presentAgain(buy, await shop.payFor(buy))
    expect(paid.status, paid.text).toBe(200)
  }
  return vi.waitFor(async () => {
    const owed = await shop.till.orders.list({ status: "refund_due" })
    expect(owed).toHaveLength(count)
    return owed.map(({ id }) => id)
  })
}

const isRefunded = async (till: Till, id: string): Promise<boolean> => {
  await till.orders.processNow(id)
  return (await till.orders.find(id))?.status === "refunded"
}

describe("refunds that an operator stopped", () => {
  it("stay stopped in other processes and after a restart, until they are resumed", async () => {
    const shops = await openShops()
    const first = await shops.open()
    expect(await first.till.refunds.status()).toEqual({ stopped: undefined })
    const [id] = await owe(first, 1)
    expect(await first.till.refunds.stop("keys are being changed")).toBe(true)
    expect(await first.till.refunds.stop("another reason")).toBe(false)
    expect(first.events.filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        message: "Refunds are stopped until an operator resumes them",
        code: "refunds_stopped",
        reason: "keys are being changed"
      }
    ])
    await first.till.dispose()

    const second = await shops.open({ refundWallet: wallet })
    const { stopped } = await second.till.refunds.status()
    expect(stopped).toEqual({ reason: "keys are being changed", at: expect.any(Date) })
    expect(stopped!.at.getTime()).toBeLessThanOrEqual(Date.now())
    expect(await isRefunded(second.till, id!)).toBe(false)
    await second.till.reconcile()
    expect(shops.refunds()).toEqual([])

    expect(await second.till.refunds.resume()).toBe(true)
    expect(await second.till.refunds.resume()).toBe(false)
    expect(await second.till.refunds.status()).toEqual({ stopped: undefined })
    await vi.waitFor(async () => expect(await isRefunded(second.till, id!)).toBe(true))
    expect(shops.refunds()).toHaveLength(1)
  })
})

describe("the limit on refunds of one payer", () => {
  it("holds for two tills that send at once; what is past it stays due", async () => {
    const shops = await openShops()
    const seller = await shops.open()
    const owed = await owe(seller, 5)
    // An order is 26.64.
    const limited = { refundWallet: wallet, refunds: { perPayerPerHour: "79.93" } }
    const tills = await Promise.all([shops.open(limited), shops.open(limited)])
    await vi.waitFor(async () => {
      for (const { till } of tills) await Promise.all(owed.map((id) => till.orders.processNow(id)))
      expect((await seller.till.orders.list({ status: "refunded" })).length).toBe(3)
      for (const { events } of tills) expect(events.map(({ code }) => code)).toContain("refund_over_limit")
    })
    expect(shops.refunds()).toHaveLength(3)
    expect(await seller.till.orders.list({ status: "refund_due" })).toHaveLength(2)
    expect(await seller.till.refunds.status()).toEqual({ stopped: undefined })
    expect((await seller.till.ledger.check()).faults).toEqual([])
  })
})
