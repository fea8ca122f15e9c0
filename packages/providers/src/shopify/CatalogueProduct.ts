import type { ProductQuery } from "@till402/core"
import { isOfBrand } from "../listing/Brand.ts"
import type { FoundProduct } from "../listing/FoundProduct.ts"
import { countOf, currencyOf, type Fields, fieldsOf, numberOf, textOf, urlOf } from "../listing/Fields.ts"
import { fromMinor } from "./MinorUnits.ts"

/*
 * Converts a product of the catalogue (https://ucp.dev/specification/catalog) to a product of the port. A
 * catalogue product has variants with their own price, page and shop; the port's product is one of them.
 */

/** Facts that the document may lack. */
export interface Reading {
  /** ISO 4217; the currency of prices without one. */
  readonly currency: string
  /** Origin of the shop, if the catalogue is that of one shop. */
  readonly shop?: string
}

interface Variant {
  readonly id: string | undefined
  readonly price: number | null
  readonly currency: string
  readonly url: string | null
  readonly imageUrl: string | null
  readonly isAvailable: boolean
  readonly seller: string | null
}

const listOf = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** `gid://shopify/ProductVariant/40183717920813?shop=558` → `40183717920813`; else from `?variant=`. */
export const variantIdOf = (id: unknown, url: string | null): string | undefined => {
  const inId = typeof id === "string" ? /\/ProductVariant\/(\d{1,20})(?:[?#]|$)/.exec(id)?.[1] : undefined
  if (inId !== undefined) return inId
  const inUrl = url === null ? null : new URL(url).searchParams.get("variant")
  return inUrl !== null && /^\d{1,20}$/.test(inUrl) ? inUrl : undefined
}

/** The first image. Media may also be videos, models and unknown types. */
const imageOf = (media: unknown): string | null => {
  for (const { type, url } of listOf(media)) {
    const image = type === undefined || type === "image" ? urlOf(url) : null
    if (image !== null) return image
  }
  return null
}

/** The page of a variant. Its address contains the `variantId`, which buyers read from it. */
const pageOf = (url: string | null, id: string | undefined): string | null => {
  if (url === null || id === undefined) return url
  const page = new URL(url)
  if (page.searchParams.get("variant") !== id) page.searchParams.set("variant", id)
  return page.href
}

const handled = (handle: unknown, shop: string | undefined): string | null =>
  shop !== undefined && typeof handle === "string" && /^[\p{L}\p{N}_-]{1,255}$/u.test(handle)
    ? `${shop}/products/${encodeURIComponent(handle)}`
    : null

const toVariant = (fields: Fields, product: Fields, { currency, shop }: Reading): Variant => {
  const price = fieldsOf(fields["price"])
  const ownCurrency = currencyOf(price["currency"]) ?? currency
  const url = urlOf(fields["url"]) ?? urlOf(product["url"]) ?? handled(product["handle"], shop)
  const id = variantIdOf(fields["id"], urlOf(fields["url"]))
  return {
    id,
    price: fromMinor(price["amount"], ownCurrency),
    currency: ownCurrency,
    url: pageOf(url, id),
    imageUrl: imageOf(fields["media"]),
    isAvailable: fieldsOf(fields["availability"])["available"] !== false,
    seller: textOf(fieldsOf(fields["seller"])["name"])
  }
}

/** Price filters are in US dollars, so a price in another currency never passes one. */
const isPricedWithin = (
  { currency, price }: Variant,
  { priceMax, priceMin }: Pick<ProductQuery, "priceMax" | "priceMin">
): boolean =>
  (priceMin === undefined && priceMax === undefined) ||
  (currency === "USD" &&
    price !== null &&
    (priceMin === undefined || price >= priceMin) &&
    (priceMax === undefined || price <= priceMax))

/** Converts a rating to a scale of five, with two decimals. */
export const outOfFive = (rating: unknown): number | null => {
  const { scale_max, value } = fieldsOf(rating)
  const scale = scale_max === undefined || scale_max === null ? 5 : numberOf(scale_max, Number.MIN_VALUE, 1e6)
  const rated = scale === null ? null : numberOf(value, 0, scale)
  return scale === null || rated === null ? null : Math.round((rated / scale) * 500) / 100
}

/** Whether a document is a product, with an id and a title. */
export const isProduct = (document: unknown): boolean => {
  const { id, title } = fieldsOf(document)
  return textOf(id) !== null && textOf(title) !== null
}

/**
 * Converts a product; `undefined` if no variant is for sale and allowed by the query.
 *
 * Uses the first available variant within the price bounds, with its price, page and picture. The catalogue
 * lists the best match first.
 */
export const toSearchProduct = (
  document: unknown,
  query: Pick<ProductQuery, "brand" | "priceMax" | "priceMin">,
  reading: Reading
): FoundProduct | undefined => {
  const product = fieldsOf(document)
  const asin = textOf(product["id"])
  const title = textOf(product["title"])
  if (asin === null || title === null) return undefined
  const variant = listOf(product["variants"])
    .map((fields) => toVariant(fields, product, reading))
    .find((each) => each.isAvailable && isPricedWithin(each, query))
  if (variant === undefined) return undefined
  const { brand } = query
  // A shop that sells its own brand rarely names itself in titles.
  const named = { title: `${title} ${variant.seller ?? ""}`, brand: textOf(product["brand"]) }
  if (brand !== undefined && !isOfBrand(named, brand)) return undefined
  return {
    asin,
    title,
    price: variant.price,
    currency: variant.currency,
    rating: outOfFive(product["rating"]),
    reviewCount: countOf(fieldsOf(product["rating"])["count"]),
    imageUrl: variant.imageUrl ?? imageOf(product["media"]),
    productUrl: variant.url,
    source: "marketplace_b",
    isExpedited: false,
    // `buy` takes a page that names the variant.
    ...(variant.url === null || variant.id === undefined ? { isAvailable: false } : {})
  }
}
