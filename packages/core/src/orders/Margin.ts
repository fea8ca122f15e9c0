import { UpstreamFailed } from "../domain/Errors.ts"
import { type Money, parseAtomic } from "../domain/Money.ts"
import type { Offer } from "../domain/Order.ts"
import type { Margin } from "../Options.ts"
import { Effect } from "effect"

const wholeBasisPoints = 10_000n

/** Basis points of an amount, rounded up to the atomic unit. */
const shareOf = ({ atomic }: Money, basisPoints: number): bigint =>
  (atomic * BigInt(basisPoints) + wholeBasisPoints - 1n) / wholeBasisPoints

const feeOf = (offer: Offer, margin: Margin): bigint | undefined => {
  if (typeof margin === "number") return shareOf(offer.total, margin)
  const fee: unknown = margin({
    subtotal: offer.subtotal,
    tax: offer.tax,
    shipping: offer.shipping,
    total: offer.total
  })
  return typeof fee === "string" ? parseAtomic(fee) : undefined
}

/**
 * An offer with the host's margin as a line of its own, which the total holds. A function that throws, or answers
 * what is no amount, is the host's fault: nothing is quoted.
 */
export const withMargin = (offer: Offer, margin: Margin | undefined): Effect.Effect<Offer, UpstreamFailed> =>
  margin === undefined
    ? Effect.succeed(offer)
    : Effect.suspend(() => {
        const fault = (cause: unknown) => Effect.fail(new UpstreamFailed({ port: "fulfilment", cause }))
        try {
          const atomic = feeOf(offer, margin)
          if (atomic === undefined) return fault(new Error("margin must answer a decimal amount"))
          if (atomic === 0n) return Effect.succeed(offer)
          const { currency } = offer.total
          const total = { atomic: offer.total.atomic + atomic, currency }
          return Effect.succeed({ ...offer, fee: { atomic, currency }, total })
        } catch (cause) {
          return fault(cause)
        }
      })
