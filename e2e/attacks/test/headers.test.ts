import { fakeFacilitator } from "@till402/testing"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { workDone } from "../src/Goods.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOptimistic, optimistic } from "../src/Optimistic.ts"
import { openOurs } from "../src/Ours.ts"
import { headerOf, stranger } from "../src/Payments.ts"
import { listen, sendRaw } from "../src/Socket.ts"
import { visit } from "../src/Visitor.ts"

const textOf = (value: unknown): string => JSON.stringify(value)
const base64 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString("base64")

/**
 * Presents header values to Till402, with and without a socket: all are refused, and no provider or facilitator is
 * called.
 */
const expectAllRefused = async (valuesFor: (payment: object) => ReadonlyArray<string>): Promise<void> => {
  const facilitator = fakeFacilitator()
  const server = await openOurs(facilitator)
  const visitor = visit(server)
  const port = await listen(server)
  for (const value of valuesFor(await visitor.payFor(calls.track)))
    for (const name of ["payment-signature", "x-payment"]) {
      expectRefused(await visitor.send(calls.track, { [name]: value }), "invalid_payload")
      // Node limits headers to 16 KB; other runtimes don't.
      if (value.length > 16_000) continue
      const { status, text } = await sendRaw(port, calls.track.path, [name, value])
      expect([status, text.includes("invalid_payload")]).toEqual([402, true])
    }
  expect([workDone(server.goods), facilitator.verify.calls.length]).toEqual([0, 0])
  // An honest call still gets its response.
  expect((await visitor.present(calls.track, await visitor.payFor(calls.track))).status).toBe(200)
}

attack("an oversized payment header", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const visitor = visit(openOfficial(facilitator))
    const payment = await visitor.payFor(calls.track)
    const oversized = { ...payment, note: "x".repeat(2_000_000) }
    expect((await visitor.present(calls.track, oversized)).status).toBe(200)
    // Parsed, and forwarded to the facilitator twice.
    const passedOn = [...facilitator.verify.calls, ...facilitator.settle.calls].map(([document]) =>
      textOf(document)
    )
    expect(passedOn.map(({ length }) => length > 2_000_000)).toEqual([true, true])
  },
  fails: () =>
    expectAllRefused((payment) => [
      headerOf({ ...payment, note: "x".repeat(12_000) }),
      headerOf({ ...payment, note: "x".repeat(2_000_000) }),
      "A".repeat(4_000_000)
    ])
})

attack("a payment header of too many fields", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const visitor = visit(openOfficial(facilitator))
    const payment = await visitor.payFor(calls.track)
    const many = { ...payment, extensions: { list: Array.from({ length: 4_000 }, () => 0) } }
    expect((await visitor.present(calls.track, many)).status).toBe(200)
    expect(textOf(facilitator.verify.calls[0]![0]).length).toBeGreaterThan(8_000)
  },
  fails: () =>
    expectAllRefused((payment) => [
      headerOf({ ...payment, extensions: { list: Array.from({ length: 4_000 }, () => 0) } }),
      headerOf({
        ...payment,
        ...Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, 0]))
      })
    ])
})

/** A payment with brackets nested to the given depth. */
const nested = (payment: object, depth: number): string =>
  base64(textOf(payment).replace(/}$/, `,"extensions":${"[".repeat(depth)}${"]".repeat(depth)}}`))

attack("a deeply nested payment header", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const visitor = visit(openOfficial(facilitator))
    const payment = await visitor.payFor(calls.track)
    expect((await visitor.present(calls.track, nested(payment, 100_000))).status).toBe(200)
    // The document sent to the facilitator can't be written as JSON again.
    expect(() => textOf(facilitator.verify.calls[0]![0])).toThrow(RangeError)
  },
  fails: () =>
    expectAllRefused((payment) => [
      nested(payment, 40),
      nested(payment, 5_000),
      base64(`${'{"a":'.repeat(1_500)}1${"}".repeat(1_500)}`),
      base64("[".repeat(10_000))
    ])
})

attack("a payment header that is not UTF-8", {
  on: official,
  lands: async () => {
    const visitor = visit(openOfficial(fakeFacilitator()))
    const payment = await visitor.payFor(calls.track)
    const bytes = Buffer.from(textOf({ ...payment, note: "x" }).replace('"x"', '"\xff\xfe"'), "latin1")
    // Bytes that aren't text are read as some text, so the log differs from what was sent.
    expect((await visitor.present(calls.track, base64(bytes))).status).toBe(200)
  },
  fails: () =>
    expectAllRefused((payment) => {
      const withBytes = (bytes: string): string =>
        base64(Buffer.from(textOf({ ...payment, note: "x" }).replace('"x"', `"${bytes}"`), "latin1"))
      const utf16 = Buffer.from(textOf(payment), "utf16le")
      return [
        withBytes("\xff\xfe"),
        // Overlong, a lone surrogate, truncated.
        withBytes("\xc0\xaf"),
        withBytes("\xed\xa0\x80"),
        withBytes("\xe2\x82"),
        base64(utf16),
        base64(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]))
      ]
    })
})

attack("text that is not base64 of one JSON object", {
  on: optimistic,
  lands: async () => {
    const visitor = visit(openOptimistic(fakeFacilitator()))
    const payment = await visitor.payFor(calls.track)
    // Node's decoder skips characters that it doesn't know: many headers are one payment.
    const spaced = headerOf(payment).replace(/.{60}/g, "$&%!")
    expect((await visitor.present(calls.track, spaced)).status).toBe(200)
  },
  fails: () =>
    expectAllRefused((payment) => {
      const header = headerOf(payment)
      return [
        "",
        "=",
        "null",
        header.replace(/.{60}/g, "$&%!"),
        header.replaceAll("=", "").slice(0, -1),
        `${header.slice(0, 20)} ${header.slice(20)}`,
        base64("null"),
        base64("[]"),
        base64('"text"'),
        base64("1e999"),
        base64(`[${textOf(payment)}]`),
        base64(`${textOf(payment)}${textOf(payment)}`),
        // Its fields are on a prototype that the text defines.
        base64(`{"__proto__":${textOf(payment)}}`),
        textOf(payment)
      ]
    })
})

attack("the payment header given twice", {
  on: optimistic,
  lands: async () => {
    const server = openOptimistic(fakeFacilitator())
    const visitor = visit(server)
    const port = await listen(server)
    const mine = await visitor.payFor(calls.track)
    const theirs = await visitor.payFor(calls.track, { account: stranger })
    // Node's decoder stops at the padding of the first value; a proxy that keeps the last sees another payer.
    const padded = ["", "x", "xx"]
      .map((note) => headerOf({ ...mine, note }))
      .find((header) => header.endsWith("="))!
    const headers = ["payment-signature", padded, "payment-signature", headerOf(theirs)]
    expect((await sendRaw(port, calls.track.path, headers)).status).toBe(200)
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    const server = await openOurs(facilitator)
    const visitor = visit(server)
    const port = await listen(server)
    const mine = headerOf(await visitor.payFor(calls.track))
    const theirs = headerOf(await visitor.payFor(calls.track, { account: stranger }))
    for (const [first, second] of [
      [mine, theirs],
      [theirs, mine],
      [mine, ""],
      ["", mine]
    ] as const) {
      const headers = ["payment-signature", first, "PAYMENT-SIGNATURE", second]
      const { status, text } = await sendRaw(port, calls.track.path, headers)
      expect([status, text.includes("invalid_payload")]).toEqual([402, true])
    }
    expect([workDone(server.goods), facilitator.verify.calls.length]).toEqual([0, 0])
    // A proxy that doubles a header changes nothing: one payment, one look-up.
    const doubled = ["payment-signature", mine, "PAYMENT-SIGNATURE", mine]
    expect((await sendRaw(port, calls.track.path, doubled)).status).toBe(200)
    expect([workDone(server.goods), facilitator.verify.calls.length]).toEqual([1, 1])
  }
})
