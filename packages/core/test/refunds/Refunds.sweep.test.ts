import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { StoreError } from "../../src/domain/Errors.ts"
import type { Charge } from "../../src/ports/Charges.ts"
import type { Settlement } from "../../src/toll/facilitator/Facilitator.ts"
import {
  keyOf,
  moved,
  owed,
  play,
  type Scene,
  type Script,
  settled,
  storeError,
  rejected
} from "../shop/orders/refundScene.ts"

/** The store lists pages of what is owed; for the audit of the ledger it has nothing. */
const listing = (...pages: ReadonlyArray<ReadonlyArray<Charge>>): NonNullable<Script["charges"]> => {
  const left = [...pages]
  return {
    list: ({ isRefundDue }) =>
      isRefundDue === true ? Effect.sync(() => left.shift() ?? []) : Effect.succeed([])
  }
}
const owedQueries = ({ of }: Pick<Scene, "of">): ReadonlyArray<unknown> =>
  of("list")
    .map(([query]) => query as { readonly isRefundDue?: boolean })
    .filter(({ isRefundDue }) => isRefundDue === true)
const page = (first: number, count = 100): ReadonlyArray<Charge> =>
  // On a network that is not known they are skipped without a read of the chain.
  Array.from({ length: count }, (_, index) => owed(`n${first + index}`, { network: "eip155:424242" }))

describe("a sweep", () => {
  it("sends what is owed", () =>
    play({ charges: listing([owed("a"), owed("b")]), settlements: [settled] }, (scene) =>
      Effect.gen(function* () {
        yield* scene.refunds.sweep
        expect(scene.of("recordRefund").map(([key]) => key)).toEqual([keyOf("a"), keyOf("b")])
        expect(owedQueries(scene)).toStrictEqual([{ isRefundDue: true, limit: 100 }])
      })
    ))

  it("goes on from page to page while they are full", () => {
    const [first, second] = [page(0), page(100)]
    return play({ charges: listing(first, second, [owed("a")]), settlements: [settled] }, (scene) =>
      Effect.gen(function* () {
        yield* scene.refunds.sweep
        expect(owedQueries(scene)).toStrictEqual([
          { isRefundDue: true, limit: 100 },
          { isRefundDue: true, limit: 100, before: first.at(-1) },
          { isRefundDue: true, limit: 100, before: second.at(-1) }
        ])
        expect(scene.of("recordRefund")).toHaveLength(1)
      })
    )
  })

  it("ends after a page that is not full", () =>
    play({ charges: listing(page(0, 99), page(100)) }, (scene) =>
      Effect.gen(function* () {
        yield* scene.refunds.sweep
        expect(owedQueries(scene)).toHaveLength(1)
      })
    ))

  it("goes on where the last one ended, so that a thousand refunds that wait don't keep older ones waiting", () => {
    const pages = Array.from({ length: 10 }, (_, index) => page(index * 100))
    const scripted = listing(...pages, [owed("a")], [])
    return play({ charges: scripted, settlements: [settled] }, (scene) =>
      Effect.gen(function* () {
        yield* scene.refunds.sweep
        expect(scene.of("recordRefund")).toHaveLength(0)
        yield* scene.refunds.sweep
        expect(scene.of("recordRefund").map(([key]) => key)).toEqual([keyOf("a")])
        expect(owedQueries(scene).at(-1)).toStrictEqual({
          isRefundDue: true,
          limit: 100,
          before: pages.at(-1)!.at(-1)
        })
        // And then from the start.
        yield* scene.refunds.sweep
        expect(owedQueries(scene).at(-1)).toStrictEqual({ isRefundDue: true, limit: 100 })
      })
    )
  })

  it("ends after ten pages, and the next one goes on from there", () => {
    let pages = 0
    const endless: NonNullable<Script["charges"]> = {
      list: ({ isRefundDue }) => {
        if (isRefundDue !== true) return Effect.succeed([])
        return ++pages > 12 ? Effect.die(new Error("without end")) : Effect.succeed(page(pages * 100))
      }
    }
    return play({ charges: endless }, (scene) =>
      Effect.gen(function* () {
        yield* scene.refunds.sweep
        expect(pages).toBe(10)
        pages = 12
        yield* Effect.exit(scene.refunds.sweep)
        expect(owedQueries(scene).at(-1)).toMatchObject({ before: { key: keyOf("n1099") } })
      })
    )
  })

  it("compares the ledger with the chain, even where all refunds rest", () =>
    play({ charges: listing([owed("a", { network: "eip155:424242" })]) }, (scene) =>
      Effect.gen(function* () {
        yield* scene.refunds.sweep
        expect(scene.of("entries").length).toBeGreaterThan(0)
      })
    ))

  it("looks up, while refunds are stopped, those that were begun", () =>
    play(
      {
        charges: {
          ...listing([
            owed("a"),
            owed("b", { refund: { _tag: "Due", startedAtMillis: 1 } }),
            owed("c", { refund: { _tag: "Due", startedAtMillis: 0 } })
          ]),
          refundStop: () => Effect.succeed({ reason: "by hand", atMillis: 1 })
        },
        evidence: [moved()]
      },
      (scene) =>
        Effect.gen(function* () {
          yield* scene.refunds.sweep
          expect(scene.of("recordRefund").map(([key]) => key)).toEqual([keyOf("b"), keyOf("c")])
        })
    ))
})

describe("a refund that fails", () => {
  const failures: ReadonlyArray<readonly [string, Effect.Effect<never, StoreError>]> = [
    ["a failure of the store", Effect.fail(storeError)],
    ["a defect", Effect.die(new Error("broken"))]
  ]
  it.each(failures)("with %s doesn't keep older ones waiting, and rests", (_, failure) => {
    const starts: Array<string> = []
    const script: Script = {
      charges: {
        list: ({ isRefundDue }) => Effect.succeed(isRefundDue === true ? [owed("a"), owed("b")] : []),
        startRefund: (key) =>
          Effect.suspend(() => {
            starts.push(key)
            return key === keyOf("a") ? failure : Effect.succeed({ _tag: "Started" as const })
          })
      },
      settlements: [settled]
    }
    return play(script, ({ events, of, refunds }) =>
      Effect.gen(function* () {
        yield* refunds.sweep
        expect(of("recordRefund").map(([key]) => key)).toEqual([keyOf("b")])
        expect(events).toMatchObject([{ level: "error", code: "refund_failed", chargeKey: keyOf("a") }])
        yield* TestClock.adjust(4_999)
        yield* refunds.sweep
        expect(starts.filter((key) => key === keyOf("a"))).toHaveLength(1)
        yield* TestClock.adjust(1)
        yield* refunds.sweep
        expect(starts.filter((key) => key === keyOf("a"))).toHaveLength(2)
      })
    )
  })

  it("is not retried by a sweep that is interrupted", () => {
    const script: Script = { charges: { ...listing([owed("a")]), startRefund: () => Effect.never } }
    return play(script, ({ events, of, refunds }) =>
      Effect.gen(function* () {
        const sweep = yield* Effect.forkChild(refunds.sweep, { startImmediately: true })
        yield* Effect.yieldNow
        expect(of("startRefund")).toHaveLength(1)
        yield* Fiber.interrupt(sweep)
        expect(Exit.isFailure(yield* Fiber.await(sweep))).toBe(true)
        expect(events).toEqual([])
      })
    )
  })
})

describe("a sweep's refunds", () => {
  it("are sent four at a time, each once", () => {
    const names = Array.from({ length: 10 }, (_, index) => `n${index}`)
    let open = 0
    let most = 0
    const script: Script = {
      charges: {
        ...listing(names.map((name) => owed(name))),
        startRefund: () =>
          Effect.gen(function* () {
            most = Math.max(most, ++open)
            yield* Effect.yieldNow
            open--
            return { _tag: "Started" as const }
          })
      },
      settlements: [settled]
    }
    return play(script, ({ of, refunds }) =>
      Effect.gen(function* () {
        yield* refunds.sweep
        expect(most).toBe(4)
        expect(of("recordRefund").map(([key]) => key)).toEqual(names.map(keyOf))
      })
    )
  })
})

describe("a refund that failed", () => {
  const failing = (...settlements: ReadonlyArray<Settlement>): Script => ({
    charges: { list: ({ isRefundDue }) => Effect.succeed(isRefundDue === true ? [owed()] : []) },
    settlements
  })

  it("rests, ever longer, until its time has come", () =>
    play(failing(rejected), ({ of, refunds }) =>
      Effect.gen(function* () {
        const tries: Array<number> = []
        for (const pause of [0, 4_999, 1, 9_999, 1, 19_999, 1]) {
          yield* TestClock.adjust(pause)
          yield* refunds.sweep
          tries.push(of("settle").length)
        }
        expect(tries).toEqual([1, 1, 2, 2, 3, 3, 4])
      })
    ))

  it("is sent at once where an order requests it", () =>
    play(failing(rejected), ({ of, refunds }) =>
      Effect.gen(function* () {
        yield* refunds.sweep
        yield* refunds.send(owed())
        expect(of("settle")).toHaveLength(2)
      })
    ))

  it("is forgotten once it was sent", () =>
    play(failing(rejected, settled, settled, rejected), ({ of, refunds }) =>
      Effect.gen(function* () {
        const tries: Array<number> = []
        // Fails, is sent twice without a rest, fails, and rests as for the first time.
        for (const pause of [0, 5_000, 0, 0, 4_999, 1]) {
          yield* TestClock.adjust(pause)
          yield* refunds.sweep
          tries.push(of("settle").length)
        }
        expect(tries).toEqual([1, 2, 3, 4, 4, 5])
      })
    ))

  it("is remembered with ten thousand others; then the one that failed longest ago is not", () =>
    play(
      { charges: listing([owed("n0"), owed("n1"), owed("n2")]), settlements: [settled] },
      ({ of, refunds }) =>
        Effect.gen(function* () {
          const fail = (number: number) => refunds.send(owed(`n${number}`, { network: "eip155:424242" }))
          for (let number = 0; number < 10_000; number++) yield* fail(number)
          yield* fail(0)
          yield* fail(10_000)
          yield* refunds.sweep
          expect(of("recordRefund").map(([key]) => key)).toEqual([keyOf("n1")])
        })
    ))
})
