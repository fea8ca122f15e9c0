import { describe, expect, it } from "vitest"
import { bundledCarriers, likelyCarriers } from "@till402/providers/carriers"
import { numberFormats } from "../../src/carriers/NumberFormats.ts"
import { fedexExpress, gs1, mod37, mod7, ontrac, s10, ups } from "../../src/carriers/CheckDigits.ts"

const codes = (number: string) => likelyCarriers(number).map(({ code }) => code)
const names = (number: string) => likelyCarriers(number).map(({ name }) => name)

/** Numbers with a right check digit, of public test data and carriers' own documents. */
const examples: ReadonlyArray<readonly [carrier: string, number: string]> = [
  ["UPS", "1Z5R89390357567127"],
  ["UPS", "1Z879E930346834440"],
  ["UPS", "1Z410E7W0392751591"],
  ["UPS", "1Z8V92A70367203024"],
  ["UPS", "1z8v92a70367203024"],
  ["FedEx", "986578788855"],
  ["FedEx", "477179081230"],
  ["FedEx", "799531274483"],
  ["FedEx", "1001921334250001000300779017972697"],
  ["FedEx", "61299998820821171811"],
  ["FedEx", "9261292700768711948021"],
  ["FedEx", "041441760228964"],
  ["FedEx", "568283610012734"],
  ["FedEx", "000123450000000027"],
  ["FedEx", "9611020987654312345672"],
  ["FedEx", "9622001900000000000000776632517510"],
  ["USPS", "03071790000523483741"],
  ["USPS", "71123456789123456787"],
  ["USPS", "4201002334249200190132607600833457"],
  ["USPS", "420221539101026837331000039521"],
  ["USPS", "71969010756003077385"],
  ["USPS", "9505511069605048600624"],
  ["USPS", "92748931507708513018050063"],
  ["USPS", "9400111201080805483016"],
  ["USPS", "9361289878700317633795"],
  ["DHL Express", "3318810025"],
  ["DHL Express", "8487135506"],
  ["DHL eCommerce US", "GM295117494011169042"],
  ["Canada Post", "0073938000549297"],
  ["DPD (DE)", "008182709980000020033350276C"],
  ["DPD (DE)", "008182709980000020045327276N"],
  ["OnTrac", "C11031500001879"],
  ["OnTrac", "D10011354453707"],
  ["Royal Mail", "RR123456785GB"],
  ["Royal Mail", "rr-123456785-gb"],
  ["China Post", "RR123456785CN"],
  ["China EMS", "EE123456785CN"],
  ["Deutsche Post Mail", "RR123456785DE"],
  ["DHL Paket", "CC473124829DE"],
  ["USPS", "LZ123456785US"]
]

describe("likelyCarriers", () => {
  it.each(examples)("%s first for %s", (carrier, number) => {
    expect(names(number)[0]).toBe(carrier)
  })

  it.each([
    ["UPS", 100002, "1Z5R89390357567128"],
    ["FedEx Express", 100003, "996578788855"],
    ["FedEx, whole barcode", 100003, "1001901781990001000300617767839438"],
    ["FedEx SmartPost", 100003, "9261292700768711948020"],
    ["FedEx Ground", 100003, "568283610012732"],
    ["FedEx Ground 96", 100003, "9600000000000000000001"],
    ["FedEx GSN", 100003, "9622001560001234567100794808390595"],
    ["USPS", 21051, "03071790000523483742"],
    ["USPS with its routing code", 21051, "4201028200009261290113185417468511"],
    ["DHL Express", 100001, "3318810010"],
    ["Canada Post", 3041, "0073938000549292"],
    ["DPD", 100007, "008182709980000020033350276A"],
    ["OnTrac", 100049, "C11031500001889"],
    ["an operator of S10", 11031, "RR123456789GB"]
  ])("drops %s if the check digit is wrong", (_, code, number) => {
    expect(codes(number)).not.toContain(code)
  })

  it("names up to five carriers, each once, with its homepage", () => {
    for (const [, number] of examples) {
      const found = likelyCarriers(number)
      expect(found.length).toBeLessThanOrEqual(5)
      expect(new Set(found.map(({ code }) => code)).size).toBe(found.length)
      for (const { homepage } of found) expect(homepage).toMatch(/^https?:\/\//)
    }
  })

  it("lists carriers last that only the length suggests", () => {
    // Right for FedEx Express and, by chance, no Japanese parcel; GLS has such lengths.
    expect(names("477179081230")).toEqual(["FedEx", "GLS", "GLS (DE)"])
  })

  it.each(["ABCDE12345", "!!!!!", "", "A".repeat(50), "12345"])("finds nothing for %j", (number) => {
    expect(likelyCarriers(number)).toEqual([])
  })
})

describe("check digits", () => {
  /** The payload with each digit in turn made the next one. */
  const misread = (payload: string): ReadonlyArray<string> =>
    [...payload].flatMap((character, place) =>
      /\d/.test(character)
        ? [payload.slice(0, place) + String((Number(character) + 1) % 10) + payload.slice(place + 1)]
        : []
    )

  it.each([
    ["GS1", gs1, "0307179000052348374", "1", 0],
    ["UPS", ups, "5R8939035756712", "7", 0],
    ["ISO 7064", mod37, "008182709980000020033350276", "C", 0],
    ["modulo 7", mod7, "331881002", "5", 0],
    ["OnTrac", ontrac, "41103150000187", "9", 0],
    // Modulo 11 has eleven remainders for ten digits, so two of them share one: a few slip through.
    ["S10", s10, "12345678", "5", 1],
    ["FedEx Express", fedexExpress, "98657878885", "5", 2]
  ] as const)("%s is right of a known number, and wrong after one digit was misread", (...row) => {
    const [, rule, payload, check, missed] = row
    expect(rule(payload)).toBe(check)
    expect(misread(payload).filter((wrong) => rule(wrong) === check).length).toBeLessThanOrEqual(missed)
  })
})

describe("the bundled lists", () => {
  it("hold every carrier that a format names", () => {
    for (const { carriers, name } of numberFormats) {
      for (const code of carriers) expect(bundledCarriers.has(code), `${name}: ${code}`).toBe(true)
    }
  })

  it("hold each code once, with a name, a country or none, and a homepage", () => {
    expect(bundledCarriers.size).toBeGreaterThan(300)
    for (const { code, country, homepage, name } of bundledCarriers.values()) {
      expect(Number.isInteger(code) && code > 0).toBe(true)
      expect(name.trim()).toBe(name)
      expect(name).not.toBe("")
      if (country !== null) expect(country).toMatch(/^[A-Z]{2}$/)
      expect(URL.canParse(homepage ?? "")).toBe(true)
    }
  })
})
