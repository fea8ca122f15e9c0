import { randomBytes } from "node:crypto"
import {
  type ChargeSummary,
  type LedgerCheck,
  memory,
  type Order,
  type PaymentEvent,
  Till,
  type TillEvent,
  type TillHealth,
  type TillOptions
} from "@till402/core"
import { fakeFacilitator, fakeTracker } from "@till402/testing"
import { payingFetch } from "@till402/testing/payer"
import { Context, Metric } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { tillMetrics } from "../src/index.ts"

const payer = "0xb47c3fe471d6191393b26399000f1b92f8f358e7"
const transaction = `0x${"ab".repeat(32)}`
const event = (given: Partial<PaymentEvent>): PaymentEvent => ({
  code: "payment_paid",
  at: new Date(0),
  operation: "search",
  network: "eip155:8453",
  chargeKey: `eip155:8453:0x036c:${payer}:0x60`,
  transaction,
  amountAtomic: 10_000n,
  durationMillis: 300,
  ...given
})
const well: TillHealth = {
  status: "warn",
  live: true,
  ready: true,
  at: new Date(0),
  lossBudgetUsed: 0.25,
  checks: [
    { name: "storage", status: "pass" },
    { name: "node", subject: "base", status: "warn", problem: "late", cure: "wait" }
  ],
  work: {
    oldestSettlementMillis: 90_000,
    oldestOrderMillis: 601_000,
    oldestPurchaseMillis: 0,
    oldestRefundMillis: 0,
    refundsDue: 2,
    areRefundsStopped: true
  }
}

const wallet = (amountAtomic: string): TillHealth["checks"][number] => ({
  name: "refund wallet",
  subject: "base",
  status: "pass",
  balance: { network: "eip155:8453", asset: "0x", amountAtomic }
})

const open = () => tillMetrics({ context: Context.make(Metric.MetricRegistry, new Map()) })
/** A till, and one paid call of it. */
const openTill = async (options: Partial<TillOptions>) => {
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(),
    trustFacilitator: true,
    secret: "no secret at all, since this is a test",
    storage: memory(),
    tracker: fakeTracker(),
    ...options
  })
  onTestFinished(() => till.dispose())
  await till.ready
  const pay = payingFetch(`0x${randomBytes(32).toString("hex")}`, 1, async (input, init) =>
    till.fetch(new Request(input, init))
  )
  return { till, track: () => pay("https://shop.example/x402/track?number=9400100000000000000000") }
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))

describe("the metrics of a till", () => {
  it("count payments by outcome and measure seconds", async () => {
    const { onPayment, text } = open()
    onPayment(event({}))
    onPayment(event({ durationMillis: 2_000 }))
    onPayment(event({ code: "payment_refused", reason: "insufficient_funds" }))
    onPayment(event({ code: "payment_failed", reason: "TRACKING_PROVIDER_ERROR" }))
    onPayment(event({ code: "payment_failed", reason: "unknown" }))
    onPayment(event({ code: "payment_settled" }))
    onPayment(event({ code: "payment_refunded" }))
    onPayment(event({ code: "payment_required", network: undefined }))
    const lines = linesOf(await text())
    const paid = `operation="search",network="eip155:8453",outcome="paid"`
    expect(lines).toEqual(
      expect.arrayContaining([
        `till402_charges_total{${paid}} 2`,
        `till402_charges_total{operation="search",network="eip155:8453",outcome="refused"} 1`,
        `till402_charges_total{operation="search",network="eip155:8453",outcome="failed"} 1`,
        `till402_charges_total{operation="search",network="eip155:8453",outcome="unknown"} 1`,
        `till402_charge_duration_seconds_bucket{${paid},le="0.25"} 0`,
        `till402_charge_duration_seconds_bucket{${paid},le="0.5"} 1`,
        `till402_charge_duration_seconds_bucket{${paid},le="+Inf"} 2`,
        `till402_charge_duration_seconds_sum{${paid}} 2.3`,
        `till402_revenue_usd_total{operation="search",network="eip155:8453"} 0.01`,
        `till402_refunded_usd_total{operation="search",network="eip155:8453"} 0.01`,
        `till402_payment_required_total{operation="search"} 1`
      ])
    )
  })

  it("don't call a failure what a stranger without money can send", async () => {
    const { onPayment, text } = open()
    // As the till publishes a request with a fault: its payment wasn't looked at.
    onPayment({ code: "payment_failed", at: new Date(0), operation: "search", reason: "VALIDATION_ERROR" })
    for (const reason of ["limited", "in_progress", "repeated"])
      onPayment(event({ code: "payment_failed", reason }))
    onPayment(event({ code: "payment_failed", reason: "unverifiable" }))
    const counts = linesOf(await text()).filter((line) => line.startsWith("till402_charges_total"))
    expect(counts.toSorted()).toEqual([
      `till402_charges_total{operation="search",network="",outcome="refused"} 1`,
      `till402_charges_total{operation="search",network="eip155:8453",outcome="failed"} 1`,
      `till402_charges_total{operation="search",network="eip155:8453",outcome="refused"} 3`
    ])
  })

  it("keep series apart whose labels are the same words", async () => {
    const { onPayment, text } = open()
    onPayment(event({ code: "payment_settled", operation: "a b", network: "c" }))
    onPayment(event({ code: "payment_settled", operation: "a", network: "b c" }))
    expect(linesOf(await text())).toHaveLength(2)
  })

  it("forget what is due while the storage is down, and show it again", async () => {
    const { text, watch } = open()
    let health = well
    watch({ health: async () => health })
    const due = async () =>
      linesOf(await text()).filter((line) => /^till402_(?:queue|refunds_(?:due|stopped))/.test(line))
    expect(await due()).toHaveLength(6)
    health = { ...well, ready: false, work: undefined }
    expect(await due()).toEqual([])
    health = well
    expect(await due()).toHaveLength(6)
  })

  it("name no payer, payment or transaction, and have as many series for many payers", async () => {
    const { onPayment, text } = open()
    onPayment(event({}))
    const few = linesOf(await text()).length
    for (let index = 0; index < 500; index++)
      onPayment(event({ chargeKey: `key-${index}`, transaction: `0x${index}` }))
    const found = await text()
    expect(linesOf(found)).toHaveLength(few)
    for (const secret of [payer, transaction, "key-7"]) expect(found).not.toContain(secret)
  })

  it("count a till's own events by code, and give each to the host's log", async () => {
    const { countEvents, onPayment, text } = open()
    const logged: Array<TillEvent> = []
    const { track } = await openTill({
      tracker: {
        track: async () => {
          throw new Error("down")
        }
      },
      onPayment,
      onEvent: countEvents((event) => logged.push(event))
    })
    expect((await track()).status).toBe(502)
    await expect
      .poll(async () => linesOf(await text()), { timeout: 60_000 })
      .toEqual(
        expect.arrayContaining([
          `till402_events_total{level="warning",code="provider_failed"} 1`,
          `till402_charges_total{operation="track",network="eip155:84532",outcome="failed"} 1`
        ])
      )
    expect(logged.map(({ code }) => code)).toContain("provider_failed")
  })

  it("have a bounded number of codes, and leave a log's rejection to the till", async () => {
    const { countEvents, text } = open()
    const onEvent = countEvents(() => {})
    for (let index = 0; index < 300; index++) onEvent({ level: "info", code: `code_${index}`, message: "" })
    const lines = linesOf(await text())
    expect(lines).toHaveLength(201)
    expect(lines).toContain(`till402_events_total{level="info",code="other"} 100`)
    const rejected = countEvents(async () => Promise.reject(new Error("disk full")))
    await expect(rejected({ level: "info", code: "code_1", message: "" })).rejects.toThrow("disk full")
  })

  it("count the orders that wait, as often as the health is read anew, and not while the storage fails", async () => {
    const { text, watch } = open()
    let at = new Date(0)
    const read: Array<unknown> = []
    let waiting = 2
    watch({
      health: async () => ({ ...well, at }),
      orders: {
        list: async (query) => {
          read.push(query)
          if (waiting === 0) throw new Error("the storage is down")
          return Array.from({ length: query?.status === "needs_operator" ? waiting : 0 }, () => ({}) as Order)
        }
      }
    })
    const counted = async () => linesOf(await text()).filter((line) => line.startsWith("till402_orders"))
    const two = [`till402_orders{status="needs_operator"} 2`, `till402_orders{status="refund_due"} 0`]
    expect(await counted()).toEqual(two)
    waiting = 0
    expect(await counted()).toEqual(two)
    expect(read).toEqual([
      { status: "needs_operator", limit: 200 },
      { status: "refund_due", limit: 200 }
    ])
    at = new Date(10_000)
    expect(await counted()).toEqual([])
    waiting = 1
    at = new Date(20_000)
    expect(await counted()).toContain(`till402_orders{status="needs_operator"} 1`)
  })

  it("show the till's health as it is when they are read", async () => {
    const { text, watch } = open()
    let health = well
    watch({ health: async () => health })
    expect(linesOf(await text())).toEqual(
      expect.arrayContaining([
        `till402_check_status{check="storage",subject=""} 0`,
        `till402_check_status{check="node",subject="base"} 1`,
        "till402_ready 1",
        `till402_queue_oldest_age_seconds{queue="settlements"} 90`,
        `till402_queue_oldest_age_seconds{queue="orders"} 601`,
        `till402_queue_oldest_age_seconds{queue="purchases"} 0`,
        "till402_refunds_due 2",
        "till402_refunds_stopped 1"
      ])
    )
    health = {
      ...well,
      ready: false,
      work: undefined,
      checks: [{ name: "start", status: "fail", problem: "closed", cure: "make another" }]
    }
    const lines = linesOf(await text())
    expect(lines).toEqual(
      expect.arrayContaining([
        `till402_check_status{check="start",subject=""} 2`,
        `till402_check_status{check="node",subject="base"} 0`,
        "till402_ready 0"
      ])
    )
  })

  it("show what a till has served and nobody has paid yet", async () => {
    const { text, watch } = open()
    const { till, track } = await openTill({
      facilitator: fakeFacilitator().leavesPending(),
      onEvent: () => {},
      limits: { lossPerHour: "2.08" }
    })
    const shown = async () => linesOf(await text()).filter((line) => /unsettled|exposure|loss/.test(line))
    watch(till)
    expect((await track()).status).toBe(503)
    const [used, ...unsettled] = await shown()
    expect(unsettled).toEqual(["till402_unsettled 1", "till402_exposure_usd 0.52"])
    // Time refills it.
    expect(Number(used?.replace("till402_loss_budget_used_ratio ", ""))).toBeCloseTo(0.25, 2)
  })

  it("read charges once for a flood of readers, and have none of them while the storage fails", async () => {
    const { text, watch } = open()
    const queries: Array<unknown> = []
    let health: TillHealth = well
    let charges: ReadonlyArray<Partial<ChargeSummary>> | undefined = [
      { exposureAtomic: 10_000n },
      { exposureAtomic: 0n }
    ]
    watch({
      health: async () => health,
      charges: {
        list: async (query) => {
          queries.push(query)
          if (charges === undefined) throw new Error("the storage is down")
          return charges as ReadonlyArray<ChargeSummary>
        }
      }
    })
    const shown = async () => linesOf(await text()).filter((line) => /unsettled|exposure/.test(line))
    await Promise.all(Array.from({ length: 200 }, text))
    const two = ["till402_unsettled 2", "till402_exposure_usd 0.01"]
    expect(await shown()).toEqual(two)
    expect(queries).toEqual([{ state: "ready", limit: 1_000 }])
    charges = undefined
    health = { ...well, at: new Date(10_000) }
    expect(await shown()).toEqual([])
    charges = []
    health = { ...well, at: new Date(20_000) }
    expect(await shown()).toEqual(["till402_unsettled 0", "till402_exposure_usd 0"])
    health = { ...well, at: new Date(30_000), work: undefined }
    expect(await shown()).toEqual([])
  })

  it("show wallets and the loss budget while they are known, and never a wrong 0", async () => {
    const { text, watch } = open()
    let health: TillHealth = { ...well, checks: [wallet("1500000")] }
    watch({ health: async () => health })
    const shown = async () => linesOf(await text()).filter((line) => /wallet_|loss/.test(line))
    const balance = 'till402_refund_wallet_balance_usd{network="eip155:8453"}'
    expect(await shown()).toEqual([`${balance} 1.5`, "till402_loss_budget_used_ratio 0.25"])
    health = { ...well, checks: [], lossBudgetUsed: undefined }
    expect(await shown()).toEqual([])
    health = { ...well, checks: [wallet("0")], lossBudgetUsed: 0 }
    expect(await shown()).toEqual([`${balance} 0`, "till402_loss_budget_used_ratio 0"])
  })

  it("leave out a host's own metrics, and answer their path alone", async () => {
    const context = Context.make(Metric.MetricRegistry, new Map())
    Metric.counter("host_requests").updateUnsafe(1, context)
    const { fetch, handles, onPayment } = tillMetrics({ context })
    onPayment(event({}))
    const response = await fetch(new Request("https://shop.example/metrics"))
    expect(response.headers.get("content-type")).toContain("version=0.0.4")
    expect(await response.text()).not.toContain("host_requests")
    expect((await fetch(new Request("https://shop.example/metrics", { method: "POST" }))).status).toBe(405)
    expect([handles("/metrics"), handles("/x402/search")]).toEqual([true, false])
  })
})

describe("the faults of the ledger", () => {
  const minute = 60_000
  const day = 86_400_000

  /** A till whose ledger is checked as a test wants, and its time. */
  const openLedger = (ledgerCheckMillis?: number) => {
    const context = Context.make(Metric.MetricRegistry, new Map())
    const metrics = tillMetrics({
      context,
      ...(ledgerCheckMillis === undefined ? {} : { ledgerCheckMillis })
    })
    const checks: Array<{ readonly query: unknown; readonly end: PromiseWithResolvers<LedgerCheck> }> = []
    let atMillis = day
    metrics.watch({
      health: async () => ({ ...well, at: new Date(atMillis) }),
      ledger: {
        check: (query) => {
          const end = Promise.withResolvers<LedgerCheck>()
          checks.push({ query, end })
          return end.promise
        }
      }
    })
    const faults = async () => linesOf(await metrics.text()).filter((line) => line.includes("ledger"))
    const after = (millis: number) => {
      atMillis += millis
      return faults()
    }
    const audit = (count: number) => ({ faults: Array.from({ length: count }) }) as unknown as LedgerCheck
    return { after, audit, checks, faults }
  }

  it("are counted once an hour, over the last day, and nobody waits for that", async () => {
    const { after, audit, checks, faults } = openLedger()
    expect(await faults()).toEqual([])
    const to = new Date(day - minute)
    expect(checks.map(({ query }) => query)).toEqual([{ from: new Date(to.getTime() - day), to }])
    // One at a time, however long it takes.
    expect(await after(2 * 60 * minute)).toEqual([])
    expect(checks).toHaveLength(1)
    checks[0]!.end.resolve(audit(2))
    await expect.poll(faults).toEqual(["till402_ledger_faults 2"])
    await after(59 * minute)
    expect(checks).toHaveLength(2)
    checks[1]!.end.resolve(audit(0))
    await expect.poll(faults).toEqual(["till402_ledger_faults 0"])
    await after(59 * minute)
    expect(checks).toHaveLength(2)
  })

  it("are unknown after a check that failed", async () => {
    const { after, audit, checks, faults } = openLedger()
    await faults()
    checks[0]!.end.resolve(audit(1))
    await expect.poll(faults).toHaveLength(1)
    await after(61 * minute)
    checks[1]!.end.reject(new Error("the storage is down"))
    await expect.poll(faults).toEqual([])
  })

  it("aren't counted where a host doesn't want that", async () => {
    const { after, checks } = openLedger(0)
    await after(day)
    expect(checks).toEqual([])
  })
})
