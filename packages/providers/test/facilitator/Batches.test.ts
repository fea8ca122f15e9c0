import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeBatches } from "../../src/facilitator/Batches.ts"

interface Item {
  readonly name: number
  readonly gas: bigint
}

/** Batches that succeed with an item's name, except for odd ones, and what was run together. */
const collecting = (maxItems: number) => {
  const runs: Array<ReadonlyArray<number>> = []
  const add = makeBatches<Item, number, string>({ maxItems, maxWaitMillis: 50 }, (items) =>
    Effect.sync(() => {
      runs.push(items.map(({ name }) => name))
      return items.map(({ name }) => (name % 2 === 0 ? Effect.succeed(name) : Effect.fail(`odd ${name}`)))
    })
  )
  return { runs, add: (name: number, gas = 100_000n) => Effect.result(add({ name, gas })) }
}

describe("makeBatches()", () => {
  it.effect("waits for the bound from the first item on, and gives each its own result", () =>
    Effect.gen(function* () {
      const { add, runs } = collecting(16)
      const first = yield* Effect.forkChild(add(0))
      yield* TestClock.adjust(30)
      const second = yield* Effect.forkChild(add(1))
      yield* TestClock.adjust(19)
      assert.deepStrictEqual(runs, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(runs, [[0, 1]])
      const results = [yield* Fiber.join(first), yield* Fiber.join(second)]
      assert.deepStrictEqual(
        results.map(({ _tag }) => _tag),
        ["Success", "Failure"]
      )
    })
  )

  it.effect("runs a full batch at once, and the next one by itself", () =>
    Effect.gen(function* () {
      const { add, runs } = collecting(3)
      for (let name = 0; name < 7; name++) yield* Effect.forkChild(add(name))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(runs, [
        [0, 1, 2],
        [3, 4, 5]
      ])
      yield* TestClock.adjust(50)
      assert.deepStrictEqual(runs.at(-1), [6])
    })
  )

  it.effect("takes no more gas than a transaction may have", () =>
    Effect.gen(function* () {
      const { add, runs } = collecting(16)
      yield* Effect.forkChild(add(0, 9_000_000n))
      yield* Effect.forkChild(add(2, 7_000_000n))
      yield* Effect.forkChild(add(4, 1n))
      yield* TestClock.adjust(50)
      assert.deepStrictEqual(runs, [[0, 2], [4]])
    })
  )

  it.effect("runs a batch whose first caller is gone", () =>
    Effect.gen(function* () {
      const { add, runs } = collecting(16)
      const first = yield* Effect.forkChild(add(0))
      yield* TestClock.adjust(10)
      const second = yield* Effect.forkChild(add(2))
      yield* TestClock.adjust(10)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(30)
      assert.deepStrictEqual(runs, [[0, 2]])
      assert.strictEqual((yield* Fiber.join(second))._tag, "Success")
    })
  )

  it.effect("gives a failure of the whole batch to each item, and goes on", () =>
    Effect.gen(function* () {
      let fails = true
      const add = makeBatches<Item, number, string>({ maxItems: 2, maxWaitMillis: 50 }, (items) =>
        fails ? Effect.fail("no journal") : Effect.succeed(items.map(({ name }) => Effect.succeed(name)))
      )
      const both = () =>
        Effect.all([Effect.exit(add({ name: 1, gas: 1n })), Effect.exit(add({ name: 2, gas: 1n }))], {
          concurrency: 2
        })
      assert.deepStrictEqual(
        (yield* both()).map(({ _tag }) => _tag),
        ["Failure", "Failure"]
      )
      fails = false
      assert.deepStrictEqual(
        (yield* both()).map(({ _tag }) => _tag),
        ["Success", "Success"]
      )
    })
  )
})
