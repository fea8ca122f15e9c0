import { describe, expect, it } from "vitest"
import { usStateCodes } from "../../../src/shop/goods/UnitedStates.ts"
import { otherStateOfZip, zipFaults } from "../../../src/shop/goods/ZipCodes.ts"

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

describe("zipFaults", () => {
  const faultsOf = (shippingAddress: unknown) => zipFaults({ shippingAddress }).map(({ path }) => path)

  it("finds a ZIP code of another state, however both are written", () => {
    for (const sent of [
      { country: "US", state: "Texas", postalCode: "07102" },
      { country: "us", state: "t.x.", postalCode: " 071021234 " }
    ])
      expect(faultsOf(sent)).toEqual(["shippingAddress.postalCode"])
  })

  it.each([
    { country: "US", state: "NJ", postalCode: "07102" },
    { country: "DE", state: "TX", postalCode: "07102" },
    { country: "US", state: "Nowhere", postalCode: "07102" },
    { country: "US", state: "TX", postalCode: "7102" },
    { country: "US", state: 7, postalCode: 7102 },
    { country: ["US"] },
    "TX 07102",
    null,
    undefined
  ])("finds nothing in %j", (sent) => {
    expect(faultsOf(sent)).toEqual([])
  })
})
