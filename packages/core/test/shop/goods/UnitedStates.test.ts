import { describe, expect, it } from "vitest"
import {
  otherStateOfZip,
  usPostalCodeOf,
  usStateCodes,
  usStateOf
} from "../../../src/shop/goods/UnitedStates.ts"
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

describe("otherStateOfZip", () => {
  // The main post office of each state and territory, by USPS.
  const capitals =
    "AL36104 AK99801 AZ85001 AR72201 CA95814 CO80202 CT06103 DE19901 DC20001 FL32301 GA30303 HI96813 ID83702 IL62701 " +
    "IN46225 IA50309 KS66603 KY40601 LA70802 ME04330 MD21401 MA02201 MI48933 MN55102 MS39205 MO65101 MT59623 NE68502 " +
    "NV89701 NH03301 NJ08608 NM87501 NY12207 NC27601 ND58501 OH43215 OK73102 OR97301 PA17101 RI02903 SC29217 SD57501 " +
    "TN37219 TX78701 UT84111 VT05602 VA23219 WA98507 WV25301 WI53703 WY82001 AS96799 GU96910 MP96950 PR00901 VI00802 " +
    "FM96941 MH96960 PW96940"
  const homes = Array.from(capitals.matchAll(/([A-Z]{2})(\d{5})/g), ([, state, zip]) => ({
    state: state!,
    zip: zip!
  }))

  it("takes every state and territory with its own ZIP code", () => {
    expect(new Set(homes.map(({ state }) => state)).size).toBe(59)
    for (const { state, zip } of homes) expect(otherStateOfZip(zip, state), state).toBeUndefined()
  })

  it.each([
    ["06390", "NY", "Fishers Island, among those of Connecticut"],
    ["83414", "WY", "Alta, among those of Idaho"],
    ["73960", "TX", "Texhoma, among those of Oklahoma"],
    ["20588", "MD", "an office of the government"],
    ["20166", "VA", "Dulles, among those of the district"],
    ["05501", "MA", "Andover, among those of Vermont"],
    ["88510", "TX", "El Paso"],
    ["39901", "GA", "Atlanta"],
    ["42223", "TN", "Fort Campbell, on the border of Kentucky"],
    ["86515", "NM", "Window Rock, on the border of Arizona"],
    ["00501", "NY", "Holtsville"]
  ])("takes %s in %s: %s", (zip, state) => {
    expect(otherStateOfZip(zip, state)).toBeUndefined()
  })

  it("takes every military address, and prefixes that aren't in use", () => {
    for (const zip of ["09012", "34001", "96201"])
      for (const state of ["AA", "AE", "AP", "CA", "FL", "NY"])
        expect(otherStateOfZip(zip, state), `${zip} ${state}`).toBeUndefined()
    for (const state of ["AA", "AE", "AP"]) expect(otherStateOfZip("10001", state)).toBeUndefined()
    for (const zip of ["00001", "26901", "34801", "42901", "52901", "56801", "65901", "69901", "71501"])
      for (const state of usStateCodes) expect(otherStateOfZip(zip, state), zip).toBeUndefined()
  })

  it("names the state of a ZIP code that is far from the one sent", () => {
    expect(otherStateOfZip("78701", "NY")).toBe("TX")
    expect(otherStateOfZip("10001-1234", "CA")).toBe("NY")
    expect(otherStateOfZip("96813", "CA")).toBe("HI")
    expect(otherStateOfZip("00901", "FL")).toBe("PR")
    expect(otherStateOfZip("99950", "WA")).toBe("AK")
  })

  it("finds the same states beside each other from both sides, and none beside itself", () => {
    const beside = (left: (typeof homes)[number], right: (typeof homes)[number]): boolean =>
      otherStateOfZip(left.zip, right.state) === undefined
    const isIsland = ({ zip }: (typeof homes)[number]) => zip.startsWith("96")
    const mainland = homes.filter((home) => !isIsland(home))
    for (const left of mainland)
      for (const right of mainland)
        expect(beside(left, right), `${left.state} ${right.state}`).toBe(beside(right, left))
    // Four of the contiguous states meet at one corner, and Tennessee and Missouri have eight neighbours.
    const neighboursOf = (state: string) => {
      const home = homes.find((each) => each.state === state)!
      return mainland.filter((each) => each !== home && beside(home, each)).map((each) => each.state)
    }
    expect(neighboursOf("TN").toSorted()).toEqual(["AL", "AR", "GA", "KY", "MO", "MS", "NC", "VA"])
    expect(neighboursOf("MO").toSorted()).toEqual(["AR", "IA", "IL", "KS", "KY", "NE", "OK", "TN"])
    expect(neighboursOf("ME")).toEqual(["NH"])
    expect(neighboursOf("AK")).toEqual([])
  })
})
