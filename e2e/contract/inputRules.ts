import { address, buyBody, solanaWallet, vaultBuyBody } from "./calls.ts"
import { vaultItem } from "./samples.ts"

/*
 * The contract's rules on inputs, from its sections 2, 4 and 8: each with values within it, and one step outside.
 */

type Fields = Readonly<Record<string, unknown>>

export interface InputRule {
  readonly method: "get" | "post"
  readonly path: string
  /** The contract's words. */
  readonly rule: string
  /** Where a fault is reported. */
  readonly at: string
  readonly inside: ReadonlyArray<Fields>
  readonly outside: ReadonlyArray<Fields>
}

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))

interface Values {
  readonly inside?: ReadonlyArray<unknown>
  readonly outside?: ReadonlyArray<unknown>
  readonly required?: boolean
}

/** Rules on the fields of one input, which is valid as `sample`. */
const rulesOf =
  (method: InputRule["method"], path: string, sample: Fields) =>
  (name: string, rule: string, { inside = [], outside = [], required = false }: Values): InputRule => ({
    method,
    path,
    rule: `${name}: ${rule}`,
    at: name,
    inside: [
      ...inside.map((value) => ({ ...sample, [name]: value })),
      ...(required ? [] : [without(sample, name)])
    ],
    outside: [
      ...outside.map((value) => ({ ...sample, [name]: value })),
      ...(required ? [without(sample, name)] : [])
    ]
  })

/** The same for the fields of an object within the input. */
const rulesWithin =
  (method: InputRule["method"], path: string, sample: Fields, within: string) =>
  (name: string, rule: string, values: Values): InputRule => {
    const { inside, outside, ...others } = rulesOf(method, path, sample[within] as Fields)(name, rule, values)
    const whole = (part: Fields): Fields => ({ ...sample, [within]: part })
    return {
      ...others,
      rule: `${within}.${others.rule}`,
      at: `${within}.${name}`,
      inside: inside.map(whole),
      outside: outside.map(whole)
    }
  }

const characters = (count: number): string => "a".repeat(count)

const search = rulesOf("get", "/x402/search", { q: "lamp" })
const shop = rulesOf("post", "/x402/shop", { message: "a lamp" })
const context = rulesWithin("post", "/x402/shop", { message: "a lamp", context: {} }, "context")
const buy = rulesOf("post", "/x402/buy", buyBody)
const shipping = rulesWithin("post", "/x402/buy", { ...buyBody, shippingAddress: address }, "shippingAddress")
const track = rulesOf("get", "/x402/track", { number: "1Z999AA10123456784" })
const vaultSearch = rulesOf("get", "/x402/vault/search", {})
const vaultBuy = rulesOf("post", "/x402/vault/buy", vaultBuyBody)
const download = rulesOf("get", "/x402/vault/download/{purchaseId}", {
  purchaseId: "7d0c5b1a-92b4-4b43-8a3e-1f0f5a3f6b11",
  downloadToken: "secret"
})

const required = true
const above0 = { inside: [0.01, 1], outside: [0, -1] }
const nameLike = { required, inside: [characters(1)], outside: [""] }

export const inputRules: ReadonlyArray<InputRule> = [
  search("q", "string, required, min length 1", nameLike),
  search("priceMin", "number, greater than 0", above0),
  search("priceMax", "number, greater than 0", above0),
  search("brand", "string, not required", { inside: ["Acme"] }),
  search("page", "integer, greater than 0", { inside: [1, 2], outside: [0, 1.5] }),

  shop("message", "string, required, length 1 to 1000", {
    required,
    inside: [characters(1), characters(1_000)],
    outside: ["", characters(1_001)]
  }),
  shop("context", "object, not required", { inside: [{}], outside: ["a lamp"] }),
  context("priceRange", "object of min (number) and max (number), both optional", {
    inside: [{}, { min: 1 }, { max: 1.5 }, { min: 1, max: 1 }],
    outside: ["cheap", []]
  }),
  context("preferences", "array of string", { inside: [[], ["quiet", "green"]], outside: ["quiet"] }),

  shipping("name", "string, required, min length 1", nameLike),
  shipping("line1", "string, required, min length 1", nameLike),
  shipping("line2", "string, not required", { inside: ["Flat 2"], outside: [2] }),
  shipping("city", "string, required, min length 1", nameLike),
  shipping("state", "string, required, min length 1", { ...nameLike, inside: ["OR"] }),
  shipping("postalCode", "string, required, min length 1", { ...nameLike, inside: ["97201"] }),
  shipping("country", "exactly 2 characters, ISO 3166-1 alpha-2", {
    required,
    inside: ["US"],
    outside: ["U", "USA"]
  }),
  shipping("phone", "string, not required", { inside: ["+1 503 555 0100"], outside: [5_035_550_100] }),
  buy("shippingAddress", "ShippingAddress, required", { required, outside: ["Portland"] }),
  buy("email", "string (email format), required", {
    required,
    inside: ["ada@example.com"],
    outside: ["ada", "ada@"]
  }),
  {
    ...buy("asin", "use this OR productUrl", { required }),
    inside: [buyBody, { ...without(buyBody, "asin"), productUrl: "https://shop.example/p/1?variant=7" }]
  },
  buy("productUrl", "string (URI), not required", {
    inside: ["https://shop.example/dp/B0CONTRACT"],
    outside: ["no address"]
  }),
  buy("variantId", "string, not required", { inside: ["7"], outside: [7] }),

  track("number", "string, required, length 5 to 50", {
    required,
    inside: [characters(5), characters(50)],
    outside: [characters(4), characters(51)]
  }),
  track("number", "characters A-Z, a-z, 0-9 and hyphen only", {
    required,
    inside: ["AZ-az-09"],
    outside: ["AZ_az", "AZ az 09"]
  }),
  track("carrier", "integer, greater than 0", { inside: [1, 100_002], outside: [0, 1.5] }),
  track("destinationPostalCode", "max length 20", { inside: [characters(20)], outside: [characters(21)] }),
  track("destinationCountry", "exactly 2 characters", { inside: ["US"], outside: ["U", "USA"] }),
  track("shipDate", "pattern YYYY-MM-DD", { inside: ["2026-03-02"], outside: ["2026-3-2", "02.03.2026"] }),
  track("phone", "max length 30", { inside: ["1".repeat(30)], outside: ["1".repeat(31)] }),
  track("cpfOrCnpj", "max length 20", { inside: ["1".repeat(20)], outside: ["1".repeat(21)] }),

  vaultSearch("q", "string, optional", { inside: ["checklist"] }),
  vaultSearch("category", "marketing, development, automation, career, ios, productivity", {
    inside: ["marketing", "development", "automation", "career", "ios", "productivity"],
    outside: ["music"]
  }),
  vaultSearch("productType", "skill, knowledge, persona", {
    inside: ["skill", "knowledge", "persona"],
    outside: ["tool"]
  }),
  vaultSearch("minPrice", "integer", { inside: [1], outside: [1.5] }),
  vaultSearch("maxPrice", "integer", { inside: [1], outside: [1.5] }),
  vaultSearch("cursor", "UUID shape", { inside: [vaultItem.id], outside: ["next"] }),
  vaultSearch("limit", "integer, 1 to 100", { inside: [1, 100], outside: [0, 101, 1.5] }),

  vaultBuy("slug", "string, required", { required, inside: [vaultItem.slug], outside: [1] }),
  vaultBuy("walletAddress", "Solana wallet address, base58, required", {
    required,
    inside: [solanaWallet],
    outside: ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8", `${solanaWallet}0`]
  }),
  vaultBuy("email", "string, required", { required, inside: ["ada@example.com"], outside: [1] }),

  {
    ...download("purchaseId", "path parameter", {}),
    inside: [{ purchaseId: "7d0c5b1a-92b4-4b43-8a3e-1f0f5a3f6b11", downloadToken: "secret" }]
  },
  download("downloadToken", "query parameter, string, required", { required, inside: ["secret"] })
]

/** What the contract notes on fields, beyond their values. */
export const notes: ReadonlyArray<readonly [path: string, field: string, note: RegExp]> = [
  ["/x402/track", "carrier", /omit it to auto-detect.*ambiguous number.*CARRIER_NOT_DETECTED/i],
  ["/x402/track", "destinationPostalCode", /postal code.*only needed when.*ADDITIONAL_FIELD_REQUIRED/i],
  ["/x402/track", "destinationCountry", /alpha-2.*destinationPostalCode/i],
  ["/x402/track", "shipDate", /only needed when.*ADDITIONAL_FIELD_REQUIRED/i],
  ["/x402/track", "phone", /phone number.*only needed when.*ADDITIONAL_FIELD_REQUIRED/i],
  ["/x402/track", "cpfOrCnpj", /brazilian tax id.*brazilian carriers/i],
  ["/x402/vault/search", "minPrice", /stablecoin dollars/i],
  ["/x402/vault/search", "maxPrice", /stablecoin dollars/i],
  ["/x402/vault/search", "cursor", /nextCursor/],
  ["/x402/vault/download/{purchaseId}", "downloadToken", /secret/i],
  ["/x402/buy", "email", /order confirmation and tracking/],
  ["/x402/buy", "asin", /general marketplace.*productUrl/],
  ["/x402/buy", "productUrl", /general marketplace.*storefront.*requires variantId/],
  ["/x402/buy", "variantId", /required.*storefront|storefront.*required/i],
  ["/x402/shop", "context", /guides the assistant/i],
  ["/x402/shop", "preferences", /style or feature preferences/i],
  ["/x402/vault/buy", "slug", /slug of the item/i],
  ["/x402/vault/buy", "walletAddress", /solana.*base58/i],
  ["/x402/vault/buy", "email", /purchase confirmation/i]
]
