import type { FulfilmentStatus, Parcel } from "../../src/domain/Order.ts"
import type { Fate } from "./Fate.ts"

/** What becomes of an order once it is accepted, in milliseconds from then on. */
export interface Course {
  readonly shipsMillis: number
  readonly deliversMillis: number
  /** Comes to nothing instead, before it is delivered. */
  readonly end: { readonly atMillis: number; readonly as: "failed" | "cancelled" } | undefined
  /** Parcels, and from when until when each is known under its number. */
  readonly parcels: ReadonlyArray<{
    readonly number: string
    readonly fromMillis: number
    readonly untilMillis: number
  }>
}

const hour = 3_600_000

/** Draws the course of an order: of seconds, or of hours and days. */
export const courseOf = (fate: Fate, isQuick: boolean): Course => {
  const unit = isQuick ? 1_000 : hour
  const shipsMillis = fate.between(2, 40) * unit
  const deliversMillis = shipsMillis + fate.between(2, 90) * unit
  const isEnding = fate.chance(0.3)
  const endMillis = fate.chance(0.7)
    ? fate.between(1, shipsMillis)
    : fate.between(shipsMillis, deliversMillis - 1)
  const first = `T${fate.between(100_000, 999_999)}`
  const parcels = [{ number: first, fromMillis: shipsMillis, untilMillis: Infinity }]
  const laterMillis = fate.between(shipsMillis, deliversMillis - 1)
  const later = fate.weighted({ none: 6, second: 2, relabelled: 2 })
  if (later !== "none")
    parcels.push({
      number: `U${fate.between(100_000, 999_999)}`,
      fromMillis: laterMillis,
      untilMillis: Infinity
    })
  if (later === "relabelled") parcels[0]!.untilMillis = laterMillis
  return {
    shipsMillis,
    deliversMillis,
    end: isEnding ? { atMillis: endMillis, as: fate.pick(["failed", "cancelled"] as const) } : undefined,
    parcels
  }
}

/** How an order on this course stands so long after it was accepted. */
export const standingOf = (course: Course, ageMillis: number): FulfilmentStatus => {
  const { deliversMillis, end, parcels, shipsMillis } = course
  const shipments = parcels
    .filter(({ fromMillis, untilMillis }) => fromMillis <= ageMillis && ageMillis < untilMillis)
    .map(({ number }): Parcel => ({ carrier: "Carrier", trackingNumber: number }))
  if (end !== undefined && end.atMillis <= ageMillis) return { status: end.as, reason: "Lost it", shipments }
  if (deliversMillis <= ageMillis) return { status: "delivered", shipments }
  return { status: shipsMillis <= ageMillis ? "shipped" : "placed", shipments }
}
