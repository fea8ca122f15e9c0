import { Schema } from "effect"
import { accidentIn, isAccident } from "../../domain/Accident.ts"
import { isWebAddress } from "../../domain/Text.ts"

/** The marketplace of a product: `marketplace_a` is the general one, `marketplace_b` the storefront platform. */
export const Source = Schema.Literals(["marketplace_a", "marketplace_b"])
export type Source = typeof Source.Type

/** A code or title as a host gives it. */
export const ProductText = Schema.String.check(
  Schema.makeFilter((text: string) => !isAccident(text) || "must not be undefined, null or NaN")
)

const fields = {
  /** Product code, 10 characters; on `marketplace_b` the storefront's product id. */
  asin: Schema.String.annotate({
    description:
      "Product code of the general marketplace (10 characters); on marketplace_b the storefront's product id."
  }),
  /** Name of the product. */
  title: Schema.String.annotate({ description: "Name of the product." }),
  /** Price in units of `currency`; null if unknown. */
  price: Schema.NullOr(Schema.Finite).annotate({ description: "In units of currency; null if unknown." }),
  /** ISO 4217 code: `USD`. */
  currency: Schema.String.check(
    // Filters by price know no other way to write it: behind a $ they would sell nothing.
    Schema.isPattern(/^[A-Za-z]{3}$/, { message: 'must be a code such as "USD"' })
  ).annotate({ description: "ISO 4217 code." }),
  /** Average rating, on the marketplace's scale; null if unknown. */
  rating: Schema.NullOr(Schema.Finite).annotate({ description: "Average, on the marketplace's scale." }),
  /** Number of reviews; null if unknown. */
  reviewCount: Schema.NullOr(Schema.Finite).annotate({ description: "Number of reviews; null if unknown." }),
  /** Address of a picture. */
  imageUrl: Schema.NullOr(Schema.String.check(isWebAddress)).annotate({
    description: "Address of a picture."
  }),
  /** Address of the product's page. */
  productUrl: Schema.NullOr(
    Schema.String.check(
      Schema.makeFilter(
        (text: string) => accidentIn(text) === undefined || 'must not have "undefined" or "null" in its path'
      ),
      isWebAddress
    )
  ).annotate({ description: "Address of the product's page." }),
  /** The marketplace that sells it. */
  source: Source.annotate({
    description: "marketplace_a is the general marketplace, marketplace_b the storefront platform."
  })
}

/** A product as the assistant recommends it. Every field is always present. */
export const Product = Schema.Struct(fields).annotate({ identifier: "Product" })
export type Product = typeof Product.Type

/** A product as search returns it. */
export const SearchProduct = Schema.Struct({
  ...fields,
  /** Whether shipping is expedited. */
  isExpedited: Schema.Boolean.annotate({ description: "Whether shipping is expedited." })
}).annotate({
  identifier: "SearchProduct"
})
export type SearchProduct = typeof SearchProduct.Type
