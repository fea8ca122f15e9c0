import { describe, expect, it } from "vitest"
import { incoming } from "../../../src/http/HttpMessage.ts"
import { isOnSolana } from "../../../src/domain/PaymentPayload.ts"
import {
  decodePayment,
  encodeHeader,
  type HeaderReading,
  maxHeaderBytes,
  readPayment
} from "../../../src/toll/request/PaymentHeader.ts"
import { type Dice, property, shareOfRuns } from "../../domain/seeded.ts"
import { payloadV1, payloadV2 } from "../payments.ts"
import { paySolana, requirements } from "../solana.ts"

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64")
const reasonOf = (reading: HeaderReading): string | undefined =>
  reading._tag === "Malformed" ? reading.reason : undefined
const read = (headers: HeadersInit): HeaderReading =>
  readPayment(incoming(new Request("http://till.example/", { headers })))

const v1 = encodeHeader(payloadV1())
const v2 = encodeHeader(payloadV2())

describe("readPayment", () => {
  it("finds no payment without either header", () => {
    expect(read({ "payment-response": v2 })).toEqual({ _tag: "None" })
  })

  it.each([
    ["payment-signature", v2, 2],
    ["x-payment", v1, 1],
    // The document names the version: a client that knows only the contract sends version 1 here.
    ["PAYMENT-SIGNATURE", v1, 1],
    ["X-PAYMENT", v2, 2]
  ])("reads %s by the version of its document", (name, value, version) => {
    const reading = read({ [name]: value })
    expect(reading._tag === "Payment" && reading.payment.payload.x402Version).toBe(version)
  })

  it("reads a payment that a proxy has doubled once, and no two different ones", () => {
    for (const [name, value] of [
      ["payment-signature", `${v2}, ${v2}`],
      ["x-payment", `${v1},${v1}`]
    ] as const)
      expect(read({ [name]: value })._tag).toBe("Payment")
    for (const value of [`${v2}, ${v1}`, `${v2}, ${v2}, ${v2}`, `${v2},`, ",", `,${v2}`])
      expect(reasonOf(read({ "payment-signature": value })), value.slice(-20)).toBe(
        "the payment header is not one base64 value"
      )
  })

  it("accepts one payment in both headers", () => {
    expect(read({ "payment-signature": v2, "x-payment": v2 })._tag).toBe("Payment")
  })

  it("rejects two different payments", () => {
    expect(reasonOf(read({ "payment-signature": v2, "x-payment": v1 }))).toMatch(/different payments/)
  })

  it.each(["payment-signature", "x-payment"])("rejects two different %s headers", (name) => {
    expect(
      reasonOf(
        read([
          [name, v2],
          [name, v1]
        ])
      )
    ).toMatch(/not one base64 value/)
  })

  it("treats an empty header as malformed, not as missing", () => {
    expect(read({ "payment-signature": "" })._tag).toBe("Malformed")
  })
})

describe("decodePayment", () => {
  it("keeps nothing beside the signature and authorization: a facilitator would find another method there", () => {
    for (const sent of [payloadV1(), payloadV2()]) {
      const { authorization } = sent.payload
      const beside = { ...sent.payload, permit2Authorization: { from: authorization.to } }
      const within = { ...sent.payload, authorization: { ...authorization, spender: "0x1" } }
      for (const payload of [beside, within])
        expect(decodePayment(encodeHeader({ ...sent, payload, extensions: { a: 1 } }))).toEqual({
          _tag: "Payment",
          payment: { payload: sent, signed: sent.payload }
        })
    }
  })

  it.each([1, 2] as const)("keeps nothing beside the transaction on Solana, in version %i", (version) => {
    const challenge = { resource: { url: "https://shop.example/" }, accepts: [requirements] }
    const sent = JSON.parse(atob(paySolana(challenge, { version })))
    const payload = { ...sent.payload, permit2Authorization: { from: "0x1" } }
    const reading = decodePayment(encodeHeader({ ...sent, payload, extensions: { a: 1 } }))
    if (reading._tag !== "Payment") throw new Error(reading._tag)
    expect(reading.payment.signed).toEqual(sent.payload)
    expect(reading.payment.payload).not.toHaveProperty("extensions")
  })

  it.each([
    ["no base64", "{}", /not one base64 value/],
    ["base64url", base64('{"??":">>"}').replaceAll("+", "-").replaceAll("/", "_") + "-_", /base64/],
    ["base64 with white space in it", `${v2.slice(0, 8)} ${v2.slice(8)}`, /not one base64 value/],
    ["base64 of the wrong length", "abcde", /not one base64 value/],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0xc3, 0x28, 0x7d]).toString("base64"), /UTF-8/],
    ["text that is no JSON", base64("payment"), /not base64 of JSON/],
    ["half a document", base64(JSON.stringify(payloadV2()).slice(0, -1)), /not base64 of JSON/],
    ["null", base64("null"), /no x402Version/],
    ["a list", base64("[1]"), /no x402Version/],
    ["a text", base64('"x402Version"'), /no x402Version/],
    ["no version", base64("{}"), /no x402Version/],
    ["version 0", base64('{"x402Version":0}'), /must be 1 or 2/],
    ["version 3", base64('{"x402Version":3}'), /must be 1 or 2/],
    ["a version that is a text", base64('{"x402Version":"2"}'), /must be 1 or 2/],
    [
      "version 2 with the fields of version 1",
      encodeHeader({ ...payloadV1(), x402Version: 2 }),
      /an exact payment/
    ],
    [
      "version 1 with the fields of version 2",
      encodeHeader({ ...payloadV2(), x402Version: 1 }),
      /an exact payment/
    ],
    [
      "a Solana payment without a whole transaction",
      encodeHeader({ ...payloadV1(), payload: { transaction: "AQ==" } }),
      /transaction ends too early/
    ]
  ])("finds %s malformed", (_, text, reason) => {
    expect(reasonOf(decodePayment(text))).toMatch(reason)
  })

  const authorizationFaults: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    ["an amount that is a number", { value: 10000 }],
    ["an amount in hexadecimal", { value: "0x2710" }],
    ["an amount with a zero before it, a second spelling", { value: "010000" }],
    ["a negative amount", { value: "-1" }],
    ["a fraction", { value: "1.5" }],
    ["an amount of 79 digits", { value: "9".repeat(79) }],
    ["a short nonce", { nonce: "0xab" }],
    ["a short address", { from: "0xab" }],
    ["an address with a line break", { to: `0x${"a".repeat(40)}\n` }],
    ["a missing time", { validBefore: undefined }]
  ]
  it.each(authorizationFaults)("finds %s malformed", (_, change) => {
    const payload = payloadV2()
    const document = {
      ...payload,
      payload: { ...payload.payload, authorization: { ...payload.payload.authorization, ...change } }
    }
    expect(decodePayment(encodeHeader(document))._tag).toBe("Malformed")
  })

  it("never repeats in its reason what was sent", () => {
    const canary = "c0ffee-canary"
    const documents = [{ x402Version: canary }, { x402Version: 2, accepted: canary, payload: canary }]
    for (const document of documents) {
      expect(reasonOf(decodePayment(encodeHeader(document)))).not.toContain(canary)
    }
  })
})

describe("bounds", () => {
  it("accepts a header of the maximum length, and no longer one", () => {
    const padded = (padding: number) => encodeHeader({ ...payloadV2(), padding: "x".repeat(padding) })
    const room = Math.floor(((maxHeaderBytes - padded(0).length) / 4) * 3)
    expect(padded(room).length).toBeLessThanOrEqual(maxHeaderBytes)
    expect(decodePayment(padded(room))._tag).toBe("Payment")
    expect(reasonOf(decodePayment(padded(room + 4)))).toMatch(/longer than 16384/)
  })

  it("does not parse a document with too many fields", () => {
    const crowded = (count: number) =>
      btoa(JSON.stringify({ x402Version: 2, more: Array.from({ length: count }, () => 1), quoted: ",,,,,," }))
    expect(reasonOf(decodePayment(crowded(510)))).toMatch(/an exact payment/)
    expect(reasonOf(decodePayment(crowded(511)))).toMatch(/too many fields/)
  })

  it("does not parse a document that is nested too deeply", () => {
    const nested = (depth: number) =>
      base64(`{"x402Version":2,"deep":${"[".repeat(depth)}${"]".repeat(depth)}}`)
    expect(reasonOf(decodePayment(nested(31)))).toMatch(/an exact payment/)
    expect(reasonOf(decodePayment(nested(32)))).toMatch(/nested too deeply/)
    expect(reasonOf(decodePayment(nested(6_000)))).toMatch(/nested too deeply/)
  })

  it("counts no brackets within texts", () => {
    const document = { ...payloadV2(), note: `${'\\"'.repeat(10)}${"[".repeat(100)}` }
    expect(decodePayment(encodeHeader(document))._tag).toBe("Payment")
  })

  it("reads a key named __proto__ as a name like any other", () => {
    const json = JSON.stringify(payloadV1()).replace("{", '{"__proto__":{"polluted":true},')
    const reading = decodePayment(base64(json))
    expect(reading._tag).toBe("Payment")
    expect("polluted" in {}).toBe(false)
    expect(reading._tag === "Payment" && "polluted" in reading.payment.payload).toBe(false)
  })
})

const characters = `{}[]":,\\ \u0000\u007féΩ東😀-0123456789eE.truefalsnx402VersionpayloadABCDEF+/=`

/** A text that resembles a payment header, more or less. */
const anyText = (dice: Dice): string => {
  const json = JSON.stringify(dice.pick([payloadV1(), payloadV2()]))
  const position = dice.below(json.length)
  const mutated = dice.pick([
    () => dice.text(characters, dice.below(200)),
    () => json.slice(0, position),
    () => json.slice(0, position) + dice.text(characters, 1 + dice.below(4)) + json.slice(position + 1),
    () => json.slice(0, position) + json.slice(position + 1 + dice.below(40)),
    () => json.replace(/"[^"]*"/g, (text) => (dice.below(12) === 0 ? dice.text(characters, 5) : text)),
    () => json.replace(/"(\d+)"/g, (_, digits: string) => (dice.below(4) === 0 ? digits : `"${digits}"`)),
    () => json.replace(/:("[^"]*"|\d+)/g, (text) => (dice.below(8) === 0 ? ":null" : text))
  ])()
  return dice.pick([
    () => base64(mutated),
    () => Buffer.from(mutated, "utf16le").toString("base64"),
    () => Buffer.from(mutated, "latin1").toString("base64"),
    () => base64(mutated).slice(dice.below(4)),
    () => base64(mutated) + dice.text("=+/ ,AB", dice.below(4)),
    () => mutated
  ])()
}

describe("any text", () => {
  property("gives a reading", shareOfRuns(5_000), (dice) => {
    const reading = decodePayment(anyText(dice))
    expect(["Payment", "Malformed"]).toContain(reading._tag)
    if (reading._tag !== "Payment") return
    const { payload } = reading.payment
    if (isOnSolana(payload)) return expect(payload.payload.transaction.digest).toMatch(/^[0-9a-f]{64}$/)
    const { authorization, signature } = payload.payload
    expect(authorization.nonce).toMatch(/^0x[0-9a-fA-F]{64}$/)
    expect(signature.length).toBeGreaterThanOrEqual(132)
    expect(() => BigInt(authorization.value) + BigInt(authorization.validBefore)).not.toThrow()
  })

  property("is encoded to what any decoder of base64 reads", 300, (dice) => {
    const value = { text: dice.text(characters, dice.below(60)), list: [dice.below(9), null] }
    expect(JSON.parse(Buffer.from(encodeHeader(value), "base64").toString("utf8"))).toEqual(value)
  })
})
