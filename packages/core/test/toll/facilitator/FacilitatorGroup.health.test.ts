import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { eventLogger, type TillEvent } from "../../../src/runtime/events.ts"
import { FacilitatorGroup } from "../../../src/toll/facilitator/FacilitatorGroup.ts"
import type { FacilitatorRequest } from "../../../src/toll/facilitator/FacilitatorVerdicts.ts"
import { down, lost, memberOf, requestV2, type ScriptedMember, settled } from "./members.ts"

/*
 * Facilitators that fail: what counts as a failure, who tries them again, and what the host is told.
 */

const withRoute = (facilitator: string): FacilitatorRequest => ({
  ...requestV2,
  route: { facilitator, x402Version: 2 }
})

/** Facilitators whose lists were read, with the events of the test. */
const groupOf = Effect.fnUntraced(function* (...members: ReadonlyArray<ScriptedMember>) {
  const group = new FacilitatorGroup(members)
  yield* group.supported
  const events: Array<TillEvent> = []
  const logged = Effect.provide(Logger.layer([eventLogger((event) => events.push(event))]))
  /** Verifies while the pauses between attempts pass. */
  const verify = Effect.fnUntraced(function* () {
    const verifying = yield* Effect.forkChild(logged(group.verify(requestV2)))
    yield* TestClock.adjust("1 second")
    return yield* Fiber.join(verifying)
  })
  return { group, events, verify, settle: (request: FacilitatorRequest) => logged(group.settle(request)) }
})

it("the longest timeout of a settlement is that of all", () => {
  const members = [30_000, 90_000, 60_000].map((settleTimeoutMillis, index) => ({
    ...memberOf(String(index)),
    settleTimeoutMillis
  }))
  assert.strictEqual(new FacilitatorGroup(members).settleTimeoutMillis, 90_000)
})

describe("what is known of several facilitators", () => {
  const reading = { host: "first.example", beforeMillis: 1, afterMillis: 2, dateMillis: 0 }
  const [plain, first, second] = [memberOf("plain"), memberOf("first"), memberOf("second")]
  const group = new FacilitatorGroup([
    plain,
    { ...first, address: "https://first.example", clock: Effect.succeed(reading) },
    {
      ...second,
      networks: new Set(["eip155:84532"]),
      movesNoMoney: true,
      clock: Effect.succeed(undefined)
    }
  ])

  it("are the addresses of those that have one", () => {
    assert.deepStrictEqual([...group.addresses], [["first", "https://first.example"]])
  })

  it("is on which networks one may move no money", () => {
    assert.isTrue(group.movesNoMoney("eip155:84532"))
    assert.isFalse(group.movesNoMoney("eip155:8453"))
    assert.isFalse(new FacilitatorGroup([plain]).movesNoMoney("eip155:84532"))
  })

  it.effect("are the times that they show", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* group.clocks, [reading])
    })
  )
})

describe("the host is told", () => {
  const isDown: TillEvent = {
    level: "warning",
    code: "facilitator_down",
    message: "A facilitator failed three times in a row; new payments go to the others",
    port: "facilitator",
    facilitator: "first"
  }

  it.effect("once that one of several is down, after its third failure", () =>
    Effect.gen(function* () {
      const first = memberOf("first")
      first.verification = down
      const { events, verify } = yield* groupOf(first, memberOf("second"))
      yield* verify()
      yield* verify()
      assert.deepStrictEqual(events, [])
      yield* verify()
      assert.deepStrictEqual(events, [isDown])
      // It fails again, in the first call after the pause.
      yield* TestClock.adjust("30 seconds")
      yield* verify()
      assert.strictEqual(first.verified.length, 4)
      assert.lengthOf(events, 1)
    })
  )

  it.effect("the same after settlements without a response", () =>
    Effect.gen(function* () {
      const first = memberOf("first")
      first.settlement = lost
      const { events, settle } = yield* groupOf(first, memberOf("second"))
      for (let time = 0; time < 3; time++) assert.deepStrictEqual(yield* settle(withRoute("first")), lost)
      assert.deepStrictEqual(events, [isDown])
    })
  )

  it.effect("nothing about the only one: no payment goes elsewhere", () =>
    Effect.gen(function* () {
      const only = memberOf("only")
      only.verification = down
      const { events, verify } = yield* groupOf(only)
      for (let time = 0; time < 3; time++) assert.deepStrictEqual(yield* verify(), down)
      assert.lengthOf(only.verified, 9)
      assert.deepStrictEqual(events, [])
    })
  )

  it.effect("the name of a facilitator that is not configured any more", () =>
    Effect.gen(function* () {
      const { events, settle } = yield* groupOf(memberOf("first"))
      const unsettled = {
        _tag: "Unknown",
        reason: "facilitator_not_configured",
        transaction: undefined,
        isUnreachable: true
      } as const
      const event = {
        level: "error",
        code: "facilitator_not_configured",
        message:
          "A payment was given to a facilitator that is not configured any more; no other one may settle it",
        port: "facilitator"
      } as const
      assert.deepStrictEqual(yield* settle(withRoute("third")), unsettled)
      assert.deepStrictEqual(events, [{ ...event, facilitator: "third" }])
      // A refund on a network that none takes any more.
      const elsewhere = {
        ...requestV2,
        requirements: { ...requestV2.requirements, network: "eip155:1" }
      } as const
      assert.deepStrictEqual(yield* settle(elsewhere), unsettled)
      assert.deepStrictEqual(events.slice(1), [{ ...event, facilitator: undefined }])
    })
  )
})

describe("failures in a row", () => {
  it.effect("end with a settlement", () =>
    Effect.gen(function* () {
      const first = memberOf("first")
      first.verification = down
      const { events, settle, verify } = yield* groupOf(first, memberOf("second"))
      for (let time = 0; time < 4; time++) {
        yield* verify()
        yield* verify()
        assert.deepStrictEqual(yield* settle(withRoute("first")), settled)
      }
      assert.lengthOf(first.verified, 8)
      assert.deepStrictEqual(events, [])
    })
  )

  it.effect("end with a refusal", () =>
    Effect.gen(function* () {
      const first = memberOf("first")
      const { events, verify } = yield* groupOf(first, memberOf("second"))
      for (let time = 0; time < 4; time++) {
        first.verification = down
        yield* verify()
        yield* verify()
        first.verification = { _tag: "Invalid", reason: "insufficient_funds" }
        yield* verify()
      }
      assert.lengthOf(first.verified, 12)
      assert.deepStrictEqual(events, [])
    })
  )
})

it.effect("of two payments at once after a pause, one goes to the facilitator that was down", () =>
  Effect.gen(function* () {
    const first = memberOf("first")
    const second = memberOf("second")
    let isSlow = false
    let attempts = 0
    const slow: ScriptedMember = {
      ...first,
      verify: () =>
        Effect.suspend(() => {
          attempts++
          return isSlow ? Effect.never : Effect.succeed(down)
        })
    }
    const { verify } = yield* groupOf(slow, second)
    for (let time = 0; time < 3; time++) yield* verify()
    assert.strictEqual(attempts, 3)
    isSlow = true
    yield* TestClock.adjust("30 seconds")
    const waiting = yield* Effect.forkChild(verify())
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* verify())._tag, "Valid")
    assert.deepStrictEqual([attempts, second.verified.length], [4, 4])
    yield* Fiber.interrupt(waiting)
  })
)

describe("a facilitator that is withheld", () => {
  it.effect("gets no new payments, and settles those that it has verified", () =>
    Effect.gen(function* () {
      const [first, second] = [memberOf("first"), memberOf("second")]
      const { group, settle, verify } = yield* groupOf(first, second)
      assert.deepStrictEqual([group.withhold("first"), group.withhold("first")], [true, false])
      assert.isFalse(group.withhold("nobody"))
      const verification = yield* verify()
      assert.deepStrictEqual(verification._tag === "Valid" && verification.route?.facilitator, "second")
      assert.deepStrictEqual([first.verified.length, second.verified.length], [0, 1])
      assert.deepStrictEqual(yield* settle(withRoute("first")), settled)
      assert.isTrue(yield* group.settles("eip155:84532"))
    })
  )

  it.effect("takes its networks out of the offers where there is no other one", () =>
    Effect.gen(function* () {
      const only = memberOf("only")
      const { group, verify } = yield* groupOf(only, memberOf("elsewhere", { networks: ["base"] }))
      assert.isTrue(yield* group.settles("eip155:84532"))
      group.withhold("only")
      assert.isFalse(yield* group.settles("eip155:84532"))
      assert.deepStrictEqual(yield* group.feePayers("eip155:84532"), [])
      assert.deepStrictEqual(yield* verify(), { _tag: "Unreachable", reason: "no_facilitator_for_network" })
    })
  )
})
