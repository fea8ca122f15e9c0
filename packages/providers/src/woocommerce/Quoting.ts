import { AddressNotServed, ProductNotFound, ProductUnavailable, type QuotedOffer } from "@till402/core"
import { Money } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import { isNamedBy, type OrderRequest } from "../fulfilment/Buyer.ts"
import type { OpenQuotes } from "../fulfilment/OpenQuotes.ts"
import { fieldsOf, textOf, urlOf } from "../listing/Fields.ts"
import { ResponseMalformed } from "../upstream/index.ts"
import type { WooCommerceError } from "./Errors.ts"
import type { WooCommerceConfig } from "./Options.ts"
import { orderOf, type Orders, type ProductDocument } from "./Orders.ts"
import { isMissing, referencePattern, unpaid } from "./OrderStatus.ts"

/*
 * A quote is an unpaid order, for which the shop computes the tax.
 */

const pictureOf = ({ image, images }: ProductDocument): string | null =>
  urlOf(fieldsOf(image)["src"]) ?? urlOf(fieldsOf(Array.isArray(images) ? images[0] : undefined)["src"])

const notFound = () => new ProductNotFound({ message: "There is no such product." })

/** Removes an order that is neither paid nor about to be. */
export const removeUnpaid = (orders: Orders) => (id: string) =>
  Effect.flatMap(orders.get(id), (order) =>
    unpaid.has(order.status) && orderOf(order) === undefined ? orders.remove(id) : Effect.void
  )

export const makeQuoting = (orders: Orders, quotes: OpenQuotes, settings: WooCommerceConfig) => {
  const { countries, quoteLifetimeMillis } = settings

  /** A published product. To a key that may edit them, the shop also shows drafts, and calls them purchasable. */
  const publishedProduct = Effect.fnUntraced(function* (id: string) {
    const found = yield* Effect.mapError(orders.product(id), (fault) =>
      isMissing(fault) ? notFound() : fault
    )
    const { status = "publish" } = found
    return status === "publish" ? found : yield* notFound()
  })

  const productOf = Effect.fnUntraced(function* ({ product }: OrderRequest) {
    const id = product.source === "marketplace_b" ? product.variantId : ""
    if (!referencePattern.test(id)) return yield* notFound()
    const found = yield* publishedProduct(id)
    if (!isNamedBy(product, [urlOf(found.permalink), settings.api])) return yield* notFound()
    // A variation doesn't say whether its product is published.
    if (found.type === "variation" && found.parent_id) yield* publishedProduct(`${found.parent_id}`)
    const isOnSale = found.purchasable !== false && found.type !== "variable" && found.type !== "grouped"
    if (!isOnSale) {
      return yield* new ProductUnavailable({
        message: "The product can't be bought.",
        reason: "not_purchasable"
      })
    }
    if (found.stock_status === "outofstock") {
      return yield* new ProductUnavailable({
        message: "The product is out of stock.",
        reason: "out_of_stock"
      })
    }
    return found
  })

  return Effect.fnUntraced(function* (
    request: OrderRequest
  ): Effect.fn.Return<QuotedOffer, WooCommerceError> {
    if (!countries.has(request.shippingAddress.country)) {
      return yield* new AddressNotServed({ message: "The shop does not deliver to this country." })
    }
    const product = yield* productOf(request)
    const order = yield* quotes.track(orders.create(request, product), request.client)
    // An order that the shop doesn't count as unpaid can't be placed.
    if (!unpaid.has(order.status)) {
      return yield* new ResponseMalformed({ upstream: "woocommerce", detail: "status" })
    }
    const now = yield* Clock.currentTimeMillis
    const [total, tax, shipping] = [order.total, order.total_tax, order.shipping_total].map(Money.parseAtomic)
    const goods =
      total === undefined || tax === undefined || shipping === undefined ? undefined : total - tax - shipping
    if (goods === undefined || goods < 0n || total === 0n) {
      return yield* new ResponseMalformed({ upstream: "woocommerce", detail: "total" })
    }
    const imageUrl = pictureOf(product)
    const price = textOf(product.price)
    return {
      product: {
        title: textOf(product.name) ?? `Product ${product.id}`,
        ...(imageUrl === null ? {} : { imageUrl }),
        ...(price === null || Money.parseAtomic(price) === undefined ? {} : { price })
      },
      subtotal: Money.formatAtomic(goods),
      tax: order.total_tax,
      shipping: order.shipping_total,
      total: order.total,
      currency: order.currency,
      reference: `${order.id}`,
      expiresAt: new Date(now + quoteLifetimeMillis)
    }
  })
}
