import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { asReady, asClaimed, lease } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleCharge, sampleReceipt } from "../../../../testing/src/stores/records.ts"
import type { Charge, RepeatRule } from "../../../src/ports/Charges.ts"
import { type SecretKey, Secrets } from "../../../src/runtime/Secrets.ts"
import { openAttempt, type PaymentAttempt } from "../../../src/toll/attempt/PaymentAttempt.ts"
import { RepeatedPayments } from "../../../src/toll/perform/RepeatedPayments.ts"
import { keyedDigest } from "../../../src/toll/request/keyedDigest.ts"
import { decodePayment } from "../../../src/toll/request/PaymentHeader.ts"
import type { TollRequest } from "../../../src/toll/request/TollRequest.ts"
import { nowSeconds, payloadV2, payTo, resourceUrl, sepolia } from "../payments.ts"
import { devnet, feePayer, paySolana, solanaPayTo } from "../solana.ts"
import { tollRequest } from "../tollRequest.ts"

/*
 * Which payments repeat another one, what they get, and who learns of it.
 */

const nowMillis = nowSeconds * 1_000
const key = (id: string): SecretKey => ({ id, secret: id.repeat(20) })
const secretsOf = (...ids: ReadonlyArray<string>) =>
  Effect.runPromise(Effect.provide(Effect.service(Secrets), Secrets.layer(ids.map(key))))
const secrets = await secretsOf("k2", "k1")
const older = await secretsOf("k1")

const id = "pay_7d5d747be160e280"
const orderText = "buy a lamp"
const repeats = { withinMillis: 60_000, isIntended: false, identity: orderText }

type Changes = Partial<TollRequest<never>> & {
  readonly paymentId?: string
  readonly authorization?: Parameters<typeof payloadV2>[0]
}

const attemptOf = ({ authorization, paymentId, ...changes }: Changes = {}): PaymentAttempt => {
  const payload = payloadV2(authorization)
  const payment = { payload, signed: payload.payload, ...(paymentId === undefined ? {} : { paymentId }) }
  return openAttempt(
    tollRequest(payload, { repeats, payment, ...changes }),
    { ...sepolia, separator: "0x00" },
    { owner: "me", nowMillis: () => nowMillis, waitMillis: 10_000, canReadChain: false }
  )
}

const fingerprint = keyedDigest(secrets, "fingerprint", tollRequest().canonical)
const repeatKey = keyedDigest(secrets, "repeat", orderText)

/** Another payment for the same request. */
const firstOf = (changes: Partial<Charge> = {}): Charge => ({
  ...asClaimed(
    sampleCharge({ key: "first", payTo, operation: "search", fingerprint, repeatKey, paymentId: "" }),
    lease("you")
  ),
  state: "settled",
  response: asReady.response,
  receipt: sampleReceipt(),
  settledAtMillis: nowMillis,
  ...changes
})

/** What a payment finds in a store that returns a charge, and the rules by which it was asked. */
const looking = (first: Charge | undefined, check: "proven" | "unproven" | "foreign" = "proven") => {
  const rules: Array<RepeatRule> = []
  const asked: Array<object> = []
  const repeated = new RepeatedPayments({
    secrets,
    charges: {
      findRepeated: (charge, rule) => {
        asked.push(charge)
        rules.push(rule)
        return Effect.succeed(first)
      }
    },
    admission: {
      checkSignature: (call) =>
        Effect.sync(() => {
          call.learned.isProven = check === "proven"
          return check === "foreign" ? { code: "foreign", message: "" } : undefined
        })
    }
  })
  return { repeated, rules, asked }
}

describe("the rule of a claim", () => {
  const { repeated } = looking(undefined)
  const keys = [repeatKey, keyedDigest(secrets, "repeat", orderText, "k1")]

  it("is for what is bought, under each key of the host, within its time", () => {
    expect(repeated.ruleOf(attemptOf())).toEqual({
      repeatKeys: keys,
      sinceMillis: nowMillis - 60_000,
      named: undefined
    })
    expect(repeated.keyOf(attemptOf().request)).toBe(keys[0])
    expect(repeatKey).not.toBe(keyedDigest(secrets, "fingerprint", orderText))
  })

  it("never begins before the epoch", () => {
    const always = { ...repeats, withinMillis: Infinity }
    expect(repeated.ruleOf(attemptOf({ repeats: always }))).toMatchObject({ sinceMillis: 0 })
  })

  it("has the client's id, alone if the order is repeated on purpose", () => {
    const named = { operation: "search", paymentId: id }
    expect(repeated.ruleOf(attemptOf({ paymentId: id }))).toMatchObject({ repeatKeys: keys, named })
    const onPurpose = { ...repeats, isIntended: true }
    expect(repeated.ruleOf(attemptOf({ repeats: onPurpose, paymentId: id }))).toEqual({
      repeatKeys: [],
      sinceMillis: 0,
      named
    })
    expect(repeated.ruleOf(attemptOf({ repeats: onPurpose }))).toBeUndefined()
  })

  it("is none for what may be bought any number of times, whatever its id", () => {
    const attempt = attemptOf({ repeats: undefined, paymentId: id })
    expect(repeated.ruleOf(attempt)).toBeUndefined()
    expect(repeated.keyOf(attempt.request)).toBe("")
  })
})

describe("a payment that repeats another one", () => {
  const { repeated } = looking(undefined)
  const late = { settledAtMillis: nowMillis - 1_001 }
  const named = { paymentId: id }
  const proven = (attempt: PaymentAttempt) => {
    attempt.learned.isProven = true
    return attempt
  }

  it.each([
    [
      "is in flight",
      { state: "claimed" as const, response: undefined, settledAtMillis: undefined },
      "InFlight"
    ],
    ["may still settle", { state: "ready" as const, settledAtMillis: undefined }, "InFlight"],
    ["has its response", {}, "Kept"],
    ["had its response a moment ago", { settledAtMillis: nowMillis - 1_000 }, "Kept"],
    ["had its response too long ago", late, "Gone"],
    ["has no response any more", { response: undefined }, "Gone"]
  ])("that %s", (_, changes, as) => {
    const first = firstOf(changes)
    expect(repeated.eventOf(attemptOf(), first)).toEqual({ _tag: "Repeated", first, as })
    // In other words, it is the same one.
    const reworded = attemptOf({ canonical: "in other words" })
    expect(repeated.eventOf(reworded, first)).toEqual({ _tag: "Repeated", first, as })
  })

  it("gets its response by the same id for the same request, if its signature is proven", () => {
    const first = firstOf(named)
    const identified = { _tag: "Identified", first }
    expect(repeated.eventOf(proven(attemptOf(named)), first)).toEqual(identified)
    const onPurpose = { ...named, repeats: { ...repeats, isIntended: true } }
    expect(repeated.eventOf(proven(attemptOf(onPurpose)), first)).toEqual(identified)
  })

  it.each([
    ["isn't proven", attemptOf(named), firstOf(named), "Kept"],
    ["has another id", proven(attemptOf({ paymentId: "pay_another_of_16" })), firstOf(named), "Kept"],
    ["has no id", proven(attemptOf()), firstOf(named), "Kept"],
    ["is worded anew", proven(attemptOf({ ...named, canonical: "in other words" })), firstOf(named), "Kept"],
    ["comes too late", proven(attemptOf(named)), firstOf({ ...named, ...late }), "Gone"],
    ["comes too early", proven(attemptOf(named)), firstOf({ ...named, effectPending: true }), "Kept"],
    [
      "is for another order",
      proven(attemptOf({ ...named, canonical: "b", repeats: { ...repeats, identity: "b" } })),
      firstOf(named),
      "Different"
    ],
    [
      "is worded anew on purpose",
      proven(attemptOf({ ...named, canonical: "b", repeats: { ...repeats, isIntended: true } })),
      firstOf(named),
      "Different"
    ]
  ] as const)("gets no response if it %s", (_, attempt, first, as) => {
    expect(repeated.eventOf(attempt, first)).toEqual({ _tag: "Repeated", first, as })
  })

  it("is compared under the key that the other one was made with", () => {
    const made = firstOf({
      fingerprint: keyedDigest(older, "fingerprint", "then"),
      repeatKey: keyedDigest(older, "repeat", orderText)
    })
    expect(repeated.eventOf(attemptOf(), made)).toMatchObject({ as: "Kept" })
  })
})

describe("before a claim", () => {
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
  const first = firstOf({ paymentId: id })

  it("a proven payment finds the other one: by its id alone, or in any way", async () => {
    const { asked, repeated, rules } = looking(first)
    const attempt = attemptOf({ paymentId: id })
    expect(await run(repeated.findNamed(attempt))).toEqual({ _tag: "Identified", first })
    expect(await run(repeated.findAny(attempt))).toEqual({ _tag: "Identified", first })
    const own = { key: attempt.lease.key, payer: attempt.payer }
    expect(asked).toEqual([own, own])
    expect(rules).toEqual([
      { repeatKeys: [], sinceMillis: 0, named: expect.anything() },
      repeated.ruleOf(attempt)
    ])
  })

  it.each(["unproven", "foreign"] as const)(
    "nobody learns of it by a signature that is %s",
    async (check) => {
      const { repeated, rules } = looking(first, check)
      expect(await run(repeated.findAny(attemptOf({ paymentId: id })))).toBeUndefined()
      expect(rules).toEqual([])
    }
  )

  it.each([
    ["to somebody else", { to: "0x5FbDB2315678afecb367f032d93F642f64180aa3" }],
    ["that has expired", { validBefore: String(nowSeconds) }]
  ])("nobody learns of it by a payment %s", async (_, authorization) => {
    const { repeated } = looking(first)
    expect(await run(repeated.findAny(attemptOf({ authorization })))).toBeUndefined()
    expect(
      await run(repeated.findAny(attemptOf({ authorization: { to: payTo.toLowerCase() } })))
    ).toBeDefined()
  })

  it("nobody learns of it by a transaction on Solana, which may be any public one of the payer", async () => {
    const extra = { feePayer }
    const requirements = {
      scheme: "exact" as const,
      network: devnet.caip2,
      amount: "10000",
      asset: devnet.asset
    }
    const accepts = [{ ...requirements, payTo: solanaPayTo, maxTimeoutSeconds: 60, extra }]
    const reading = decodePayment(paySolana({ accepts, resource: { url: resourceUrl } }))
    if (reading._tag !== "Payment") throw new Error("the payment can't be read")
    const attempt = openAttempt(
      tollRequest(payloadV2(), { repeats, payment: reading.payment }),
      { ...devnet },
      { owner: "me", nowMillis: () => nowMillis, waitMillis: 10_000, canReadChain: false }
    )
    const { repeated, rules } = looking(first)
    expect(await run(repeated.findAny(attempt))).toBeUndefined()
    expect(rules).toEqual([])
    // Once it is verified, the claim decides.
    expect(repeated.ruleOf(attempt)).toBeDefined()
  })

  it("nothing is looked up without a rule, and nothing is found in an empty store", async () => {
    const { repeated, rules } = looking(undefined)
    expect(await run(repeated.findNamed(attemptOf()))).toBeUndefined()
    expect(await run(repeated.findNamed(attemptOf({ paymentId: id, repeats: undefined })))).toBeUndefined()
    expect(rules).toEqual([])
    expect(await run(repeated.findAny(attemptOf()))).toBeUndefined()
    expect(rules).toHaveLength(1)
  })
})
