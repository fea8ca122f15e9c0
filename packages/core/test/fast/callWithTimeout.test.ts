import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { callWithTimeout, type TimedCall } from "../../src/fast/callWithTimeout.ts"
import type { CallContext } from "../../src/runtime/Deadline.ts"
import { dice } from "../domain/seeded.ts"

/** The plain code. */
const plain = <A, B, E>(timed: TimedCall<A, B, E>): Effect.Effect<B, E> =>
  Effect.tryPromise({
    try: async (signal) => timed.call({ signal }),
    catch: (cause) => ({ cause })
  }).pipe(
    Effect.map((response) => ({ _tag: "Response", response }) as const),
    Effect.catch(({ cause }) => Effect.succeed({ _tag: "Thrown", cause } as const)),
    Effect.timeoutOrElse({
      duration: timed.timeoutMillis,
      orElse: () => Effect.succeed({ _tag: "TimedOut" } as const)
    }),
    Effect.flatMap((ending) => {
      switch (ending._tag) {
        case "Response":
          return timed.onResponse(ending.response)
        case "Thrown":
          return timed.onThrow(ending.cause)
        case "TimedOut":
          return timed.onTimeout()
      }
    })
  )

type Course = "resolves" | "rejects" | "throws" | "hangs"
type Next = "succeeds" | "fails" | "dies" | "throws"

interface Case {
  readonly course: Course
  readonly afterMillis: number
  readonly next: Next
  readonly timeoutMillis: number
  /** The caller is interrupted then. */
  readonly interruptMillis: number | undefined
}

/** A promise that ends after so much of the test clock's time. */
const callOf = (
  { afterMillis, course }: Case,
  run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>,
  seen: { signal?: AbortSignal }
) =>
  ((context: CallContext) => {
    seen.signal = context.signal
    if (course === "throws") throw new Error("at once")
    if (course === "hangs") return new Promise<string>(() => undefined)
    const ends = course === "resolves" ? Effect.succeed("response") : Effect.fail(new Error("later"))
    return afterMillis === 0 ? run(ends) : run(Effect.delay(ends, afterMillis))
  }) satisfies TimedCall<string, string, string>["call"]

const nextOf = (next: Next) => (name: string) => {
  switch (next) {
    case "succeeds":
      return Effect.succeed(name)
    case "fails":
      return Effect.fail(name)
    case "dies":
      return Effect.die(name)
    case "throws":
      throw new Error(name)
  }
}

const outcomeOf = Effect.fnUntraced(function* (one: Case, timed: typeof plain) {
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const next = nextOf(one.next)
  const seen: { signal?: AbortSignal } = {}
  const fiber = yield* Effect.forkChild(
    timed<string, string, string>({
      timeoutMillis: one.timeoutMillis,
      call: callOf(one, run, seen),
      onResponse: next,
      onThrow: (cause) => next(cause instanceof Error ? cause.message : "unknown"),
      onTimeout: () => next("timeout")
    })
  )
  yield* Effect.yieldNow
  if (one.interruptMillis !== undefined) {
    yield* TestClock.adjust(one.interruptMillis)
    yield* Fiber.interrupt(fiber)
  }
  yield* TestClock.adjust(100)
  // A promise ends in a later turn than the clock's.
  yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
  const exit = fiber.pollUnsafe()
  return {
    ending: exit === undefined ? "none" : Exit.isSuccess(exit) ? exit.value : String(exit.cause),
    isAborted: seen.signal?.aborted
  }
})

const firstSeed = Number(process.env["TEST_SEED"] ?? 402)

describe("callWithTimeout", () => {
  it.effect("ends as tryPromise with timeoutOrElse does (200 runs)", () =>
    Effect.gen(function* () {
      for (let seed = firstSeed; seed < firstSeed + 200; seed++) {
        const { below, pick } = dice(seed)
        const one: Case = {
          course: pick<Course>(["resolves", "rejects", "throws", "hangs"]),
          afterMillis: pick([0, 10, 30]),
          next: pick<Next>(["succeeds", "fails", "dies", "throws"]),
          timeoutMillis: pick([5, 20, 40]),
          interruptMillis: below(4) === 0 ? pick([1, 15, 35]) : undefined
        }
        const [expected, found] = [yield* outcomeOf(one, plain), yield* outcomeOf(one, callWithTimeout)]
        assert.deepStrictEqual(found, expected, `with seed ${seed}: ${JSON.stringify(one)}`)
      }
    })
  )
})
