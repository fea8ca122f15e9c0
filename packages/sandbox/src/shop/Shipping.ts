import type { Handling } from "./Listing.ts"

/** Shipping zones from a warehouse in Columbus, Ohio. */
export type Zone = "near" | "mid" | "far" | "remote" | "canada" | "europe" | "pacific"

interface Rate {
  /** US cents for the parcel and its first half kilogram. */
  readonly base: bigint
  /** US cents per additional half kilogram or part of it. */
  readonly perHalfKilogram: bigint
}

const rates: Readonly<Record<Zone, Rate>> = {
  near: { base: 499n, perHalfKilogram: 45n },
  mid: { base: 599n, perHalfKilogram: 65n },
  far: { base: 699n, perHalfKilogram: 95n },
  remote: { base: 1299n, perHalfKilogram: 240n },
  canada: { base: 1449n, perHalfKilogram: 210n },
  europe: { base: 1995n, perHalfKilogram: 380n },
  pacific: { base: 2395n, perHalfKilogram: 460n }
}

const oversizeCents = 3900n
const hazmatCents = 650n

const near = new Set("OH IN KY MI PA WV NY NJ DE MD DC VA IL TN NC".split(" "))
const remote = new Set("AK HI PR".split(" "))
const far = new Set("WA OR CA NV ID MT WY UT AZ NM CO".split(" "))
const pacific = new Set(["AU", "JP"])

/** The zone of an address; `region` is the state within the US. */
export const zoneOf = (country: string, region: string): Zone => {
  if (country === "CA") return "canada"
  if (country !== "US") return pacific.has(country) ? "pacific" : "europe"
  if (remote.has(region)) return "remote"
  if (near.has(region)) return "near"
  return far.has(region) ? "far" : "mid"
}

/** Whether goods can be delivered to a zone: road-only goods need a zone reachable by truck. */
export const mayShip = (handling: Handling, zone: Zone): boolean => {
  if (handling === "ordinary") return true
  const contiguous = zone === "near" || zone === "mid" || zone === "far"
  return contiguous || (handling === "hazmat" && zone === "canada")
}

/** Delivery price in US cents, by weight in started half kilograms. */
export const shippingCents = (parcel: {
  readonly weightGrams: number
  readonly handling: Handling
  readonly zone: Zone
}): bigint => {
  const { base, perHalfKilogram } = rates[parcel.zone]
  const further = BigInt(Math.max(Math.ceil(parcel.weightGrams / 500) - 1, 0))
  const surcharge =
    parcel.handling === "oversize" ? oversizeCents : parcel.handling === "hazmat" ? hazmatCents : 0n
  return base + further * perHalfKilogram + surcharge
}
