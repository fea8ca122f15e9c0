import { describe, expect, it } from "vitest"
import type { Recorded } from "../../bench/src/Bench.ts"
import { benchDrawings, drawingOf, readingOf, readmeWithBench } from "./benchDrawings.ts"
import { read } from "./documents.ts"

const recorded: Recorded = {
  mode: "paid",
  only: "",
  brief: false,
  machine: "2 cores",
  storage: "SQLite & PostgreSQL",
  library: "with it",
  verified: "every payment",
  sections: [
    {
      title: "Calls",
      rows: [
        { name: "won", unit: "calls/s", till402: 1_200, official: 1_000 },
        { name: "lost", unit: "calls/s", till402: 720, official: 1_000 },
        { name: "later", unit: "ms", till402: 8, official: 4 },
        { name: "SQLite, 32 callers", unit: "calls/s", till402: 42.66, official: 44.5 }
      ]
    }
  ],
  tables: []
}

describe("the drawing of a bench", () => {
  it("has a bar for every row, and shows which of them are lost", () => {
    const bars = [
      ...drawingOf(recorded).matchAll(
        /<text[^>]*>([^<]*)<\/text>\n<rect[^>]*width="(\d+)"[^>]*fill="(\S+)"\/>/g
      )
    ]
    expect(bars.map(([, name, length, color]) => [name, length, color])).toEqual([
      ["won, calls/s", "156", "#2da44e"],
      ["lost, calls/s", "94", "#cf222e"],
      ["later, ms", "65", "#cf222e"],
      ["SQLite, 32 callers, calls/s", "125", "#cf222e"]
    ])
  })

  it("names machine, storage, library and what is verified", () => {
    const svg = drawingOf(recorded)
    for (const text of ["2 cores", "SQLite &amp; PostgreSQL", "with it", "every payment"])
      expect(svg).toContain(text)
  })

  it("is refused for some rows, or for one short round", () => {
    expect(() => drawingOf({ ...recorded, only: "won" })).toThrow("docs/bench-paid.json")
    expect(() => drawingOf({ ...recorded, brief: true })).toThrow("docs/bench-paid.json")
  })
})

describe("the README's reading of a bench", () => {
  it("has the usual rows and a link to all, counts the lost ones, and names the best and the worst", () => {
    const text = readingOf(recorded)
    for (const part of [
      "(docs/bench-paid.svg)",
      "SQLite, 32 callers, a facilitator that verifies in 60 ms and settles in 600: 42.7 calls/s, official 44.5.",
      "1 are better and 3 worse",
      "the best is *won* (1.20 times as good), the worst *later* (0.50 times as good)",
      "`npm run bench -- paid`"
    ])
      expect(text).toContain(part)
  })

  it("names the command alone where nothing is recorded", () => {
    expect(readingOf(undefined)).toContain("`npm run bench -- paid`")
    expect(readingOf(undefined)).not.toContain("svg")
    expect(() => readingOf({ ...recorded, sections: [] })).toThrow("no rows")
  })

  it("is the one that `npm run docs` writes", () => {
    const [path, text] = readmeWithBench()
    expect(read(path).text).toBe(text)
  })
})

describe("the drawings of benches in docs/", () => {
  it("are those that `npm run docs` draws", () => {
    for (const [path, svg] of benchDrawings()) expect(read(path).text, path).toBe(svg)
  })
})
