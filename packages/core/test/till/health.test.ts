import { Context, Effect, Layer } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { Charges } from "../../src/ports/Charges.ts"
import { StoreError } from "../../src/domain/Errors.ts"
import { memory } from "../../src/stores/memory.ts"
import { workChecks } from "../../src/till/Health.ts"
import { Till } from "../../src/till/PlainTill.ts"
import type { TillOptions } from "../../src/till/settings/TillOptions.ts"
import { WorkerRuns } from "../../src/till/Workers.ts"
import { Orders } from "../../src/shop/ports/Orders.ts"
import { VaultPurchases } from "../../src/shop/ports/VaultPurchases.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import {
  sampleCharge,
  sampleOrder,
  samplePurchase,
  sampleReceipt,
  sampleResponse
} from "../../../testing/src/stores/records.ts"
import { paidRefundDue as refundDue } from "../../../testing/src/stores/chargeRecords.ts"
import { fakeFacilitator, fakeFulfilment, fakeMarketplace, fakeTracker } from "../../../testing/src/index.ts"

/*
 * `till.health()` and the handlers for orchestrators: what is wrong fails, what is others' fault stops no process, and
 * a flood of readers reads once.
 */

/** Storage in memory, whose reading of the refund stop a test replaces, and how often it was read. */
const watchedStorage = () => {
  const watched = {
    reads: 0,
    answer: "well" as "well" | "fails" | "never" | "stuck",
    stuck: Promise.withResolvers<undefined>()
  }
  const failing = Effect.fail(new StoreError({ operation: "charges.refundStop", cause: "down" }))
  const watch = (charges: Charges["Service"]): Charges["Service"] => ({
    ...charges,
    refundStop: () =>
      Effect.suspend(() => {
        watched.reads += 1
        if (watched.answer === "never") return Effect.never
        // As a transaction of a host that awaits a connection.
        if (watched.answer === "stuck")
          return Effect.uninterruptible(Effect.promise(() => watched.stuck.promise))
        return watched.answer === "fails" ? failing : charges.refundStop()
      })
  })
  const layer = Layer.effectContext(
    Effect.map(Layer.build(memory()), (stores) =>
      Context.add(stores, Charges, watch(Context.get(stores, Charges)))
    )
  )
  return { watched, layer }
}

const openTill = (options: Partial<TillOptions> = {}) => {
  const { getSupported, settle, verify } = fakeFacilitator()
  const { layer, watched } = watchedStorage()
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x1111111111111111111111111111111111111111",
    networks: [{ network: "base-sepolia" }],
    secret: "rDq3+Zk0vT8nJ1xYwB5uLe7hQm2sGc9f",
    facilitator: { verify, settle, getSupported },
    storage: layer,
    tracker: fakeTracker(),
    onEvent: () => undefined,
    ...options
  })
  onTestFinished(till.dispose)
  const probes = Till.probes(till)
  const probe = async (path: string, method = "GET") => {
    const response = await probes.fetch(new Request(`https://shop.example${path}`, { method }))
    return { status: response.status, body: await response.text(), headers: response.headers }
  }
  return { till, watched, probe, probes }
}

describe("till.health()", () => {
  it("passes what is in order, by name", async () => {
    const { till } = openTill()
    await till.ready
    const health = await till.health()
    expect(health).toMatchObject({ live: true, ready: true, lossBudgetUsed: 0 })
    expect(health.work).toEqual({
      oldestSettlementMillis: 0,
      oldestOrderMillis: 0,
      oldestPurchaseMillis: 0,
      oldestRefundMillis: 0,
      refundsDue: 0,
      areRefundsStopped: false
    })
    const own = ["start", "storage", "due work", "refunds", "workers"]
    expect(health.checks.filter(({ name }) => own.includes(name)).map(({ name }) => name)).toEqual(own)
    expect(health.checks.filter(({ status }) => status === "fail")).toEqual([])
  })

  it("reads once for a flood of readers", async () => {
    const { till, watched } = openTill()
    await till.ready
    const before = watched.reads
    const found = await Promise.all(Array.from({ length: 500 }, () => till.health()))
    expect(new Set(found.map(({ at }) => at.getTime())).size).toBe(1)
    // Background work may read it, too: far fewer times.
    expect(watched.reads - before).toBeLessThan(10)
    const flooded = watched.reads
    await Promise.all(Array.from({ length: 500 }, () => till.isReady()))
    expect(watched.reads - flooded).toBeLessThan(10)
  })

  it("warns that refunds are stopped, and is ready all the same", async () => {
    const { till } = openTill()
    await till.ready
    await till.refunds.stop("audit")
    const { checks, ready, status } = await till.health()
    expect({ ready, status }).toEqual({ ready: true, status: "warn" })
    expect(checks.find(({ name }) => name === "refunds")).toMatchObject({ status: "warn" })
  })

  it("says why the start failed, and that the process must restart", async () => {
    const { probe, till } = openTill({
      storage: Layer.effectContext(Effect.fail(new StoreError({ operation: "open", cause: "down" }))) as never
    })
    await expect(till.ready).rejects.toThrow()
    const health = await till.health()
    expect(health).toMatchObject({ live: false, ready: false, status: "fail" })
    expect(health.checks).toEqual([expect.objectContaining({ name: "start", status: "fail" })])
    expect([(await probe("/livez")).status, (await probe("/readyz")).status]).toEqual([503, 503])
  })
})

const minute = 60_000
const pausedMillis = 11 * minute

/** A till whose background work hangs from the start, and what its storage has. */
const openHungTill = async () => {
  const opened = Promise.withResolvers<Context.Context<Stores>>()
  const hanging = <Service extends object>(
    service: Service,
    ...verbs: ReadonlyArray<keyof Service>
  ): Service =>
    ({ ...service, ...Object.fromEntries(verbs.map((verb) => [verb, () => Effect.never])) }) as Service
  const storage = Layer.effectContext(
    Effect.map(Layer.build(memory()), (stores) => {
      opened.resolve(stores)
      return stores.pipe(
        Context.add(Charges, hanging(Context.get(stores, Charges), "takeOver")),
        Context.add(Orders, hanging(Context.get(stores, Orders), "take")),
        Context.add(VaultPurchases, hanging(Context.get(stores, VaultPurchases), "take"))
      )
    })
  )
  const { till } = openTill({
    storage,
    networks: [{ network: "base-sepolia" }],
    trustFacilitator: true,
    marketplaces: { marketplace_a: fakeMarketplace() },
    fulfilment: fakeFulfilment(),
    vault: { open: async () => undefined as never }
  })
  await till.ready
  const stores = await opened.promise
  const run = <A, E>(effect: Effect.Effect<A, E, Stores>) => Effect.runPromise(Effect.provide(effect, stores))
  const late = async () => {
    const { checks, work } = await till.health()
    return { work, problem: checks.find(({ name }) => name === "due work")?.problem }
  }
  return { late, run }
}

describe("a till whose background work hangs", () => {
  it("warns of an order's step, and of a purchase's mail, that are late", async () => {
    const { late, run } = await openHungTill()
    const dueAtMillis = Date.now() - pausedMillis
    await run(Orders.use((orders) => orders.create(sampleOrder({ stepAtMillis: dueAtMillis, dueAtMillis }))))
    await run(VaultPurchases.use((purchases) => purchases.reserve(samplePurchase({ dueAtMillis }))))
    const { problem, work } = await late()
    expect(problem).toBe(
      "A step or mail of an order has been due for 11 minutes; A mail or check of a purchase has been due for 11 minutes"
    )
    expect(work?.oldestOrderMillis).toBeGreaterThanOrEqual(pausedMillis)
    expect(work?.oldestOrderMillis).toBeLessThan(pausedMillis + minute)
  })

  it("doesn't warn of a step that is to come", async () => {
    const { late, run } = await openHungTill()
    await run(Orders.use((orders) => orders.create(sampleOrder({ dueAtMillis: Date.now() + minute }))))
    expect(await late()).toMatchObject({ problem: undefined, work: { oldestOrderMillis: 0 } })
  })

  it("warns of a claim that is late, behind a hundred charges that aren't", async () => {
    const { late, run } = await openHungTill()
    const nowMillis = Date.now()
    const others = Array.from({ length: 100 }, (_, index) => `other-${index}`)
    const add = (key: string, untilMillis: number, isReady: boolean) =>
      Charges.use((charges) =>
        Effect.andThen(
          charges.claim(
            sampleCharge({ key, payer: key, createdAtMillis: untilMillis - 1 }),
            { owner: "me", untilMillis },
            untilMillis - 1,
            { maxUnsettled: 1, maxExposureAtomic: "1000000" }
          ),
          isReady
            ? charges.advance(key, "me", { response: sampleResponse(), subject: undefined })
            : Effect.void
        )
      )
    await run(Effect.forEach(others, (key) => add(key, nowMillis - 1_000, true), { discard: true }))
    await run(add("claim", nowMillis - pausedMillis, false))
    expect((await late()).problem).toBe("A settlement has been due for 11 minutes")
  })

  it("counts refunds beyond a page, and knows the oldest", async () => {
    const { late, run } = await openHungTill()
    const nowMillis = Date.now()
    await run(
      Charges.use((charges) =>
        Effect.forEach(
          Array.from({ length: 230 }, (_, index) => nowMillis - 230_000 + index * 1_000),
          Effect.fnUntraced(function* (atMillis, index) {
            const key = `refund-${index}`
            const charge = sampleCharge({ key, payer: key, createdAtMillis: atMillis })
            const unlimited = { maxUnsettled: 1, maxExposureAtomic: "1000000" }
            yield* charges.claim(charge, { owner: "me", untilMillis: atMillis + 1 }, atMillis, unlimited)
            yield* charges.advance(key, "me", { response: sampleResponse(), subject: undefined })
            const receipt = { ...sampleReceipt(), transaction: `0x${index.toString(16).padStart(64, "0")}` }
            yield* charges.complete(key, { ...refundDue, receipt }, atMillis)
          }),
          { discard: true }
        )
      )
    )
    const { work } = await late()
    expect(work?.refundsDue).toBe(230)
    expect(work?.oldestRefundMillis).toBeGreaterThanOrEqual(230_000)
    expect(work?.oldestRefundMillis).toBeLessThan(260_000)
  })
})

describe("livez and readyz", () => {
  it("tell no details, and answer their own paths and methods alone", async () => {
    const { probe, probes, till } = openTill()
    await till.ready
    for (const path of ["/livez", "/readyz"]) {
      const { body, headers, status } = await probe(path)
      expect({ status, body }).toEqual({ status: 200, body: '{"status":"pass"}' })
      expect(headers.get("content-type")).toBe("application/health+json")
      expect(await probe(path, "HEAD")).toMatchObject({ status: 200, body: "" })
      expect(await probe(path, "POST")).toMatchObject({ status: 405 })
    }
    expect(["/livez", "/readyz", "/", "/x402/track"].map((path) => probes.handles(path))).toEqual([
      true,
      true,
      false,
      false
    ])
    const below = Till.probes(till, { prefix: "/internal" })
    expect([below.handles("/internal/livez"), below.handles("/livez")]).toEqual([true, false])
  })

  it.each(["fails", "never", "stuck"] as const)(
    "are alive and not ready while the storage answer is: %s",
    async (answer) => {
      const { probe, till, watched } = openTill()
      await till.ready
      watched.answer = answer
      expect((await probe("/readyz")).status).toBe(503)
      expect((await probe("/livez")).status).toBe(200)
      expect(await till.health()).toMatchObject({ live: true, ready: false, status: "fail", work: undefined })
      watched.answer = "well"
      watched.stuck.resolve(undefined)
      // Its reading holds for a second.
      await expect.poll(async () => (await probe("/readyz")).status, { timeout: 60_000 }).toBe(200)
    }
  )

  it("begin no other reading while the storage holds one", async () => {
    const { probe, till, watched } = openTill()
    await till.ready
    watched.answer = "stuck"
    expect((await probe("/readyz")).status).toBe(503)
    const { reads } = watched
    // Its reading holds for a second: each of these asks anew.
    for (const _ of [1, 2]) {
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      expect((await probe("/readyz")).status).toBe(503)
    }
    expect(watched.reads).toBe(reads)
    watched.stuck.resolve(undefined)
  })

  it("don't depend on a facilitator that is down: health warns", async () => {
    const { settle, verify } = fakeFacilitator()
    const { probe, till } = openTill({
      facilitator: {
        verify,
        settle,
        getSupported: async () => {
          throw new Error("down")
        }
      }
    })
    await till.ready
    expect((await probe("/readyz")).status).toBe(200)
    const { checks, ready } = await till.health()
    expect(ready).toBe(true)
    expect(checks.find(({ name }) => name === "facilitator")).toMatchObject({ status: "warn" })
  })

  it("isn't ready once it closes, and stays alive", async () => {
    const { probe, till } = openTill()
    await till.ready
    const disposing = till.dispose()
    expect((await probe("/readyz")).status).toBe(503)
    expect((await probe("/livez")).status).toBe(200)
    await disposing
    expect(await till.health()).toMatchObject({ live: true, ready: false, status: "fail" })
  })
})

describe("what is late", () => {
  const work = {
    oldestSettlementMillis: 0,
    oldestOrderMillis: 0,
    oldestPurchaseMillis: 0,
    oldestRefundMillis: 0,
    refundsDue: 0,
    areRefundsStopped: false
  }
  const wrong = (given: Partial<typeof work>) =>
    workChecks({ ...work, ...given })
      .filter(({ status }) => status !== "pass")
      .map(({ name, problem }) => `${name}: ${problem}`)

  it("warns of a settlement after ten minutes, and of a refund after an hour", () => {
    expect(wrong({ oldestSettlementMillis: 600_000, oldestRefundMillis: 3_600_000 })).toEqual([])
    expect(wrong({ oldestSettlementMillis: 660_000, oldestRefundMillis: 3_660_000 })).toEqual([
      "due work: A settlement has been due for 11 minutes",
      "refunds: A refund has been due for 61 minutes"
    ])
  })

  it("names every queue that is late", () => {
    const late = {
      oldestSettlementMillis: 660_000,
      oldestOrderMillis: 720_000,
      oldestPurchaseMillis: 780_000
    }
    expect(wrong(late)).toEqual([
      "due work: A settlement has been due for 11 minutes; A step or mail of an order has been due for 12 minutes; A mail or check of a purchase has been due for 13 minutes"
    ])
  })

  it("warns of a worker that fails or is stuck, until it is well again", () => {
    const runs = new WorkerRuns()
    runs.started("reconcile", 0)
    expect(runs.check(600_000).status).toBe("pass")
    expect(runs.check(600_001).problem).toContain("running for more than 10 minutes: reconcile")
    runs.ended("reconcile", true)
    expect(runs.check(700_000).problem).toContain("failed at the last run: reconcile")
    runs.started("reconcile", 700_000)
    runs.ended("reconcile", false)
    expect(runs.check(700_000).status).toBe("pass")
  })
})
