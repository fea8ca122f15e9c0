import { Clock, type Context, Duration, Effect, Exit, Layer, Logger, Scope } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { ConfigurationError, StoreError } from "../../src/domain/Errors.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { layerMemoryStores } from "../../src/stores/memory.ts"
import { Orders } from "../../src/shop/ports/Orders.ts"
import { StoreClock } from "../../src/ports/StoreClock.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { VaultPurchases } from "../../src/shop/ports/VaultPurchases.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import { lease, unlimited } from "../../../testing/src/stores/chargeRecords.ts"
import { sampleCharge, sampleOrder } from "../../../testing/src/stores/records.ts"
import { layer, StoreTime } from "../../src/till/storeTime.ts"

const startMillis = Date.UTC(2026, 10, 21)
const leaseMillis = 180_000

/** True time, and a database that returns it. */
class World {
  nowMillis = startMillis
  /** What the database's clock is off. */
  databaseMillis = 0
  isDown = false
  reads = 0
  readonly storage: Layer.Layer<Stores>

  constructor(stores: Context.Context<Stores>) {
    this.storage = Layer.merge(
      Layer.succeedContext(stores),
      Layer.succeed(StoreClock, {
        nowMillis: Effect.suspend(() => {
          this.reads++
          return this.isDown
            ? Effect.fail(new StoreError({ operation: "clock", cause: new Error("down") }))
            : Effect.succeed(this.nowMillis + this.databaseMillis)
        })
      })
    )
  }
}

/** The clock of one process: its wall clock may be off, and its monotonic clock may stand still. */
class OwnClock implements Clock.Clock {
  private readonly world: World
  skewMillis: number
  stoppedMillis = 0
  constructor(world: World, skewMillis: number) {
    this.world = world
    this.skewMillis = skewMillis
  }
  currentTimeMillisUnsafe = (): number => this.world.nowMillis + this.skewMillis
  currentTimeMillis = Effect.sync(this.currentTimeMillisUnsafe)
  currentTimeNanosUnsafe = (): bigint => BigInt(this.currentTimeMillisUnsafe()) * 1_000_000n
  currentTimeNanos = Effect.sync(this.currentTimeNanosUnsafe)
  monotonicTimeNanosUnsafe = (): bigint =>
    BigInt(this.world.nowMillis - startMillis - this.stoppedMillis) * 1_000_000n
  monotonicTimeNanos = Effect.sync(this.monotonicTimeNanosUnsafe)
  sleep = (duration: Duration.Duration) => Effect.sleep(Duration.toMillis(duration))
}

const makeWorld = async (): Promise<World> =>
  new World(await Effect.runPromise(Effect.scoped(Layer.build(layerMemoryStores))))

/** The parts of a till that depend on its time, in a process whose clock is off by `skewMillis`. */
const startProcess = async (world: World, skewMillis = 0) => {
  const own = new OwnClock(world, skewMillis)
  const events: Array<TillEvent> = []
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const context = await Effect.runPromise(
    Layer.buildWithScope(
      layer.pipe(
        Layer.provide(world.storage),
        Layer.provideMerge([
          Layer.succeed(Clock.Clock, own),
          Logger.layer([eventLogger((event) => events.push(event))])
        ])
      ),
      scope
    )
  )
  // The storage has all stores, and so has what `layer` makes of it.
  const run = <A, E>(effect: Effect.Effect<A, E, Stores>) =>
    Effect.runPromise(Effect.provide(effect, context as Context.Context<Stores>))
  return {
    own,
    events: () => events.map(({ code }) => code),
    run,
    check: () =>
      run(
        Effect.gen(function* () {
          yield* (yield* StoreTime).check
        })
      ),
    now: () => run(Clock.currentTimeMillis),
    /** Takes what is due, as a worker does. */
    take: () =>
      run(
        Effect.gen(function* () {
          const nowMillis = yield* Clock.currentTimeMillis
          return yield* (yield* Orders).take(nowMillis, nowMillis + leaseMillis, 9)
        })
      )
  }
}

const dueOrder = Orders.use((orders) =>
  orders.create(sampleOrder({ dueAtMillis: startMillis, stepAtMillis: startMillis }))
)

describe("a till on a storage with a clock", () => {
  it("takes no lease that another process holds, whatever the process's own clock shows", async () => {
    const world = await makeWorld()
    const first = await startProcess(world)
    const second = await startProcess(world, 55_000)
    await first.run(dueOrder)
    expect(await first.take()).toHaveLength(1)
    world.nowMillis += leaseMillis - 20_000
    expect(await second.take()).toEqual([])
    // Beyond the lease, in one step and unnoticed so far.
    second.own.skewMillis = 200_000
    await expect(second.take()).rejects.toMatchObject({ operation: "orders.take" })
    await expect(second.take()).rejects.toMatchObject({ operation: "orders.take" })
    expect(await second.now()).toBe(world.nowMillis)
    world.nowMillis += 20_000
    expect(await first.take()).toHaveLength(1)
  })

  it.each([
    ["ahead of", 61_000],
    ["behind", -200_000]
  ])("doesn't start where the process's clock is far %s the database's", async (side, skewMillis) => {
    const error: unknown = await startProcess(await makeWorld(), skewMillis).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toContain(`${Math.abs(skewMillis) / 1_000} s ${side} the database's`)
    expect(String(error)).toContain("NTP")
  })

  it("reports a clock that is off, once", async () => {
    const process = await startProcess(await makeWorld(), -6_000)
    await process.check()
    expect(process.events()).toEqual(["clock_skewed"])
    expect(await process.take()).toEqual([])
    expect((await startProcess(await makeWorld(), 4_000)).events()).toEqual([])
  })

  it("takes no more work where its clock goes wrong, and goes on once it is right", async () => {
    const world = await makeWorld()
    const process = await startProcess(world)
    await process.run(dueOrder)
    process.own.skewMillis = 400_000
    await process.check()
    expect(process.events()).toEqual(["clock_refused"])
    await expect(process.take()).rejects.toBeInstanceOf(StoreError)
    const claim = Charges.use((charges) =>
      charges.claim(sampleCharge(), lease("me", startMillis), startMillis, unlimited)
    )
    const takeOver = Charges.use((charges) => charges.takeOver("key", lease("me"), startMillis))
    const takePurchases = VaultPurchases.use((purchases) =>
      purchases.take(startMillis, startMillis + leaseMillis, 9)
    )
    await expect(process.run(claim)).rejects.toMatchObject({ operation: "charges.claim" })
    await expect(process.run(takeOver)).rejects.toMatchObject({ operation: "charges.takeOver" })
    await expect(process.run(takePurchases)).rejects.toMatchObject({ operation: "vaultPurchases.take" })
    // What another process may have to know of is recorded all the same.
    expect(await process.run(Orders.use((orders) => orders.find(sampleOrder().id)))).toBeDefined()
    process.own.skewMillis = 0
    await process.check()
    expect(await process.take()).toHaveLength(1)
    expect(process.events()).toEqual(["clock_refused"])
  })

  it("reads the database's clock anew after its machine slept, before it takes anything", async () => {
    const world = await makeWorld()
    const process = await startProcess(world)
    await process.run(dueOrder)
    world.nowMillis += 500_000
    process.own.stoppedMillis = 500_000
    // A worker that was asleep must know that it is late.
    expect(await process.now()).toBe(world.nowMillis)
    const reads = world.reads
    expect(await process.take()).toHaveLength(1)
    expect(world.reads).toBe(reads + 1)
    expect(await process.take()).toEqual([])
    expect(world.reads).toBe(reads + 1)
  })

  it("takes nothing while it can't read the database's clock after a jump", async () => {
    const world = await makeWorld()
    const process = await startProcess(world)
    world.isDown = true
    process.own.skewMillis = 2_000
    await expect(process.take()).rejects.toBeInstanceOf(StoreError)
    await expect(process.take()).rejects.toBeInstanceOf(StoreError)
    expect(process.events()).toContain("storage_failed")
    world.isDown = false
    expect(await process.take()).toEqual([])
  })

  it("refuses a call whose time is from a clock that was set, and no later one", async () => {
    const world = await makeWorld()
    const process = await startProcess(world)
    await process.run(dueOrder)
    process.own.skewMillis = 30_000
    await expect(process.take()).rejects.toMatchObject({ operation: "orders.take" })
    expect(await process.now()).toBe(world.nowMillis)
    expect(await process.take()).toHaveLength(1)
  })

  it("follows the database's clock where that is set", async () => {
    const world = await makeWorld()
    const process = await startProcess(world)
    world.databaseMillis = 30_000
    await process.check()
    expect(await process.now()).toBe(world.nowMillis + 30_000)
    expect(process.events()).toEqual(["clock_skewed"])
  })
})

describe("a till on a storage without a clock", () => {
  it("runs on the process's", async () => {
    const stores = await Effect.runPromise(Effect.scoped(Layer.build(layerMemoryStores)))
    const time = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(Layer.build(layer.pipe(Layer.provide(Layer.succeedContext(stores)))), (context) =>
          Effect.provide(Effect.flatMap(StoreTime, Effect.succeed), context)
        )
      )
    )
    expect(time.clock).toBeUndefined()
  })
})
