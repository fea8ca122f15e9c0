import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { NoTrackingInfo, UpstreamFailed } from "../../../src/shop/ports/PortErrors.ts"
import type { TrackerOptions } from "../../../src/shop/ports/Tracker.ts"
import { DeadlineExceeded } from "../../../src/runtime/Deadline.ts"
import { MalformedResponse } from "../../../src/runtime/MalformedResponse.ts"
import { eventLogger, type TillEvent } from "../../../src/runtime/events.ts"
import type { ProviderFailure } from "../../../src/ports/ProviderFailure.ts"
import { guardedTracker, Tracker } from "../../../src/shop/ports/Tracker.ts"
import { PortSettings } from "../../../src/shop/ports/PortGuard.ts"
import { timeoutMillis, settings } from "../../ports/subjects.ts"

describe("a call of a port", () => {
  const track = (
    host: TrackerOptions["track"],
    onError: (failure: ProviderFailure) => void = () => undefined
  ) =>
    Effect.flatMap(guardedTracker, (tracker) => tracker.track({ number: "ABC12345" }, undefined)).pipe(
      Effect.provide(Tracker.layerPromise({ track: host })),
      Effect.provideService(PortSettings, { ...settings, onError })
    )

  it.effect("fails, and doesn't die, of a value that throws when it is read", () =>
    Effect.gen(function* () {
      const revoked = Proxy.revocable({}, {})
      revoked.revoke()
      const withName = (name: unknown) => Object.defineProperty(new Error("no"), "name", { get: () => name })
      for (const thrown of [
        revoked.proxy,
        Object.defineProperty({}, "_tag", { get: () => assert.fail("read"), enumerable: true }),
        Object.assign(new Error("no"), { stack: 42 }),
        withName(Symbol("no"))
      ])
        // oxlint-disable-next-line prefer-promise-reject-errors -- what a host throws may be anything
        assert.instanceOf(yield* Effect.flip(track(() => Promise.reject(thrown))), UpstreamFailed)
    })
  )

  it.effect("logs what failed, without the host's words; a refusal is no failure", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
      const trackThrowing = (error: Error) =>
        Effect.flatMap(guardedTracker, (tracker) => tracker.track({ number: "ABC12345" }, undefined)).pipe(
          Effect.provide(Tracker.layerPromise({ track: () => Promise.reject(error) })),
          Effect.provide(Logger.layer([logger])),
          Effect.flip
        )
      yield* trackThrowing(new NoTrackingInfo({ message: "not yet" }))
      assert.deepStrictEqual(lines, [])
      yield* trackThrowing(new RangeError("no ABC12345 for phone 555-0100"))
      assert.strictEqual(lines.length, 1)
      assert.include(lines[0], "tracking")
      assert.include(lines[0], "UpstreamFailed: RangeError")
      assert.notInclude(lines[0], "555-0100")
    })
  )

  it.effect("reports port, operation, error and place of a failure", () =>
    Effect.gen(function* () {
      const events: Array<TillEvent> = []
      const error = Object.assign(new RangeError("ABC12345 is taken"), { code: "E_TAKEN" })
      yield* Effect.flip(track(async () => Promise.reject(error))).pipe(
        Effect.provide(Logger.layer([eventLogger((event) => events.push(event))]))
      )
      assert.strictEqual(events.length, 1)
      const { at, ...event } = events[0]!
      assert.deepStrictEqual(event, {
        level: "warning",
        code: "provider_failed",
        message: "A provider failed",
        port: "tracking",
        operation: "track",
        error: "UpstreamFailed: RangeError E_TAKEN"
      })
      assert.match(at!, /^at .*PortGuard\.test\.ts/)
    })
  )

  it.effect("passes the real error to onError, which can't change the result", () =>
    Effect.gen(function* () {
      const failures: Array<ProviderFailure> = []
      const onError = (failure: ProviderFailure) => {
        failures.push(failure)
        throw new Error("a faulty observer")
      }
      const error = new RangeError("ABC12345 is taken")
      const thrown = yield* Effect.flip(track(async () => Promise.reject(error), onError))
      assert.deepStrictEqual(thrown, new UpstreamFailed({ port: "tracking", cause: error }))
      assert.deepStrictEqual(failures, [{ port: "tracking", operation: "track", error, stack: error.stack }])
    })
  )

  it.effect("passes malformed responses and deadlines to onError, and no allowed error", () =>
    Effect.gen(function* () {
      const failures: Array<ProviderFailure> = []
      const onError = (failure: ProviderFailure) => failures.push(failure)
      yield* Effect.flip(
        track(async () => Promise.reject(new NoTrackingInfo({ message: "not yet" })), onError)
      )
      assert.deepStrictEqual(failures, [])
      yield* Effect.flip(track(async () => ({}) as never, onError))
      const late = yield* Effect.forkChild(Effect.flip(track(() => new Promise(() => undefined), onError)))
      yield* TestClock.adjust(timeoutMillis)
      yield* Fiber.join(late)
      assert.deepStrictEqual(
        failures.map(({ error }) => error).map((error) => (error as Error).constructor),
        [MalformedResponse, DeadlineExceeded]
      )
    })
  )

  it.effect("has no stack where the host throws something else than an error", () =>
    Effect.gen(function* () {
      const failures: Array<ProviderFailure> = []
      // oxlint-disable-next-line prefer-promise-reject-errors -- what a host throws may be anything
      yield* Effect.flip(
        track(
          () => Promise.reject("no"),
          (failure) => failures.push(failure)
        )
      )
      assert.deepStrictEqual(failures, [
        { port: "tracking", operation: "track", error: "no", stack: undefined }
      ])
    })
  )
})
