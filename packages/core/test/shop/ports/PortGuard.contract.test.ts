import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Errors from "../../../src/shop/ports/PortErrors.ts"
import { guardedMarketplaces, Marketplaces } from "../../../src/shop/ports/Marketplaces.ts"
import { DeadlineExceeded } from "../../../src/runtime/Deadline.ts"
import { MalformedResponse } from "../../../src/runtime/MalformedResponse.ts"
import { testTracer } from "../../till/hosted.ts"
import { type HostFunction, subjects, timeoutMillis } from "../../ports/subjects.ts"

/** Every refusal of the package, as a host throws it. */
const thrown = {
  ProductNotFound: new Errors.ProductNotFound({ message: "no tote here" }),
  ProductUnavailable: new Errors.ProductUnavailable({ message: "sold out", reason: "out_of_stock" }),
  AddressNotServed: new Errors.AddressNotServed({ message: "not to the moon" }),
  PlacementRefused: new Errors.PlacementRefused({ reason: "sold_out" }),
  NotPlaced: new Errors.NotPlaced({ message: "later", retryAfterSeconds: 9 }),
  MailRejected: new Errors.MailRejected({ message: "no such mailbox" }),
  InvalidTrackingNumber: new Errors.InvalidTrackingNumber({ message: "too short" }),
  NoTrackingInfo: new Errors.NoTrackingInfo({ message: "not yet" }),
  CarrierNotDetected: new Errors.CarrierNotDetected({
    message: "say which",
    candidates: [{ code: 100002, name: "UPS" }]
  }),
  InvalidCarrier: new Errors.InvalidCarrier({ message: "no such carrier" }),
  AdditionalFieldRequired: new Errors.AdditionalFieldRequired({ message: "a postal code", field: "phone" })
}

const rejecting =
  (error: unknown): HostFunction =>
  () =>
    // oxlint-disable-next-line prefer-promise-reject-errors -- what a host throws may be anything
    Promise.reject(error)

/** The same error as thrown by another copy of this package: another class, the same fields. */
const ofAnotherCopy = (error: object): Error =>
  Object.assign(new Error(String(Reflect.get(error, "message"))), JSON.parse(JSON.stringify(error)), {
    _tag: Reflect.get(error, "_tag")
  })

for (const {
  response,
  becomes = {},
  call,
  callLayer,
  comesOut,
  malformed,
  operation,
  port,
  refusals
} of subjects) {
  describe(`${operation} of a layer`, () => {
    const returning = (value: unknown) => callLayer(() => Effect.succeed(value as never))
    const failingWith = (error: unknown) => Effect.flip(callLayer(() => Effect.fail(error as never)))

    it.effect("returns what a host's function may return", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* returning(response), comesOut)
      })
    )

    for (const [tag, error] of Object.entries(thrown)) {
      it.effect(`fails with ${tag} as a host's function does`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* failingWith(error), yield* Effect.flip(call(rejecting(error))))
        })
      )
    }

    it.effect("is unavailable, or has failed, as it says, under the name of its own port", () =>
      Effect.gen(function* () {
        const cause = new Error("down")
        const down = { retryAfterSeconds: 0.5, cause }
        assert.deepStrictEqual(
          yield* failingWith(new Errors.UpstreamUnavailable({ port: "mail", ...down })),
          new Errors.UpstreamUnavailable({ port, cause, retryAfterSeconds: 1 })
        )
        assert.deepStrictEqual(
          yield* failingWith(new Errors.UpstreamFailed({ port: "mail", cause })),
          new Errors.UpstreamFailed({ port, cause })
        )
        const temporary = new Errors.TemporarilyUnavailable({ message: "over quota" })
        assert.deepStrictEqual(
          yield* failingWith(temporary),
          new Errors.UpstreamUnavailable({ port, cause: temporary })
        )
      })
    )

    const defect = new RangeError("a bug")
    for (const [what, host] of [
      ["dies", () => Effect.die(defect)],
      [
        "throws instead of returning an effect",
        () => {
          throw defect
        }
      ],
      ["fails with an error of its own", () => Effect.fail(defect as never)]
    ] as const) {
      it.effect(`has failed when it ${what}`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(
            yield* Effect.flip(callLayer(host)),
            new Errors.UpstreamFailed({ port, cause: defect })
          )
        })
      )
    }

    it.effect("has failed when it interrupts itself, or returns no effect", () =>
      Effect.gen(function* () {
        for (const host of [() => Effect.interrupt, () => Promise.resolve(response) as never])
          assert.instanceOf(yield* Effect.flip(callLayer(host)), Errors.UpstreamFailed)
      })
    )

    it.effect("is awaited when its effect's result is a promise, or the query of a database", () =>
      Effect.gen(function* () {
        const results: ReadonlyArray<() => unknown> = [
          () => Promise.resolve(response),
          // oxlint-disable-next-line unicorn/no-thenable -- the query of a database is one
          () => ({ then: (resolve: (value: unknown) => void) => resolve(response) })
        ]
        for (const result of results)
          assert.deepStrictEqual(yield* callLayer(() => Effect.sync(result) as never), comesOut)
        const rejecting = () => Effect.sync(() => Promise.reject(defect)) as never
        assert.deepStrictEqual(
          yield* Effect.flip(callLayer(rejecting)),
          new Errors.UpstreamFailed({ port, cause: defect })
        )
      })
    )

    it.effect("has failed when its effect's result is an effect", () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(returning(Effect.succeed(response)))
        assert.match(String((failure as Errors.UpstreamFailed).cause), /In a layer, run it with yield\* or/)
      })
    )

    for (const [what, hanging] of [
      ["hangs", Effect.never],
      ["can't be interrupted", Effect.uninterruptible(Effect.never)]
    ] as const) {
      it.effect(`is unavailable past the deadline when it ${what}`, () =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Effect.flip(callLayer(() => hanging)))
          yield* TestClock.adjust(timeoutMillis)
          const failure = yield* Fiber.join(fiber)
          assert.instanceOf(failure, Errors.UpstreamUnavailable)
          assert.instanceOf(failure.cause, DeadlineExceeded)
        })
      )
    }

    it.effect("is interrupted with its caller, which is no failure of it", () =>
      Effect.gen(function* () {
        const lines: Array<unknown> = []
        let interrupted = false
        const host = () =>
          Effect.onInterrupt(Effect.never, () =>
            Effect.sync(() => {
              interrupted = true
            })
          )
        const fiber = yield* Effect.forkChild(
          Effect.provide(callLayer(host), Logger.layer([Logger.make((line) => void lines.push(line))])),
          { startImmediately: true }
        )
        yield* Fiber.interrupt(fiber)
        assert.isTrue(interrupted)
        assert.deepStrictEqual(lines, [])
      })
    )

    for (const [what, unusable, pattern] of malformed) {
      it.effect(`fails when it returns ${what}`, () =>
        Effect.gen(function* () {
          const failure = yield* Effect.flip(returning(unusable))
          assert.instanceOf(failure, Errors.UpstreamFailed)
          assert.instanceOf(failure.cause, MalformedResponse)
          assert.match(failure.cause.message, pattern)
        })
      )
    }
  })

  describe(`${operation} of a host without Effect`, () => {
    // A marketplace may have nine tenths of the till's deadline.
    const deadlineMillis = port === "marketplace" ? timeoutMillis * 0.9 : timeoutMillis

    it.effect("returns the host's result, and passes a signal to the host", () =>
      Effect.gen(function* () {
        const signals: Array<AbortSignal> = []
        const result = yield* call((_, { signal }) => {
          signals.push(signal)
          return Promise.resolve(response as never)
        })
        assert.deepStrictEqual(result, comesOut)
        assert.deepStrictEqual(
          signals.map(({ aborted }) => aborted),
          [false]
        )
      })
    )

    it.effect("accepts a result that isn't a promise", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* call(() => response as never), comesOut)
      })
    )

    it.effect("has a span below the caller's", () => {
      const { layer, spans } = testTracer()
      return Effect.gen(function* () {
        yield* Effect.withSpan(
          call(() => Promise.resolve(response as never)),
          "caller"
        )
        const caller = spans.find(({ name }) => name === "caller")!
        const own = spans.find(({ name }) => name === operation)!
        assert.strictEqual(own.traceId, caller.traceId)
        assert.strictEqual(own.status._tag, "Ended")
      }).pipe(Effect.provide(layer))
    })

    for (const [tag, error] of Object.entries(thrown)) {
      const allowed = refusals.includes(tag) || tag in becomes
      const due = becomes[tag] ?? error
      it.effect(`${allowed ? "lets through" : "calls broken"}: ${tag}`, () =>
        Effect.gen(function* () {
          for (const cause of [error, ofAnotherCopy(error)]) {
            const failure = yield* Effect.flip(call(rejecting(cause)))
            if (allowed) {
              assert.strictEqual(Reflect.get(failure, "constructor"), due.constructor)
              assert.deepStrictEqual<object>({ ...failure }, { ...due })
              assert.strictEqual(Reflect.get(failure, "message"), Reflect.get(due, "message"))
            } else {
              assert.instanceOf(failure, Errors.UpstreamFailed)
              assert.strictEqual(failure.port, port)
              assert.strictEqual(failure.cause, cause)
            }
          }
        })
      )
    }

    it.effect("is unavailable when the host throws that", () =>
      Effect.gen(function* () {
        for (const [given, expected] of [
          [undefined, undefined],
          [90, 90],
          [0.2, 1],
          [1e9, 86_400],
          [Number.NaN, undefined]
        ] as const) {
          const error = new Errors.TemporarilyUnavailable({
            message: "over quota",
            ...(given === undefined ? {} : { retryAfterSeconds: given })
          })
          for (const cause of [error, Object.assign(ofAnotherCopy(error), { retryAfterSeconds: given })]) {
            const failure = yield* Effect.flip(call(rejecting(cause)))
            assert.instanceOf(failure, Errors.UpstreamUnavailable)
            assert.strictEqual(failure.port, port)
            assert.strictEqual(failure.retryAfterSeconds, expected)
            assert.strictEqual(failure.cause, cause)
          }
        }
      })
    )

    for (const [what, cause] of [
      ["an error", new Error("boom")],
      ["text", "boom"],
      ["nothing", undefined],
      ["null", null],
      ["a number", 42],
      ["an object with another tag", { _tag: "Boom" }]
    ] as const) {
      it.effect(`has failed when the host throws ${what}, at once or later`, () =>
        Effect.gen(function* () {
          const atOnce: HostFunction = () => {
            throw cause
          }
          for (const host of [rejecting(cause), atOnce]) {
            const failure = yield* Effect.flip(call(host))
            assert.instanceOf(failure, Errors.UpstreamFailed)
            assert.strictEqual(failure.port, port)
            assert.strictEqual(failure.cause, cause)
          }
        })
      )
    }

    for (const inRegion of [Effect.interruptible, Effect.uninterruptible]) {
      it.effect(`is unavailable past the deadline, and aborts the host's call (${inRegion.name})`, () =>
        Effect.gen(function* () {
          const signals: Array<AbortSignal> = []
          const hanging: HostFunction = (_, { signal }) => {
            signals.push(signal)
            return new Promise(() => undefined)
          }
          const fiber = yield* Effect.forkChild(inRegion(Effect.flip(call(hanging))))
          yield* TestClock.adjust(deadlineMillis - 1)
          assert.strictEqual(fiber.pollUnsafe(), undefined)
          assert.deepStrictEqual(
            signals.map(({ aborted }) => aborted),
            [false]
          )
          yield* TestClock.adjust(1)
          const failure = yield* Fiber.join(fiber)
          assert.instanceOf(failure, Errors.UpstreamUnavailable)
          assert.strictEqual(failure.port, port)
          assert.instanceOf(failure.cause, DeadlineExceeded)
          assert.strictEqual(failure.cause.message, `no response within ${deadlineMillis} ms`)
          assert.strictEqual(signals[0]?.aborted, true)
        })
      )
    }

    it.effect("aborts the host's call when the caller is interrupted", () =>
      Effect.gen(function* () {
        const signals: Array<AbortSignal> = []
        const fiber = yield* Effect.forkChild(
          call((_, { signal }) => {
            signals.push(signal)
            return new Promise(() => undefined)
          }),
          { startImmediately: true }
        )
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(signals[0]?.aborted, true)
      })
    )

    for (const [what, unusable, pattern] of malformed) {
      it.effect(`fails when the host returns ${what}`, () =>
        Effect.gen(function* () {
          const failure = yield* Effect.flip(call(() => Promise.resolve(unusable as never)))
          assert.instanceOf(failure, Errors.UpstreamFailed)
          assert.strictEqual(failure.port, port)
          assert.instanceOf(failure.cause, MalformedResponse)
          assert.match(failure.cause.message, pattern)
        })
      )
    }
  })
}

it.effect("the span of a search names its marketplace", () => {
  const { layer, spans } = testTracer()
  const search = () => Promise.resolve({ products: [], totalResults: 0, hasMore: false })
  const both = Marketplaces.layerPromise({ marketplace_a: { search }, marketplace_b: { search } })
  return Effect.gen(function* () {
    for (const marketplace of yield* guardedMarketplaces("own"))
      yield* marketplace.search({ q: "tote", page: 1 })
    assert.deepStrictEqual(
      spans.map(({ attributes, name }) => [name, ...attributes]),
      [
        ["Marketplaces.search", ["source", "marketplace_a"]],
        ["Marketplaces.search", ["source", "marketplace_b"]]
      ]
    )
  }).pipe(Effect.provide([both, layer]))
})
