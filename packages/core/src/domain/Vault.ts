import { Effect, Schema } from "effect"
import { Email } from "./Order.ts"
import { IntegerInQuery, Text, Uuid } from "./Text.ts"

export const ProductType = Schema.Literals(["skill", "knowledge", "persona"])
export const Category = Schema.Literals([
  "marketing",
  "development",
  "automation",
  "career",
  "ios",
  "productivity"
])
export type ProductType = typeof ProductType.Type
export type Category = typeof Category.Type

/** An asset of the vault as search lists it; `price` is whole stablecoin dollars, at least 1. */
export const VaultItem = Schema.Struct({
  id: Schema.String,
  slug: Schema.String,
  title: Schema.String,
  productType: ProductType,
  cardDescription: Schema.String,
  price: Schema.Int,
  category: Category,
  creator: Schema.Struct({ name: Schema.String, type: Schema.String }),
  downloads: Schema.Int,
  coverImageUrl: Schema.String
}).annotate({ identifier: "VaultItem" })
export type VaultItem = typeof VaultItem.Type

/** Query of `GET /x402/vault/search`; all optional. */
export const VaultQuery = Schema.Struct({
  q: Schema.optionalKey(Text({ max: 500 })),
  category: Schema.optionalKey(Category),
  productType: Schema.optionalKey(ProductType),
  minPrice: Schema.optionalKey(IntegerInQuery),
  maxPrice: Schema.optionalKey(IntegerInQuery),
  cursor: Schema.optionalKey(Uuid),
  limit: IntegerInQuery.pipe(
    Schema.check(Schema.isBetween({ minimum: 1, maximum: 100 }, { message: "must be between 1 and 100" })),
    Schema.withDecodingDefaultKey(Effect.succeed("30"))
  )
}).check(
  Schema.makeFilter(({ minPrice, maxPrice }: { readonly minPrice?: number; readonly maxPrice?: number }) =>
    minPrice !== undefined && maxPrice !== undefined && minPrice > maxPrice
      ? { path: ["minPrice"], issue: "must not be greater than maxPrice" }
      : true
  )
)
export type VaultQuery = typeof VaultQuery.Type

export const VaultPage = Schema.Struct({
  items: Schema.Array(VaultItem),
  nextCursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "VaultSearchResponse" })
export type VaultPage = typeof VaultPage.Type

/** Body of `POST /x402/vault/buy`. */
export const VaultBuyRequest = Schema.Struct({
  slug: Text({ min: 1, max: 200 }),
  walletAddress: Schema.String.check(
    Schema.makeFilter(
      (text: string) => isSolanaAddress(text) || "must be a Solana address: base58 of 32 bytes"
    )
  ),
  email: Email
}).annotate({ identifier: "VaultBuyRequest" })
export type VaultBuyRequest = typeof VaultBuyRequest.Type

export const VaultPurchaseResponse = Schema.Struct({
  purchaseId: Schema.String,
  downloadToken: Schema.String,
  item: Schema.Struct({
    slug: Schema.String,
    title: Schema.String,
    productType: ProductType,
    price: Schema.Int,
    coverImageUrl: Schema.String
  })
}).annotate({ identifier: "VaultPurchase" })
export type VaultPurchaseResponse = typeof VaultPurchaseResponse.Type

export const DownloadParams = Schema.Struct({ purchaseId: Uuid })
export const DownloadQuery = Schema.Struct({ downloadToken: Text({ min: 1, max: 200 }) })

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** Whether text is base58 of exactly 32 bytes: an account of Solana. */
export const isSolanaAddress = (text: string): boolean => {
  if (text.length < 32 || text.length > 44) return false
  let value = 0n
  for (const character of text) {
    const digit = base58.indexOf(character)
    if (digit < 0) return false
    value = value * 58n + BigInt(digit)
  }
  const leadingZeros = /^1*/.exec(text)![0].length
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2)
  return leadingZeros + bytes === 32
}
