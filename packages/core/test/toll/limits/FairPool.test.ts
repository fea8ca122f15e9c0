import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { FairPool } from "../../../src/toll/limits/FairPool.ts"
import { type Dice, dice } from "../../domain/seeded.ts"

const limits = { capacity: 2, maxQueued: 4, maxWaitMillis: 1_000 }
type Entering = Fiber.Fiber<boolean>

const enter = (pool: FairPool, client: string): Effect.Effect<Entering> =>
  Effect.forkChild(pool.enter(client), { startImmediately: true })

const enterAll = (pool: FairPool, clients: ReadonlyArray<string>) =>
  Effect.forEach(clients, (client) => enter(pool, client))

type State = "in" | "refused" | "waiting" | "interrupted"

const stateOf = (fiber: Entering): State => {
  const exit = fiber.pollUnsafe()
  if (exit === undefined) return "waiting"
  return Exit.isSuccess(exit) ? (exit.value ? "in" : "refused") : "interrupted"
}
const statesOf = (fibers: ReadonlyArray<Entering>): ReadonlyArray<State> => fibers.map(stateOf)

const assertEmpty = (pool: FairPool): void => {
  assert.deepStrictEqual([pool.inUse, pool.queued, pool.size], [0, 0, 0])
}

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

/** One call as the model has it. */
interface Modeled {
  readonly id: number
  readonly client: string
  readonly untilMillis: number
  state: State
}

/** The same rules, written as they are said: slow, and without a thought for order of execution. */
class Model {
  readonly calls: Array<Modeled> = []
  readonly slots: Array<string> = []
  /** Clients with a slot or a queued call in the order of their latest grants. */
  private served: Array<string> = []
  private readonly limits: typeof limits
  constructor(given: typeof limits) {
    this.limits = given
  }
  get queue(): Array<Modeled> {
    return this.calls.filter(({ state }) => state === "waiting")
  }
  private grant(call: Modeled): void {
    call.state = "in"
    this.slots.push(call.client)
    this.served = [...this.served.filter((client) => client !== call.client), call.client]
  }
  /** Nothing is remembered of clients that have gone. */
  private forget(): void {
    this.served = this.served.filter((client) => this.used(client) > 0 || this.queuedBy(client).length > 0)
  }
  private used(client: string): number {
    return this.slots.filter((holder) => holder === client).length
  }
  private queuedBy(client: string): Array<Modeled> {
    return this.queue.filter((call) => call.client === client)
  }
  enter(client: string, nowMillis: number): void {
    const call: Modeled = {
      id: this.calls.length,
      client,
      untilMillis: nowMillis + this.limits.maxWaitMillis,
      state: "refused"
    }
    if (this.slots.length < this.limits.capacity) this.grant(call)
    else if (this.queue.length < this.limits.maxQueued) call.state = "waiting"
    else {
      const most = Math.max(0, ...this.queue.map(({ client: other }) => this.queuedBy(other).length))
      if (this.queuedBy(client).length + 1 < most) {
        const greedy = this.queue.filter(({ client: other }) => this.queuedBy(other).length === most)
        greedy.toSorted((left, right) => right.id - left.id)[0]!.state = "refused"
        call.state = "waiting"
      }
    }
    this.calls.push(call)
    this.forget()
  }
  leave(client: string): void {
    const index = this.slots.indexOf(client)
    if (index === -1) return
    this.slots.splice(index, 1)
    this.forget()
    const servedLast = ({ client: name }: Modeled): number => this.served.indexOf(name)
    const next = this.queue.toSorted(
      (left, right) =>
        this.used(left.client) - this.used(right.client) ||
        servedLast(left) - servedLast(right) ||
        left.id - right.id
    )[0]
    if (next !== undefined) this.grant(next)
  }
  interrupt(id: number): void {
    if (this.calls[id]!.state === "waiting") this.calls[id]!.state = "interrupted"
    this.forget()
  }
  pass(nowMillis: number): void {
    for (const call of this.queue) if (call.untilMillis <= nowMillis) call.state = "refused"
    this.forget()
  }
}

const firstSeed = Number(process.env["TEST_SEED"] ?? 402)

/** One random step, of the pool and of its model. */
const step = Effect.fnUntraced(function* (
  { below, pick }: Dice,
  { fibers, model, pool }: { pool: FairPool; model: Model; fibers: Array<Entering> },
  clients: ReadonlyArray<string>
) {
  const kind = below(10)
  if (kind < 5) {
    const client = pick(clients)
    fibers.push(yield* enter(pool, client))
    model.enter(client, yield* Clock.currentTimeMillis)
  } else if (kind < 8) {
    const client = pick([...clients, ...model.slots])
    pool.leave(client)
    model.leave(client)
  } else if (kind < 9 && fibers.length > 0) {
    const id = below(fibers.length)
    yield* Fiber.interrupt(fibers[id]!)
    model.interrupt(id)
  } else {
    yield* TestClock.adjust(below(200))
    model.pass(yield* Clock.currentTimeMillis)
  }
})

describe("any course of a fair pool", () => {
  const seeds = Array.from({ length: 200 }, (_, run) => firstSeed + run)
  it.effect(`is as its model has it (${seeds.length} seeds)`, () =>
    Effect.forEach(
      seeds,
      Effect.fnUntraced(function* (seed) {
        const random = dice(seed)
        const given = {
          capacity: 1 + random.below(4),
          maxQueued: random.below(8),
          maxWaitMillis: 1 + random.below(500)
        }
        const clients = ["a", "b", "c", "d", "e"].slice(0, 1 + random.below(5))
        const course = { pool: new FairPool(given), model: new Model(given), fibers: [] as Array<Entering> }
        const { fibers, model, pool } = course
        for (let count = 0; count < 80; count++) {
          yield* step(random, course, clients)
          const where = `TEST_SEED=${seed}, step ${count}`
          assert.deepStrictEqual(
            statesOf(fibers),
            model.calls.map(({ state }) => state),
            where
          )
          assert.deepStrictEqual([pool.inUse, pool.queued], [model.slots.length, model.queue.length], where)
          const held = new Set([...model.slots, ...model.queue.map(({ client }) => client)])
          assert.strictEqual(pool.size, held.size, where)
        }
        for (const client of model.slots) pool.leave(client)
        yield* Effect.forEach(fibers, Fiber.interrupt, { discard: true })
        for (const client of clients) for (let slot = 0; slot < given.capacity; slot++) pool.leave(client)
        assertEmpty(pool)
      }),
      { discard: true }
    )
  )
})
