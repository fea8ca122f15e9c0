import { Effect, Schema } from "effect"
import { Email } from "./Order.ts"
import { isSolanaAddress } from "../../domain/SolanaAddress.ts"
import { IntegerInQuery, Text, Uuid } from "../../domain/Text.ts"

/** Kinds of vault items. */
export const ProductType = Schema.Literals(["skill", "knowledge", "persona"])
/** Categories of vault items. */
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

/** An item of the vault, as search lists it. */
export const VaultItem = Schema.Struct({
  /** UUID. */
  id: Schema.String,
  /** Name of the item in addresses and requests. */
  slug: Schema.String,
  /** Name of the item. */
  title: Schema.String,
  /** Kind of asset. */
  productType: ProductType,
  /** Short description. */
  cardDescription: Schema.String,
  /** Whole stablecoin dollars, at least 1. */
  price: Schema.Int,
  /** Category. */
  category: Category,
  /** The creator's name and kind. */
  creator: Schema.Struct({ name: Schema.String, type: Schema.String }),
  /** Number of downloads. */
  downloads: Schema.Int,
  /** Address of its cover picture. */
  coverImageUrl: Schema.String
}).annotate({ identifier: "VaultItem" })
export type VaultItem = typeof VaultItem.Type

/** A search without a word finds nothing; an empty one is none. */
const hasWords = Schema.makeFilter(
  (text: string) =>
    text === "" ||
    /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text) ||
    "must contain a word, or be left out"
)

/** Query of `GET /x402/vault/search`; every field is optional. */
export const VaultQuery = Schema.Struct({
  /** Search words: items with all of them come first, then those with most. */
  q: Schema.optionalKey(Text({ max: 1_000 }).check(hasWords)),
  /** Only items of this category. */
  category: Schema.optionalKey(Category),
  /** Only items of this type. */
  productType: Schema.optionalKey(ProductType),
  /** Lowest price, in whole dollars. */
  minPrice: Schema.optionalKey(IntegerInQuery),
  /** Highest price, in whole dollars. */
  maxPrice: Schema.optionalKey(IntegerInQuery),
  /** `nextCursor` of the previous page. */
  cursor: Schema.optionalKey(Uuid),
  /** Items in the page, 1 to 100; default 30. */
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

/** Response of `GET /x402/vault/search`. */
export const VaultPage = Schema.Struct({
  /** The items of this page. */
  items: Schema.Array(VaultItem),
  /** Cursor of the next page; null on the last one. */
  nextCursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "VaultSearchResponse" })
export type VaultPage = typeof VaultPage.Type

/** Body of `POST /x402/vault/buy`. */
export const VaultBuyRequest = Schema.Struct({
  /** The item to buy. */
  slug: Text({ min: 1, max: 200 }),
  /** The buyer's Solana address, base58 of 32 bytes. */
  walletAddress: Schema.String.check(
    Schema.makeFilter(
      (text: string) => isSolanaAddress(text) || "must be a Solana address: base58 of 32 bytes"
    )
  ),
  /** Receives the confirmation with the download token. */
  email: Email
}).annotate({ identifier: "VaultBuyRequest" })
export type VaultBuyRequest = typeof VaultBuyRequest.Type

/** Response of `POST /x402/vault/buy`. */
export const VaultPurchaseResponse = Schema.Struct({
  /** UUID of the purchase. */
  purchaseId: Schema.String,
  /** Secret that opens the download. */
  downloadToken: Schema.String,
  /** What was bought. */
  item: Schema.Struct({
    slug: Schema.String,
    title: Schema.String,
    productType: ProductType,
    price: Schema.Int,
    coverImageUrl: Schema.String
  })
}).annotate({ identifier: "VaultPurchase" })
export type VaultPurchaseResponse = typeof VaultPurchaseResponse.Type

/** Path parameters of `GET /x402/vault/download/:purchaseId`. */
export const DownloadParams = Schema.Struct({ purchaseId: Uuid })
/** Query of `GET /x402/vault/download/:purchaseId`. */
export const DownloadQuery = Schema.Struct({ downloadToken: Text({ min: 1, max: 200 }) })
