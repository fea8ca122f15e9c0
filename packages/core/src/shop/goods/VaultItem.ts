import { Effect, Schema } from "effect"
import { Email } from "./Order.ts"
import { isSolanaAddress } from "../../domain/SolanaAddress.ts"
import { described, IntegerInQuery, Text, Uuid } from "../../domain/Text.ts"

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

const coverImageUrl = Schema.String.annotate({ format: "uri", description: "Address of its cover picture." })
const title = Schema.String.annotate({ description: "Name of the item." })
const productType = ProductType.annotate({ description: "Kind of asset." })
const price = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
  description: "Whole stablecoin dollars (US dollars): the amount that POST /x402/vault/buy charges."
})

/** Other words for what an item is, such as synonyms: search finds it by them, and callers don't see them. */
export const Keywords = Schema.Array(Text({ min: 1, max: 50 })).check(
  Schema.isMaxLength(20, { message: "must be at most 20" })
)

const listed = {
  /** UUID. */
  id: Schema.String.annotate({ format: "uuid", description: "Identifier of the item." }),
  /** Name of the item in addresses and requests. */
  slug: Schema.String.annotate({
    description: "Name of the item in requests: POST /x402/vault/buy takes it."
  }),
  /** Name of the item. */
  title,
  /** Kind of asset. */
  productType,
  /** Short description. */
  cardDescription: Schema.String.annotate({ description: "Short description." }),
  /** Whole stablecoin dollars, at least 1. */
  price,
  /** Category. */
  category: Category.annotate({ description: "Category." }),
  /** The creator's name and kind. */
  creator: Schema.Struct({
    name: Schema.String.annotate({ description: "Name of the creator." }),
    type: Schema.String.annotate({ description: "Kind of creator." })
  }).annotate({ description: "Who made it." }),
  /** Number of downloads. */
  downloads: Schema.Int.annotate({ description: "Download count." }),
  /** Address of its cover picture. */
  coverImageUrl
}

/** An item of the vault. */
export const VaultItem = Schema.Struct({ ...listed, keywords: Schema.optionalKey(Keywords) })
export type VaultItem = typeof VaultItem.Type

/** A search without a word finds nothing; an empty one is none. */
const hasWords = Schema.makeFilter(
  (text: string) =>
    text === "" ||
    /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text) ||
    "must contain a word, or be left out",
  { toJsonSchema: () => ({}) }
)

/** Query of `GET /x402/vault/search`; every field is optional. */
export const VaultQuery = Schema.Struct({
  /** Search words: items with all of them come first, then those with most. */
  q: Schema.optionalKey(
    Text({ max: 1_000 })
      .check(hasWords)
      .pipe(described("Search words: items with all of them come first, then those with most."))
  ),
  /** Only items of this category. */
  category: Schema.optionalKey(Category.pipe(described("Only items of this category."))),
  /** Only items of this type. */
  productType: Schema.optionalKey(ProductType.pipe(described("Only items of this type."))),
  /** Lowest price, in whole dollars. */
  minPrice: Schema.optionalKey(
    IntegerInQuery.pipe(described("Lowest price, in whole stablecoin dollars; not above maxPrice."))
  ),
  /** Highest price, in whole dollars. */
  maxPrice: Schema.optionalKey(IntegerInQuery.pipe(described("Highest price, in whole stablecoin dollars."))),
  /** `nextCursor` of the previous page. */
  cursor: Schema.optionalKey(Uuid.pipe(described("nextCursor of the previous page; each page is paid."))),
  /** Items in the page, 1 to 100; default 30. */
  limit: IntegerInQuery.pipe(
    Schema.check(Schema.isBetween({ minimum: 1, maximum: 100 }, { message: "must be between 1 and 100" })),
    Schema.withDecodingDefaultKey(Effect.succeed("30")),
    described("Most items in the page.", { default: 30 })
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
  items: Schema.Array(Schema.Struct(listed).annotate({ identifier: "VaultItem" })).annotate({
    description: "The items of this page."
  }),
  /** Cursor of the next page; null on the last one. */
  nextCursor: Schema.NullOr(Schema.String).annotate({
    description: "Send it as cursor to get the next page; null when no further page."
  })
}).annotate({ identifier: "VaultSearchResponse" })
/** A page of items. */
export interface VaultPage {
  readonly items: ReadonlyArray<VaultItem>
  readonly nextCursor: string | null
}

/** Body of `POST /x402/vault/buy`. */
export const VaultBuyRequest = Schema.Struct({
  /** The item to buy. */
  slug: Text({ min: 1, max: 200 }).pipe(described("slug of the item, as GET /x402/vault/search lists it.")),
  /** The buyer's Solana address, base58 of 32 bytes. */
  walletAddress: Schema.String.check(
    Schema.makeFilter(
      (text: string) => isSolanaAddress(text) || "must be a Solana address: base58 of 32 bytes",
      { toJsonSchema: () => ({ pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$" }) }
    )
  ).pipe(
    described(
      "A Solana address of the buyer, base58 of 32 bytes, whatever network pays: an EVM address (0x…) is refused. It is kept with the purchase as the buyer's wallet; nothing is sent to it, and it need not be the wallet that pays."
    )
  ),
  /** Receives the confirmation with the download token. */
  email: Email.pipe(described("For the purchase confirmation."))
}).annotate({ identifier: "VaultBuyRequest" })
export type VaultBuyRequest = typeof VaultBuyRequest.Type

/** Response of `POST /x402/vault/buy`. */
export const VaultPurchaseResponse = Schema.Struct({
  /** UUID of the purchase. */
  purchaseId: Schema.String.annotate({
    format: "uuid",
    description: "Identifier of the purchase: GET /x402/vault/download/{purchaseId} has it in its path."
  }),
  /** Secret that opens the download. */
  downloadToken: Schema.String.annotate({
    description: "Secret: GET /x402/vault/download/{purchaseId} requires it. Keep it."
  }),
  /** What was bought. */
  item: Schema.Struct({
    slug: Schema.String.annotate({ description: "Name of the item in requests." }),
    title,
    productType,
    price,
    coverImageUrl
  }).annotate({ description: "What was bought." })
}).annotate({ identifier: "VaultPurchase" })
export type VaultPurchaseResponse = typeof VaultPurchaseResponse.Type

/** Path parameters of `GET /x402/vault/download/:purchaseId`. */
export const DownloadParams = Schema.Struct({
  purchaseId: Uuid.pipe(described("purchaseId in the response of POST /x402/vault/buy."))
})
/** Query of `GET /x402/vault/download/:purchaseId`. */
export const DownloadQuery = Schema.Struct({
  downloadToken: Text({ min: 1, max: 200 }).pipe(described("Secret in the response of POST /x402/vault/buy."))
})
