import { describe, expect, it } from "vitest"
import { operation, type PlainOperation } from "../../src/index.ts"
import { expectFailed, jsonOf, openTill } from "../toll/openTill.ts"
import { schema } from "./standardSchema.ts"

describe("a price that is a function of the input", () => {
  const words = (price: PlainOperation<{ text: string }>["price"]) =>
    openTill({
      operations: [
        operation({
          id: "words",
          method: "POST",
          path: "/words",
          description: "Counts words",
          input: schema(({ text }) => (typeof text === "string" ? { text } : undefined)),
          price,
          work: ({ text }) => ({ words: text.split(" ").length })
        })
      ]
    })
  const call = (text: string) => ({ path: "/words", body: { text } })

  it("is charged per request, and shown as a range to requests without input", async () => {
    const { challenge, payFor, present } = await words({
      min: "0.01",
      max: "1.00",
      of: ({ text }) => (text.length / 100).toFixed(2)
    })
    expect((await challenge(call("twelve words"))).accepts[0]?.amount).toBe("120000")
    expect((await challenge({ path: "/words", body: {} })).accepts[0]?.amount).toBe("10000")
    const cheap = await payFor(call("few"))
    expect((await present(call("a longer text"), cheap)).status).toBe(402)
    expect(jsonOf(await present(call("few"), cheap))).toEqual({ words: 1 })
  })

  const unsteady = (events: ReadonlyArray<{ readonly code: string }>) =>
    events.filter(({ code }) => code === "price_changes")

  it("is reported once where it changes with each payment, so that nobody can pay", async () => {
    let cents = 2
    const { events, payFor, present } = await words({
      min: "0.01",
      max: "1.00",
      of: () => (cents++ / 100).toFixed(2)
    })
    for (const text of ["one", "two", "three", "four", "five", "six"]) {
      expect(unsteady(events)).toHaveLength(text === "four" || text === "five" || text === "six" ? 1 : 0)
      expect((await present(call(text), await payFor(call(text)))).status).toBe(402)
    }
    expect(unsteady(events)).toMatchObject([{ level: "warning", operation: "words" }])
  })

  it("may change now and then, which refuses all who were shown the one before", async () => {
    let rate = "0.02"
    const { events, payFor, present, send } = await words({ min: "0.01", max: "1.00", of: () => rate })
    const texts = ["one", "two", "three", "four", "five"]
    for (const next of ["0.03", "0.04", "0.05", "0.06"]) {
      const payments = await Promise.all(texts.map((text) => payFor(call(text))))
      rate = next
      for (const [index, text] of texts.entries())
        expect((await present(call(text), payments[index]!)).status).toBe(402)
      await send(call("one"))
      expect((await present(call("one"), await payFor(call("one")))).status).toBe(200)
    }
    expect(unsteady(events)).toEqual([])
  })

  it("is steady where payments are for another request, or are worthless", async () => {
    const { events, payFor, present, send } = await words({
      min: "0.01",
      max: "1.00",
      of: ({ text }) => (text.length / 100).toFixed(2)
    })
    for (const text of ["one", "four", "seventy", "a hundred"]) {
      await send(call(`${text} and more`))
      expect((await present(call(`${text} and more`), await payFor(call(text)))).status).toBe(402)
    }
    expect(unsteady(events)).toEqual([])
  })

  it("is not needed for a response that is paid", async () => {
    let isBroken = false
    const { payFor, present } = await words({
      min: "0.01",
      max: "1.00",
      of: () => {
        if (isBroken) throw new Error("the price list is gone")
        return "0.02"
      }
    })
    const payment = await payFor(call("few"))
    const paid = await present(call("few"), payment)
    isBroken = true
    expect((await present(call("few"), payment)).text).toBe(paid.text)
    expectFailed(await present(call("other"), payment), 500, "INTERNAL_ERROR")
  })

  it.each(["2.00", "0.005", "0", "free", "-1"])("is never charged out of its bounds: %s", async (text) => {
    const { events, send } = await words({ min: "0.01", max: "1.00", of: () => text })
    expectFailed(await send(call("few")), 500, "INTERNAL_ERROR")
    expect(events.filter(({ code }) => code === "request_failed")).toMatchObject([
      {
        operation: "words",
        error: "price.of of operation words must return dollars between 0.01 and 1.00"
      }
    ])
  })

  it("is reported once a minute where strangers send requests that have none, and the others get theirs", async () => {
    const { events, send } = await words({
      min: "0.01",
      max: "1.00",
      of: ({ text }) => (text === "few" ? "0.02" : "2.00")
    })
    for (let count = 0; count < 5; count++)
      expectFailed(await send(call(`many ${count}`)), 500, "INTERNAL_ERROR")
    expect((await send(call("few"))).status).toBe(402)
    expect(events.filter(({ code }) => code === "request_failed")).toHaveLength(1)
  })

  it("reports an error of the host's with the operation, without its words", async () => {
    const { events, send } = await words({
      min: "0.01",
      max: "1.00",
      of: ({ text }) => {
        throw new RangeError(`no rate for ${text}`)
      }
    })
    expectFailed(await send(call("few")), 500, "INTERNAL_ERROR")
    const failed = events.filter(({ code }) => code === "request_failed")
    expect(failed).toMatchObject([{ operation: "words", error: "RangeError" }])
    expect(JSON.stringify(failed)).not.toContain("few")
  })
})
