import type { SearchProduct } from "@till402/core"
import { generalGoods } from "./GeneralGoods.ts"
import { type Goods, type GoodsOption, type GoodsTable, readGoods } from "./Goods.ts"
import type { Listing, Variant } from "./Listing.ts"
import { drawInteger, drawText } from "./Seed.ts"
import { storefrontGoods } from "./StorefrontGoods.ts"
import { foldText } from "./Words.ts"

/** Fields that are sometimes missing, drawn per product, so that clients see every null. */
const oneIn = (chance: number, key: string): boolean => drawInteger(key, chance) === 0

const dollars = (priceCents: bigint | undefined): number | null =>
  priceCents === undefined ? null : Number(priceCents) / 100

/** Most products have some hundred reviews, a few have many thousands. */
const reviewScales = [40, 150, 400, 400, 1200, 1200, 5000, 26_000] as const

const opinions = (key: string): Pick<SearchProduct, "rating" | "reviewCount"> => {
  if (oneIn(12, `unrated ${key}`)) {
    return { rating: null, reviewCount: oneIn(2, `uncounted ${key}`) ? null : 0 }
  }
  const most = reviewScales[drawInteger(`scale ${key}`, reviewScales.length)]!
  const reviewCount = 9 + drawInteger(`reviews ${key}`, most)
  return {
    rating: (37 + drawInteger(`rating ${key}`, 13)) / 10,
    reviewCount: oneIn(25, `uncounted ${key}`) ? null : reviewCount
  }
}

const variantOf = (id: string, goods: Goods, option: GoodsOption, title: string): Variant => ({
  id,
  title,
  priceCents: option.priceCents,
  weightGrams: goods.weightGrams,
  inStock: option.inStock,
  sellsOut: option.sellsOut,
  handling: goods.handling
})

const generalListing = (table: GoodsTable, goods: Goods, option: GoodsOption): Listing => {
  const family = `${goods.brand} ${goods.title}`
  const title = `${family}, ${option.name}`
  const asin = `B0${drawText(`asin ${title}`, "0123456789BCDFGHJKLMNPQRSTVWXYZ", 8)}`
  return {
    product: {
      asin,
      title,
      price: dollars(option.priceCents),
      currency: "USD",
      // Colors and sizes of one product share its reviews.
      ...opinions(family),
      imageUrl: oneIn(20, `image ${title}`) ? null : `https://images.marketplace.example/I/${asin}.jpg`,
      productUrl: oneIn(40, `page ${title}`) ? null : `https://marketplace.example/dp/${asin}`,
      source: "marketplace_a",
      isExpedited: goods.handling === "ordinary" && !oneIn(3, `slow ${title}`)
    },
    family,
    brand: goods.brand,
    category: table.category,
    features: goods.features,
    keywords: table.keywords,
    variants: [variantOf(asin, goods, option, title)]
  }
}

const slug = (text: string): string =>
  foldText(text)
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

const storefrontListing = (table: GoodsTable, store: string, goods: Goods): Listing => {
  const key = `${store}/${goods.title}`
  const variant = (option: GoodsOption): Variant =>
    variantOf(
      `4${drawText(`variant ${key}/${option.name}`, "0123456789", 13)}`,
      goods,
      option,
      goods.options.length === 1 ? goods.title : `${goods.title} - ${option.name}`
    )
  const [first, ...others] = goods.options
  const shown = variant(first)
  const handle = slug(goods.title)
  return {
    product: {
      asin: `gid://shop/p/7${drawText(`product ${key}`, "0123456789", 12)}`,
      title: goods.title,
      price: dollars(first.priceCents),
      currency: "USD",
      ...opinions(key),
      imageUrl: oneIn(15, `image ${key}`) ? null : `https://cdn.${store}.example/files/${handle}.jpg`,
      productUrl: oneIn(50, `page ${key}`)
        ? null
        : `https://${store}.example/products/${handle}?variant=${shown.id}`,
      source: "marketplace_b",
      isExpedited: goods.handling === "ordinary" && oneIn(5, `fast ${key}`)
    },
    family: key,
    brand: goods.brand,
    category: table.category,
    features: goods.features,
    keywords: table.keywords,
    variants: [shown, ...others.map(variant)]
  }
}

/** The listings; throws if two share an identifier, as drawn ones might. */
const distinct = (listings: ReadonlyArray<Listing>): ReadonlyArray<Listing> => {
  const products = listings.map(({ product }) => product.asin)
  const variants = listings.flatMap((listing) => listing.variants.map(({ id }) => id))
  if (new Set(products).size !== products.length || new Set(variants).size !== variants.length) {
    throw new Error("two products of the sample catalogue share an identifier")
  }
  return listings
}

/** The general marketplace: every color and size is a product with its own ASIN. */
export const generalCatalogue: ReadonlyArray<Listing> = distinct(
  generalGoods.flatMap((table) =>
    readGoods(table).flatMap((goods) => goods.options.map((option) => generalListing(table, goods, option)))
  )
)

/** The storefronts: one listing per product, with its colors and sizes as variants. */
export const storefrontCatalogue: ReadonlyArray<Listing> = distinct(
  storefrontGoods.flatMap((table) =>
    readGoods(table).map((goods) => storefrontListing(table, table.store, goods))
  )
)

/**
 * Code of a product that can be quoted and paid but sells out before the order, so its payment is refunded.
 */
export const sellsOutAsin: string = generalCatalogue.find(({ variants }) => variants[0].sellsOut)!.product
  .asin

export const catalogue: ReadonlyArray<Listing> = [...generalCatalogue, ...storefrontCatalogue]
