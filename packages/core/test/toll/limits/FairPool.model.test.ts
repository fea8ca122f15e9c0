import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FairPool } from "../../../src/toll/limits/FairPool.ts"
import { type Dice, dice, shareOfRuns } from "../../domain/seeded.ts"
import { limits, type Entering, enter, type State, statesOf, assertEmpty } from "./fairPools.ts"

/** One call as the model has it. */
interface Modeled {
  readonly id: number
  readonly client: string
  readonly untilMillis: number
  state: State
}

/** The same rules, written plainly: slow, and regardless of the order of execution. */
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
    const isClosed = pool.isClosedTo(client)
    fibers.push(yield* enter(pool, client))
    model.enter(client, yield* Clock.currentTimeMillis)
    assert.strictEqual(isClosed, model.calls.at(-1)!.state === "refused")
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
  const seeds = Array.from({ length: shareOfRuns(200) }, (_, run) => firstSeed + run)
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
