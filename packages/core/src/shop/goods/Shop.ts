import { Schema } from "effect"
import { Product } from "./Product.ts"
import { notBlank, Text } from "../../domain/Text.ts"

/** Body of `POST /x402/shop`. */
export const ShopRequest = Schema.Struct({
  /** The shopper's message, 1 to 1,000 characters; not blank. */
  message: Text({ min: 1, max: 1000, multiline: true }).check(notBlank),
  /** What is known about the shopper's wishes. */
  context: Schema.optionalKey(
    Schema.Struct({
      /** Bounds on the price, in US dollars. */
      priceRange: Schema.optionalKey(
        Schema.Struct({
          /** Lowest price, in US dollars. */
          min: Schema.optionalKey(Schema.Finite),
          /** Highest price, in US dollars. */
          max: Schema.optionalKey(Schema.Finite)
        }).check(
          Schema.makeFilter(({ max, min }: { readonly min?: number; readonly max?: number }) =>
            min !== undefined && max !== undefined && min > max
              ? { path: ["min"], issue: "must not be greater than max" }
              : true
          )
        )
      ),
      /** Up to 50 wishes in words: `waterproof`. */
      preferences: Schema.optionalKey(
        Schema.Array(Text({ max: 200 })).check(
          Schema.isMaxLength(50, { message: "must have at most 50 entries" })
        )
      )
    })
  )
}).annotate({ identifier: "ShopRequest" })
export type ShopRequest = typeof ShopRequest.Type

/** Response of `POST /x402/shop`. */
export const ShopResponse = Schema.Struct({
  /** Text for the shopper. */
  reply: Schema.String,
  /** Recommended products, best first. */
  products: Schema.Array(Product)
}).annotate({ identifier: "ShopResponse" })
export type ShopResponse = typeof ShopResponse.Type
