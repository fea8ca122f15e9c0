import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { FairPool } from "../../../src/toll/limits/FairPool.ts"
import { limits, type Entering, enter, stateOf, statesOf, assertEmpty } from "./fairPools.ts"

const enterAll = (pool: FairPool, clients: ReadonlyArray<string>) =>
  Effect.forEach(clients, (client) => enter(pool, client))

describe("a fair pool", () => {
  it("gives free slots at once, all of them to a client alone", () => {
    const pool = new FairPool(limits)
    assert.deepStrictEqual([pool.tryEnter("a"), pool.tryEnter("a"), pool.tryEnter("a")], [true, true, false])
    assert.isFalse(pool.tryEnter("b"))
    pool.leave("a")
    assert.isTrue(pool.tryEnter("b"))
    pool.leave("a")
    pool.leave("b")
    assertEmpty(pool)
  })

  it("ignores who leaves without a slot", () => {
    const pool = new FairPool(limits)
    pool.leave("a")
    assert.isTrue(pool.tryEnter("a"))
    pool.leave("b")
    pool.leave("a")
    pool.leave("a")
    assertEmpty(pool)
  })

  it.effect("admits the oldest call first among clients with as many slots", () =>
    Effect.gen(function* () {
      const pool = new FairPool(limits)
      const fibers = yield* enterAll(pool, ["a", "b", "c", "d", "c"])
      assert.deepStrictEqual(statesOf(fibers), ["in", "in", "waiting", "waiting", "waiting"])
      pool.leave("a")
      assert.deepStrictEqual(statesOf(fibers), ["in", "in", "in", "waiting", "waiting"])
      pool.leave("b")
      assert.deepStrictEqual(statesOf(fibers), ["in", "in", "in", "in", "waiting"])
      for (const client of ["c", "d", "c"]) pool.leave(client)
      assert.strictEqual(stateOf(fibers[4]!), "in")
      assertEmpty(pool)
    })
  )

  it.effect("prefers the client with the fewest slots to one that came first", () =>
    Effect.gen(function* () {
      const pool = new FairPool({ ...limits, capacity: 3 })
      const [, , , a, b] = yield* enterAll(pool, ["a", "a", "c", "a", "b"])
      pool.leave("c")
      assert.deepStrictEqual(statesOf([a!, b!]), ["waiting", "in"])
      // Now both have slots: one has two, the other one.
      const again = yield* enter(pool, "b")
      pool.leave("a")
      assert.deepStrictEqual(statesOf([a!, again]), ["in", "waiting"])
    })
  )

  it.effect("lets no newcomer pass a queued call", () =>
    Effect.gen(function* () {
      const pool = new FairPool({ ...limits, capacity: 1 })
      const [, waiting] = yield* enterAll(pool, ["a", "b"])
      assert.isFalse(pool.tryEnter("c"))
      pool.leave("a")
      assert.strictEqual(stateOf(waiting!), "in")
      assert.isFalse(pool.tryEnter("c"))
    })
  )

  it.effect("lets no call that leaves and enters at once pass a queued one", () =>
    Effect.gen(function* () {
      const pool = new FairPool({ ...limits, capacity: 1 })
      yield* enter(pool, "a")
      let passed: boolean | undefined
      yield* Effect.forkChild(
        Effect.map(pool.enter("b"), () => {
          pool.leave("b")
          passed = pool.tryEnter("b")
        }),
        { startImmediately: true }
      )
      const next = yield* enter(pool, "c")
      pool.leave("a")
      assert.deepStrictEqual([passed, stateOf(next), pool.inUse], [false, "in", 1])
    })
  )

  it.effect("refuses a call that has waited for so long, and no sooner", () =>
    Effect.gen(function* () {
      const pool = new FairPool(limits)
      const fibers = yield* enterAll(pool, ["a", "a", "a"])
      yield* TestClock.adjust(400)
      fibers.push(yield* enter(pool, "b"))
      yield* TestClock.adjust(599)
      assert.deepStrictEqual(statesOf(fibers), ["in", "in", "waiting", "waiting"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(statesOf(fibers), ["in", "in", "refused", "waiting"])
      yield* TestClock.adjust(399)
      pool.leave("a")
      assert.strictEqual(stateOf(fibers[3]!), "in")
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual([pool.inUse, pool.queued, pool.size], [2, 0, 2])
    })
  )

  it.effect("admits a client that just came before the older calls of clients that had a slot", () =>
    Effect.gen(function* () {
      const pool = new FairPool({ ...limits, maxQueued: 8 })
      const fibers = yield* enterAll(pool, ["a", "b", "a", "b", "a", "b", "new"])
      pool.leave("a")
      assert.strictEqual(stateOf(fibers[6]!), "in")
      pool.leave("b")
      assert.deepStrictEqual(statesOf(fibers).slice(2, 4), ["in", "waiting"])
    })
  )

  it.effect("spreads the waits of calls that came in together", () =>
    Effect.gen(function* () {
      const pool = new FairPool({ capacity: 1, maxQueued: 640, minWaitMillis: 500, maxWaitMillis: 1_000 })
      pool.tryEnter("a")
      yield* enterAll(
        pool,
        Array.from({ length: 640 }, (_, index) => `client ${index}`)
      )
      const queued: Array<number> = []
      for (const millis of [500, 125, 125, 125, 125]) {
        yield* TestClock.adjust(millis)
        queued.push(pool.queued)
      }
      assert.deepStrictEqual(queued, [640, 480, 320, 160, 0])
    })
  )

  it.effect("frees the place in the queue of a call that is interrupted", () =>
    Effect.gen(function* () {
      const pool = new FairPool({ ...limits, capacity: 1, maxQueued: 2 })
      const [, first, second] = yield* enterAll(pool, ["a", "b", "c"])
      yield* Fiber.interrupt(first!)
      assert.strictEqual(pool.queued, 1)
      const third = yield* enter(pool, "d")
      pool.leave("a")
      assert.deepStrictEqual(statesOf([second!, third]), ["in", "waiting"])
      yield* Fiber.interrupt(third)
      pool.leave("c")
      assertEmpty(pool)
    })
  )

  it.effect("takes back the slot of a call that is interrupted between its admission and its going on", () =>
    Effect.gen(function* () {
      const pool = new FairPool({ ...limits, capacity: 1 })
      assert.isTrue(pool.tryEnter("a"))
      // Once, a fiber yields before it goes on.
      let yields = false
      const scheduler = new Scheduler.MixedScheduler()
      scheduler.shouldYield = () => {
        const now = yields
        yields = false
        return now
      }
      const admitted: Entering = yield* Effect.forkChild(
        Effect.provideService(pool.enter("b"), Scheduler.Scheduler, scheduler),
        { startImmediately: true }
      )
      yields = true
      pool.leave("a")
      assert.deepStrictEqual([stateOf(admitted), pool.inUse, pool.queued], ["waiting", 1, 0])
      yield* Fiber.interrupt(admitted)
      assert.strictEqual(stateOf(admitted), "interrupted")
      assertEmpty(pool)
    })
  )

  it.effect("refuses at once where the queue is full, or has no place", () =>
    Effect.gen(function* () {
      const pool = new FairPool(limits)
      const fibers = yield* enterAll(pool, ["a", "a", "b", "c", "d", "e", "f"])
      assert.deepStrictEqual(statesOf(fibers).slice(5), ["waiting", "refused"])
      const narrow = new FairPool({ ...limits, maxQueued: 0 })
      assert.deepStrictEqual(statesOf(yield* enterAll(narrow, ["a", "a", "b"])), ["in", "in", "refused"])
    })
  )

  it.effect("evicts the newest call of the client with the most, for one with fewer", () =>
    Effect.gen(function* () {
      const pool = new FairPool(limits)
      const fibers = yield* enterAll(pool, ["a", "a", "a", "b", "a", "a", "c"])
      assert.deepStrictEqual(statesOf(fibers).slice(2), [
        "waiting",
        "waiting",
        "waiting",
        "refused",
        "waiting"
      ])
      // Two of a, one of b, one of c: a newcomer would have one, as b and c have; the newest of a goes.
      const newcomer = yield* enter(pool, "d")
      assert.strictEqual(stateOf(newcomer), "waiting")
      assert.strictEqual(stateOf(fibers[4]!), "refused")
      // One each: nobody's is taken for another's.
      assert.strictEqual(stateOf(yield* enter(pool, "e")), "refused")
      assert.strictEqual(stateOf(yield* enter(pool, "a")), "refused")
      assert.deepStrictEqual([pool.inUse, pool.queued, pool.size], [2, 4, 4])
    })
  )

  it.effect("stays within its queue where an evicted call enters again at once", () =>
    Effect.gen(function* () {
      const pool = new FairPool({ ...limits, capacity: 1, maxQueued: 2 })
      yield* enterAll(pool, ["a", "a"])
      const stubborn: Entering = yield* Effect.forkChild(
        Effect.flatMap(pool.enter("a"), (isIn) => (isIn ? Effect.succeed(true) : pool.enter("a"))),
        { startImmediately: true }
      )
      const newcomer = yield* enter(pool, "b")
      assert.deepStrictEqual(statesOf([stubborn, newcomer]), ["refused", "waiting"])
      assert.strictEqual(pool.queued, 2)
    })
  )

  it.effect("admits a long queue of calls that leave at once without deepening the stack", () =>
    Effect.gen(function* () {
      const count = 5_000
      const pool = new FairPool({ capacity: 1, maxQueued: count, maxWaitMillis: 1_000 })
      assert.isTrue(pool.tryEnter("first"))
      let admitted = 0
      const call = Effect.map(pool.enter("a"), (isIn) => {
        if (isIn) admitted++
        pool.leave("a")
      })
      yield* Effect.forEach(
        Array.from({ length: count }),
        () => Effect.forkChild(call, { startImmediately: true }),
        { discard: true }
      )
      pool.leave("first")
      assert.strictEqual(admitted, count)
      assertEmpty(pool)
    })
  )

  it("waits by real time where no other clock is given", async () => {
    const pool = new FairPool({ capacity: 1, maxQueued: 1, maxWaitMillis: 5 })
    assert.isTrue(await Effect.runPromise(pool.enter("a")))
    assert.isFalse(await Effect.runPromise(pool.enter("b")))
    pool.leave("a")
    assertEmpty(pool)
  })

  it.effect("serves a client that calls now and then beside one that floods", () =>
    Effect.gen(function* () {
      const pool = new FairPool({ capacity: 8, maxQueued: 32, maxWaitMillis: 1_000 })
      const flood: Array<Entering> = []
      const holders: Array<string> = []
      for (let round = 0; round < 50; round++) {
        for (let call = 0; call < 20; call++) flood.push(yield* enter(pool, "flood"))
        const guest = yield* enter(pool, `guest ${round}`)
        assert.notStrictEqual(stateOf(guest), "refused")
        // One slot becomes free: it is the guest's, whoever came before.
        pool.leave(holders.pop() ?? "flood")
        assert.strictEqual(stateOf(guest), "in", `round ${round}`)
        holders.push(`guest ${round}`)
      }
      assert.isTrue(pool.queued <= 32)
    })
  )
})
