import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { exportOrders } from "../../src/orders/orderExport.ts"
import type { Order } from "../../src/ports/Orders.ts"
import { sampleOffer, sampleOrder } from "../../src/testing/stores/records.ts"
import { email } from "../toll/openTill.ts"
import { openShop } from "./orderShop.ts"

describe("orders as text", () => {
  it("are exported as CSV and JSON, without personal data unless asked for", async () => {
    const shop = await openShop({ status: async () => undefined })
    shop.upstream.quote.returns({
      product: { title: '=HYPERLINK("https://evil.example"),"' },
      subtotal: "1.00",
      tax: "0",
      shipping: "0",
      total: "1.00",
      currency: "USD",
      reference: "q",
      expiresAt: new Date(Date.now() + 600_000)
    })
    const { id } = await shop.orderOf()
    await shop.until(id, "placed")
    const textOf = async (options: Parameters<typeof shop.till.orders.export>[0]) => {
      let text = ""
      for await (const piece of shop.till.orders.export(options)) text += piece
      return text
    }
    const [header, line, ...rest] = (await textOf({ format: "csv" })).split("\r\n")
    expect(header).toMatch(/^id,status,reason,/)
    expect(line).toContain(`${id},placed,,`)
    expect(line).toContain(`"'=HYPERLINK(""https://evil.example""),"""`)
    expect(rest).toEqual([""])
    expect(line).not.toContain(email)
    const [order] = JSON.parse(await textOf({ format: "json", personal: true })) as ReadonlyArray<object>
    expect(order).toMatchObject({ id, status: "placed", total: "1.00", fee: null, email })
    expect(JSON.parse(await textOf({ format: "json", status: "refunded" }))).toEqual([])
  })
})

const textOf = (pages: ReadonlyArray<ReadonlyArray<Order>>, format: "csv" | "json", personal = false) =>
  Effect.runSync(Stream.mkString(exportOrders(Stream.fromIterable(pages), { format, personal })))
const cellOf = (title: string): string => {
  const order = sampleOrder({ offer: sampleOffer({ product: { title } }) })
  const line = textOf([[order]], "csv")
    .split("\r\n")
    .slice(1)
    .join("\r\n")
  const from = line.indexOf("B000000001,") + "B000000001,".length
  return line.slice(from, line.indexOf(",9.50,"))
}

describe("a cell of an export", () => {
  it.each([
    ["Tote", "Tote"],
    ["Tote, large", '"Tote, large"'],
    ['The "Tote"', '"The ""Tote"""'],
    ["two\nlines", '"two\nlines"'],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@sum", "'@sum"],
    ["\tx", "'\tx"],
    ["\rx", `"'\rx"`],
    ["a=1", "a=1"],
    ["", ""]
  ])("of %j is %j", (title, cell) => {
    expect(cellOf(title)).toBe(cell)
  })
})

describe("pages of an export", () => {
  const order = (number: number) => sampleOrder({ id: `order-${number}`, email: "ada@example.com" })

  it("are one document, however they are cut, and one without orders too", () => {
    const whole = [order(1), order(2), order(3)]
    for (const pages of [[whole], [[order(1)], [], [order(2), order(3)]], [[], whole, []]]) {
      const documents = JSON.parse(textOf(pages, "json")) as ReadonlyArray<{ readonly id: string }>
      expect(documents.map(({ id }) => id)).toEqual(["order-1", "order-2", "order-3"])
      expect(textOf(pages, "csv").trimEnd().split("\r\n")).toHaveLength(4)
    }
    for (const pages of [[], [[]]]) {
      expect(JSON.parse(textOf(pages, "json"))).toEqual([])
      expect(textOf(pages, "csv").trimEnd().split("\r\n")).toHaveLength(1)
    }
  })

  it("have email and address only where they are asked for", () => {
    for (const format of ["csv", "json"] as const) {
      expect(textOf([[order(1)]], format)).not.toMatch(/ada@example\.com|Ada Lovelace/)
      expect(textOf([[order(1)]], format, true)).toMatch(/ada@example\.com[^]*Ada Lovelace/)
    }
  })
})
