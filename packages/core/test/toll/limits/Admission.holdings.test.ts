import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { Chain } from "../../../src/toll/evidence/Chain.ts"
import { Facilitator } from "../../../src/toll/facilitator/Facilitator.ts"
import { Admission } from "../../../src/toll/limits/Admission.ts"
import { PaymentReversals } from "../../../src/toll/limits/PaymentReversals.ts"
import { Releases, type UnpaidWork } from "../../../src/toll/attempt/Releases.ts"
import { WaitingCalls } from "../../../src/toll/limits/WaitingCalls.ts"
import { newCharge, openAttempt, taskOf } from "../../../src/toll/attempt/PaymentAttempt.ts"
import { nowSeconds, offer, payloadV2, sepolia } from "../payments.ts"
import { tollRequest } from "../tollRequest.ts"

const price = 10_000n

const attemptOf = (owner: string) => {
  const payload = payloadV2({})
  const attempt = openAttempt(
    tollRequest(payload, { proofRequired: () => false }),
    { ...sepolia, separator: `0x${"00".repeat(32)}` },
    { owner, nowMillis: () => nowSeconds * 1_000, waitMillis: 10_000, canReadChain: false }
  )
  attempt.learned.isProven = true
  return attempt
}

const admission = Admission.make({
  exposurePerPayer: 100n * price,
  maxExposurePerPayer: 100n * price,
  unsettledPerPayer: 10,
  unsettled: 10,
  unverified: 10,
  lossPerHour: 100n * price,
  failedPayerMillis: 0,
  leaseMillis: 60_000
})

const services = Layer.mergeAll(
  PaymentReversals.layer.pipe(Layer.provideMerge(Charges.layerMemory)),
  Layer.mock(Chain, { canRead: () => false }),
  Layer.mock(Facilitator, { verify: () => Effect.succeed({ _tag: "Invalid", reason: "expired" }) })
)

const run = <A, E>(test: Effect.Effect<A, E, Charges | Chain | Facilitator | PaymentReversals>) =>
  Effect.runPromise(Effect.provide(test, services))

describe("what a call holds of the limits", () => {
  it("is its place and its stake only while no other process has claimed its payment", () =>
    run(
      Effect.gen(function* () {
        const limits = yield* admission
        const claim = Effect.fnUntraced(function* (owner: string) {
          const attempt = attemptOf(owner)
          const { _tag } = yield* limits.claim(
            attempt,
            newCharge(attempt, taskOf(attempt, offer()), {
              head: undefined,
              settlement: "{}",
              fingerprint: "key:digest",
              repeatKey: "",
              nowMillis: nowSeconds * 1_000
            })
          )
          return [_tag, attempt.releases.holds("place"), attempt.releases.holds("stake")]
        })
        expect(yield* claim("one")).toEqual(["Claimed", true, true])
        expect(yield* claim("two")).toEqual(["Existing", false, false])
      })
    ))

  it("doesn't keep it from verifying its payment again: only other calls wait", () =>
    run(
      Effect.gen(function* () {
        const limits = yield* admission
        const [first, copy] = [attemptOf("one"), attemptOf("two")]
        const verify = (attempt: typeof first) =>
          limits.verify(attempt, taskOf(attempt, offer()).request, new WaitingCalls())
        expect(yield* verify(first)).toMatchObject({ _tag: "Verified" })
        expect(yield* verify(first)).toMatchObject({ _tag: "Verified" })
        expect(yield* verify(copy)).toEqual({ _tag: "Busy", patient: true })
        limits.end(first)
        expect(yield* verify(copy)).toMatchObject({ _tag: "Verified" })
      })
    ))

  it("is given back once, and can't be taken twice", () => {
    const releases = new Releases()
    const released: Array<UnpaidWork | undefined> = []
    const work: UnpaidWork = { hasFailed: true, paidBy: "settlement", lostBy: "payer" }
    releases.hold("stake", (lost) => released.push(lost))
    expect(() => releases.hold("stake", () => undefined)).toThrow("a call holds its stake already")
    releases.releaseAll(work)
    releases.releaseAll(undefined)
    expect([released, releases.holds("stake"), releases.hasHeld("stake"), releases.release("stake")]).toEqual(
      [[work], false, true, false]
    )
  })
})
