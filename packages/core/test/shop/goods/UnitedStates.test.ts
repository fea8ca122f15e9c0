import { describe, expect, it } from "vitest"
import { usPostalCodeOf, usStateCodes, usStateOf } from "../../../src/shop/goods/UnitedStates.ts"
import { property } from "../../domain/seeded.ts"

describe("usStateOf", () => {
  it("knows 50 states, the district, 5 territories, 3 associated states and 3 military regions", () => {
    expect(new Set(usStateCodes).size).toBe(62)
    for (const code of ["DC", "AS", "GU", "MP", "PR", "VI", "AA", "AE", "AP"]) {
      expect(usStateCodes).toContain(code)
    }
  })

  it("reads every code in either case, with points, spaces, or the country before it", () => {
    for (const code of usStateCodes) {
      const [first, second] = code
      const lower = code.toLowerCase()
      for (const text of [code, lower, ` ${code}\t`, `${first}.${second}.`, `US-${code}`, `us-${lower}`]) {
        expect(usStateOf(text), text).toBe(code)
      }
    }
  })

  it.each([
    ["Oregon", "OR"],
    ["NEW YORK", "NY"],
    ["  new   hampshire ", "NH"],
    ["District of Columbia", "DC"],
    ["Washington, D.C.", "DC"],
    ["Washington", "WA"],
    ["Puerto Rico", "PR"],
    ["U.S. Virgin Islands", "VI"],
    ["Virgin Islands", "VI"],
    ["Hawai\u02bbi", undefined],
    ["Hawaiì", "HI"],
    ["Armed Forces Pacific", "AP"]
  ])("reads %j as %s", (text, code) => {
    expect(usStateOf(text)).toBe(code)
  })

  it.each([
    "",
    " ",
    "ZZ",
    "XX",
    "UK",
    "ON",
    "Ontario",
    "O",
    "ORE",
    "New",
    "US",
    "US-",
    "USOR",
    "12",
    "none",
    "N/A",
    "OR WA",
    "constructor",
    "__proto__",
    "toString"
  ])("reads no state in %j", (text) => {
    expect(usStateOf(text)).toBeUndefined()
  })

  property("two letters are a state if and only if they are in the list", 700, (rolled) => {
    const code = rolled.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 2)
    expect(usStateOf(code)).toBe(usStateCodes.includes(code) ? code : undefined)
  })

  property("accepts its own output unchanged", 200, (rolled) => {
    const code = rolled.pick(usStateCodes)
    expect(usStateOf(usStateOf(code.toLowerCase())!)).toBe(code)
  })
})

describe("usPostalCodeOf", () => {
  it.each([
    ["97201", "97201"],
    ["00501", "00501"],
    [" 97201 ", "97201"],
    ["97201-1234", "97201-1234"],
    ["97201 1234", "97201-1234"],
    ["972011234", "97201-1234"],
    ["97201 - 1234", "97201-1234"],
    ["97201\u20131234", "97201-1234"],
    ["９７２０１", "97201"]
  ])("reads %j as %s", (text, code) => {
    expect(usPostalCodeOf(text)).toBe(code)
  })

  it.each([
    "",
    " ",
    "1",
    "9720",
    "972010",
    "97201-",
    "97201-123",
    "97201-12345",
    "97201--1234",
    "-97201",
    "9720A",
    "SW1A 1AA",
    "K1A 0B1",
    "97201\n1234x",
    "US 97201",
    "٩٧٢٠١"
  ])("reads no ZIP code in %j", (text) => {
    expect(usPostalCodeOf(text)).toBeUndefined()
  })

  property("every ZIP code and ZIP+4 stays as it is", 300, (rolled) => {
    const zip = rolled.text("0123456789", 5)
    const whole = rolled.below(2) === 0 ? zip : `${zip}-${rolled.text("0123456789", 4)}`
    expect(usPostalCodeOf(whole)).toBe(whole)
  })

  it("takes no longer for a hostile text", () => {
    expect(usPostalCodeOf(`97201${" ".repeat(100_000)}x`)).toBeUndefined()
  })
})
