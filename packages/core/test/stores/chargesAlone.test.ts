import { describe, expect, it } from "vitest"
import { ConfigurationError, type HostStores, storageFrom } from "../../src/index.ts"
import { plainMemory } from "../ports/plainStores.ts"
import { jsonOf, type OpenOptions, openTill, receiptOf } from "../toll/openTill.ts"

/*
 * A till whose storage is a store of charges alone: enough for the routes of a host.
 */

const weather = { path: "/weather/oslo" }
const shop = ["marketplaces", "assistant", "fulfilment", "tracker", "vault", "mailer"] as const

const openOn = (stores: HostStores, options: OpenOptions = {}) =>
  openTill({
    without: shop,
    storage: storageFrom(stores),
    operations: [
      {
        id: "weather",
        method: "GET",
        path: "/weather/:city",
        description: "Weather of a city, now",
        price: "0.02",
        work: () => ({ celsius: 21 })
      }
    ],
    ...options
  })

const onlyCharges = (): HostStores => ({ charges: plainMemory().charges })

describe("a till with one own route over a store of charges alone", () => {
  it("is paid, replays its response, and keeps its ledger", async () => {
    const { events, payFor, present, till } = await openOn(onlyCharges())
    const payment = await payFor(weather)
    const paid = await present(weather, payment)
    expect([paid.status, jsonOf(paid)]).toEqual([200, { celsius: 21 }])
    const again = await present(weather, payment)
    expect([again.text, receiptOf(again)]).toEqual([paid.text, receiptOf(paid)])
    expect(await till.ledger.list()).toMatchObject([{ operation: "weather", kind: "settled" }])
    expect(await till.ledger.check()).toMatchObject({ faults: [] })
    expect(await till.reconcile()).toMatchObject({ settled: 0 })
    expect(events.filter(({ level }) => level !== "info")).toEqual([])
  })

  it("names the store that an operator's call needs", async () => {
    const { till } = await openOn(onlyCharges())
    for (const [call, store] of [
      [till.orders.list(), "orders"],
      [till.vault.list(), "vaultItems"],
      [till.vault.sales("launch-plan"), "vaultPurchases"]
    ] as const) {
      const error = await call.then(
        () => undefined,
        (cause: unknown) => cause
      )
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(String(error)).toContain(`storage: it has no ${store}.`)
    }
  })
})

describe("a till whose storage lacks a store of its routes", () => {
  const { orders: _, ...withoutOrders } = plainMemory()
  it.each<[route: string, stores: HostStores, serves: "fulfilment" | "vault", message: string]>([
    [
      "buy",
      onlyCharges(),
      "fulfilment",
      "storage: it has no quotes and no orders, which the route buy needs"
    ],
    ["buy", withoutOrders, "fulfilment", "storage: it has no orders, which the route buy needs"],
    [
      "vault",
      onlyCharges(),
      "vault",
      "vaultItems and no vaultPurchases, which each of the routes vault/search"
    ]
  ])("does not start, and names route and stores: %s", async (_, stores, serves, message) => {
    const opening = openOn(stores, { without: shop.filter((name) => name !== serves) })
    await expect(opening).rejects.toThrow(ConfigurationError)
    await expect(opening).rejects.toThrow(message)
    await expect(opening).rejects.toThrow(`leave out the option ${serves}`)
  })
})
