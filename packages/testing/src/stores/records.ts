import type { Money } from "@till402/core"
import type {
  NewCharge,
  NewVaultPurchase,
  Offer,
  Order,
  Quote,
  Receipt,
  RecordedResponse,
  RefundAttempt,
  VaultItem
} from "@till402/core/effect"

/* Sample records of the stores. Every field can be overridden. */

/** A UUID derived from a number. */
export const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`

const dollars = (atomic: bigint): Money => ({ atomic, currency: "USD" })

export const sampleCharge = (overrides: Partial<NewCharge> = {}): NewCharge => ({
  key: "eip155:84532:0x036c:0xpayer:0x01",
  payloadDigest: "digest-1",
  fingerprint: "k1:fingerprint-1",
  operation: "search",
  network: "eip155:84532",
  asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  payer: "0x857b06519e91e3a54538791bdbb0e22373e36b66",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  amountAtomic: "10000",
  validBeforeSeconds: 1_000,
  x402Version: 2,
  settlement: '{"task":{"network":"eip155:84532"}}',
  exposureAtomic: "0",
  settlesFirst: false,
  repeatKey: "",
  paymentId: "",
  createdAtMillis: 1_000,
  claimedAfterBlock: "100 0xa",
  ...overrides
})

export const sampleResponse = (text = '{"products":[]}'): RecordedResponse => ({
  status: 200,
  contentType: "application/json",
  body: { _tag: "Plain", text }
})

export const sampleReceipt = (number = 1): Receipt => ({
  success: true,
  transaction: `0x${number.toString(16).padStart(64, "0")}`,
  network: "eip155:84532",
  payer: "0x857b06519e91e3a54538791bdbb0e22373e36b66"
})

export const sampleAttempt = (overrides: Partial<RefundAttempt> = {}): RefundAttempt => ({
  chargeKey: sampleCharge().key,
  refundNumber: 1,
  sequence: 1,
  wallet: "0x00000000000000000000000000000000000000f1",
  amountAtomic: "10000",
  nonce: `0x${"ab".repeat(32)}`,
  notBefore: 1_800_000_000,
  validBefore: 1_800_003_600,
  atMillis: 1_800_000_000_000,
  ...overrides
})

/** An offer of 15.27 in total, open until `expiresAtMillis`. */
export const sampleOffer = (overrides: Partial<Offer> = {}): Offer => ({
  product: {
    title: "Canvas tote bag",
    imageUrl: "https://images.example/1.jpg",
    price: dollars(9_500_000n)
  },
  subtotal: dollars(9_500_000n),
  tax: dollars(780_000n),
  shipping: dollars(4_990_000n),
  total: dollars(15_270_000n),
  reference: "offer-1",
  expiresAtMillis: 10_000,
  ...overrides
})

export const sampleQuote = (overrides: Partial<Quote> = {}): Quote => ({
  id: uuidOf(1),
  fingerprint: "k1:request-1",
  offer: sampleOffer(),
  createdAtMillis: 1_000,
  consumedBy: undefined,
  ...overrides
})

export const sampleOrder = (overrides: Partial<Order> = {}): Order => ({
  id: uuidOf(1),
  chargeKey: "eip155:84532:0x036c:0xpayer:0x01",
  status: "awaiting_payment",
  product: { source: "marketplace_a", asin: "B000000001", productUrl: undefined },
  shippingAddress: {
    name: "Ada Lovelace",
    line1: "1 Main Street",
    city: "Springfield",
    state: "IL",
    postalCode: "62701",
    country: "US"
  },
  email: "ada@example.com",
  offer: sampleOffer(),
  upstreamReference: undefined,
  shipments: [],
  reason: undefined,
  attempts: 0,
  stepAtMillis: 5_000,
  mails: [],
  dueAtMillis: 5_000,
  version: 1,
  createdAtMillis: 1_000,
  updatedAtMillis: 1_000,
  timeline: [{ status: "awaiting_payment", atMillis: 1_000 }],
  ...overrides
})

/** A vault item with its own id, slug and title; the other fields are the same for all. */
export const sampleVaultItem = (number = 1, overrides: Partial<VaultItem> = {}): VaultItem => ({
  id: uuidOf(number),
  slug: `item-${number}`,
  title: `Release notes writer ${number}`,
  productType: "skill",
  cardDescription: "Turns a list of commits into release notes.",
  price: 10,
  category: "development",
  creator: { name: "Sample Studio", type: "company" },
  downloads: 0,
  coverImageUrl: `https://images.example/vault/${number}.png`,
  ...overrides
})

export const samplePurchase = (overrides: Partial<NewVaultPurchase> = {}): NewVaultPurchase => ({
  id: uuidOf(1),
  chargeKey: "eip155:84532:0x036c:0xpayer:0x01",
  keyId: "k1",
  slug: "item-1",
  walletAddress: "11111111111111111111111111111111",
  email: "ada@example.com",
  createdAtMillis: 1_000,
  dueAtMillis: 5_000,
  ...overrides
})
