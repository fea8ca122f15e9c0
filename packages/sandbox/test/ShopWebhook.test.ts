import { payingFetch, type Sandbox, type SandboxOptions, sellsOutAsin, startSandbox } from "@till402/sandbox"
import type { OrderChange, OrderStatus, OperatorResult } from "@till402/core"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { shopWebhook } from "../src/ShopWebhook.ts"

/*
 * Orders in a running sandbox proceed by its own timetable, without requests.
 */

const running: Array<Sandbox> = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.stop()))
})

const open = async (options: SandboxOptions = {}) => {
  const changes: Array<OrderChange> = []
  const sandbox = await startSandbox({
    storage: "memory",
    onEvent: () => undefined,
    onOrderChange: (change) => changes.push(change),
    ...options
  })
  running.push(sandbox)
  const pay = payingFetch(sandbox.wallets[0]!.privateKey)
  const buy = async (asin: string): Promise<string> => {
    const response = await pay(`${sandbox.baseUrl}/x402/buy`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        asin,
        email: "ada@example.com",
        shippingAddress: {
          name: "Ada Lovelace",
          line1: "12 Analytical Way",
          city: "San Francisco",
          state: "CA",
          postalCode: "94105",
          country: "US"
        }
      })
    })
    expect(response.status).toBe(200)
    return ((await response.json()) as { readonly orderId: string }).orderId
  }
  const steps = () => changes.map(({ order: { status } }) => status)
  return { sandbox, pay, buy, steps }
}

const firstAsin = async ({ shop }: Sandbox): Promise<string> => {
  const { signal } = new AbortController()
  const { products } = await shop.marketplaces.marketplace_a.search({ q: "yoga mat", page: 1 }, { signal })
  return products[0]!.asin
}

describe("an order of the sandbox", () => {
  it("is placed, shipped and delivered without requests, and its parcel can be tracked", async () => {
    const { buy, pay, sandbox, steps } = await open({
      shop: { timetable: { shippedAfterMillis: 300, deliveredAfterMillis: 2_500 } }
    })
    const orderId = await buy(await firstAsin(sandbox))
    await expect.poll(steps).toEqual(["processing", "placing", "placed", "shipped", "delivered"])
    const order = await sandbox.till.orders.find(orderId)
    const [placed] = sandbox.shop.orders
    expect(order).toMatchObject({ status: "delivered", upstreamReference: placed!.reference })
    const { trackingNumber } = order!.shipments[0]!
    expect(trackingNumber).toBe(placed!.trackingNumber)
    const tracked = await pay(`${sandbox.baseUrl}/x402/track?number=${trackingNumber}`)
    expect(tracked.status).toBe(200)
    expect(await tracked.json()).toMatchObject({ status: "Delivered", found: true })
    await expect.poll(() => sandbox.shop.outbox.map(({ subject }) => subject).length).toBeGreaterThan(1)
  })

  it("is refunded to the atomic unit if its product sells out", async () => {
    const { buy, sandbox, steps } = await open()
    const { chain, payTo, shop, till, wallets } = sandbox
    const orderId = await buy(sellsOutAsin)
    await expect.poll(steps).toEqual(["processing", "placing", "failed", "refund_due", "refunded"])
    expect((await till.orders.find(orderId))?.reason).toBe("out_of_stock")
    expect(shop.orders).toEqual([])
    expect(await chain.balanceOf(wallets[0]!.address)).toBe(wallets[0]!.balanceAtomic)
    expect(await chain.balanceOf(payTo)).toBe(0n)
    const ledger = await till.ledger.list()
    expect(ledger.map(({ kind }) => kind)).toEqual(["refunded", "refund_due", "settled"])
    expect(new Set(ledger.map(({ amountAtomic }) => amountAtomic)).size).toBe(1)
    expect((await till.ledger.check()).faults).toEqual([])
  })

  it("lets the sandbox stop at once while parcels are on their way", async () => {
    const { buy, sandbox, steps } = await open({
      shop: { timetable: { shippedAfterMillis: 3_600_000, deliveredAfterMillis: 7_200_000 } }
    })
    await buy(await firstAsin(sandbox))
    await expect.poll(steps).toEqual(["processing", "placing", "placed"])
    // It rejects where a part takes longer than it may.
    await sandbox.stop()
  })
})

describe("the shop's webhook", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const change = (status: OrderStatus, upstreamReference?: string) =>
    ({ order: { status, upstreamReference } }) as unknown as OrderChange

  it("notifies the till twice about each placed order, and never after it is stopped", async () => {
    const notified: Array<string> = []
    const webhook = shopWebhook({}, async (reference) => {
      notified.push(reference)
      return { outcome: "not_found" }
    })
    webhook.onOrderChange(change("processing"))
    webhook.onOrderChange(change("placed"))
    webhook.onOrderChange(change("placed", "SO-1"))
    webhook.onOrderChange(change("shipped", "SO-1"))
    await vi.advanceTimersByTimeAsync(4_999)
    expect(notified).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(notified).toEqual(["SO-1"])
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(notified).toEqual(["SO-1", "SO-1"])

    webhook.onOrderChange(change("placed", "SO-2"))
    await webhook.stop()
    webhook.onOrderChange(change("placed", "SO-3"))
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(notified).toEqual(["SO-1", "SO-1"])
  })

  it("waits for its current call when it is stopped", async () => {
    const { promise, resolve } = Promise.withResolvers<OperatorResult>()
    const webhook = shopWebhook({}, () => promise)
    webhook.onOrderChange(change("placed", "SO-1"))
    await vi.advanceTimersByTimeAsync(6_000)
    let isStopped = false
    const stopping = webhook.stop().then(() => {
      isStopped = true
    })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(isStopped).toBe(false)
    resolve({ outcome: "not_found" })
    await stopping
  })

  it("warns if it can't notify the till", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue(undefined)
    const webhook = shopWebhook({}, () => Promise.reject(new Error("the storage failed")))
    webhook.onOrderChange(change("placed", "SO-1"))
    await vi.advanceTimersByTimeAsync(6_000)
    await webhook.stop()
    expect(warn.mock.calls.map(([words]) => words)).toEqual([
      "The till could not check an order: Error: the storage failed"
    ])
    warn.mockRestore()
  })
})
