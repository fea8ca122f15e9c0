import { Clock, Context, Effect, Layer, Schema } from "effect"
import {
  type AddressNotServed,
  type NotPlaced,
  PlacementRefused,
  ProductNotFound,
  ProductUnavailable,
  type UpstreamError,
  UpstreamFailed
} from "../domain/Errors.ts"
import { formatAtomic, type Money, parseAtomic } from "../domain/Money.ts"
import type { FulfilmentStatus, Offer, ProductReference, ShippingAddress } from "../domain/Order.ts"
import type { FulfilmentOptions } from "../ProviderOptions.ts"
import { answerReader, MalformedAnswer } from "./HostAnswer.ts"
import { type CallSettings, hostCall, wordOf } from "./HostCall.ts"

/** What is to be quoted: one product to one address. */
export interface QuoteRequest {
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
  readonly email: string
}

/** A paid order to be placed upstream. */
export interface Placement extends QuoteRequest {
  /** Idempotency key: placing the same order twice must place it once. */
  readonly orderId: string
  readonly offer: Offer
}

/** Why a product can't be quoted. */
export type QuoteRefusal = ProductNotFound | ProductUnavailable | AddressNotServed

/** A product that `Fulfilment.layerMemory` sells. */
export interface StockedProduct {
  readonly title: string
  readonly imageUrl?: string
  readonly price: Money
  readonly inStock: boolean
}

/** Quotes products with tax and shipping, and places paid orders. */
export class Fulfilment extends Context.Service<
  Fulfilment,
  {
    readonly quote: (request: QuoteRequest) => Effect.Effect<Offer, QuoteRefusal | UpstreamError>
    /**
     * Answers the upstream's own reference of the order. After an `UpstreamError` it may have been placed all the
     * same.
     */
    readonly place: (
      placement: Placement
    ) => Effect.Effect<{ readonly reference: string }, PlacementRefused | NotPlaced | UpstreamError>
    /** Whether an order by this quote may be placed again without becoming two. */
    readonly placesOnce: (quoteReference: string) => boolean
    /** The reference under which an order was placed; `undefined`: it was not. Absent: nobody can tell. */
    readonly find:
      | ((orderId: string, quoteReference: string) => Effect.Effect<string | undefined, UpstreamError>)
      | undefined
    /** How a placed order stands. Absent, or `undefined`: nobody can tell. */
    readonly status:
      | ((reference: string) => Effect.Effect<FulfilmentStatus | undefined, UpstreamError>)
      | undefined
  }
>()("@till402/core/Fulfilment") {
  /**
   * The fulfilment of a host without Effect. An offer must be in US dollars, above zero, still open, and
   * its total must be subtotal, tax and shipping to the atomic unit; any other is the upstream's fault.
   */
  static readonly fromPromise = (
    options: FulfilmentOptions,
    { timeoutMillis }: CallSettings
  ): Layer.Layer<Fulfilment> =>
    Layer.succeed(Fulfilment, {
      quote: Effect.fn("Fulfilment.quote")(({ email, product, shippingAddress }: QuoteRequest) =>
        hostCall({
          port: "fulfilment",
          timeoutMillis,
          refuses: ["ProductNotFound", "ProductUnavailable", "AddressNotServed"],
          ask: (asking) => options.quote({ product, shippingAddress, email }, asking),
          read: (answer) => Effect.flatMap(readOffer(answer), toOffer)
        })
      ),
      place: Effect.fn("Fulfilment.place")(({ email, offer, orderId, product, shippingAddress }: Placement) =>
        hostCall({
          port: "fulfilment",
          timeoutMillis,
          refuses: [
            "PlacementRefused",
            "NotPlaced",
            "ProductNotFound",
            "ProductUnavailable",
            "AddressNotServed"
          ],
          ask: (asking) =>
            options.place(
              {
                orderId,
                reference: offer.reference,
                product,
                shippingAddress,
                email,
                total: formatAtomic(offer.total.atomic - (offer.fee?.atomic ?? 0n))
              },
              asking
            ),
          read: readPlaced
        }).pipe(
          Effect.mapError((error) =>
            error._tag === "ProductNotFound" ||
            error._tag === "ProductUnavailable" ||
            error._tag === "AddressNotServed"
              ? new PlacementRefused({ reason: reasonOf(error) })
              : error
          )
        )
      ),
      placesOnce: (quoteReference) =>
        typeof options.placesOnce === "function"
          ? options.placesOnce(quoteReference)
          : options.placesOnce === true,
      find:
        options.find === undefined
          ? undefined
          : Effect.fn("Fulfilment.find")((orderId: string, reference: string) =>
              hostCall({
                port: "fulfilment",
                timeoutMillis,
                // One object with a signal that is made only for who looks at it.
                ask: (asking) =>
                  options.find!(orderId, {
                    reference,
                    get signal() {
                      return asking.signal
                    }
                  }),
                read: readFound
              })
            ),
      status:
        options.status === undefined
          ? undefined
          : Effect.fn("Fulfilment.status")((reference: string) =>
              hostCall({
                port: "fulfilment",
                timeoutMillis,
                ask: (asking) => options.status!(reference, asking),
                read: (answer) =>
                  answer === undefined ? Effect.succeed(undefined) : Effect.map(readStatus(answer), toStatus)
              })
            )
    })

  /**
   * A shop over given products, by asin or variant id, without tax and shipping. Offers stand for ten
   * minutes; an order placed again gets the reference it had.
   */
  static readonly layerMemory = (stock: ReadonlyMap<string, StockedProduct>): Layer.Layer<Fulfilment> =>
    Layer.sync(Fulfilment, () => {
      const offered = new Set<string>()
      const placed = new Map<string, string>()
      return {
        quote: ({ product }) =>
          Effect.flatMap(Clock.currentTimeMillis, (nowMillis): Effect.Effect<Offer, QuoteRefusal> => {
            const found = stock.get(product.source === "marketplace_a" ? product.asin : product.variantId)
            if (found === undefined)
              return Effect.fail(new ProductNotFound({ message: "There is no such product." }))
            const { inStock, ...sold } = found
            if (!inStock) {
              return Effect.fail(
                new ProductUnavailable({ message: "The product is out of stock.", reason: "out_of_stock" })
              )
            }
            const reference = `offer-${offered.size + 1}`
            offered.add(reference)
            const none: Money = { atomic: 0n, currency: sold.price.currency }
            return Effect.succeed({
              product: sold,
              subtotal: sold.price,
              tax: none,
              shipping: none,
              total: sold.price,
              reference,
              expiresAtMillis: nowMillis + offerLifetimeMillis
            })
          }),
        place: ({ offer, orderId }) =>
          Effect.suspend(() => {
            if (!offered.has(offer.reference)) {
              return Effect.fail(
                new UpstreamFailed({ port: "fulfilment", cause: new Error(`no offer ${offer.reference}`) })
              )
            }
            const reference = placed.get(orderId) ?? `order-${placed.size + 1}`
            placed.set(orderId, reference)
            return Effect.succeed({ reference })
          }),
        placesOnce: () => true,
        find: (orderId) => Effect.sync(() => placed.get(orderId)),
        status: undefined
      }
    })
}

const offerLifetimeMillis = 600_000

const Amount = Schema.String.check(
  Schema.makeFilter(
    (text: string) => parseAtomic(text) !== undefined || 'must be a decimal amount such as "19.99"'
  )
)
const Reference = Schema.String.check(Schema.isMinLength(1, { message: "must not be empty" }))
const absent = <S extends Schema.Constraint>(schema: S) => Schema.optional(Schema.NullOr(schema))

const QuotedOffer = Schema.Struct({
  product: Schema.Struct({
    title: Schema.String,
    imageUrl: absent(Schema.String),
    price: absent(Amount)
  }),
  subtotal: Amount,
  tax: Amount,
  shipping: Amount,
  total: Amount,
  currency: Schema.String.check(
    Schema.makeFilter(
      (code: string) =>
        code.toUpperCase() === "USD" || "must be USD: nothing else can be paid in a dollar stablecoin"
    )
  ),
  reference: Reference,
  expiresAt: Schema.Date
})
const readOffer = answerReader(QuotedOffer)
const readPlaced = answerReader(Schema.Struct({ reference: Reference }))
const readFound = (answer: unknown): Effect.Effect<string | undefined, MalformedAnswer> =>
  answer === undefined || answer === null || (typeof answer === "string" && answer !== "")
    ? Effect.succeed(answer ?? undefined)
    : Effect.fail(new MalformedAnswer({ message: "must answer a reference, or undefined" }))

const maxParcels = 50
const Line = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const ToldStatus = Schema.Struct({
  status: Schema.Literals(["placed", "shipped", "delivered", "failed", "cancelled"]),
  reason: absent(Schema.String),
  shipments: Schema.Array(
    Schema.Struct({ carrier: absent(Line), trackingNumber: Line, trackingUrl: absent(Schema.String) })
  )
})
const readStatus = answerReader(ToldStatus)

/** A link that a mail may show. */
const isLink = (text: string): boolean => text.length <= 2_048 && URL.parse(text)?.protocol === "https:"

const toStatus = ({ reason, shipments, status }: typeof ToldStatus.Type): FulfilmentStatus => ({
  status,
  ...(typeof reason === "string" ? { reason: wordOf(reason) } : {}),
  shipments: shipments.slice(0, maxParcels).map(({ carrier, trackingNumber, trackingUrl }) => ({
    ...(typeof carrier === "string" ? { carrier } : {}),
    trackingNumber,
    ...(typeof trackingUrl === "string" && isLink(trackingUrl) ? { trackingUrl } : {})
  }))
})

const reasonOf = (error: QuoteRefusal): string =>
  error._tag === "ProductUnavailable" && error.reason !== undefined
    ? wordOf(error.reason)
    : {
        ProductNotFound: "product_not_found",
        ProductUnavailable: "product_unavailable",
        AddressNotServed: "address_not_served"
      }[error._tag]

/** An amount that `readOffer` has let through. */
const dollars = (text: string): Money => ({ atomic: parseAtomic(text)!, currency: "USD" })

/** The offer in exact money, if it can be sold at all. */
const toOffer = Effect.fnUntraced(function* (quoted: typeof QuotedOffer.Type) {
  const { imageUrl, price, title } = quoted.product
  const offer: Offer = {
    product: {
      title,
      ...(typeof imageUrl === "string" ? { imageUrl } : {}),
      ...(typeof price === "string" ? { price: dollars(price) } : {})
    },
    subtotal: dollars(quoted.subtotal),
    tax: dollars(quoted.tax),
    shipping: dollars(quoted.shipping),
    total: dollars(quoted.total),
    reference: quoted.reference,
    expiresAtMillis: quoted.expiresAt.getTime()
  }
  const fault = faultOf(offer, yield* Clock.currentTimeMillis)
  return fault === undefined ? offer : yield* new MalformedAnswer({ message: fault })
})

const faultOf = (offer: Offer, nowMillis: number): string | undefined => {
  const { expiresAtMillis, shipping, subtotal, tax, total } = offer
  const sum = subtotal.atomic + tax.atomic + shipping.atomic
  if (total.atomic === 0n) return "total: must be above zero"
  // Amounts finer than a millionth were rounded up line by line, so three lines may exceed their total by two.
  if (sum < total.atomic || sum - total.atomic > 2n) {
    return `total: ${formatAtomic(total.atomic)} is not subtotal, tax and shipping, which make ${formatAtomic(sum)}`
  }
  return expiresAtMillis <= nowMillis ? "expiresAt: the offer has expired already" : undefined
}
