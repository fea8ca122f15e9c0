import type { CompletedSettlement, NewCharge, NewVaultPurchase, Offer, Order } from "@till402/core"
import type { postgresStores } from "../src/storage/storage.ts"

/*
 * Races of the racers. Each race prepares a subject once; then every racer, in whichever process, calls the same
 * function on it at the same time.
 */

/** The last of a hundred racers waits for all others, however slow the machine is. */
export const patient = { timeoutMillis: 60_000 }

export type OwnStores = ReturnType<typeof postgresStores>

export interface Race {
  readonly prepare?: (stores: OwnStores, subject: string) => Promise<unknown>
  /** Returns whether this racer won, or its result. */
  readonly run: (stores: OwnStores, subject: string, racer: string) => Promise<unknown>
}

/** Times in these races: everything happens at `now`, and every lease and offer is valid until `later`. */
const now = 1_000_000
const later = 2_000_000
const plenty = { maxUnsettled: 1_000_000, maxExposureAtomic: "1000000000000" }
/** Limit on the payer's unsettled charges, in the race for places. */
export const places = 7
/** Number of charges of 10 that fit below the payer's exposure limit, in the race for exposure. */
export const exposures = 5
/** Number of refunds of 10000 that the limit allows, in the race for refunds. */
export const refundsAllowed = 9

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
  exposureAtomic: "0",
  settlesFirst: false,
  repeatKey: "",
  paymentId: "",
  createdAtMillis: now,
  claimedAfterBlock: ""
})

const outcome = {
  response: { status: 200, contentType: "application/json", body: { _tag: "Plain", text: "{}" } },
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
  updatedAtMillis: now,
  timeline: [{ status: "processing", atMillis: now }]
})

const claimed = (stores: OwnStores, key: string, untilMillis = later) =>
  stores.charges.claim(newCharge(key), { owner: "first", untilMillis }, now, plenty)

const paidBy = (transaction: string): CompletedSettlement => ({
  receipt: receiptOf(transaction),
  transferLogIndex: undefined,
  refundDue: false,
  finalAfterMillis: undefined,
  responseOwedUntilMillis: undefined
})

const ready = async (stores: OwnStores, key: string, untilMillis = later) => {
  await claimed(stores, key, untilMillis)
  await stores.charges.advance(key, "first", outcome)
}

const refundDue = async (stores: OwnStores, key: string) => {
  await ready(stores, key)
  await stores.charges.complete(key, { ...paidBy("first"), refundDue: true }, now)
}

/** A ready charge for each racer, all of the payer that the race is about. */
const readyOf = async ({ charges }: OwnStores, payer: string, key: string) => {
  await charges.claim({ ...newCharge(key), payer }, { owner: key, untilMillis: later }, now, plenty)
  await charges.advance(key, key, outcome)
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
  keyId: "k1",
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
  "claim a key whose lease has expired": {
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
        (
          await charges.claim(charge, { owner: racer, untilMillis: later }, now, {
            ...plenty,
            maxUnsettled: places
          })
        )._tag === "Claimed"
      )
    }
  },
  "claim exposure of a payer": {
    run: async ({ charges }, payer, racer) => {
      const charge = { ...newCharge(`${payer} of ${racer}`), payer, exposureAtomic: "10" }
      const limits = { ...plenty, maxExposureAtomic: String(10 * exposures) }
      return (
        (await charges.claim(charge, { owner: racer, untilMillis: later }, now, limits))._tag === "Claimed"
      )
    }
  },
  "take over a charge": {
    prepare: (stores, key) => ready(stores, key, now),
    run: ({ charges }, key, racer) => charges.takeOver(key, { owner: racer, untilMillis: later }, now)
  },
  "settle a charge": {
    prepare: ready,
    run: async ({ charges }, key, racer) =>
      (await charges.complete(key, paidBy(racer), now))._tag === "Completed"
  },
  "settle by one transfer": {
    run: async (stores, transaction, racer) => {
      const key = `${transaction} of ${racer}`
      await readyOf(stores, key, key)
      const settlement = { ...paidBy(transaction), transferLogIndex: 1 }
      return (await stores.charges.complete(key, settlement, now))._tag
    }
  },
  "reopen a charge": {
    prepare: async (stores, key) => {
      await ready(stores, key)
      await stores.charges.complete(key, { ...paidBy("first"), finalAfterMillis: now }, now)
    },
    run: ({ charges }, key) => charges.reopen(key, "first", now)
  },
  "start a refund of a payer": {
    run: async (stores, payer, racer) => {
      const key = `${payer} of ${racer}`
      await readyOf(stores, payer, key)
      await stores.charges.complete(key, { ...paidBy(racer), refundDue: true }, now)
      const limit = { sinceMillis: now, maxAtomic: String(10_000 * refundsAllowed) }
      return (await stores.charges.startRefund(key, limit, now))._tag === "Started"
    }
  },
  "record an attempt of a refund": {
    prepare: async (stores, key) => {
      await refundDue(stores, key)
      await stores.charges.startRefund(key, { sinceMillis: now, maxAtomic: "10000" }, now)
    },
    run: ({ charges }, chargeKey, wallet) =>
      charges.recordRefundAttempt({
        chargeKey,
        refundNumber: 1,
        sequence: 1,
        wallet,
        amountAtomic: "10000",
        nonce: "0x01",
        notBefore: 1,
        validBefore: 2,
        atMillis: now
      })
  },
  "apply a settlement": {
    prepare: async (stores, key) => {
      await ready(stores, key)
      await stores.charges.complete(key, paidBy("first"), now)
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
