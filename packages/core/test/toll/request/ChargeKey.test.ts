import { describe, expect, it } from "vitest"
import type { Hex } from "../../../src/domain/Hex.ts"
import { findNetwork } from "../../../src/domain/Network.ts"
import type { Authorization, PaymentPayload } from "../../../src/domain/PaymentPayload.ts"
import { canonicalJson, chargeKey, payerOfKey, payloadDigest } from "../../../src/toll/request/ChargeKey.ts"
import { property } from "../../domain/seeded.ts"
import { authorization, from, payloadV1, payloadV2, sepolia, signature } from "../payments.ts"

describe("payerOfKey", () => {
  it("is the network and the payer of a charge", () => {
    expect(payerOfKey(chargeKey(sepolia, payloadV2()))).toEqual({
      network: "eip155:84532",
      payer: from.toLowerCase()
    })
  })

  it.each(["", "eip155:84532", "eip155:84532:0xasset", "eip155:84532:0xasset:0xpayer", "a payer"])(
    "is nothing for another text: %s",
    (text) => {
      expect(payerOfKey(text)).toBeUndefined()
    }
  )
})

describe("chargeKey", () => {
  const key = chargeKey(sepolia, payloadV2())

  it("is chain, asset, payer and nonce in lower case", () => {
    expect(key).toBe(`eip155:84532:${sepolia.asset}:${from}:${authorization().nonce}`.toLowerCase())
  })

  it("is the same whatever is chosen freely beside what was signed", () => {
    const { accepted, payload } = payloadV2()
    const spellings: ReadonlyArray<PaymentPayload> = [
      payloadV1(),
      payloadV2({ from: from.toLowerCase() }),
      payloadV2({ nonce: `0x${"AB".repeat(32)}` }),
      payloadV2({ to: "0x1111111111111111111111111111111111111111", value: "1" }),
      { x402Version: 2 as const, accepted: { ...accepted, extra: { quoteId: "x" } }, payload },
      { ...payloadV2(), payload: { ...payload, signature: `${signature}00` } }
    ]
    for (const spelling of spellings) expect(chargeKey(sepolia, spelling)).toBe(key)
  })

  it("differs by payer, nonce and network", () => {
    const keys = [
      key,
      chargeKey(sepolia, payloadV2({ from: "0x1111111111111111111111111111111111111111" })),
      chargeKey(sepolia, payloadV2({ nonce: `0x${"cd".repeat(32)}` })),
      chargeKey(findNetwork("base")!, payloadV2())
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe("payloadDigest", () => {
  const digest = payloadDigest(payloadV2())

  it("is of 32 bytes in hexadecimal, the same for both versions of one payment", () => {
    expect(digest).toMatch(/^[0-9a-f]{64}$/)
    expect(payloadDigest(payloadV1())).toBe(digest)
  })

  it("is the same in every process and version", () => {
    expect(digest).toBe("aabf7cc42f0032a7515043bec90dee4cc492cb011c66b75606ad5d271e3a1eb6")
  })

  it("depends on the signature: payer and nonce are public once settled", () => {
    const other: Hex = `0x${"11".repeat(63)}121b`
    const payload = payloadV2()
    expect(payloadDigest({ ...payload, payload: { ...payload.payload, signature: other } })).not.toBe(digest)
  })

  const changes: ReadonlyArray<readonly [keyof Authorization, string]> = [
    ["from", "0x1111111111111111111111111111111111111111"],
    ["to", "0x1111111111111111111111111111111111111111"],
    ["value", "10001"],
    ["validAfter", "0"],
    ["validBefore", "1"],
    ["nonce", `0x${"cd".repeat(32)}`]
  ]
  it.each(changes)("depends on %s", (name, changed) => {
    expect(payloadDigest(payloadV2({ [name]: changed }))).not.toBe(digest)
  })

  it("does not depend on the case of hexadecimal digits", () => {
    const upper = payloadV2({ from: `0x${from.slice(2).toUpperCase()}`, nonce: `0x${"AB".repeat(32)}` })
    expect(payloadDigest(upper)).toBe(digest)
  })
})

describe("canonicalJson", () => {
  it.each([
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ b: { d: 1, c: [{ f: 1, e: 2 }] }, a: null }, '{"a":null,"b":{"c":[{"e":2,"f":1}],"d":1}}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [{ Z: 1, a: 1, É: 1 }, '{"Z":1,"a":1,"É":1}'],
    [["b", "a"], '["b","a"]'],
    [{ 'a"': "\n\\" }, '{"a\\"":"\\n\\\\"}'],
    [{ a: 0.5, b: true, c: "1" }, '{"a":0.5,"b":true,"c":"1"}'],
    [{}, "{}"],
    [[], "[]"],
    ["text", '"text"']
  ])("writes %j", (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it.each([15, 16, 17, 40])("sorts %i keys", (size) => {
    const keys = Array.from({ length: size }, (_, index) => `k${String(index).padStart(2, "0")}`)
    const backwards = Object.fromEntries(keys.toReversed().map((key) => [key, 1]))
    expect(canonicalJson(backwards)).toBe(`{${keys.map((key) => `"${key}":1`).join(",")}}`)
  })

  property("is the same in any order of keys, and JSON of the same value", 300, (dice) => {
    const entries = Array.from({ length: 1 + dice.below(8) }, (_, index): [string, unknown] => [
      dice.text('abéZ0:"', 3) + index,
      dice.pick<unknown>([dice.below(9), dice.text("ab,{}", 3), null, [1, { y: 1, x: 2 }], { q: 1, p: 2 }])
    ])
    const shuffled = entries
      .map((entry) => [dice.below(1_000), entry] as const)
      .sort(([left], [right]) => left - right)
      .map(([, entry]) => entry)
    const text = canonicalJson(Object.fromEntries(entries))
    expect(canonicalJson(Object.fromEntries(shuffled))).toBe(text)
    expect(JSON.parse(text)).toEqual(Object.fromEntries(entries))
  })
})
