import { Effect, Schema, Stream } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { exportOrders } from "../../../src/shop/orders/orderExport.ts"
import type { Order } from "../../../src/shop/ports/Orders.ts"
import { sampleOffer, sampleOrder } from "../../../../testing/src/stores/records.ts"
import { shareOfRuns } from "../../domain/seeded.ts"
import { email } from "../../toll/openTill.ts"
import { openShop } from "./orderShop.ts"

describe("orders as text", () => {
  it("are exported as CSV and JSON, without personal data unless requested", async () => {
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
    expect(line).toContain(`"${id}","placed",,`)
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
const csvOf = (title: string): string => {
  const order = sampleOrder({ offer: sampleOffer({ product: { title } }), reason: undefined })
  return textOf([[order]], "csv", true)
}
/** The cell of the title, without its quotes and without the quotes that are doubled within it. */
const cellOf = (title: string): string | undefined =>
  /"B000000001","((?:[^"]|"")*)","9\.50"/.exec(csvOf(title))?.[1]?.replaceAll('""', '"')

describe("a cell of an export", () => {
  it.each([
    ["Tote", "Tote"],
    ["Tote, large", "Tote, large"],
    ['The "Tote"', 'The "Tote"'],
    ["two\nlines", "two\nlines"],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "-1"],
    ["@sum", "'@sum"],
    ["\t=1", "'\t'=1"],
    ["Desk;=1+1", "Desk;'=1+1"],
    ["\tx", "'\tx"],
    ["\rx", "'\rx"],
    ["\nx", "'\nx"],
    ["\t", "'\t"],
    ["-12", "-12"],
    ["-0.5", "-0.5"],
    ["-1+1", "'-1+1"],
    ["-1;-2", "'-1;'-2"],
    ["-$5", "'-$5"],
    ["+5", "'+5"],
    ["a=1", "a=1"],
    ["", ""]
  ])("of %j is %j", (title, cell) => {
    expect(cellOf(title)).toBe(cell)
  })
})

/** What OWASP lists: at the start of a cell, each of these makes a spreadsheet read more than text. */
const owaspStart = /^[=+\-@\t\r\n]/
const pieces = Schema.Array(
  Schema.Literals([
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    ";",
    '"',
    "'",
    " ",
    ",",
    ".",
    "0",
    "12",
    "x",
    "＝",
    "\u200b"
  ])
)

describe("a cell of any text", () => {
  it.effect.prop(
    "begins with none of OWASP's characters, unless it is a negative number, and keeps the text",
    [pieces],
    ([parts]) =>
      Effect.sync(() => {
        const title = parts.join("")
        const cell = cellOf(title)
        expect(cell?.replaceAll("'", "")).toBe(title.replaceAll("'", ""))
        if (owaspStart.test(cell ?? "")) expect(cell).toMatch(/^-\d+(\.\d+)?$/)
      }),
    { arbitrary: { runs: shareOfRuns(2_000) } }
  )

  it.effect.prop(
    "is unchanged where it is a plain negative number",
    [Schema.Int.check(Schema.isBetween({ minimum: -1_000_000, maximum: -1 })), Schema.Natural],
    ([whole, fraction]) =>
      Effect.sync(() => {
        for (const text of [`${whole}`, `${whole}.${fraction}`]) expect(cellOf(text)).toBe(text)
      })
  )
})

/** Splits a line as a spreadsheet does that separates by another character, and so sees quotes in the wrong places. */
const cellsBy = (separator: RegExp, line: string): ReadonlyArray<string> =>
  line.split(separator).map((cell) => cell.replaceAll('"', "").trim())

/** Begins with a character that a spreadsheet reads as the start of a formula, full-width forms included. */
const isFormula = (cell: string): boolean => /^[=+\-@]/.test(cell.normalize("NFKC").trimStart())

describe("orders as CSV", () => {
  it.each([
    ["at its start", "=1+1"],
    ["after a semicolon", "Desk;=1+1"],
    ["after a semicolon and a space", "Desk; @SUM(A1)"],
    ["after a line feed", "Desk\n=1+1"],
    ["at a line feed", "\n=1+1"],
    ["after a tab", "Desk\t+1"],
    ["in a full-width form", "＝1+1"],
    ["in a full-width form after a semicolon", "Desk;＋1"],
    ["in a small form", "﹣1"],
    ["as a mathematical minus", "\u22121"],
    ["after an invisible character", "\u200b=1+1"],
    ["after a space", " -1"],
    ["after a quote", 'Desk;"=1+1"']
  ])("have no formula %s", (_, title) => {
    const text = csvOf(title)
    const [, ...lines] = text.split("\r\n")
    for (const separator of [/;/, /\t/, /[\r\n]/, /[;\t\r\n]/])
      for (const line of lines) {
        const cells = cellsBy(separator, line.replace(/[\u200b]/g, ""))
        expect(cells.filter(isFormula)).toEqual([])
      }
    const shown = cellOf(title)!
    expect(isFormula(shown)).toBe(false)
    expect(shown.replaceAll("'", "")).toBe(title)
  })

  it("quote every cell that has text, and change no harmless one", () => {
    const [header, line] = csvOf('A "desk", oak; 4-legged\nx').split("\r\n")
    expect(header).toMatch(/^id,status,reason,/)
    expect(line).toContain(`"A ""desk"", oak; 4-legged\nx"`)
    const outside = line!.replace(/"(?:[^"]|"")*"/g, "")
    expect(outside).toMatch(/^,+$/)
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

  it("have email and address only where they are requested", () => {
    for (const format of ["csv", "json"] as const) {
      expect(textOf([[order(1)]], format)).not.toMatch(/ada@example\.com|Ada Lovelace/)
      expect(textOf([[order(1)]], format, true)).toMatch(/ada@example\.com[^]*Ada Lovelace/)
    }
  })
})
