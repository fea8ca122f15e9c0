import type { ProductQuery, SearchProduct } from "@till402/core"
import { isOfBrand } from "../listing/Brand.ts"
import { countOf, currencyOf, type Fields, fieldsOf, numberOf, textOf, urlOf } from "../listing/fields.ts"
import { fromMinor } from "./MinorUnits.ts"

/*
 * From a product of the catalogue (https://ucp.dev/specification/catalog) to one of the port. A product
 * has variants, each with a price, a page and a shop of its own; the port's product is one of them.
 */

/** What a reader must know beside the document. */
export interface Reading {
  /** ISO 4217: what a price without a currency is in. */
  readonly currency: string
  /** Origin of the shop, where the catalogue is that of one shop. */
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

/** The first picture: media may be videos and models too, and new kinds may come. */
const imageOf = (media: unknown): string | null => {
  for (const { type, url } of listOf(media)) {
    const image = type === undefined || type === "image" ? urlOf(url) : null
    if (image !== null) return image
  }
  return null
}

/** The page of a variant, which names it: buyers read `variantId` from there. */
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

/** Filters are in US dollars: a price in another currency can't be said to lie within them. */
const isPricedWithin = (
  { currency, price }: Variant,
  { priceMax, priceMin }: Pick<ProductQuery, "priceMax" | "priceMin">
): boolean =>
  (priceMin === undefined && priceMax === undefined) ||
  (currency === "USD" &&
    price !== null &&
    (priceMin === undefined || price >= priceMin) &&
    (priceMax === undefined || price <= priceMax))

/** A rating on its own scale as one of five, to two decimals. */
export const outOfFive = (rating: unknown): number | null => {
  const { scale_max, value } = fieldsOf(rating)
  const scale = scale_max === undefined || scale_max === null ? 5 : numberOf(scale_max, Number.MIN_VALUE, 1e6)
  const rated = scale === null ? null : numberOf(value, 0, scale)
  return scale === null || rated === null ? null : Math.round((rated / scale) * 500) / 100
}

/** Whether a document can be read as a product at all: an id and a title. */
export const isProduct = (document: unknown): boolean => {
  const { id, title } = fieldsOf(document)
  return textOf(id) !== null && textOf(title) !== null
}

/**
 * The port's product, or `undefined` where nothing of it is for sale, or nothing that the query allows.
 * Of its variants the first (the catalogue puts the best match first) that can be bought within the
 * price bounds stands for it, with its own price, page and picture.
 */
export const toSearchProduct = (
  document: unknown,
  query: Pick<ProductQuery, "brand" | "priceMax" | "priceMin">,
  reading: Reading
): SearchProduct | undefined => {
  const product = fieldsOf(document)
  const asin = textOf(product["id"])
  const title = textOf(product["title"])
  if (asin === null || title === null) return undefined
  const variant = listOf(product["variants"])
    .map((fields) => toVariant(fields, product, reading))
    .find((each) => each.isAvailable && isPricedWithin(each, query))
  if (variant === undefined) return undefined
  const { brand } = query
  // A shop that sells its own goods seldom names itself in their titles.
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
    isExpedited: false
  }
}
