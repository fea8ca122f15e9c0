import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeClientFacilitator } from "../../../src/toll/facilitator/ClientFacilitator.ts"
import { FacilitatorGroup } from "../../../src/toll/facilitator/FacilitatorGroup.ts"
import { unreachableSettlement, wireRequest } from "../../../src/toll/facilitator/Wire.ts"
import type { FacilitatorClient } from "../../../src/toll/facilitator/FacilitatorOptions.ts"
import type { FacilitatorRequest } from "../../../src/toll/facilitator/FacilitatorVerdicts.ts"
import { offer, payloadV2, resourceUrl } from "../payments.ts"

const request: FacilitatorRequest = {
  x402Version: 2,
  payload: payloadV2().payload,
  requirements: offer().requirements,
  resource: { url: resourceUrl, description: "", mimeType: "application/json" }
}
const transaction = `0x${"ab".repeat(32)}`

/** A facilitator with a test's functions; the others never respond. */
const facilitatorOf = (client: Partial<FacilitatorClient>) =>
  makeClientFacilitator(
    { verify: () => new Promise(() => {}), settle: () => new Promise(() => {}), ...client },
    { verifyTimeoutMillis: 100, settleTimeoutMillis: 200 }
  )

const throwing = () => {
  throw new Error("no such network")
}

describe("a facilitator in the same process", () => {
  it.effect("gets the payment and the requirement", () =>
    Effect.gen(function* () {
      const calls: Array<ReadonlyArray<unknown>> = []
      const { settle, verify } = facilitatorOf({
        verify: async (...input) => {
          calls.push(input)
          return { isValid: true, payer: "0xp" }
        },
        settle: async (...input) => {
          calls.push(input)
          return { success: true, transaction, payer: "0xp" }
        }
      })
      assert.deepStrictEqual(yield* verify(request), { _tag: "Valid", payer: "0xp" })
      assert.deepStrictEqual(yield* settle(request), { _tag: "Settled", transaction, payer: "0xp" })
      const { paymentPayload, paymentRequirements } = wireRequest(request)
      assert.deepStrictEqual(calls, [
        [paymentPayload, paymentRequirements],
        [paymentPayload, paymentRequirements]
      ])
    })
  )

  it.effect("may change what it gets", () =>
    Effect.gen(function* () {
      const before = structuredClone(request)
      const { verify } = facilitatorOf({
        verify: async (payment, requirements) => {
          payment.payload.authorization.nonce = transaction
          payment.accepted.payTo = "0x0"
          requirements.extra.name = "Other"
          return { isValid: true }
        }
      })
      assert.deepStrictEqual(yield* verify(request), { _tag: "Valid", payer: undefined })
      assert.deepStrictEqual(request, before)
    })
  )

  it.effect("refuses", () =>
    Effect.gen(function* () {
      const { settle, verify } = facilitatorOf({
        verify: async () => ({ isValid: false, invalidReason: "insufficient_funds" }),
        settle: async () => ({ success: false, errorReason: "insufficient_funds", transaction: "" })
      })
      assert.deepStrictEqual(yield* verify(request), { _tag: "Invalid", reason: "insufficient_funds" })
      assert.deepStrictEqual(yield* settle(request), { _tag: "Rejected", reason: "insufficient_funds" })
    })
  )

  const rejecting = (says: object) => Promise.reject(Object.assign(new Error("no"), says))
  const unusable: ReadonlyArray<readonly [string, () => Promise<never>, string]> = [
    ["throws", throwing, "FacilitatorFailed"],
    ["rejects", () => Promise.reject(new Error("no such network")), "FacilitatorFailed"],
    ["has a code for it", () => rejecting({ reason: "relayer_out_of_funds" }), "relayer_out_of_funds"],
    ["has a tag for it", () => rejecting({ _tag: "FeePayerUnderfunded" }), "FeePayerUnderfunded"],
    ["says it in words", () => rejecting({ reason: "no key 0xabc" }), "FacilitatorFailed"],
    ["returns something else", () => Promise.resolve({ isValid: "yes" } as never), "SchemaError"]
  ]
  it.effect.each(unusable)("that %s leaves the outcome open", ([, respond, reason]) =>
    Effect.gen(function* () {
      const { settle, verify } = facilitatorOf({ verify: respond, settle: respond })
      assert.deepStrictEqual(yield* verify(request), { _tag: "Unreachable", reason })
      assert.deepStrictEqual(yield* settle(request), unreachableSettlement(reason))
    })
  )

  it.effect("that doesn't respond in time leaves the outcome open", () =>
    Effect.gen(function* () {
      const { settle, verify } = facilitatorOf({})
      const verifying = yield* Effect.forkChild(verify(request))
      const settling = yield* Effect.forkChild(settle(request))
      yield* TestClock.adjust(99)
      assert.isUndefined(verifying.pollUnsafe())
      yield* TestClock.adjust(1)
      const reason = "FacilitatorTimedOut"
      assert.deepStrictEqual(yield* Fiber.join(verifying), { _tag: "Unreachable", reason })
      yield* TestClock.adjust(99)
      assert.isUndefined(settling.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(settling), unreachableSettlement(reason))
    })
  )

  it.effect("names what it supports, or nothing where it can't be queried", () =>
    Effect.gen(function* () {
      const kinds = [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }]
      const listOf = (client: Partial<FacilitatorClient>) =>
        new FacilitatorGroup([facilitatorOf(client)]).supported
      assert.deepStrictEqual(yield* listOf({ getSupported: async () => ({ kinds }) }), kinds)
      assert.deepStrictEqual(yield* listOf({}), [])
      // As the official clients: a method that needs its object, and returns no promise in one of them.
      class Listing implements FacilitatorClient {
        private readonly kinds = kinds
        readonly verify = () => new Promise<never>(() => {})
        readonly settle = () => new Promise<never>(() => {})
        getSupported() {
          return { kinds: this.kinds }
        }
      }
      const listing = makeClientFacilitator(new Listing(), { verifyTimeoutMillis: 100 })
      assert.deepStrictEqual(yield* new FacilitatorGroup([listing]).supported, kinds)
      assert.deepStrictEqual(yield* listOf({ getSupported: throwing }), [])
      const silent = yield* Effect.forkChild(listOf({ getSupported: () => new Promise(() => {}) }))
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(yield* Fiber.join(silent), [])
    })
  )
})
