import { type Carrier, carrierOfRow } from "./Carrier.ts"
import { s10 } from "./CheckDigits.ts"
import { couriers } from "./Couriers.ts"
import { type Likelihood, numberFormats } from "./NumberFormats.ts"
import { postalOperators } from "./PostalOperators.ts"

/** The carriers bundled with this package: the postal operators and the most common couriers. */
export const bundledCarriers: ReadonlyMap<number, Carrier> = new Map(
  [...postalOperators, ...couriers].map((row) => [row[0], carrierOfRow(row)])
)

/** The designated operator of a country: the first of its rows. */
const operatorOf = new Map<string, number>()
for (const [code, , country] of postalOperators) {
  if (!operatorOf.has(country)) operatorOf.set(country, code)
}

/** Countries whose operator has several codes, by service letter. */
const branches: Readonly<Record<string, (service: string) => ReadonlyArray<number>>> = {
  CN: (service) => (service === "E" ? [3013, 3011] : [3011, 3013]),
  DE: (service) => (service === "C" || service === "E" ? [7041, 7044] : [7044, 7041]),
  DZ: (service) => (service === "E" ? [1043, 1041] : [1041]),
  GB: (service) => (service === "C" || service === "E" ? [11033, 11031] : [11031]),
  NL: () => [14044, 14041],
  BE: () => [2061, 2063],
  VN: (service) => (service === "E" ? [22043, 22041] : [22041])
}

const s10Pattern = /^([A-Z])[A-Z](\d{8})(\d)([A-Z]{2})$/

const postalCodes = (number: string): ReadonlyArray<number> => {
  const [, service = "", serial = "", check, country = ""] = s10Pattern.exec(number) ?? []
  if (check === undefined || s10(serial) !== check) return []
  const operator = operatorOf.get(country)
  return branches[country]?.(service) ?? (operator === undefined ? [] : [operator])
}

const order: ReadonlyArray<Likelihood> = ["distinctive", "checked", "plausible"]

/**
 * Returns up to five carriers whose numbers have this format, likeliest first.
 *
 * Check digits are verified if the format has one (UPS, FedEx, USPS, S10 of the postal operators, DHL, DPD,
 * OnTrac, Canada Post). Case and hyphens are ignored.
 *
 * @example
 * import { likelyCarriers } from "@till402/providers/carriers"
 *
 * likelyCarriers("RR123456785GB").map(({ code, name }) => ({ code, name }))
 * // [{ code: 11031, name: "Royal Mail" }]
 */
export const likelyCarriers = (number: string): ReadonlyArray<Carrier> => {
  const plain = number.toUpperCase().replaceAll("-", "")
  const matching = numberFormats.filter(
    ({ isValid, pattern }) => pattern.test(plain) && (isValid === undefined || isValid(plain))
  )
  const codes = order.flatMap((likelihood) => [
    ...(likelihood === "distinctive" ? postalCodes(plain) : []),
    ...matching.filter((format) => format.likelihood === likelihood).flatMap(({ carriers }) => carriers)
  ])
  return [...new Set(codes)].flatMap((code) => bundledCarriers.get(code) ?? []).slice(0, maxCandidates)
}

const maxCandidates = 5
