import { Effect, Layer } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { chargesWithOne, paidFirst, provisional } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleResponse } from "../../../../testing/src/stores/records.ts"
import { Chain } from "../../../src/toll/evidence/Chain.ts"
import { Facilitator } from "../../../src/toll/facilitator/Facilitator.ts"
import { Admission } from "../../../src/toll/limits/Admission.ts"
import { PaymentReversals } from "../../../src/toll/limits/PaymentReversals.ts"
import { newCharge, openAttempt, taskOf } from "../../../src/toll/attempt/PaymentAttempt.ts"
import { expectFailed, openTill, search, track } from "../openTill.ts"
import { nowSeconds, offer, payloadV2, sepolia } from "../payments.ts"
import { tollRequest } from "../tollRequest.ts"

const layer = PaymentReversals.layer.pipe(Layer.provide(Charges.layerMemory))

const price = 10_000n

const nonceOf = (number: number): `0x${string}` => `0x${String(number).padStart(64, "0")}`

/** A payment for work that comes first. */
const attemptOf = (nonce: `0x${string}`) => {
  const payload = payloadV2({ nonce })
  const attempt = openAttempt(
    tollRequest(payload, { proofRequired: () => false }),
    { ...sepolia, separator: `0x${"00".repeat(32)}` },
    { owner: nonce, nowMillis: () => nowSeconds * 1_000, waitMillis: 10_000, canReadChain: false }
  )
  attempt.learned.isProven = true
  return attempt
}

/** Room for one payment without cover. */
const admissionOf = Admission.make({
  exposurePerPayer: 100n * price,
  maxExposurePerPayer: 100n * price,
  unsettledPerPayer: 10,
  unsettled: 10,
  unverified: 10,
  lossPerHour: 1n,
  failedPayerMillis: 0,
  leaseMillis: 60_000
})

const services = Layer.mergeAll(
  layer,
  Layer.mock(Chain, { canRead: () => false }),
  Layer.mock(Facilitator, {})
)

describe("the charges of a till", () => {
  it("report each refund that becomes due, and each settlement that is undone, once", async () => {
    const seen: Array<string> = []
    const changed = await Effect.runPromise(
      Effect.gen(function* () {
        const reversals = yield* PaymentReversals
        reversals.subscribe(({ key }) => seen.push(key))
        const charges = yield* chargesWithOne("settled", { key: "due" }, { settlement: paidFirst })
        yield* chargesWithOne("settled", { key: "undone" }, { settlement: provisional })
        yield* chargesWithOne("ready", { key: "open" })
        return [
          yield* charges.markRefundDue("due", 2_000, undefined),
          yield* charges.markRefundDue("due", 2_000, undefined),
          yield* charges.markRefundDue("open", 2_000, undefined),
          yield* charges.reopen("undone", "me", 2_000),
          yield* charges.reopen("undone", "me", 2_000)
        ]
      }).pipe(Effect.provide(layer))
    )
    expect(changed).toEqual([true, false, false, true, false])
    expect(seen).toEqual(["due", "undone"])
  })
})

describe("a payer", () => {
  it("has no cover by a payment whose refund is due", async () => {
    const claims = await Effect.runPromise(
      Effect.gen(function* () {
        const admission = yield* admissionOf
        const charges = yield* Charges
        const claim = Effect.fnUntraced(function* (nonce: `0x${string}`) {
          const attempt = attemptOf(nonce)
          const charge = newCharge(attempt, taskOf(attempt, offer()), {
            head: undefined,
            settlement: "{}",
            fingerprint: "key:digest",
            repeatKey: "",
            nowMillis: nowSeconds * 1_000
          })
          return { attempt, claim: (yield* admission.claim(attempt, charge))._tag, key: charge.key }
        })
        const first = yield* claim(nonceOf(1))
        const settlement = { ...paidFirst, responseOwedUntilMillis: undefined }
        yield* charges.advance(first.key, nonceOf(1), { response: undefined, subject: undefined })
        yield* charges.complete(first.key, settlement, nowSeconds * 1_000)
        admission.settled(first.attempt, price.toString())
        admission.end(first.attempt)
        const covered = yield* claim(nonceOf(2))
        // The budget lets one call pass, whatever its amount.
        const lost = yield* claim(nonceOf(3))
        admission.end(covered.attempt)
        const coveredAgain = yield* claim(nonceOf(4))
        admission.end(coveredAgain.attempt)
        yield* charges.markRefundDue(first.key, nowSeconds * 1_000, undefined)
        const uncovered = yield* claim(nonceOf(5))
        return [covered.claim, lost.claim, coveredAgain.claim, uncovered.claim]
      }).pipe(Effect.provide(services))
    )
    expect(claims).toEqual(["Claimed", "Claimed", "Claimed", "Limited"])
  })

  it("has no cover by a delivered payment whose settlement a reorganization undid", async () => {
    const claims = await Effect.runPromise(
      Effect.gen(function* () {
        const admission = yield* admissionOf
        const paid = attemptOf(nonceOf(1))
        const charges = yield* chargesWithOne(
          "settled",
          {
            key: "paid",
            payer: paid.payer,
            settlesFirst: true,
            exposureAtomic: "0",
            amountAtomic: price.toString()
          },
          { settlement: { ...provisional, responseOwedUntilMillis: 6_000 } }
        )
        yield* charges.deliver("paid", "me", sampleResponse())
        admission.delivered(paid, price.toString())
        const claim = Effect.fnUntraced(function* (number: number) {
          const attempt = attemptOf(nonceOf(number))
          const charge = newCharge(attempt, taskOf(attempt, offer()), {
            head: undefined,
            settlement: "{}",
            fingerprint: "key:digest",
            repeatKey: "",
            nowMillis: nowSeconds * 1_000
          })
          return { attempt, _tag: (yield* admission.claim(attempt, charge))._tag }
        })
        const covered = yield* claim(2)
        // The budget lets one call pass, whatever its amount.
        const lost = yield* claim(3)
        admission.end(covered.attempt)
        const isUndone = yield* charges.reopen("paid", "me", 2_000)
        const uncovered = yield* claim(4)
        return [covered._tag, lost._tag, isUndone, uncovered._tag]
      }).pipe(Effect.provide(services))
    )
    expect(claims).toEqual(["Claimed", "Claimed", true, "Limited"])
  })

  it("is a stranger again once the only payment is refunded", async () => {
    const start = Date.UTC(2026, 2, 2, 12)
    vi.useFakeTimers({ toFake: ["Date"], now: start })
    onTestFinished(() => void vi.useRealTimers())
    const shop = await openTill({
      settlement: { track: "before-work" },
      owedResponseMillis: 60_000,
      limits: { unsettled: 4 }
    })
    const account = privateKeyToAccount(generatePrivateKey())
    shop.tracker.track.failsWith(new Error("reset by peer"))
    expect((await shop.present(track, await shop.payFor(track, { account }))).status).toBe(502)
    vi.setSystemTime(start + 60_000)
    await shop.till.reconcile()
    expect((await shop.till.charges.list()).map(({ refund }) => refund)).toEqual(["due"])
    // Three of four places are for anybody.
    const gate = Promise.withResolvers<void>()
    shop.marketplace.search.returns(async () => {
      await gate.promise
      return { products: [], totalResults: 0, hasMore: false }
    })
    const strangers = Array.from({ length: 3 }, async () =>
      shop.present(search, await shop.payFor(search, { account: privateKeyToAccount(generatePrivateKey()) }))
    )
    await vi.waitFor(() => expect(shop.marketplace.search.calls).toHaveLength(3))
    const verified = shop.facilitator.verify.calls.length
    const refunded = shop.present(search, await shop.payFor(search, { account }))
    await vi.waitFor(() => expect(shop.facilitator.verify.calls).toHaveLength(verified + 1))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(shop.marketplace.search.calls).toHaveLength(3)
    vi.setSystemTime(Date.now() + 11_000)
    expectFailed(await refunded, 429, "RATE_LIMITED")
    gate.resolve()
    expect((await Promise.all(strangers)).map(({ status }) => status)).toEqual([200, 200, 200])
  })
})
