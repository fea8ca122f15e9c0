import { UpstreamFailed } from "../ports/PortErrors.ts"
import { PortSettings, reportFailure } from "../ports/PortGuard.ts"
import { type DecimalText, type Money, parseAtomic, shareRoundedUp } from "../../domain/Money.ts"
import type { Offer } from "../goods/Order.ts"
import { Effect } from "effect"

const feeOf = (offer: Offer, margin: Margin): bigint | undefined => {
  if (typeof margin === "number") return shareRoundedUp(offer.total.atomic, margin)
  const fee: unknown = margin({
    subtotal: offer.subtotal,
    tax: offer.tax,
    shipping: offer.shipping,
    total: offer.total
  })
  // Nobody awaits it: what it throws must not end the process.
  if (fee instanceof Promise) fee.catch(() => undefined)
  return typeof fee === "string" ? parseAtomic(fee) : undefined
}

/**
 * Adds the host's margin to an offer, as a separate line that the total includes. Fails if the host's function throws
 * or doesn't return an amount, and reports that; then nothing is quoted.
 */
export const withMargin = (offer: Offer, margin: Margin | undefined): Effect.Effect<Offer, UpstreamFailed> =>
  margin === undefined
    ? Effect.succeed(offer)
    : Effect.suspend(() => {
        const fault = (cause: unknown) => Effect.fail(new UpstreamFailed({ port: "fulfilment", cause }))
        try {
          const atomic = feeOf(offer, margin)
          if (atomic === undefined)
            return fault(new TypeError('margin must return dollars as decimal text, such as "2.50"'))
          if (atomic === 0n) return Effect.succeed(offer)
          const { currency } = offer.total
          const total = { atomic: offer.total.atomic + atomic, currency }
          return Effect.succeed({ ...offer, fee: { atomic, currency }, total })
        } catch (cause) {
          return fault(cause)
        }
      }).pipe(
        Effect.tapError((error) =>
          Effect.flatMap(PortSettings, (settings) => reportFailure("margin", error, settings))
        )
      )

/**
 * The host's fee on an upstream's quote: basis points of its total (250 is 2.5 %), rounded up to a millionth, or a
 * function that returns the amount in dollars, as decimal text.
 */
export type Margin =
  | number
  | ((quoted: {
      readonly subtotal: Money
      readonly tax: Money
      readonly shipping: Money
      readonly total: Money
    }) => DecimalText)
