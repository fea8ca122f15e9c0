import type { FulfilmentStatus, Parcel } from "../../src/shop/goods/Order.ts"
import type { SeededRandom } from "./SeededRandom.ts"

/** What happens to an order after it is accepted, in milliseconds from then on. */
export interface DeliveryPlan {
  readonly shipsMillis: number
  readonly deliversMillis: number
  /** Ends the order before delivery. */
  readonly end: { readonly atMillis: number; readonly as: "failed" | "cancelled" } | undefined
  /** Parcels, each with the period in which its number is known. */
  readonly parcels: ReadonlyArray<{
    readonly number: string
    readonly fromMillis: number
    readonly untilMillis: number
  }>
}

const hour = 3_600_000

/** Draws a plan that takes either seconds, or hours and days. */
export const drawDeliveryPlan = (random: SeededRandom, isQuick: boolean): DeliveryPlan => {
  const unit = isQuick ? 1_000 : hour
  const shipsMillis = random.between(2, 40) * unit
  const deliversMillis = shipsMillis + random.between(2, 90) * unit
  const isEnding = random.chance(0.3)
  const endMillis = random.chance(0.7)
    ? random.between(1, shipsMillis)
    : random.between(shipsMillis, deliversMillis - 1)
  const first = `T${random.between(100_000, 999_999)}`
  const parcels = [{ number: first, fromMillis: shipsMillis, untilMillis: Infinity }]
  const laterMillis = random.between(shipsMillis, deliversMillis - 1)
  const later = random.weighted({ none: 6, second: 2, relabelled: 2 })
  if (later !== "none")
    parcels.push({
      number: `U${random.between(100_000, 999_999)}`,
      fromMillis: laterMillis,
      untilMillis: Infinity
    })
  if (later === "relabelled") parcels[0]!.untilMillis = laterMillis
  return {
    shipsMillis,
    deliversMillis,
    end: isEnding ? { atMillis: endMillis, as: random.pick(["failed", "cancelled"] as const) } : undefined,
    parcels
  }
}

/** The status of an order of this age. */
export const statusAt = (deliveryPlan: DeliveryPlan, ageMillis: number): FulfilmentStatus => {
  const { deliversMillis, end, parcels, shipsMillis } = deliveryPlan
  const shipments = parcels
    .filter(({ fromMillis, untilMillis }) => fromMillis <= ageMillis && ageMillis < untilMillis)
    .map(({ number }): Parcel => ({ carrier: "Carrier", trackingNumber: number }))
  if (end !== undefined && end.atMillis <= ageMillis) return { status: end.as, reason: "Lost it", shipments }
  if (deliversMillis <= ageMillis) return { status: "delivered", shipments }
  return { status: shipsMillis <= ageMillis ? "shipped" : "placed", shipments }
}
