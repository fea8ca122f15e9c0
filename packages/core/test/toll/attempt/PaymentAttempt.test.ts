import { Cause } from "effect"
import { describe, expect, it } from "vitest"
import {
  claimedCharge,
  newCharge,
  noProgress,
  openAttempt,
  type PaymentAttempt,
  progressAfter,
  taskOf
} from "../../../src/toll/attempt/PaymentAttempt.ts"
import { chargeKey, payloadDigest } from "../../../src/toll/request/ChargeKey.ts"
import { authorization, from, nowSeconds, offer, payloadV2, sepolia } from "../payments.ts"
import { tollRequest } from "../tollRequest.ts"

const nowMillis = nowSeconds * 1_000
const payload = payloadV2()

const request = tollRequest(payload)

const open = (asset = sepolia.asset): PaymentAttempt<never> =>
  openAttempt(
    request,
    { ...sepolia, asset, separator: "0x00" },
    { owner: "me", nowMillis: () => nowMillis, waitMillis: 10_000, canReadChain: false }
  )

describe("the attempt of a call", () => {
  it("identifies the payment, and knows its facts before it holds a charge", () => {
    const attempt = open()
    expect(attempt).toMatchObject({
      payer: from.toLowerCase(),
      digest: payloadDigest(payload),
      untilMillis: nowMillis + 10_000,
      lease: { key: chargeKey(sepolia, payload), owner: "me", by: "call" }
    })
    expect(attempt.facts).toEqual({
      by: "call",
      canReadChain: false,
      proofRequired: true,
      workIsDue: false,
      validBeforeSeconds: nowSeconds + 120,
      finalitySeconds: sepolia.finalitySeconds
    })
  })

  it("has the facilitator settle what was signed, against the offer that it met", () => {
    const { requirements } = offer()
    expect(taskOf(open(), offer())).toEqual({
      network: sepolia.caip2,
      authorization: authorization(),
      proofRequired: true,
      request: { x402Version: 2, payload: payload.payload, requirements, resource: request.resource }
    })
  })

  it("has the chain read in the token of the till's network", () => {
    const asset = "0x00000000000000000000000000000000d011a500"
    expect(taskOf(open(asset), offer())).toMatchObject({ network: sepolia.caip2, asset })
    expect(open(asset).lease.key).not.toBe(open().lease.key)
  })

  it("claims a charge that records the newest block, and keeps the block of the one it replaces", () => {
    const attempt = open()
    const task = taskOf(attempt, offer())
    const charge = newCharge(attempt, task, {
      head: { number: 7n, hash: "0xa" },
      settlement: "{}",
      fingerprint: "k1:digest",
      repeatKey: "",
      nowMillis
    })
    expect(charge).toEqual({
      key: chargeKey(sepolia, payload),
      payloadDigest: payloadDigest(payload),
      fingerprint: "k1:digest",
      operation: "search",
      network: sepolia.caip2,
      asset: sepolia.asset,
      payer: from.toLowerCase(),
      payTo: offer().requirements.payTo,
      amountAtomic: "10000",
      validBeforeSeconds: nowSeconds + 120,
      x402Version: 2,
      settlement: "{}",
      exposureAtomic: "10000",
      settlesFirst: false,
      repeatKey: "",
      paymentId: "",
      createdAtMillis: nowMillis,
      claimedAfterBlock: "7 0xa"
    })
    const claimed = claimedCharge(attempt, task, charge, undefined)
    expect(claimed).toMatchObject({
      key: charge.key,
      owner: "me",
      facts: attempt.facts,
      task,
      subject: undefined,
      claimedAfterBlock: "7 0xa",
      attempts: 0
    })
    const voided = { ...claimed, claimedAfterBlock: "6 0xb" }
    expect(claimedCharge(attempt, task, charge, voided).claimedAfterBlock).toBe("6 0xb")
  })

  it("keeps what an event doesn't change of its progress", () => {
    const head = { number: 7n, hash: "0xa" }
    const failed = { _tag: "Failed", failure: Cause.fail("broken") } as const
    const first = progressAfter<string>(noProgress, { head, result: failed })
    expect(first).toEqual({ head, held: undefined, result: failed })
    expect(progressAfter(first, {})).toEqual(first)
    expect(progressAfter(first, { result: { _tag: "None" } })).toEqual({ ...first, result: { _tag: "None" } })
  })
})
