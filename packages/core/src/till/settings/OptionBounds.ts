import type { DecimalText } from "../../domain/Money.ts"
import { defaultPrices, type Prices } from "../../shop/routes/ShopSettings.ts"
import { defaultFacilitatorTimeouts } from "../../toll/facilitator/FacilitatorOptions.ts"
import type { LimitOptions, RefundLimitOptions, TillSettings } from "./TillSettings.ts"

/** A whole number; both bounds are included. */
export interface BoundedNumber {
  readonly kind: "number"
  readonly unit:
    | "basis points"
    | "blocks"
    | "milliseconds"
    | "payments"
    | "quotes"
    | "seconds"
    | "verifications"
  readonly minimum: number
  readonly maximum: number
}

/** A whole number with the same default on every network. */
export interface WholeNumber extends BoundedNumber {
  readonly default: number
}

/** An amount in US dollars, as decimal text. */
export interface Dollars {
  readonly kind: "dollars"
  readonly default: DecimalText
  readonly minimum: "zero" | "above zero"
}

/** A path below the mount, or `false`. */
export interface MountPath {
  readonly kind: "path"
  readonly default: string
}

/** A text that the host must give. */
export interface BoundedText {
  readonly kind: "text"
  readonly minimumLength: number
  readonly maximumLength: number | undefined
}

export type OptionBound = BoundedNumber | WholeNumber | Dollars | MountPath | BoundedText

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const bounded = (unit: BoundedNumber["unit"], minimum: number, maximum: number): BoundedNumber => ({
  kind: "number",
  unit,
  minimum,
  maximum
})

const number = (
  unit: BoundedNumber["unit"],
  fallback: number,
  minimum: number,
  maximum: number
): WholeNumber => ({ ...bounded(unit, minimum, maximum), default: fallback })

const millis = (fallback: number, minimum: number, maximum: number): WholeNumber =>
  number("milliseconds", fallback, minimum, maximum)

/** Zero is allowed and turns the feature off. */
const dollars = (fallback: DecimalText): Dollars => ({ kind: "dollars", default: fallback, minimum: "zero" })
const price = (fallback: DecimalText): Dollars => ({ ...dollars(fallback), minimum: "above zero" })

const path = (fallback: string): MountPath => ({ kind: "path", default: fallback })

/**
 * Unit, default and bounds of every option that has them, by its path. Options are checked against this table, and
 * docs/options.md is generated from it (`npm run docs`).
 */
export const optionBounds = {
  maxTimeoutSeconds: number("seconds", 120, 30, 600),
  upstreamTimeoutMillis: millis(20 * second, 1, 40 * second),
  responseLifetimeMillis: millis(day, minute, 30 * day),
  secretResponseLifetimeMillis: millis(10 * minute, 0, day),
  owedResponseMillis: millis(hour, second, 7 * day),
  personalDataLifetimeMillis: millis(90 * day, day, 3_650 * day),
  margin: number("basis points", 0, 0, 10_000),
  openapiPath: path("/openapi.json"),
  discoveryPath: path("/.well-known/x402"),
  "limits.unsettledPerPayer": number("payments", 64, 1, 10_000),
  "limits.unsettled": number("payments", 1_000, 1, 100_000),
  "limits.exposurePerPayer": dollars("0.10"),
  "limits.maxExposurePerPayer": dollars("5.00"),
  "limits.lossPerHour": dollars("20.00"),
  "limits.unverified": number("verifications", 64, 1, 10_000),
  "limits.failedPayerMillis": millis(5 * second, 0, minute),
  "limits.quotesPerMinute": number("quotes", 600, 1, 1_000_000),
  "limits.quotesPerClientPerMinute": number("quotes", 60, 1, 1_000_000),
  "refunds.perPayerPerHour": price("500.00"),
  "prices.search": price(defaultPrices.search),
  "prices.shop": price(defaultPrices.shop),
  "prices.track": price(defaultPrices.track),
  "prices.vaultSearch": price(defaultPrices.vaultSearch),
  "prices.vaultDownload": price(defaultPrices.vaultDownload),
  "networks[].confirmations": bounded("blocks", 1, 64),
  "networks[].finalitySeconds": bounded("seconds", 0, 86_400),
  "facilitator.verifyTimeoutMillis": millis(defaultFacilitatorTimeouts.verifyTimeoutMillis, 1, 20 * second),
  "facilitator.settleTimeoutMillis": millis(defaultFacilitatorTimeouts.settleTimeoutMillis, 1, minute),
  "secret[].id": { kind: "text", minimumLength: 1, maximumLength: 32 },
  "secret[].secret": { kind: "text", minimumLength: 32, maximumLength: undefined }
} as const satisfies Readonly<Record<RequiredPath, OptionBound>> & Readonly<Record<string, OptionBound>>

/** TypeScript keeps the table complete: a new limit or price without bounds is an error. */
type RequiredPath =
  | `limits.${keyof LimitOptions}`
  | `prices.${keyof Prices}`
  | `refunds.${keyof RefundLimitOptions}`
  | Extract<keyof TillSettings, `${string}Millis` | `${string}Seconds` | `${string}Path`>

type PathOf<Bound> = {
  [Path in keyof typeof optionBounds]: (typeof optionBounds)[Path] extends Bound ? Path : never
}[keyof typeof optionBounds]

/** Paths of whole numbers; those of `networks[]` have a default by network. */
export type BoundedNumberPath = PathOf<BoundedNumber>
export type NumberPath = PathOf<WholeNumber>
export type DollarsPath = PathOf<Dollars>
export type MountPathOption = PathOf<MountPath>

/** The names of the options below `group`, such as `limits`. */
export const namesBelow = (group: "limits" | "prices" | "refunds"): ReadonlyArray<string> =>
  Object.keys(optionBounds)
    .filter((name) => name.startsWith(`${group}.`))
    .map((name) => name.slice(group.length + 1))

const timeUnits = [
  [day, "day"],
  [hour, "hour"],
  [minute, "minute"],
  [second, "second"]
] as const

/** Milliseconds in the largest unit that divides them: `90 days`. */
export const durationText = (millis: number): string | undefined => {
  const [size, name] = timeUnits.find(([each]) => millis >= each && millis % each === 0) ?? []
  if (size === undefined) return undefined
  const count = millis / size
  return `${count} ${name}${count === 1 ? "" : "s"}`
}

/** A number in a message or table: `86400000 (1 day)`. */
export const boundText = (value: number, unit: BoundedNumber["unit"]): string => {
  const duration = unit === "milliseconds" ? durationText(value) : undefined
  return duration === undefined ? String(value) : `${value} (${duration})`
}
