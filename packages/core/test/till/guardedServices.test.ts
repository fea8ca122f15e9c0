import { Effect, Fiber, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Chain, Facilitator, LedgerOperator, Operation, Till } from "../../src/effect.ts"
import { eventLogger } from "../../src/runtime/events.ts"
import { memory } from "../../src/stores/memory.ts"
import { advance, fakes, pay, settings, started, trackingTill } from "./hosted.ts"

/*
 * What callers get, and pay, where a host's own `Facilitator`, `Chain` or operation does what its type rules out: nothing is
 * charged, no call is open for ever, and no request is a defect.
 */

const transaction = `0x${"ab".repeat(32)}`
const boom = new Error("boom")

const facilitatorOf = (members: object): Layer.Layer<Facilitator> =>
  Layer.succeed(Facilitator, {
    verify: () => Effect.succeed({ _tag: "Valid", payer: undefined }),
    settle: () => Effect.succeed({ _tag: "Settled", transaction, payer: undefined }),
    supported: Effect.succeed([{ x402Version: 2, scheme: "exact", network: "eip155:84532" }]),
    ...members
  } as Facilitator["Service"])

const chainOf = (members: object): Layer.Layer<Chain> =>
  Layer.succeed(Chain, {
    canRead: () => true,
    evidence: () =>
      Effect.succeed({ _tag: "Moved", transaction, logIndex: 1, atSeconds: 1_767_225_600, isFinal: true }),
    usedNonces: () => Effect.undefined,
    balanceOf: () => Effect.succeed(1_000_000_000n),
    acceptsSignature: () => Effect.succeed(true),
    transfersTo: () => Effect.undefined,
    head: () => Effect.succeed({ number: 5n }),
    ...members
  } as Chain["Service"])

/** Pays a call while the test's clock moves on. Returns the status, the error's code, and the ledger's entries. */
const paid = (layer: ReturnType<typeof trackingTill>, path?: string) =>
  Effect.gen(function* () {
    yield* started
    return yield* Effect.gen(function* () {
      const paying = yield* Effect.forkChild(pay(path === undefined ? undefined : { path }))
      for (let step = 0; step < 60 && paying.pollUnsafe() === undefined; step++) yield* advance("5 seconds")
      const response = yield* Fiber.join(paying)
      const { code } = (yield* Effect.promise(() => response.json())) as { readonly code?: string }
      const entries = yield* LedgerOperator.use(({ list }) => list({ limit: 10 }))
      return [response.status, code, entries.length]
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.provide([TestClock.layer(), Logger.layer([])]), Effect.runPromise)

const wrong: ReadonlyArray<readonly [string, () => unknown]> = [
  ["never ends", () => Effect.never],
  ["never ends, and can't be interrupted", () => Effect.uninterruptible(Effect.never)],
  ["has a defect", () => Effect.die(boom)],
  [
    "throws",
    () => {
      throw boom
    }
  ],
  ["fails in a way that its type rules out", () => Effect.fail(boom)],
  ["returns nothing", () => Effect.undefined],
  ["returns a promise that rejects", () => Effect.sync(() => Promise.reject(boom))],
  ["returns another shape", () => Effect.succeed({ isValid: true, success: true, transaction })]
]

describe("a host's own Facilitator", () => {
  const over = (members: object) =>
    paid(trackingTill({ ...fakes(), facilitatorLayer: facilitatorOf(members) }))

  it("is used as it is", async () => expect(await over({})).toEqual([200, undefined, 1]))

  it.each(wrong)("whose verify %s: 503, nothing is charged", async (_, verify) => {
    expect(await over({ verify })).toEqual([503, "FACILITATOR_UNAVAILABLE", 0])
  })

  it.each([
    ...wrong,
    ["names no transaction", () => Effect.succeed({ _tag: "Settled" })],
    ["names what is no transaction", () => Effect.succeed({ _tag: "Settled", transaction: "<b>paid</b>" })]
  ] as typeof wrong)("whose settle %s: 503, and the outcome is open", async (_, settle) => {
    expect(await over({ settle })).toEqual([503, "SETTLEMENT_PENDING", 0])
  })

  it("may be an instance of a class, and may list nothing", async () => {
    class Own {
      readonly supported = Effect.die(boom)
      verify() {
        return Effect.succeed(this.verdict())
      }
      settle() {
        return Effect.succeed({ _tag: "Settled", transaction, payer: undefined })
      }
      private verdict() {
        return { _tag: "Valid", payer: undefined }
      }
    }
    const facilitatorLayer = Layer.succeed(Facilitator, new Own() as never)
    expect(await paid(trackingTill({ ...fakes(), facilitatorLayer }))).toEqual([200, undefined, 1])
  })
})

describe("a host's own Facilitator, however it is written", () => {
  const kinds = [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }]
  const over = (service: object) =>
    paid(
      trackingTill({ ...fakes(), facilitatorLayer: Layer.succeed(Facilitator, service as never) }),
      undefined
    )
  const verify = () => Effect.succeed({ _tag: "Valid", payer: undefined })
  const settle = () => Effect.succeed({ _tag: "Settled", transaction, payer: undefined })

  class Own {
    #timeoutMillis = 30_000
    readonly #addresses = new Map([["own", "https://facilitator.example"]])
    verify = verify
    settle = settle
    get supported() {
      return Effect.succeed(kinds)
    }
    get settleTimeoutMillis() {
      return this.#timeoutMillis
    }
    get addresses() {
      return this.#addresses
    }
  }

  it.each([
    ["a frozen object", Object.freeze({ verify, settle, supported: Effect.succeed(kinds) })],
    ["an instance with getters and private fields", new Own()]
  ])("is used as it is: %s", async (_, service) => expect(await over(service)).toEqual([200, undefined, 1]))

  it.each([
    ["clocks", { clocks: Effect.succeed([undefined, {}]) }],
    [
      "times",
      { clocks: Effect.succeed([{ host: "a.example", beforeMillis: 1, afterMillis: 1, dateMillis: null }]) }
    ],
    ["lists", { supported: Effect.succeed([undefined]), feePayers: () => Effect.succeed([null]) }]
  ])("breaks no background work by %s of another shape", async (_, members) => {
    const codes: Array<string> = []
    const layer = trackingTill({ ...fakes(), facilitatorLayer: facilitatorOf(members) })
    const logger = Logger.layer([eventLogger(({ code }) => codes.push(code))])
    await Effect.gen(function* () {
      yield* started
      yield* Effect.provide(advance("20 seconds"), layer)
    }).pipe(Effect.provide([TestClock.layer(), logger]), Effect.runPromise)
    expect(codes).not.toContain("housekeeping_failed")
    expect(codes).not.toContain("clock_skewed")
  })

  it("tells callers no reason that is no code", async () => {
    const reason = `<b>${"x".repeat(1_000_000)}</b>`
    const verify = () => Effect.succeed({ _tag: "Invalid", reason })
    const layer = trackingTill({ ...fakes(), facilitatorLayer: facilitatorOf({ verify }) })
    const told = await Effect.gen(function* () {
      yield* started
      return yield* Effect.provide(
        Effect.flatMap(pay(), (response) => Effect.promise(() => response.text())),
        layer
      )
    }).pipe(Effect.provide([TestClock.layer(), Logger.layer([])]), Effect.runPromise)
    expect(told).toContain("invalid_payment: ")
    expect(told).not.toContain("xxxx")
  })
})

describe("a host's own Chain", () => {
  const over = (members: object) =>
    paid(
      trackingTill({ ...fakes(), chainLayer: chainOf(members) }, memory(), {
        networks: [{ network: "base-sepolia", rpcUrl: "http://127.0.0.1:1" }],
        proofAbove: "0"
      })
    )

  it("is used as it is", async () => expect(await over({})).toEqual([200, undefined, 1]))

  it.each([
    ...wrong,
    ["returns evidence without a transaction", () => Effect.succeed({ _tag: "Moved" })],
    ["returns evidence of no kind", () => Effect.succeed({ _tag: "toString" })]
  ] as typeof wrong)("whose evidence %s: 503, and the outcome is open", async (_, evidence) => {
    expect(await over({ evidence })).toEqual([503, "SETTLEMENT_PENDING", 0])
  })

  it.each(wrong)("whose head %s: 503, nothing is charged", async (_, head) => {
    expect(await over({ head })).toEqual([503, "FACILITATOR_UNAVAILABLE", 0])
  })
})

describe("a host's own operation", () => {
  it.each([
    ["can't be interrupted", Effect.uninterruptible(Effect.never)],
    ["cleans up for ever", Effect.ensuring(Effect.never, Effect.never)]
  ])("whose work %s ends at its deadline", async (_, work) => {
    const Weather = Operation.make({
      id: "weather",
      method: "GET",
      path: "/weather",
      description: "Weather, now",
      output: Schema.Struct({ celsius: Schema.Finite }),
      price: "0.02",
      work: () => work
    })
    const { chainLayer, facilitatorLayer } = fakes()
    const layer = Till.layer(settings, [Weather]).pipe(
      Layer.provide([facilitatorLayer, chainLayer, memory()])
    )
    expect(await paid(layer as never, "/weather")).toEqual([503, "OPERATION_TIMEOUT", 0])
  })
})
