import { Clock, Effect, Schema } from "effect"
import { hasAccident, isAccident } from "../../domain/Accident.ts"
import { formatAtomic, type Money, parseAtomic } from "../../domain/Money.ts"
import { isWeb } from "../../domain/Text.ts"
import { FulfilmentState, type FulfilmentStatus, type Offer, type Parcel } from "../goods/Order.ts"
import type { ReportedParcel } from "./FulfilmentOptions.ts"
import { MalformedResponse } from "../../runtime/MalformedResponse.ts"
import { isErrorStatus, listsErrors, mayRefuse, saysRefused } from "../../runtime/refusal.ts"
import { responseReader } from "../../ports/HostResponse.ts"
import { toReasonCode } from "../../ports/ReasonCode.ts"

/*
 * Reads what a host's fulfilment returns. An offer must be in US dollars, above zero and unexpired, and its total must
 * be subtotal, tax and shipping.
 */

const Amount = Schema.String.check(
  Schema.makeFilter(
    (text: string) => parseAtomic(text) !== undefined || 'must be a decimal amount such as "19.99"'
  )
)
/** What an upstream's quote may be called: databases can't store or index everything. It may be the address of a cart. */
const QuoteReference = Schema.String.check(
  Schema.isMinLength(1, { message: "must not be empty" }),
  Schema.isMaxLength(2_000, { message: "must not exceed 2,000 characters" }),
  Schema.makeFilter(
    (text: string) =>
      !(text.includes("\0") || hasAccident(text)) ||
      "must not have NUL, begin or end in undefined, or be null, NaN or [object]"
  )
)

/** What an upstream's order may be called. */
const Reference = QuoteReference.check(
  Schema.makeFilter(
    (text: string) => !/(?<![\p{L}\p{N}])(?:null|NaN)$/u.test(text) || "must not end in null or NaN"
  )
)
const mayBeAbsent = <S extends Schema.Constraint>(schema: S) => Schema.optional(Schema.NullOr(schema))

const QuotedOffer = Schema.Struct({
  product: Schema.Struct({
    title: Schema.String.check(
      Schema.makeFilter((text: string) => !isAccident(text) || "must not be undefined, null or NaN")
    ),
    imageUrl: mayBeAbsent(
      Schema.String.check(
        Schema.makeFilter((text: string) => text === "" || isWeb(text) || "must be an http(s) URL")
      )
    ),
    price: mayBeAbsent(Amount)
  }),
  subtotal: Amount,
  tax: Amount,
  shipping: Amount,
  total: Amount,
  currency: Schema.String.check(
    Schema.makeFilter(
      (code: string) => code.toUpperCase() === "USD" || "must be USD: the stablecoin pays in dollars only"
    )
  ),
  reference: QuoteReference,
  expiresAt: Schema.Date
})
const readQuotedOffer = responseReader(QuotedOffer)

/** Text that `Amount` has checked, in dollars. */
const dollars = (text: string): Money => ({ atomic: parseAtomic(text)!, currency: "USD" })

const toOffer = (quoted: typeof QuotedOffer.Type): Offer => {
  const { imageUrl, price, title } = quoted.product
  return {
    product: {
      title,
      ...(imageUrl ? { imageUrl } : {}),
      ...(typeof price === "string" ? { price: dollars(price) } : {})
    },
    subtotal: dollars(quoted.subtotal),
    tax: dollars(quoted.tax),
    shipping: dollars(quoted.shipping),
    total: dollars(quoted.total),
    reference: quoted.reference,
    expiresAtMillis: quoted.expiresAt.getTime()
  }
}

/** Why an offer can't be sold; `undefined`: it can. Pure. */
export const offerFault = (offer: Offer, nowMillis: number): string | undefined => {
  const { expiresAtMillis, shipping, subtotal, tax, total } = offer
  const sum = subtotal.atomic + tax.atomic + shipping.atomic
  if (total.atomic === 0n) return "total: must be above zero"
  // Amounts finer than a millionth were rounded up line by line, so three lines may exceed their total by two.
  if (sum < total.atomic || sum - total.atomic > 2n) {
    return `total: ${formatAtomic(total.atomic)} is not subtotal, tax and shipping, which make ${formatAtomic(sum)}`
  }
  if (expiresAtMillis <= nowMillis) return "expiresAt: the offer has already expired"
  return expiresAtMillis < nowMillis + leastQuoteMillis
    ? "expiresAt: nobody can pay so fast. It takes milliseconds, and these look like seconds"
    : undefined
}

/** Nobody pays faster. An hour in seconds, taken for milliseconds, is less. */
const leastQuoteMillis = 4_000

/** A price is held for so long at most: milliseconds that were taken for seconds end in the year 58,000. */
const maxQuoteMillis = 7 * 24 * 3_600_000

/** Reads the result of `quote`. */
export const readOffer = Effect.fnUntraced(function* (
  response: unknown
): Effect.fn.Return<Offer, MalformedResponse> {
  const offer = toOffer(yield* readQuotedOffer(response))
  const nowMillis = yield* Clock.currentTimeMillis
  const fault = offerFault(offer, nowMillis)
  if (fault !== undefined) return yield* new MalformedResponse({ message: fault })
  return { ...offer, expiresAtMillis: Math.min(offer.expiresAtMillis, nowMillis + maxQuoteMillis) }
})

const readPlacement = responseReader(Schema.Struct({ reference: Reference }))

/** Whether a result says that nothing was placed, whatever reference it has. */
const isRefused = (response: object): boolean => {
  const { code, message } = response as Readonly<Record<string, unknown>>
  return (
    [saysRefused, listsErrors, mayRefuse].some((says) => says(response)) ||
    (isErrorStatus(code) && typeof message === "string")
  )
}

/** Reads the result of `place`. */
export const readPlaced = (response: unknown): ReturnType<typeof readPlacement> =>
  isRefused(Object(response) as object)
    ? Effect.fail(
        new MalformedResponse({
          message: "place returned an error: throw if nothing was placed, else return the reference alone"
        })
      )
    : readPlacement(response)

const readReference = responseReader(Schema.NullOr(Reference))

/** Reads the result of `find`. A field that a response doesn't have is `undefined`: that doesn't say "not placed". */
export const readFound = (response: unknown): Effect.Effect<string | null, MalformedResponse> =>
  response === undefined
    ? Effect.fail(
        new MalformedResponse({
          message: "find returned undefined: return null if there is no such order"
        })
      )
    : readReference(response)

/** Reads the result of `placesOnce`. */
export const readPlacesOnce = (response: unknown): Effect.Effect<boolean, MalformedResponse> =>
  response === undefined || typeof response === "boolean"
    ? Effect.succeed(response === true)
    : Effect.fail(new MalformedResponse({ message: "must return true or false" }))

const maxParcels = 50
const Line = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const ReportedStatus = Schema.Struct({
  status: FulfilmentState,
  reason: mayBeAbsent(Schema.String),
  shipments: Schema.Array(
    Schema.Struct({
      carrier: mayBeAbsent(Line),
      trackingNumber: Line,
      trackingUrl: mayBeAbsent(Schema.String),
      expectedDelivery: mayBeAbsent(
        Schema.Struct({ from: mayBeAbsent(Schema.String), to: mayBeAbsent(Schema.String) })
      )
    })
  )
})
const readReportedStatus = responseReader(ReportedStatus)

/** Whether a mail may link to an address. */
const isLink = (text: string): boolean => text.length <= 2_048 && URL.parse(text)?.protocol === "https:"

const isTime = (text: string | null | undefined): text is string =>
  typeof text === "string" && /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,12}(?:Z|[+-]\d\d:\d\d))?$/.test(text)

/** When a parcel is expected, if the upstream says so. */
const expectedIn = ({
  from,
  to
}: NonNullable<ReportedParcel["expectedDelivery"]>): Pick<Parcel, "expectedDelivery"> => {
  const expectedDelivery = { ...(isTime(from) ? { from } : {}), ...(isTime(to) ? { to } : {}) }
  return Object.keys(expectedDelivery).length === 0 ? {} : { expectedDelivery }
}

const toStatus = ({ reason, shipments, status }: typeof ReportedStatus.Type): FulfilmentStatus => ({
  status,
  ...(typeof reason === "string" ? { reason: toReasonCode(reason) } : {}),
  shipments: shipments
    .slice(0, maxParcels)
    .map(({ carrier, expectedDelivery, trackingNumber, trackingUrl }) => ({
      ...(typeof carrier === "string" ? { carrier } : {}),
      trackingNumber,
      ...(typeof trackingUrl === "string" && isLink(trackingUrl) ? { trackingUrl } : {}),
      ...expectedIn(expectedDelivery ?? {})
    }))
})

/** Reads the result of `status`. */
export const readStatus = (
  response: unknown
): Effect.Effect<FulfilmentStatus | undefined, MalformedResponse> =>
  response === undefined || response === null
    ? Effect.succeed(undefined)
    : Effect.map(readReportedStatus(response), toStatus)
