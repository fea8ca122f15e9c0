import {
  AddressNotServed,
  type FulfilmentOptions,
  PlacementRefused,
  type ProductReference,
  ProductNotFound,
  ProductUnavailable,
  type QuotedOffer,
  type ShippingAddress
} from "@till402/core"
import type { Listing, Variant } from "./Listing.ts"
import type { OrderBook } from "./OrderBook.ts"
import { mayShip, shippingCents, type Zone, zoneOf } from "./Shipping.ts"
import { regionOf, servedCountries, taxCents } from "./Tax.ts"

/** How long a quote is valid. */
export const quoteLifetimeMillis = 15 * 60_000

interface Offered {
  readonly listing: Listing
  readonly variant: Variant
}

/** Host and path of a storefront product's URL, without the variant. */
const pageOf = (productUrl: string): string | undefined => {
  const url = URL.parse(productUrl)
  return url === null ? undefined : `${url.hostname}${url.pathname.replace(/\/$/, "")}`
}

/** Finds the listing that a buy request names. */
const shelf = (listings: ReadonlyArray<Listing>): ((product: ProductReference) => Offered | undefined) => {
  const byAsin = new Map<string, Offered>()
  const byVariant = new Map<string, Offered>()
  for (const listing of listings) {
    for (const variant of listing.variants) {
      const offered = { listing, variant }
      if (listing.product.source === "marketplace_a") byAsin.set(variant.id, offered)
      else if (listing.product.productUrl !== null) {
        byVariant.set(`${pageOf(listing.product.productUrl)}#${variant.id}`, offered)
      }
    }
  }
  return (product) =>
    product.source === "marketplace_a"
      ? byAsin.get(product.asin.toUpperCase())
      : byVariant.get(`${pageOf(product.productUrl)}#${product.variantId}`)
}

/** The price of an available variant; throws `ProductUnavailable` otherwise. */
const priceOf = ({ inStock, priceCents, title }: Variant): bigint => {
  if (priceCents === undefined) {
    throw new ProductUnavailable({ message: `${title} has no price at the moment.`, reason: "no_price" })
  }
  if (!inStock) throw new ProductUnavailable({ message: `${title} is out of stock.`, reason: "out_of_stock" })
  return priceCents
}

/**
 * Tax rate and shipping zone of an address; throws `AddressNotServed` if the parcel can't be delivered there.
 */
const routeTo = (
  address: ShippingAddress,
  variant: Variant
): { readonly taxRate: bigint; readonly zone: Zone } => {
  const country = address.country.toUpperCase()
  if (!servedCountries.includes(country)) {
    throw new AddressNotServed({
      message: `We do not deliver to ${country}. Served countries: ${servedCountries.join(", ")}.`
    })
  }
  const region = regionOf(country, address.state)
  if (region === undefined) {
    throw new AddressNotServed({
      message: `${country} has no state or province of that name that we deliver to.`
    })
  }
  const zone = zoneOf(country, region.code)
  if (!mayShip(variant.handling, zone)) {
    const why = variant.handling === "oversize" ? "is oversize" : "counts as hazardous goods"
    throw new AddressNotServed({
      message: `${variant.title} ${why} and travels by road only; it can't be delivered to ${region.code}.`
    })
  }
  return { taxRate: region.taxRate, zone }
}

/** Decimal text of US cents: `1999n` → `"19.99"`. */
const dollarText = (cents: bigint): string => `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`

/**
 * Quotes and accepts orders for the listings.
 *
 * Tax depends on state or country, shipping on weight and zone; all amounts are whole cents and add up
 * exactly. `place` accepts an `orderId` once and refuses products that are sold out.
 */
export const fulfilment = (
  listings: ReadonlyArray<Listing>,
  book: OrderBook,
  now: () => Date
): FulfilmentOptions => {
  const onShelf = shelf(listings)
  let quotes = 0

  const quote: FulfilmentOptions["quote"] = async ({ product, shippingAddress }): Promise<QuotedOffer> => {
    const offered = onShelf(product)
    if (offered === undefined) {
      const name = product.source === "marketplace_a" ? product.asin : `variant ${product.variantId}`
      throw new ProductNotFound({ message: `There is no product ${name} in the sample shop.` })
    }
    const { listing, variant } = offered
    const subtotal = priceOf(variant)
    const { taxRate, zone } = routeTo(shippingAddress, variant)
    const tax = taxCents(subtotal, taxRate)
    const shipping = shippingCents({ weightGrams: variant.weightGrams, handling: variant.handling, zone })
    quotes += 1
    return {
      product: {
        title: variant.title,
        price: dollarText(subtotal),
        ...(listing.product.imageUrl === null ? {} : { imageUrl: listing.product.imageUrl })
      },
      subtotal: dollarText(subtotal),
      tax: dollarText(tax),
      shipping: dollarText(shipping),
      total: dollarText(subtotal + tax + shipping),
      currency: listing.product.currency,
      reference: `Q-${String(quotes).padStart(6, "0")}`,
      expiresAt: new Date(now().getTime() + quoteLifetimeMillis)
    }
  }

  const place: FulfilmentOptions["place"] = async ({ reference: quote, ...order }) => {
    if (onShelf(order.product)?.variant.sellsOut === true) {
      throw new PlacementRefused({ reason: "out_of_stock" })
    }
    const { email, orderId, product, shippingAddress, total } = order
    const { reference } = book.take({ orderId, quote, product, shippingAddress, email, total })
    return { reference }
  }

  return {
    generalMarketplace: { hosts: ["marketplace.example"], country: "US" },
    quote,
    place,
    placesOnce: true,
    countries: servedCountries,
    find: async (orderId) => book.find(orderId)?.reference ?? null,
    status: async (reference) => book.status(reference)
  }
}
