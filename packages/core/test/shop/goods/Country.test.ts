import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Country, countryCodes } from "../../../src/shop/goods/Country.ts"
import { property } from "../../domain/seeded.ts"

const decode = Schema.decodeUnknownResult(Country)
const messageOf = (code: unknown): string => {
  const decoded = decode(code)
  return Result.isFailure(decoded) ? decoded.failure.message : ""
}

describe("Country", () => {
  it("knows the 249 assigned codes, each once, in order", () => {
    expect(new Set(countryCodes).size).toBe(249)
    expect([...countryCodes].sort()).toEqual(countryCodes)
    for (const code of countryCodes) expect(code).toMatch(/^[A-Z]{2}$/)
  })

  // The runtime's names for regions are an independent list of them.
  it("knows only codes that have a name", () => {
    const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })
    expect(countryCodes.filter((code) => names.of(code) === undefined)).toEqual([])
  })

  it("reads every one in either case, and writes it in upper case", () => {
    for (const code of countryCodes) {
      for (const sent of [code, code.toLowerCase(), `${code[0]}${code[1]!.toLowerCase()}`]) {
        expect(decode(sent)).toEqual(Result.succeed(code))
      }
    }
  })

  // Reserved, withdrawn, left to users, or never given.
  it.each([
    "UK",
    "EU",
    "EL",
    "AN",
    "CS",
    "SU",
    "YU",
    "ZR",
    "TP",
    "BU",
    "DD",
    "FX",
    "XK",
    "XX",
    "ZZ",
    "AA",
    "QQ"
  ])("refuses %s", (code) => {
    expect(messageOf(code)).toMatch(/^must be an assigned ISO 3166-1 alpha-2 country code/)
    expect(messageOf(code.toLowerCase())).toBe(messageOf(code))
  })

  it.each([
    ["UK", "GB"],
    ["el", "GR"]
  ])("names the right code for %s", (code, right) => {
    expect(messageOf(code)).toMatch(new RegExp(`: send ${right}$`))
  })

  it.each(["", "U", "USA", "U1", "12", " US", "US ", "U\n", "ÜS", "ＵＳ", "__", "__proto__"])(
    "reports only that %j has another form",
    (code) => {
      expect(messageOf(code)).toBe("must be a two-letter ISO 3166-1 alpha-2 country code")
    }
  )

  property("two letters are a country if and only if they are in the list", 700, (rolled) => {
    const code = rolled.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 2)
    expect(Result.isSuccess(decode(code))).toBe(countryCodes.includes(code))
  })
})
