import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { memory, Till } from "@till402/core"
import { tillMetrics } from "@till402/telemetry"
import { fakeFacilitator, fakeTracker } from "@till402/testing"
import { payingFetch } from "@till402/testing/payer"
import { Context, Metric } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { figuresOf, firedAlerts, missingPromtool, type Scrape, watchFleet } from "../../src/day/Watch.ts"

/** A till of its own, with its metrics served at a port. */
const openServer = async () => {
  const metrics = tillMetrics({ context: Context.make(Metric.MetricRegistry, new Map()) })
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(),
    trustFacilitator: true,
    secret: "no secret at all, since this is a test",
    storage: memory(),
    tracker: fakeTracker(),
    onPayment: metrics.onPayment,
    onEvent: metrics.countEvents(() => {})
  })
  metrics.watch(till)
  await till.ready
  const server = createServer((_, response) => {
    void metrics.text().then((text) => response.end(text))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(async () => {
    stop()
    await till.dispose()
  })
  const pay = payingFetch(`0x${randomBytes(32).toString("hex")}`, 1, async (input, init) =>
    till.fetch(new Request(input, init))
  )
  const track = () => pay("https://shop.example/x402/track?number=9400100000000000000000")
  return { till, track, stop, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const always = () => ({ from: new Date(0), to: new Date(Date.now() + 86_400_000) })

describe("a watched fleet", () => {
  it("has the figures of its ledgers, also of a server that has ended since it was scraped", async () => {
    const [one, two] = [await openServer(), await openServer()]
    let running = [
      { name: "one", origin: one.origin },
      { name: "two", origin: two.origin }
    ]
    const first = watchFleet({ running: () => running })
    for (const { track } of [one, one, two]) expect((await track()).status).toBe(200)
    const before = await first.stop()
    one.stop()
    const second = watchFleet({ running: () => running })
    expect((await two.track()).status).toBe(200)
    running = running.slice(1)
    const figures = figuresOf([...before, ...(await second.stop())])
    const totals = await Promise.all([one, two].map(({ till }) => till.ledger.totals(always())))
    const ledger = totals.flat().reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n)
    expect(ledger).toBe(4n * 520_000n)
    expect(figures).toEqual({ revenueAtomic: ledger, refundedAtomic: 0n, paidCalls: 4 })
  })

  it("fires the alert of what goes wrong, at its time, and no other", async ({ skip }) => {
    const reason = missingPromtool()
    skip(reason !== undefined, reason)
    const { origin, till, track } = await openServer()
    const running = () => [{ name: "one", origin }]
    const scrape = async (): Promise<ReadonlyArray<Scrape>> =>
      (await watchFleet({ running }).stop()).slice(-1)
    expect((await track()).status).toBe(200)
    const well = await scrape()
    expect([...well[0]!.values.keys()].length).toBeGreaterThan(10)
    await till.refunds.stop("a test")
    // Health is cached for a while: it is read anew at last.
    let ill = await scrape()
    await expect
      .poll(async () => {
        ill = await scrape()
        return ill[0]!.values.get('till402_refunds_stopped{instance="one"}')
      })
      .toBe(1)
    const minute = (scrapes: ReadonlyArray<Scrape>) => Array.from({ length: 12 }, () => scrapes).flat()
    expect(firedAlerts(minute(well))).toEqual([])
    const fired = firedAlerts([...minute(well), ...minute(ill)])
    // The till reports it as an event, too, and that fires no second alert.
    expect(new Set(fired.map(({ name }) => name))).toEqual(new Set(["Till402RefundsStopped"]))
    expect(Math.min(...fired.map(({ seconds }) => seconds))).toBe(60)
    // A server that is ready no longer, for as long as the rule waits.
    const down: Scrape = { atMillis: 0, values: new Map([['till402_ready{instance="one"}', 0]]) }
    const names = firedAlerts([...minute(well), ...minute([down]), down]).map(({ name }) => name)
    expect(names).toEqual(["Till402NotReady"])
  })
})
