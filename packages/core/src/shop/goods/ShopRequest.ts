import { Schema } from "effect"
import { Product } from "./Product.ts"
import { described, notBlank, Text } from "../../domain/Text.ts"

/** Body of `POST /x402/shop`. */
export const ShopRequest = Schema.Struct({
  /** The shopper's message, 1 to 1,000 characters; not blank. */
  message: Text({ min: 1, max: 1000, multiline: true })
    .check(notBlank)
    .pipe(described("The request in natural language; not blank.")),
  /** What is known about the shopper's wishes. */
  context: Schema.optionalKey(
    Schema.Struct({
      /** Bounds on the price, in US dollars. */
      priceRange: Schema.optionalKey(
        Schema.Struct({
          /** Lowest price, in US dollars. */
          min: Schema.optionalKey(
            Schema.Finite.pipe(described("Lowest price, in US dollars; not above max."))
          ),
          /** Highest price, in US dollars. */
          max: Schema.optionalKey(Schema.Finite.pipe(described("Highest price, in US dollars.")))
        })
          .check(
            Schema.makeFilter(({ max, min }: { readonly min?: number; readonly max?: number }) =>
              min !== undefined && max !== undefined && min > max
                ? { path: ["min"], issue: "must not be greater than max" }
                : true
            )
          )
          .pipe(described("Bounds on the price."))
      ),
      /** Up to 50 wishes in words: `waterproof`. */
      preferences: Schema.optionalKey(
        Schema.Array(Text({ max: 200 }))
          .check(Schema.isMaxLength(50, { message: "must have at most 50 entries" }))
          .pipe(described("Style or feature preferences, such as waterproof."))
      )
    }).pipe(described("Guides the assistant."))
  )
}).annotate({ identifier: "ShopRequest" })
export type ShopRequest = typeof ShopRequest.Type

/** Response of `POST /x402/shop`. */
export const ShopResponse = Schema.Struct({
  /** Text for the shopper. */
  reply: Schema.String.annotate({ description: "The assistant's message." }),
  /** Recommended products, best first. */
  products: Schema.Array(Product).annotate({ description: "Recommended products, best first." })
}).annotate({ identifier: "ShopResponse" })
export type ShopResponse = typeof ShopResponse.Type
