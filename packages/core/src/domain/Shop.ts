import { Schema } from "effect"
import { Product } from "./Product.ts"
import { Text } from "./Text.ts"

const bound = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0, { message: "must not be negative" }))

/** Body of `POST /x402/shop`. */
export const ShopRequest = Schema.Struct({
  message: Text({ min: 1, max: 1000, multiline: true }),
  context: Schema.optionalKey(
    Schema.Struct({
      priceRange: Schema.optionalKey(
        Schema.Struct({ min: Schema.optionalKey(bound), max: Schema.optionalKey(bound) })
      ),
      preferences: Schema.optionalKey(
        Schema.Array(Text({ max: 200 })).check(
          Schema.isMaxLength(50, { message: "must have at most 50 entries" })
        )
      )
    })
  )
}).annotate({ identifier: "ShopRequest" })
export type ShopRequest = typeof ShopRequest.Type

export const ShopResponse = Schema.Struct({
  reply: Schema.String,
  products: Schema.Array(Product)
}).annotate({ identifier: "ShopResponse" })
export type ShopResponse = typeof ShopResponse.Type
