import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { sharedDatabase } from "../../stores/sql/keptInMemory.ts"
import { type FakeFacilitator, fakeFacilitator } from "../../../../testing/src/index.ts"
import { facilitatorName, shownAddress } from "../../../src/toll/facilitator/FacilitatorOptions.ts"
import type { TillOptions } from "../../../src/till/settings/TillOptions.ts"
import { challengeOf, expectFailed, jsonOf, openTill, search } from "../openTill.ts"

/*
 * Tills with several facilitators: which one gets a payment, before and after a crash, and what is offered.
 */

const pair = () => ({ first: fakeFacilitator(), second: fakeFacilitator() })

/** The two under their names, in an order. */
const named = (
  { first, second }: ReturnType<typeof pair>,
  order: "first, second" | "second, first" = "first, second"
): TillOptions["facilitator"] => {
  const list = [
    { ...first, name: "first" },
    { ...second, name: "second" }
  ]
  return order === "first, second" ? list : list.toReversed()
}

const settleCalls = ({ first, second }: ReturnType<typeof pair>): ReadonlyArray<number> => [
  first.settle.calls.length,
  second.settle.calls.length
]

const neverResponds = (facilitator: FakeFacilitator) => {
  const gate = Promise.withResolvers<never>()
  facilitator.settle.returns(() => gate.promise)
  onTestFinished(() => gate.reject(new Error("stopped")))
}

const breaks = (facilitator: FakeFacilitator) =>
  facilitator.verify.returns(() => {
    throw new Error("connection reset")
  })

describe("a payment that one of several facilitators verified", () => {
  it("is settled by the next one if the first is down", async () => {
    const facilitators = pair()
    breaks(facilitators.first)
    const shop = await openTill({ facilitator: named(facilitators) })
    expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
    expect(settleCalls(facilitators)).toEqual([0, 1])
  })

  it("is never given to a second one while the outcome at the first is unknown", async () => {
    const facilitators = pair()
    const shop = await openTill({ facilitator: named(facilitators) })
    const payment = await shop.payFor(search)
    facilitators.first.settle.returns(() => {
      throw new Error("connection reset")
    })
    for (let time = 0; time < 5; time++)
      expectFailed(await shop.present(search, payment), 503, "SETTLEMENT_PENDING")
    await shop.till.reconcile()
    expect(settleCalls(facilitators)[1]).toBe(0)
    // The first one is down now: new payments go to the second.
    expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
    expect(settleCalls(facilitators)[1]).toBe(1)
    facilitators.first.settle.reset()
    expect((await shop.present(search, payment)).status).toBe(200)
    expect([facilitators.first.settled.length, facilitators.second.settled.length]).toEqual([1, 1])
  })

  it.each([
    ["in the same order", "first, second"],
    ["in another order", "second, first"]
  ] as const)("is settled there after a crash, by a process that has them %s", async (_, order) => {
    const now = Date.now()
    vi.useFakeTimers({ toFake: ["Date"], now })
    onTestFinished(() => void vi.useRealTimers())
    const { storage } = sharedDatabase()
    const before = pair()
    breaks(before.first)
    const crashed = await openTill({ storage: storage(), facilitator: named(before) })
    neverResponds(before.second)
    const payment = await crashed.payFor(search)
    void crashed.present(search, payment)
    await vi.waitFor(() => expect(before.second.settle.calls).toHaveLength(1))
    vi.setSystemTime(now + 100_000)
    const after = pair()
    const shop = await openTill({ storage: storage(), facilitator: named(after, order) })
    const response = await shop.present(search, payment)
    expect(response.status, response.text).toBe(200)
    expect(settleCalls(after)).toEqual([0, 1])
    expect(after.second.verify.calls.length).toBe(0)
  })

  it("stays open if its facilitator is not configured any more", async () => {
    const { storage } = sharedDatabase()
    const before = pair()
    before.first.losesNextSettlement(true)
    const shop = await openTill({ storage: storage(), facilitator: named(before) })
    const payment = await shop.payFor(search)
    expectFailed(await shop.present(search, payment), 503, "SETTLEMENT_PENDING")
    const other = fakeFacilitator()
    const later = await openTill({ storage: storage(), facilitator: other })
    expectFailed(await later.present(search, payment), 503, "SETTLEMENT_PENDING")
    expect(other.settle.calls).toHaveLength(0)
    expect(later.events.map(({ code }) => code)).toContain("facilitator_not_configured")
  })

  it("is recorded for a payer who has paid, too", async () => {
    const facilitators = pair()
    const shop = await openTill({ facilitator: named(facilitators) })
    expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
    facilitators.first.losesNextSettlement(false)
    const payment = await shop.payFor(search)
    expectFailed(await shop.present(search, payment), 503, "SETTLEMENT_PENDING")
    const [charge] = await shop.till.charges.list({ state: "ready" })
    expect(charge).toBeDefined()
    expect((await shop.present(search, payment)).status).toBe(200)
    expect(facilitators.second.settle.calls).toHaveLength(0)
  })
})

describe("a network that no facilitator settles", () => {
  it("isn't offered, with a warning; payments on it are refused", async () => {
    const [first, second] = [
      fakeFacilitator({ networks: ["eip155:84532"] }),
      fakeFacilitator({ networks: ["eip155:137"] })
    ]
    const shop = await openTill({
      networks: ["base", "base-sepolia"],
      facilitator: [
        { ...first, name: "first" },
        { ...second, name: "second" }
      ]
    })
    await vi.waitFor(() => expect(shop.events.map(({ code }) => code)).toContain("network_not_supported"))
    expect(shop.events.find(({ code }) => code === "network_not_supported")).toMatchObject({
      level: "warning",
      network: "eip155:8453"
    })
    for (const call of [search, { path: "/x402/track" }]) {
      const unpaid = await shop.send(call)
      expect(challengeOf(unpaid).accepts.map(({ network }) => network)).toEqual(["eip155:84532"])
      expect(jsonOf(unpaid)["accepts"]).toMatchObject([{ network: "base-sepolia" }])
    }
    expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
  })

  it("is offered again once one lists it", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const facilitator = fakeFacilitator({ networks: ["eip155:137"] })
    const shop = await openTill({ networks: ["base-sepolia"], facilitator })
    await vi.waitFor(async () => expect(challengeOf(await shop.send(search)).accepts).toEqual([]))
    facilitator.getSupported.returns({
      kinds: [{ x402Version: 1, scheme: "exact", network: "base-sepolia" }]
    })
    await vi.advanceTimersByTimeAsync(660_000)
    expect(challengeOf(await shop.send(search)).accepts).toHaveLength(1)
  })
})

it("an address is shown without the keys that it may hold", () => {
  const url = "https://user:key@facilitator.example:8443/x402/?key=hidden#also"
  expect(shownAddress(url)).toBe("https://facilitator.example:8443/x402")
  expect(facilitatorName({ url })).toBe("facilitator.example:8443/x402")
})

it("a facilitator that refuses our keys is reported with its address and HTTP status", async () => {
  const server = createServer((_, response) => response.writeHead(401).end("Unauthorized"))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const shop = await openTill({ facilitator: { url: `http://${address}/x402/` } })
  await vi.waitFor(() => expect(shop.events.map(({ code }) => code)).toContain("facilitator_not_ready"))
  const event = shop.events.find(({ code }) => code === "facilitator_not_ready")
  expect(event).toMatchObject({ level: "warning", reason: "http_401", facilitator: `${address}/x402` })
  expect(event?.message).toContain(`http://${address}/x402 `)
  expect(event?.message).toContain("HTTP status 401")
  // It may still settle: whether it does isn't known.
  expect(challengeOf(await shop.send(search)).accepts).toHaveLength(1)
})

it("a facilitator that isn't reached is reported with the reason and its host, without keys", async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise((resolve) => server.close(resolve))
  const headers = () => ({ authorization: "hidden" })
  const shop = await openTill({ facilitator: { url: `http://${address}/x402`, headers } })
  await vi.waitFor(() => expect(shop.events.map(({ code }) => code)).toContain("facilitator_not_ready"))
  const event = shop.events.find(({ code }) => code === "facilitator_not_ready")
  expect(event).toMatchObject({ level: "warning", reason: `ECONNREFUSED ${address}` })
  expect(event?.message).toContain(`ECONNREFUSED ${address}`)
  expect(JSON.stringify(shop.events)).not.toContain("hidden")
})
