import { Schema } from "effect"
import { Product } from "./Product.ts"
import { Text } from "./Text.ts"

/** Body of `POST /x402/shop`. */
export const ShopRequest = Schema.Struct({
  message: Text({ min: 1, max: 1000, multiline: true }),
  context: Schema.optionalKey(
    Schema.Struct({
      priceRange: Schema.optionalKey(
        Schema.Struct({
          min: Schema.optionalKey(Schema.Finite),
          max: Schema.optionalKey(Schema.Finite)
        }).check(
          Schema.makeFilter(({ max, min }: { readonly min?: number; readonly max?: number }) =>
            min !== undefined && max !== undefined && min > max
              ? { path: ["min"], issue: "must not be greater than max" }
              : true
          )
        )
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
