import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeBatch } from "../../src/17track/Batch.ts"
import { CallPacer } from "../../src/17track/CallPacer.ts"
import type { CallFault } from "../../src/17track/Rejection.ts"
import { rateLimiter, Unreachable } from "../../src/upstream/index.ts"

/** A batch of questions that are texts; a question's number is its first word. */
const open = (
  options: {
    readonly maxItems?: number
    readonly maxWaiting?: number
    readonly maxTurnMillis?: number
    readonly numberOf?: (item: string) => string
    readonly send?: (
      items: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Exit.Exit<string, CallFault>>, CallFault>
  } = {}
) => {
  const sent: Array<ReadonlyArray<string>> = []
  const pace = new CallPacer(rateLimiter({ requests: 1, perMillis: 1_000 }))
  return Effect.map(
    makeBatch<string, string>({
      name: "17track",
      pace,
      maxItems: options.maxItems ?? 3,
      gatherMillis: 20,
      maxTurnMillis: options.maxTurnMillis ?? 10_000,
      maxWaiting: options.maxWaiting ?? 100,
      keyOf: (item) => item,
      numberOf: options.numberOf ?? ((item) => item.split(" ")[0]!),
      send: (items) => {
        sent.push(items)
        return options.send?.(items) ?? Effect.succeed(items.map((item) => Exit.succeed(`re: ${item}`)))
      }
    }),
    (request) => ({ request, sent, pace })
  )
}

const requestAll = (
  request: (item: string) => Effect.Effect<string, CallFault>,
  items: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(
      Effect.forEach(items, (item) => Effect.result(request(item)), { concurrency: "unbounded" })
    )
    for (let second = 0; second < 20; second++) yield* TestClock.adjust("1 second")
    const results = yield* Fiber.join(fiber)
    return results.map((result) => (result._tag === "Success" ? result.success : result.failure._tag))
  })

describe("a batch", () => {
  it.effect("sends waiting requests in batches, and returns each its own response", () =>
    Effect.gen(function* () {
      const { request, sent } = yield* open()
      const responses = yield* requestAll(request, ["a", "b", "c", "d", "a"])
      assert.deepStrictEqual(responses, ["re: a", "re: b", "re: c", "re: d", "re: a"])
      assert.deepStrictEqual(sent, [["a", "b", "c"], ["d"]])
    })
  )

  it.effect("puts questions of one number into different calls", () =>
    Effect.gen(function* () {
      const { request, sent } = yield* open()
      yield* requestAll(request, ["a ups", "a dhl", "b"])
      assert.deepStrictEqual(sent, [["a ups", "b"], ["a dhl"]])
    })
  )

  it.effect("fails those whose question failed, and all of a call that did", () =>
    Effect.gen(function* () {
      const fault = new Unreachable({ upstream: "17track" })
      const { request } = yield* open({
        send: (items) =>
          items.includes("d")
            ? Effect.fail(fault)
            : Effect.succeed(items.map((item) => (item === "b" ? Exit.fail(fault) : Exit.succeed(item))))
      })
      assert.deepStrictEqual(yield* requestAll(request, ["a", "b", "c", "d", "e"]), [
        "a",
        "Unreachable",
        "c",
        "Unreachable",
        "Unreachable"
      ])
    })
  )

  it.effect("passes a defect on and serves the next", () =>
    Effect.gen(function* () {
      const { request } = yield* open({
        send: (items) =>
          items.includes("a") ? Effect.die("a bug") : Effect.succeed(items.map((item) => Exit.succeed(item)))
      })
      const broken = yield* Effect.forkChild(Effect.exit(request("a")))
      yield* TestClock.adjust("5 seconds")
      const exit = yield* Fiber.join(broken)
      assert(Exit.isFailure(exit) && Exit.hasDies(exit))
      assert.deepStrictEqual(yield* requestAll(request, ["b"]), ["b"])
    })
  )

  it.effect("fails the waiting requests at a defect of its own, and serves the next", () =>
    Effect.gen(function* () {
      const { request } = yield* open({
        numberOf: (item) => {
          if (item === "broken") throw new Error("a bug")
          return item
        }
      })
      const fiber = yield* Effect.forkChild(
        Effect.forEach(["a", "broken"], (item) => Effect.exit(request(item)), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("5 seconds")
      for (const exit of yield* Fiber.join(fiber)) assert(Exit.isFailure(exit) && Exit.hasDies(exit))
      assert.deepStrictEqual(yield* requestAll(request, ["b", "c"]), ["re: b", "re: c"])
    })
  )

  it.effect("refuses requests that can't wait, and completes the others", () =>
    Effect.gen(function* () {
      const { request } = yield* open({ maxWaiting: 4 })
      assert.deepStrictEqual(yield* requestAll(request, ["a", "b", "c", "d", "e", "a"]), [
        "re: a",
        "re: b",
        "re: c",
        "re: d",
        "Overloaded",
        "re: a"
      ])
    })
  )

  it.effect("refuses those whose turn would come too late", () =>
    Effect.gen(function* () {
      const { request, sent } = yield* open({ maxItems: 1, maxTurnMillis: 500 })
      assert.deepStrictEqual(yield* requestAll(request, ["a", "b"]), ["re: a", "Overloaded"])
      assert.deepStrictEqual(sent, [["a"]])
    })
  )

  it.effect("drops canceled requests, and notifies callers when theirs is sent", () =>
    Effect.gen(function* () {
      const { request, sent } = yield* open({ maxItems: 1 })
      const left: Array<string> = []
      const requestNoting = (item: string) => request(item, () => left.push(item))
      const [first, second, third] = yield* Effect.forEach(["a", "b", "c"], (item) =>
        Effect.forkChild(requestNoting(item), { startImmediately: true })
      )
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(left, ["a"])
      yield* Fiber.interrupt(second!)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(first!)
      yield* Fiber.join(third!)
      assert.deepStrictEqual(sent, [["a"], ["c"]])
      assert.deepStrictEqual(left, ["a", "c"])
    })
  )

  it.effect("sends the next call while one is still out", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { request, sent } = yield* open({
        maxItems: 1,
        send: (items) =>
          Effect.as(
            items.includes("a") ? Deferred.await(gate) : Effect.void,
            items.map((item) => Exit.succeed(item))
          )
      })
      const slow = yield* Effect.forkChild(request("a"))
      assert.deepStrictEqual(yield* requestAll(request, ["b"]), ["b"])
      assert.deepStrictEqual(sent, [["a"], ["b"]])
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(slow), "a")
    })
  )
})

describe("the pace of a batch", () => {
  it.effect("gives a call its turn once: repeats take turns of their own", () =>
    Effect.gen(function* () {
      const pace = new CallPacer(rateLimiter({ requests: 1, perMillis: 1_000 }))
      const times: Array<number> = []
      const attempt = Effect.andThen(
        pace.forUpstream.take(10_000),
        Effect.clockWith((clock) => Effect.sync(() => times.push(clock.currentTimeMillisUnsafe())))
      )
      const fiber = yield* Effect.forkChild(
        pace.inTurn(10_000, () => Effect.andThen(attempt, Effect.andThen(attempt, attempt)))
      )
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(times, [0, 1_000, 2_000])
    })
  )

  it.effect("gives no turn to a call that was held up past its own", () =>
    Effect.gen(function* () {
      const pace = new CallPacer(rateLimiter({ requests: 1, perMillis: 1_000 }))
      const fiber = yield* Effect.forkChild(
        pace.inTurn(10_000, () =>
          Effect.andThen(
            Effect.sleep(300),
            Effect.andThen(
              pace.forUpstream.take(10_000),
              Effect.clockWith((clock) => clock.currentTimeMillis)
            )
          )
        )
      )
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), 1_000)
    })
  )
})
