import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ChainHead } from "../../../src/toll/evidence/ChainHead.ts"
import { HeadPoll, notReachedIn } from "../../../src/toll/evidence/HeadPoll.ts"

/** A node's newest block, read in `millis`; `undefined`: it can't be read. */
const open = (number: bigint | undefined, millis = 0) => {
  const node = { number, millis, reads: 0 }
  const read = Effect.suspend((): Effect.Effect<ChainHead | undefined> => {
    node.reads++
    const shown = node.number
    return Effect.delay(Effect.succeed(shown === undefined ? undefined : { number: shown }), node.millis)
  })
  const poll = new HeadPoll(read)
  return { node, poll, number: Effect.map(poll.head, (head) => head?.number) }
}

/** What a call gets that may wait for these milliseconds; `"waits"`: it waits longer. */
const within = <A>(call: Effect.Effect<A>, millis: number) =>
  Effect.gen(function* () {
    const running = yield* Effect.forkChild(call)
    yield* TestClock.adjust(millis)
    return running.pollUnsafe() === undefined ? "waits" : yield* Fiber.join(running)
  })

describe("the newest block", () => {
  it.effect("is read for all calls of two seconds at once, and again for the next one", () =>
    Effect.gen(function* () {
      const { node, number } = open(7n)
      assert.deepStrictEqual(
        yield* Effect.all(
          Array.from({ length: 64 }, () => within(number, 0)),
          { concurrency: "unbounded" }
        ),
        Array.from({ length: 64 }, () => 7n)
      )
      node.number = 8n
      yield* TestClock.adjust(1_999)
      assert.deepStrictEqual([yield* within(number, 0), node.reads], [7n, 2])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([yield* within(number, 0), node.reads], [8n, 4])
    })
  )

  it.effect("is not read while nobody calls", () =>
    Effect.gen(function* () {
      const { node, number } = open(7n)
      yield* within(number, 0)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(node.reads, 2)
    })
  )

  it.effect("is waited for a second; later it is known", () =>
    Effect.gen(function* () {
      const { node, number } = open(7n, 1_500)
      assert.strictEqual(yield* within(number, 1_499), "waits")
      yield* TestClock.adjust(1)
      node.millis = 60_000
      yield* TestClock.adjust(2_000)
      assert.strictEqual(yield* within(number, 999), "waits")
      assert.strictEqual(yield* within(number, 1_000), 7n)
    })
  )

  it.effect("is waited for five seconds while none is known", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* within(open(7n, 5_500).number, 4_999), "waits")
      const { number } = open(7n, 5_500)
      assert.isUndefined(yield* within(number, 5_000))
      yield* TestClock.adjust(500)
      assert.strictEqual(yield* within(number, 1_000), 7n)
    })
  )

  it.effect("stays known through an outage", () =>
    Effect.gen(function* () {
      const { node, number } = open(7n)
      yield* within(number, 0)
      node.number = undefined
      for (let minute = 0; minute < 10; minute++) {
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* within(number, 0), 7n)
      }
    })
  )

  it.effect("is waited for by nobody while the node fails, and read every two seconds", () =>
    Effect.gen(function* () {
      const { node, number } = open(8n, 500)
      assert.strictEqual(yield* within(number, 500), 8n)
      node.number = undefined
      yield* TestClock.adjust(2_000)
      assert.strictEqual(yield* within(number, 500), 8n)
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual([yield* within(number, 0), node.reads], [8n, 6])
      node.number = 9n
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual([yield* within(number, 0), node.reads], [8n, 8])
      yield* TestClock.adjust(500)
      assert.strictEqual(yield* within(number, 0), 9n)
    })
  )

  it.effect("is waited for though the node has failed, while none is known", () =>
    Effect.gen(function* () {
      const { node, number } = open(undefined, 500)
      assert.isUndefined(yield* within(number, 500))
      node.number = 9n
      yield* TestClock.adjust(2_000)
      assert.strictEqual(yield* within(number, 499), "waits")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* within(number, 0), 9n)
    })
  )

  it.effect("stays the newest one that was shown, unless the chain is lower for a minute", () =>
    Effect.gen(function* () {
      const { node, number } = open(100n)
      yield* within(number, 0)
      node.number = 90n
      for (const [seconds, expected] of [
        [2, 100n],
        [58, 100n],
        [2, 90n]
      ] as const) {
        yield* TestClock.adjust(seconds * 1_000)
        assert.strictEqual(yield* within(number, 0), expected)
      }
    })
  )

  it.effect("is read though the clock was set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000)
      const { node, number } = open(7n)
      yield* within(number, 0)
      node.number = 8n
      yield* TestClock.setTime(700_000)
      assert.strictEqual(yield* within(number, 0), 8n)
    })
  )

  it.effect("is not what one read of several shows, neither the first nor a later one", () =>
    Effect.gen(function* () {
      const shown = [9_000n, 7n, 8n, 9_000n, 9n, 9n, undefined, 9_000n]
      const poll = new HeadPoll(
        Effect.sync(() => {
          const number = shown.shift()
          return number === undefined ? undefined : { number }
        })
      )
      for (const expected of [7n, 8n, 9n, 9n]) {
        assert.deepStrictEqual(yield* within(poll.head, 0), { number: expected })
        yield* TestClock.adjust(2_000)
      }
    })
  )

  it.effect("was none of the chain if only lower ones are shown for a minute, and newer ones meanwhile", () =>
    Effect.gen(function* () {
      const { node, poll } = open(7n)
      const isNotReached = (number: bigint) => within(poll.isNotReached(number), 0)
      assert.isFalse(yield* isNotReached(9n))
      yield* TestClock.adjust(60_000)
      assert.isFalse(yield* isNotReached(9n))
      assert.isFalse(yield* isNotReached(7n))
      // A node that stands still may be the one that lags.
      yield* TestClock.adjust(2_000)
      assert.isFalse(yield* isNotReached(9n))
      node.number = 8n
      yield* TestClock.adjust(2_000)
      assert.isTrue(yield* isNotReached(9n))
      assert.isFalse(yield* isNotReached(10n))
      // Reached after all.
      node.number = 9n
      yield* TestClock.adjust(2_000)
      assert.isFalse(yield* isNotReached(9n))
      // While the chain can't be read, nothing is known of it.
      const silent = open(undefined)
      assert.isFalse(yield* within(silent.poll.isNotReached(9n), 0))
      yield* TestClock.adjust(60_001)
      assert.isFalse(yield* within(silent.poll.isNotReached(9n), 0))
    })
  )

  it.effect("is no block at all where one of two reads fails, whichever", () =>
    Effect.gen(function* () {
      for (const pair of [
        [undefined, 7n],
        [7n, undefined]
      ]) {
        const poll = new HeadPoll(
          Effect.sync(() => {
            const number = pair.shift()
            return number === undefined ? undefined : { number }
          })
        )
        assert.isUndefined(yield* within(poll.head, 0))
      }
    })
  )

  it.effect("is that of the first read where both show the same number, as by nodes on two branches", () =>
    Effect.gen(function* () {
      const hashes = ["0xa", "0xb"]
      const poll = new HeadPoll(Effect.sync(() => ({ number: 7n, hash: hashes.shift()! })))
      assert.deepStrictEqual(yield* within(poll.head, 0), { number: 7n, hash: "0xa" })
    })
  )

  it.effect("is shown anew by each read of the same number: its minute begins again", () =>
    Effect.gen(function* () {
      const { node, number } = open(100n)
      yield* within(number, 0)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* within(number, 0), 100n)
      node.number = 90n
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* within(number, 0), 100n)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* within(number, 0), 90n)
    })
  )

  it.effect("is lowered by a chain that is lower for a minute, though the clock was set back by more", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000)
      const { node, number } = open(100n)
      yield* within(number, 0)
      node.number = 90n
      yield* TestClock.setTime(939_000)
      assert.strictEqual(yield* within(number, 0), 90n)
    })
  )

  it.effect("is read once for calls that come at the same millisecond, or while a read takes long", () =>
    Effect.gen(function* () {
      const { node, number } = open(7n, 3_000)
      const first = yield* Effect.forkChild(number)
      yield* TestClock.adjust(0)
      const second = yield* Effect.forkChild(number)
      yield* TestClock.adjust(2_500)
      const third = yield* Effect.forkChild(number)
      yield* TestClock.adjust(500)
      assert.deepStrictEqual(
        [yield* Fiber.join(first), yield* Fiber.join(second), yield* Fiber.join(third)],
        [7n, 7n, 7n]
      )
      assert.strictEqual(node.reads, 2)
      const quick = open(7n)
      yield* within(quick.number, 0)
      yield* within(quick.number, 0)
      assert.strictEqual(quick.node.reads, 2)
    })
  )

  it.effect("was none of the chain only after more than a minute, also where the clock began at zero", () =>
    Effect.gen(function* () {
      const { node, poll } = open(7n)
      const isNotReached = (number: bigint) => within(poll.isNotReached(number), 0)
      yield* TestClock.setTime(40_000)
      assert.isFalse(yield* isNotReached(9n))
      node.number = 8n
      yield* TestClock.adjust(30_000)
      assert.isFalse(yield* isNotReached(9n))
      yield* TestClock.adjust(30_000)
      assert.isFalse(yield* isNotReached(9n))
      yield* TestClock.adjust(1)
      assert.isTrue(yield* isNotReached(9n))
      // Reached, and undone by a reorganization: its minute begins again.
      node.number = 9n
      yield* TestClock.adjust(2_000)
      assert.isFalse(yield* isNotReached(9n))
      node.number = 8n
      yield* TestClock.adjust(61_000)
      assert.isFalse(yield* isNotReached(9n))
    })
  )

  it.effect("of a network without a poll is not known to be unreached", () =>
    Effect.gen(function* () {
      const { node, poll } = open(7n)
      const polls = new Map([["eip155:1", poll]])
      assert.isFalse(yield* within(notReachedIn(polls, "eip155:1")(9n), 0))
      node.number = 8n
      yield* TestClock.adjust(60_001)
      assert.isTrue(yield* within(notReachedIn(polls, "eip155:1")(9n), 0))
      assert.isFalse(yield* within(notReachedIn(polls, "eip155:2")(9n), 0))
    })
  )
})
