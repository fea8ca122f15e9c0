import { Clock, Effect, Fiber, Layer, Logger } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { StoreError } from "../../src/domain/Errors.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { layerMemoryStores } from "../../src/stores/memory.ts"
import { Orders } from "../../src/shop/ports/Orders.ts"
import { BackgroundWork } from "../../src/runtime/BackgroundWork.ts"
import { Quotes } from "../../src/shop/ports/Quotes.ts"
import { shopErasure } from "../../src/shop/ports/ShopErasure.ts"
import { VaultPurchases } from "../../src/shop/ports/VaultPurchases.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import { findNetwork } from "../../src/domain/Network.ts"
import { UnreadNetworks, WithdrawnNetworks } from "../../src/http/WithdrawnNetworks.ts"
import { WrongClock } from "../../src/http/WrongClock.ts"
import { Refunds } from "../../src/refunds/Refunds.ts"
import { background, housekeeping } from "../../src/till/background.ts"
import type { ConfiguredSettings } from "../../src/till/settings/Configuration.ts"
import { Operations } from "../../src/operations/Operation.ts"
import { Chain } from "../../src/toll/evidence/Chain.ts"
import { Facilitator } from "../../src/toll/facilitator/Facilitator.ts"
import { StoreTime } from "../../src/till/storeTime.ts"
import { WorkerRuns, Workers } from "../../src/till/Workers.ts"
import type { ReconcileOptions } from "../../src/toll/perform/Reconciler.ts"
import { SettlementRunner } from "../../src/toll/perform/SettlementRunner.ts"

const hour = 3_600_000
const day = 24 * hour
const nowMillis = 400 * day

/** What each part does: how many records it has left to erase, or an effect that takes its place. */
interface Plan {
  readonly reconcile?: Effect.Effect<{ readonly settled: number; readonly pending: number }, StoreError>
  readonly responses?: number
  readonly quotes?: number
  readonly orders?: number
  readonly purchases?: number
}

/** Housekeeping for some time: the calls that it makes, each with its time since the start. */
const keepHouse = (plan: Plan, millis: number) =>
  Effect.gen(function* () {
    const calls: Array<readonly [name: string, atMillis: number, ...given: ReadonlyArray<unknown>]> = []
    const note = (name: string, ...given: ReadonlyArray<unknown>) =>
      Effect.map(Clock.currentTimeMillis, (atMillis) => calls.push([name, atMillis - nowMillis, ...given]))
    const erases = (name: string, left = 0) => {
      let rest = left
      return (beforeMillis: number, limit: number) =>
        Effect.map(note(name, beforeMillis, limit), () => {
          const erased = Math.min(rest, limit)
          rest -= erased
          return erased
        })
    }
    const events: Array<TillEvent> = []
    const settlements = {
      reconcile: (options: ReconcileOptions) =>
        Effect.andThen(
          note("reconcile", options),
          plan.reconcile ?? Effect.succeed({ settled: 0, pending: 0 })
        ),
      takeOver: () => {
        throw new Error("takeOver was not expected")
      },
      perform: () => {
        throw new Error("perform was not expected")
      }
    }
    const stores = Layer.mergeAll(
      Layer.effect(
        Charges,
        Effect.map(Charges, (charges) => ({ ...charges, expire: erases("charges", plan.responses) }))
      ),
      Layer.effect(
        Quotes,
        Effect.map(Quotes, (quotes) => ({ ...quotes, expire: erases("quotes", plan.quotes) }))
      ),
      Layer.effect(
        Orders,
        Effect.map(Orders, (orders) => ({ ...orders, forget: erases("orders", plan.orders) }))
      ),
      Layer.effect(
        VaultPurchases,
        Effect.map(VaultPurchases, (purchases) => ({
          ...purchases,
          forget: erases("purchases", plan.purchases)
        }))
      ),
      Layer.succeed(SettlementRunner, settlements)
    ).pipe(Layer.provide(layerMemoryStores))
    yield* TestClock.setTime(nowMillis)
    const time = { clock: undefined, check: Effect.asVoid(note("check")) }
    const lifetimes = { responseLifetimeMillis: day, personalDataLifetimeMillis: 90 * day }
    const running = yield* Effect.forkChild(
      housekeeping(lifetimes).pipe(
        Effect.provide(Layer.provideMerge(shopErasure(lifetimes), Layer.merge(stores, BackgroundWork.layer))),
        Effect.provideService(StoreTime, time),
        Effect.provide(Logger.layer([eventLogger((event) => events.push(event))]))
      )
    )
    yield* TestClock.adjust(millis)
    yield* Fiber.interrupt(running)
    const of = (name: string) => calls.filter(([called]) => called === name).map(([, ...given]) => given)
    return { calls, events, of }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("housekeeping", () => {
  it("erases what is older than its lifetime, every fifteen seconds", async () => {
    const { of } = await keepHouse({}, 30_000)
    const beforeMillis = [0, 15_000, 30_000].map((atMillis) => [atMillis, nowMillis + atMillis - day, 200])
    expect(of("charges")).toEqual(beforeMillis)
    expect(of("quotes")).toEqual(beforeMillis)
    expect(of("orders")[0]).toEqual([0, nowMillis - 90 * day, 200])
    expect(of("purchases")[0]).toEqual([0, nowMillis - 90 * day, 200])
    const options = { limit: 100, eager: false, untilDone: true }
    expect(of("reconcile")).toEqual([0, 15_000, 30_000].map((atMillis) => [atMillis, options]))
  })

  it.each(["responses", "quotes", "orders", "purchases"] as const)(
    "repeats full batches with short pauses until all %s are erased",
    async (name) => {
      const { of } = await keepHouse({ [name]: 100_003 }, 14_999)
      const calls = of(name === "responses" ? "charges" : name)
      expect(calls).toHaveLength(501)
      expect(new Set(calls.map(([, beforeMillis]) => beforeMillis)).size).toBe(1)
      const times = calls.map(([atMillis]) => Number(atMillis))
      expect(times.slice(0, 3)).toEqual([0, 25, 50])
    }
  )

  it("checks the clock before each part", async () => {
    const { calls, of } = await keepHouse({}, 15_000)
    expect(of("check")).toHaveLength(10)
    const names = calls.map(([name]) => name)
    const parts = ["charges", "orders", "purchases", "quotes", "reconcile"]
    expect(names.filter((name) => name !== "check").toSorted()).toEqual([...parts, ...parts].toSorted())
    for (const [index, name] of names.entries()) {
      const before = names.slice(0, index + 1)
      const checks = before.filter((other) => other === "check").length
      if (name !== "check") expect(checks).toBeGreaterThanOrEqual(before.length - checks)
    }
  })

  it("reports a part that fails, and tries it again; the others go on", async () => {
    const failing = Effect.fail(new StoreError({ operation: "charges.unfinished", cause: new Error("no") }))
    const { events, of } = await keepHouse({ reconcile: failing, responses: 300 }, 15_025)
    expect(of("charges").map(([atMillis]) => atMillis)).toEqual([0, 25, 15_025])
    expect(of("reconcile")).toHaveLength(2)
    expect(events).toMatchObject(
      [0, 1].map(() => ({ level: "error", code: "housekeeping_failed", operation: "reconcile" }))
    )
  })

  it("goes on while a part takes for ever", async () => {
    const { of } = await keepHouse({ reconcile: Effect.never, quotes: 1 }, 30_000)
    expect(of("reconcile")).toHaveLength(1)
    expect(of("quotes")).toHaveLength(3)
  })
})

describe("the background work of a till", () => {
  it("goes on beside a facilitator that fails in a way that nobody expects, and sends refunds again after a failure", async () => {
    const events: Array<TillEvent> = []
    let swept = 0
    const broken = Effect.die(new Error("the facilitator's own bug"))
    const storeFails = Effect.fail(new StoreError({ operation: "charges.list", cause: new Error("no") }))
    const { caip2 } = findNetwork("base-sepolia")!
    const settings = { networks: [{ caip2, family: "evm" }], responseLifetimeMillis: day }
    const services = Layer.mergeAll(
      Layer.succeed(Facilitator, { verify: () => broken, settle: () => broken, supported: broken }),
      Layer.succeed(Refunds, {
        isAutomatic: true,
        send: () => broken,
        sweep: Effect.suspend(() => (++swept === 2 ? storeFails : Effect.void))
      }),
      Layer.succeed(SettlementRunner, {
        reconcile: () => Effect.succeed({ settled: 0, pending: 0 }),
        takeOver: () => {
          throw new Error("takeOver was not expected")
        },
        perform: () => {
          throw new Error("perform was not expected")
        }
      }),
      Layer.succeed(StoreTime, { clock: undefined, check: Effect.void }),
      BackgroundWork.layer,
      Operations.layer,
      layerMemoryStores,
      Chain.layerRpc([]).pipe(Layer.provide(FetchHttpClient.layer))
    )
    const shared = {
      withdrawn: new WithdrawnNetworks(),
      unread: new UnreadNetworks(),
      wrongClock: new WrongClock()
    }
    const work = background(settings as unknown as ConfiguredSettings, shared, () => [])
    await Effect.andThen(Layer.build(work), TestClock.adjust(60_000)).pipe(
      Effect.scoped,
      Effect.provide([services, Logger.layer([eventLogger((event) => events.push(event))])]),
      Effect.provide(TestClock.layer()),
      Effect.runPromise
    )
    expect(swept).toBe(5)
    const failures = events.filter(({ code }) => code === "housekeeping_failed")
    expect(failures.map(({ operation }) => operation).toSorted()).toEqual([
      ...Array<string>(5).fill("facilitator.supported"),
      "refunds.sweep"
    ])
  })

  it("doesn't take a part for stuck that never ends, as the worker of orders", async () => {
    const runs = new WorkerRuns()
    const stuckAfter = (isEndless: boolean) =>
      Effect.gen(function* () {
        const work = yield* BackgroundWork
        yield* work.add({ operation: "work", run: Effect.never, ...(isEndless ? { isEndless } : {}) })
        const running = yield* Effect.forkChild(
          housekeeping({ responseLifetimeMillis: day }).pipe(Effect.provideService(Workers, runs))
        )
        yield* TestClock.adjust(11 * 60_000)
        yield* Fiber.interrupt(running)
        return runs.check(yield* Clock.currentTimeMillis).problem
      }).pipe(
        Effect.provide(Layer.mergeAll(layerMemoryStores, BackgroundWork.layer, TestClock.layer())),
        Effect.provideService(SettlementRunner, {
          reconcile: () => Effect.succeed({ settled: 0, pending: 0 })
        } as unknown as SettlementRunner["Service"]),
        Effect.provideService(StoreTime, { clock: undefined, check: Effect.void }),
        Effect.runPromise
      )
    expect(await stuckAfter(true)).toBeUndefined()
    expect(await stuckAfter(false)).toContain("running for more than 10 minutes: work")
  })
})
