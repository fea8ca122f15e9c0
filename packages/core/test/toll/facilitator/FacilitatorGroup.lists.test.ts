import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FacilitatorGroup } from "../../../src/toll/facilitator/FacilitatorGroup.ts"
import type { FacilitatorRequest, Verification } from "../../../src/toll/facilitator/FacilitatorVerdicts.ts"
import { SupportedKinds } from "../../../src/toll/facilitator/SupportedKinds.ts"
import { down, kind, memberOf, requestV2, type ScriptedMember } from "./members.ts"

/*
 * What the lists of facilitators decide: the version in which a payment is sent, before and after they were read, and
 * the networks that are given to each.
 */

const solana = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"

/** Verifies while the pauses between attempts pass. */
const verify = Effect.fnUntraced(function* (group: FacilitatorGroup, request = requestV2) {
  const verifying = yield* Effect.forkChild(group.verify(request))
  yield* TestClock.adjust("1 second")
  return yield* Fiber.join(verifying)
})

/** The versions in which a facilitator got a payment, in order. */
const versions = ({ verified }: ScriptedMember): ReadonlyArray<number> =>
  verified.map(({ x402Version }) => x402Version)

const invalid = (reason: string): Verification => ({ _tag: "Invalid", reason })

const on = (network: FacilitatorRequest["requirements"]["network"]): FacilitatorRequest => ({
  ...requestV2,
  requirements: { ...requestV2.requirements, network }
})

/** A facilitator that lists version 1 only, and a group of it whose list was not read. */
const onlyV1 = (verification: Verification) => {
  const only = memberOf("only")
  only.listed = [kind(1, "base-sepolia")]
  only.verification = verification
  return { only, group: new FacilitatorGroup([only]) }
}

describe("a payment before the list was read", () => {
  it.effect.each(["invalid_network", "invalid_scheme", "unsupported_scheme", "invalid_x402_version"])(
    "is sent in the other version after %s",
    (reason) =>
      Effect.gen(function* () {
        const { group, only } = onlyV1(invalid(reason))
        yield* verify(group)
        assert.deepStrictEqual(versions(only), [2, 1])
      })
  )

  it.effect.each(["http_400", "http_404", "http_422", "http_499"])(
    "is sent in the other version after attempts that end with %s",
    (reason) =>
      Effect.gen(function* () {
        const { group, only } = onlyV1({ _tag: "Unreachable", reason })
        yield* verify(group)
        assert.deepStrictEqual(versions(only), [2, 2, 2, 1, 1, 1])
      })
  )

  const others: ReadonlyArray<Verification> = [
    { _tag: "Valid", payer: "0xp" },
    invalid("insufficient_funds"),
    invalid("http_400"),
    down,
    ...["invalid_scheme", "TimeoutError", "proxy_http_404", "http_4040", "http_4a4", "http_40a"].map(
      (reason): Verification => ({ _tag: "Unreachable", reason })
    )
  ]
  it.effect.each(others)("is sent in its own version only, after %j", (verification) =>
    Effect.gen(function* () {
      const { group, only } = onlyV1(verification)
      yield* verify(group)
      assert.isFalse(versions(only).includes(1))
      assert.strictEqual(only.lists(), 0)
    })
  )

  it.effect("is not sent again to a facilitator that lists its version", () =>
    Effect.gen(function* () {
      const only = memberOf("only")
      only.listed = [kind(2)]
      only.verification = invalid("invalid_scheme")
      assert.deepStrictEqual(yield* verify(new FacilitatorGroup([only])), only.verification)
      assert.deepStrictEqual(versions(only), [2])
      assert.strictEqual(only.lists(), 1)
    })
  )

  it.effect("is sent again if one of several facilitators takes the other version", () =>
    Effect.gen(function* () {
      const first = memberOf("first")
      const second = memberOf("second")
      first.listed = [kind(2)]
      second.listed = [kind(1, "base-sepolia")]
      first.verification = second.verification = invalid("invalid_scheme")
      yield* verify(new FacilitatorGroup([first, second]))
      assert.deepStrictEqual(
        [versions(first), versions(second)],
        [
          [2, 2],
          [2, 1]
        ]
      )
    })
  )

  it.effect("is sent again while one of several lists is not read", () =>
    Effect.gen(function* () {
      const first = memberOf("first", { networks: ["base"] })
      const { only: second } = onlyV1(invalid("invalid_scheme"))
      yield* first.kinds.refresh
      yield* verify(new FacilitatorGroup([first, second]))
      assert.deepStrictEqual(versions(second), [2, 1])
    })
  )

  it.effect("on Solana goes to the facilitators in the host's order", () =>
    Effect.gen(function* () {
      const group = new FacilitatorGroup([memberOf("first"), memberOf("second")])
      const { requirements } = on(solana)
      const request = { ...requestV2, requirements: { ...requirements, extra: { feePayer: "A" } } }
      const verification = yield* verify(group, request)
      assert.deepStrictEqual(verification._tag === "Valid" ? verification.route : verification, {
        facilitator: "first",
        x402Version: 2
      })
    })
  )
})

it.effect("a payment after the list was read is sent in one version, whatever the reason of a refusal", () =>
  Effect.gen(function* () {
    const { group, only } = onlyV1(invalid("invalid_scheme"))
    yield* group.supported
    yield* verify(group)
    assert.deepStrictEqual(versions(only), [1])
  })
)

it.effect("a payment that several refuse by its kind has the reason of the last", () =>
  Effect.gen(function* () {
    const members = [memberOf("first"), memberOf("second"), memberOf("third")] as const
    members[0].verification = invalid("invalid_network")
    members[1].verification = invalid("unsupported_scheme")
    members[2].verification = down
    const group = new FacilitatorGroup(members)
    yield* group.supported
    assert.deepStrictEqual(yield* verify(group), members[1].verification)
  })
)

it.effect("lists are read at once", () =>
  Effect.gen(function* () {
    const slow = (name: string) => ({
      ...memberOf(name),
      kinds: new SupportedKinds({
        name,
        address: undefined,
        fetch: Effect.delay(Effect.succeed([kind(2)]), "5 seconds")
      })
    })
    const group = new FacilitatorGroup([slow("first"), slow("second")])
    const reading = yield* Effect.forkChild(group.supported)
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(yield* Fiber.join(reading), [kind(2), kind(2)])
  })
)

it.effect("a list that was not read has no kinds", () =>
  Effect.gen(function* () {
    const unread = memberOf("unread")
    unread.listed = { reason: "http_401" }
    const group = new FacilitatorGroup([unread])
    assert.deepStrictEqual(yield* group.supported, [])
    assert.deepStrictEqual(yield* group.feePayers(solana), [])
  })
)

describe("networks that the host didn't give to a facilitator", () => {
  const given = Effect.fnUntraced(function* () {
    const base = memberOf("base", { networks: ["base"] })
    base.listed = [kind(2, "eip155:8453"), kind(2), { ...kind(2, solana), feePayers: ["A"] }]
    const unread = memberOf("unread", { networks: ["eip155:137"] })
    unread.listed = { reason: "http_401" }
    const group = new FacilitatorGroup([base, unread])
    yield* group.supported
    return { base, group }
  })

  it.effect("are settled by none, whatever it lists", () =>
    Effect.gen(function* () {
      const { group } = yield* given()
      assert.isTrue(yield* group.settles("eip155:8453"))
      // Its facilitator's list was not read.
      assert.isUndefined(yield* group.settles("eip155:137"))
      // The second has no version-1 name, the third is not known here.
      for (const network of ["eip155:84532", "eip155:42161", "eip155:424242"])
        assert.isFalse(yield* group.settles(network))
    })
  )

  it.effect("have no fee payers", () =>
    Effect.gen(function* () {
      const { group } = yield* given()
      assert.deepStrictEqual(yield* group.feePayers(solana), [])
    })
  )

  it.effect("have no route", () =>
    Effect.gen(function* () {
      const { base, group } = yield* given()
      assert.deepStrictEqual(yield* verify(group, on("eip155:84532")), {
        _tag: "Unreachable",
        reason: "no_facilitator_for_network"
      })
      assert.lengthOf(base.verified, 0)
    })
  )
})
