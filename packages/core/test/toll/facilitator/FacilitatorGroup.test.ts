import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FacilitatorGroup } from "../../../src/toll/facilitator/FacilitatorGroup.ts"
import type { FacilitatorRequest, Verification } from "../../../src/toll/facilitator/FacilitatorVerdicts.ts"
import {
  down,
  kind,
  lost,
  memberOf,
  requestV1,
  requestV2,
  type ScriptedMember,
  settled,
  transaction
} from "./members.ts"

/*
 * Several facilitators: which one verifies a payment, and which one settles it.
 */

const names = (members: ReadonlyArray<ScriptedMember>): ReadonlyArray<number> =>
  members.map(({ verified }) => verified.length)

/** Verifies while the pauses between attempts pass. */
const verify = Effect.fnUntraced(function* (group: FacilitatorGroup, request = requestV2) {
  const verifying = yield* Effect.forkChild(group.verify(request))
  yield* TestClock.adjust("1 second")
  return yield* Fiber.join(verifying)
})

const routeIn = (verification: Verification): string | undefined =>
  verification._tag === "Valid" ? verification.route?.facilitator : undefined

const withRoute = (request: FacilitatorRequest, facilitator: string): FacilitatorRequest => ({
  ...request,
  route: { facilitator, x402Version: request.x402Version }
})

/** Two facilitators whose lists were read. */
const pair = Effect.fnUntraced(function* () {
  const first = memberOf("first")
  const second = memberOf("second")
  const group = new FacilitatorGroup([first, second])
  yield* group.supported
  return { first, second, group }
})

describe("verifying", () => {
  it.effect("goes to the first that responds, and names it", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      const x402Version = 2 as const
      assert.deepStrictEqual(yield* verify(group), {
        _tag: "Valid",
        payer: "0xp",
        route: { facilitator: "first", x402Version }
      })
      first.verification = down
      assert.strictEqual(routeIn(yield* verify(group)), "second")
      assert.deepStrictEqual(names([first, second]), [2, 1])
    })
  )

  it.effect("doesn't fail over from a verdict", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      first.verification = { _tag: "Invalid", reason: "insufficient_funds" }
      assert.deepStrictEqual(yield* verify(group), first.verification)
      assert.lengthOf(second.verified, 0)
    })
  )

  it.effect("fails over from one that doesn't take this kind of payment, whatever it lists", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      first.verification = { _tag: "Invalid", reason: "invalid_network" }
      assert.strictEqual(routeIn(yield* verify(group)), "second")
      second.verification = down
      assert.deepStrictEqual(yield* verify(group), first.verification)
    })
  )

  it.effect("calls each of them once, then gives up", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      first.verification = second.verification = down
      assert.deepStrictEqual(yield* verify(group), down)
      assert.deepStrictEqual(names([first, second]), [1, 1])
    })
  )

  it.effect("tries a single facilitator three times", () =>
    Effect.gen(function* () {
      const only = memberOf("only")
      only.verification = down
      assert.deepStrictEqual(yield* verify(new FacilitatorGroup([only])), down)
      assert.lengthOf(only.verified, 3)
    })
  )

  it.effect("passes over one that is down, and tries it again after 30 seconds, with one payment", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      first.verification = down
      for (let time = 0; time < 10; time++) yield* verify(group)
      assert.deepStrictEqual(names([first, second]), [3, 10])
      yield* TestClock.adjust("30 seconds")
      for (let time = 0; time < 5; time++) yield* verify(group)
      assert.deepStrictEqual(names([first, second]), [4, 15])
      first.verification = { _tag: "Valid", payer: "0xp" }
      yield* TestClock.adjust("30 seconds")
      for (let time = 0; time < 3; time++) assert.strictEqual(routeIn(yield* verify(group)), "first")
    })
  )

  it.effect("tries those that are down if no other responds", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      first.verification = down
      for (let time = 0; time < 4; time++) yield* verify(group)
      first.verification = { _tag: "Valid", payer: "0xp" }
      second.verification = down
      assert.strictEqual(routeIn(yield* verify(group)), "first")
    })
  )
})

describe("routing", () => {
  it.effect("follows the networks that the host gave and those that are listed", () =>
    Effect.gen(function* () {
      const base = memberOf("base", { networks: ["base"] })
      const polygon = memberOf("polygon")
      polygon.listed = [kind(2, "eip155:137")]
      const sepolia = memberOf("sepolia", { networks: ["base-sepolia"] })
      const group = new FacilitatorGroup([base, polygon, sepolia])
      yield* group.supported
      assert.strictEqual(routeIn(yield* verify(group)), "sepolia")
      assert.isTrue(yield* group.settles("eip155:137"))
      assert.isTrue(yield* group.settles("eip155:84532"))
      // Its facilitator lists another network.
      assert.isFalse(yield* group.settles("eip155:8453"))
      const elsewhere = { ...requestV2, requirements: { ...requestV2.requirements, network: "eip155:1" } }
      assert.deepStrictEqual(yield* verify(group, elsewhere), {
        _tag: "Unreachable",
        reason: "no_facilitator_for_network"
      })
    })
  )

  it.effect("isn't known while one facilitator's list can't be read", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      assert.isFalse(yield* group.settles("eip155:1"))
      const unread = memberOf("unread")
      unread.listed = { reason: "http_401" }
      assert.isUndefined(yield* new FacilitatorGroup([first, unread, second]).settles("eip155:1"))
    })
  )

  const versions = [
    ["a version-1 payment", requestV1, 2],
    ["a version-2 payment", requestV2, 1]
  ] as const
  it.effect.each(versions)("%s is converted for a facilitator of the other version", ([, request, version]) =>
    Effect.gen(function* () {
      const only = memberOf("only")
      only.listed = [kind(version, version === 1 ? "base-sepolia" : "eip155:84532")]
      const group = new FacilitatorGroup([only])
      yield* group.supported
      const verification = yield* verify(group, request)
      assert.isTrue(verification._tag === "Valid")
      if (verification._tag !== "Valid" || verification.route === undefined) return
      assert.strictEqual(verification.route.x402Version, version)
      const [sent] = only.verified
      assert.strictEqual(sent?.x402Version, version)
      // The charge keeps the version in which the payment came; it is converted again when it is settled.
      yield* group.settle({ ...request, route: verification.route })
      assert.deepStrictEqual(only.settled[0], { ...sent!, route: verification.route })
    })
  )

  it.effect("a facilitator that refuses the version before its list was read gets the other one", () =>
    Effect.gen(function* () {
      const only = memberOf("only")
      only.listed = [kind(1, "base-sepolia")]
      only.verification = { _tag: "Invalid", reason: "invalid_scheme" }
      const group = new FacilitatorGroup([only])
      yield* verify(group)
      assert.deepStrictEqual(
        only.verified.map(({ x402Version }) => x402Version),
        [2, 1]
      )
    })
  )
})

describe("settling", () => {
  it.effect("is left to the facilitator of the charge, whatever happens there", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      first.settlement = lost
      for (let time = 0; time < 5; time++)
        assert.deepStrictEqual(yield* group.settle(withRoute(requestV2, "first")), lost)
      assert.deepStrictEqual([first.settled.length, second.settled.length], [5, 0])
      // New payments go to the second one.
      assert.strictEqual(routeIn(yield* verify(group)), "second")
    })
  )

  it.effect("a response that leaves the outcome open doesn't count against a facilitator", () =>
    Effect.gen(function* () {
      const { first, group } = yield* pair()
      first.settlement = { _tag: "Unknown", reason: "settlement_pending", transaction }
      for (let time = 0; time < 5; time++) yield* group.settle(withRoute(requestV2, "first"))
      assert.strictEqual(routeIn(yield* verify(group)), "first")
    })
  )

  it.effect("is left undone if the facilitator of the charge is not configured any more", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      assert.deepInclude(yield* group.settle(withRoute(requestV2, "third")), {
        _tag: "Unknown",
        reason: "facilitator_not_configured"
      })
      assert.deepStrictEqual([first.settled.length, second.settled.length], [0, 0])
    })
  )

  it.effect("without a record goes to the first that takes the network, up or down", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* pair()
      first.verification = down
      for (let time = 0; time < 4; time++) yield* verify(group)
      assert.deepStrictEqual(yield* group.settle(requestV2), settled)
      assert.deepStrictEqual([first.settled.length, second.settled.length], [1, 0])
    })
  )
})

describe("lists", () => {
  it.effect("survive rate limits, and are read again with backoff", () =>
    Effect.gen(function* () {
      const only = memberOf("only")
      const group = new FacilitatorGroup([only])
      const listed = yield* group.supported
      assert.lengthOf(listed, 2)
      only.listed = { reason: "http_429", retryAfterMillis: 60_000 }
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* group.supported, listed)
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* group.supported, listed)
      assert.strictEqual(only.lists(), 2)
      only.listed = [kind(2)]
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* group.supported, [kind(2)])
    })
  )

  it.effect("of a facilitator that starts slowly are read soon after", () =>
    Effect.gen(function* () {
      const only = memberOf("only")
      only.listed = { reason: "TimeoutError" }
      const group = new FacilitatorGroup([only])
      assert.isUndefined(yield* group.settles("eip155:84532"))
      only.listed = [kind(2)]
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(yield* group.settles("eip155:84532"))
    })
  )
})

describe("on Solana", () => {
  const solana = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
  const onSolana = (feePayer: string): FacilitatorRequest => ({
    ...requestV2,
    requirements: { ...requestV2.requirements, network: solana, extra: { feePayer } }
  })
  /** Two facilitators that list fee payers. */
  const payers = Effect.fnUntraced(function* () {
    const { first, group, second } = yield* pair()
    first.kinds.known = [{ ...kind(2, solana), feePayers: ["A", "A2"] }]
    second.kinds.known = [{ ...kind(2, solana), feePayers: ["B"] }, kind(1, "solana-devnet")]
    return { first, group, second }
  })

  it.effect("a payment goes to the facilitator of its fee payer, and to no other", () =>
    Effect.gen(function* () {
      const { first, group, second } = yield* payers()
      for (const [feePayer, name] of [
        ["A", "first"],
        ["A2", "first"],
        ["B", "second"]
      ] as const)
        assert.strictEqual(routeIn(yield* verify(group, onSolana(feePayer))), name)
      first.verification = down
      assert.strictEqual((yield* verify(group, onSolana("A")))._tag, "Unreachable")
      assert.strictEqual(second.verified.length, 1)
    })
  )

  it.effect("a payment for a fee payer that none lists any more goes to any", () =>
    Effect.gen(function* () {
      const { group } = yield* payers()
      assert.strictEqual(routeIn(yield* verify(group, onSolana("earlier"))), "first")
    })
  )

  it.effect("the fee payers of those that respond come first", () =>
    Effect.gen(function* () {
      const { first, group } = yield* payers()
      assert.deepStrictEqual(yield* group.feePayers(solana), [["A", "A2"], ["B"]])
      assert.deepStrictEqual(yield* group.feePayers("solana:other"), [])
      first.verification = down
      for (let attempt = 0; attempt < 3; attempt++) yield* verify(group, onSolana("A"))
      assert.deepStrictEqual(yield* group.feePayers(solana), [["B"], ["A", "A2"]])
    })
  )
})
