import { Schema } from "effect"

/** `marketplace_a` is the general marketplace, `marketplace_b` the storefront platform. */
export const Source = Schema.Literals(["marketplace_a", "marketplace_b"])
export type Source = typeof Source.Type

const fields = {
  asin: Schema.String.annotate({
    description:
      "Product code of the general marketplace (10 characters); on marketplace_b the storefront's product id."
  }),
  title: Schema.String,
  price: Schema.NullOr(Schema.Finite),
  currency: Schema.String.annotate({ description: "ISO 4217 code." }),
  rating: Schema.NullOr(Schema.Finite),
  reviewCount: Schema.NullOr(Schema.Finite),
  imageUrl: Schema.NullOr(Schema.String),
  productUrl: Schema.NullOr(Schema.String),
  source: Source
}

/** A product as the assistant recommends it. Every field is always present. */
export const Product = Schema.Struct(fields).annotate({ identifier: "Product" })
export type Product = typeof Product.Type

/** A product as search returns it: `isExpedited` says whether shipping is expedited. */
export const SearchProduct = Schema.Struct({ ...fields, isExpedited: Schema.Boolean }).annotate({
  identifier: "SearchProduct"
})
export type SearchProduct = typeof SearchProduct.Type
