import type { NewCharge, NewVaultPurchase, Offer, Order } from "@till402/core"
import type { postgresStores } from "../src/storage/storage.ts"

/*
 * What racers race for. Each race has a subject that is prepared once; then every racer, whatever process it runs in,
 * tries the same verb on it at the same time.
 */

export type OwnStores = ReturnType<typeof postgresStores>

export interface Race {
  readonly prepare?: (stores: OwnStores, subject: string) => Promise<unknown>
  /** Answers whether this racer won, or what it got. */
  readonly run: (stores: OwnStores, subject: string, racer: string) => Promise<unknown>
}

/** Times in these races: everything happens at `now`, every lease and offer holds until `later`. */
const now = 1_000_000
const later = 2_000_000
const plenty = 1_000_000
/** How many unsettled charges the payer of the race for places may have. */
export const places = 7

export const newCharge = (key: string): NewCharge => ({
  key,
  payloadDigest: "digest",
  fingerprint: "k1:fingerprint",
  operation: "search",
  network: "eip155:84532",
  asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  payer: `0xpayer-of-${key}`,
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  amountAtomic: "10000",
  validBeforeSeconds: later / 1_000,
  x402Version: 2,
  settlement: "{}",
  createdAtMillis: now
})

const outcome = {
  answer: { status: 200, contentType: "application/json", body: { _tag: "Plain", text: "{}" } },
  subject: { kind: "order", id: "order-1" }
} as const

const receiptOf = (racer: string) =>
  ({ success: true, transaction: racer, network: "eip155:84532", payer: "0xpayer" }) as const

const dollar = { atomic: 1_000_000n, currency: "USD" }
const offer: Offer = {
  product: { title: "A lamp", price: dollar },
  subtotal: dollar,
  tax: { ...dollar, atomic: 0n },
  shipping: { ...dollar, atomic: 0n },
  total: dollar,
  reference: "offer-1",
  expiresAtMillis: later
}

const newOrder = (id: string): Order => ({
  id,
  chargeKey: "charge-1",
  status: "processing",
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
  offer,
  upstreamReference: undefined,
  shipments: [],
  reason: undefined,
  attempts: 0,
  stepAtMillis: now,
  mails: [],
  dueAtMillis: now,
  version: 1,
  createdAtMillis: now,
  updatedAtMillis: now
})

const claimed = (stores: OwnStores, key: string, untilMillis = later) =>
  stores.charges.claim(newCharge(key), { owner: "first", untilMillis }, now, plenty)

const ready = async (stores: OwnStores, key: string, untilMillis = later) => {
  await claimed(stores, key, untilMillis)
  await stores.charges.advance(key, "first", outcome)
}

const refundDue = async (stores: OwnStores, key: string) => {
  await ready(stores, key)
  await stores.charges.complete(key, { receipt: receiptOf("first"), refundDue: true }, now)
}

const quoteOf = (fingerprint: string, id: string) => ({
  id,
  fingerprint,
  offer,
  createdAtMillis: now,
  consumedBy: undefined
})

const newPurchase = (id: string): NewVaultPurchase => ({
  id,
  chargeKey: "charge-1",
  slug: "item-1",
  walletAddress: "11111111111111111111111111111111",
  email: "ada@example.com",
  createdAtMillis: now,
  dueAtMillis: now
})

export const races = {
  "claim a key": {
    run: async ({ charges }, key, racer) => {
      const lease = { owner: racer, untilMillis: later }
      return (await charges.claim(newCharge(key), lease, now, plenty))._tag === "Claimed"
    }
  },
  "claim a key whose lease has lapsed": {
    prepare: (stores, key) => claimed(stores, key, now),
    run: async ({ charges }, key, racer) => {
      const lease = { owner: racer, untilMillis: later }
      return (await charges.claim(newCharge(key), lease, now, plenty))._tag === "Claimed"
    }
  },
  "claim one of the places of a payer": {
    run: async ({ charges }, payer, racer) => {
      const charge = { ...newCharge(`${payer} of ${racer}`), payer }
      return (
        (await charges.claim(charge, { owner: racer, untilMillis: later }, now, places))._tag === "Claimed"
      )
    }
  },
  "take over a charge": {
    prepare: (stores, key) => ready(stores, key, now),
    run: ({ charges }, key, racer) => charges.takeOver(key, { owner: racer, untilMillis: later }, now)
  },
  "settle a charge": {
    prepare: ready,
    run: ({ charges }, key, racer) =>
      charges.complete(key, { receipt: receiptOf(racer), refundDue: false }, now)
  },
  "apply a settlement": {
    prepare: async (stores, key) => {
      await ready(stores, key)
      await stores.charges.complete(key, { receipt: receiptOf("first"), refundDue: false }, now)
    },
    run: ({ charges }, key) => charges.markApplied(key)
  },
  "record a refund": {
    prepare: refundDue,
    run: ({ charges }, key, racer) => charges.recordRefund(key, racer, now)
  },
  "put a quote": {
    run: async ({ quotes }, request, racer) =>
      (await quotes.put(quoteOf(request, `${request} of ${racer}`), now)).id
  },
  "consume a quote": {
    prepare: ({ quotes }, id) => quotes.put(quoteOf(id, id), now),
    run: ({ quotes }, id, racer) => quotes.consume(id, racer, now)
  },
  "place an order": {
    prepare: ({ orders }, id) => orders.create(newOrder(id)),
    run: ({ orders }, id) => orders.replace({ ...newOrder(id), status: "placing" })
  },
  "grant a purchase": {
    prepare: ({ vaultPurchases }, id) => vaultPurchases.reserve(newPurchase(id)),
    run: ({ vaultPurchases }, id) => vaultPurchases.grant(id, later)
  },
  "reschedule a purchase": {
    prepare: ({ vaultPurchases }, id) => vaultPurchases.reserve(newPurchase(id)),
    run: ({ vaultPurchases }, id) => vaultPurchases.reschedule(id, now, later)
  },
  "take a purchase": {
    prepare: ({ vaultPurchases }, id) => vaultPurchases.reserve(newPurchase(id)),
    run: async ({ vaultPurchases }, id) =>
      (await vaultPurchases.take(now, later, 1)).some((taken) => taken.id === id)
  },
  "count a download": {
    prepare: ({ vaultItems }, slug) =>
      vaultItems.put({
        id: slug,
        slug,
        title: "Release notes writer",
        productType: "skill",
        cardDescription: "Turns commits into release notes.",
        price: 10,
        category: "development",
        creator: { name: "Sample Studio", type: "company" },
        downloads: 0,
        coverImageUrl: "https://images.example/1.png"
      }),
    run: ({ vaultItems }, slug) => vaultItems.countDownload(slug)
  }
} satisfies Readonly<Record<string, Race>>

export type RaceName = keyof typeof races
