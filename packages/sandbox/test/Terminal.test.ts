import { describe, expect, it } from "vitest"
import { makeTable } from "../src/demo/Table.ts"
import { cut, dollars, paintFor } from "../src/Terminal.ts"

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

  it("cuts nothing when it is piped", () => {
    const row = makeTable(plain, undefined, 66).row(visit)
    expect(row).toContain(visit.path)
    expect(row).toContain(visit.transaction)
    expect(row).toContain(visit.summary)
  })

  it.each([80, 100, 120, 200, 300])("is never wider than a terminal of %d columns", (columns) => {
    const table = makeTable(plain, columns, 66)
    const row = table.row(visit)
    expect([...row].length).toBeLessThanOrEqual(columns)
    expect(row).toContain(columns < 200 ? "0xababab…ababab" : visit.transaction)
    // Prices are aligned below their heading.
    expect(row.indexOf("0.01") + 4).toBe(table.heading.indexOf("USDC") + 4)
  })

  it("cuts by characters, not by code units", () => {
    expect(cut("🎧🎧🎧", 3)).toBe("🎧🎧🎧")
    expect(cut("🎧🎧🎧🎧", 3)).toBe("🎧🎧…")
  })
})
