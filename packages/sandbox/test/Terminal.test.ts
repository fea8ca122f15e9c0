import { describe, expect, it } from "vitest"
import { makeTable } from "../src/demo/Table.ts"
import { cut, dollars, paintFor, wrap } from "../src/Terminal.ts"

describe("dollars", () => {
  it.each([
    [0n, "0.00"],
    [1n, "0.000001"],
    [10_000n, "0.01"],
    [520_000n, "0.52"],
    [1_200_000n, "1.20"],
    [1_234_500n, "1.2345"],
    [1_000_000_000n, "1000.00"]
  ])("shows %d atomic units as %s", (atomic, text) => {
    expect(dollars(atomic)).toBe(text)
  })
})

describe("paintFor", () => {
  const terminal = { isTTY: true }
  it("colors only terminals", () => {
    expect(paintFor(terminal, {}).red("x")).toBe("\u001b[31mx\u001b[0m")
    expect(paintFor({}, {}).red("x")).toBe("x")
    expect(paintFor(terminal, { NO_COLOR: "1" }).red("x")).toBe("x")
    expect(paintFor(terminal, { NO_COLOR: "" }).red("x")).not.toBe("x")
    expect(paintFor(terminal, { TERM: "dumb" }).red("x")).toBe("x")
  })
})

describe("makeTable", () => {
  const plain = paintFor({}, {})
  const visit = {
    method: "GET",
    path: "/x402/vault/download/3df88661-65ac-402b-b7cd-59620233dafe",
    priceAtomic: 10_000n,
    transaction: `0x${"ab".repeat(32)}`,
    summary: "a long response ".repeat(20).trim()
  }

  it.each([80, 100, 200])("is never wider than %d columns", (columns) => {
    const table = makeTable(plain, columns)
    const lines = table.row(visit).split("\n")
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(columns)
    const [first = ""] = lines
    expect(first).toContain("0xababab…ababab")
    // Prices and transactions are aligned below their headings.
    expect(first.indexOf("0.01") + 4).toBe(table.heading.indexOf("USDC") + 4)
    expect(first.indexOf("0xab")).toBe(table.heading.indexOf("transaction"))
  })

  it("breaks a result at spaces, and cuts its third line", () => {
    expect(wrap("one two three four", 9, 3)).toEqual(["one two", "three", "four"])
    expect(wrap("one two three four five six", 9, 2)).toEqual(["one two", "three fo…"])
    expect(wrap("averylongword and", 8, 2)).toEqual(["averylo…", "and"])
  })

  it("cuts by characters, not by code units", () => {
    expect(cut("🎧🎧🎧", 3)).toBe("🎧🎧🎧")
    expect(cut("🎧🎧🎧🎧", 3)).toBe("🎧🎧…")
  })
})
