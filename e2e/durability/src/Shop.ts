import { createHash, randomUUID } from "node:crypto"
import {
  type FulfilmentOptions,
  type MailerOptions,
  type MarketplaceOptions,
  PlacementRefused,
  type TrackerOptions,
  type VaultItem,
  type VaultOptions
} from "@till402/core"
import { sampleArchive, sampleProduct, sampleTrackResult } from "@till402/testing"

/** Reports something to the external services and waits for the response. */
export type Notify = (path: string, body: unknown) => Promise<unknown>

/** Calls the external services as the server `name`. */
export const notifyOutside =
  (outsideUrl: string, name: string): Notify =>
  async (path, body) => {
    const response = await fetch(new URL(path, outsideUrl), {
      method: "POST",
      headers: { "content-type": "application/json", "x-server": name },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000)
    })
    if (!response.ok) throw new Error(`the outside returned ${response.status} to ${path}`)
    return response.json()
  }

export const vaultItem: VaultItem = {
  id: "6b1b2f3c-52b0-4c0e-9b57-0d7c6d1f5a11",
  slug: "launch-plan",
  title: "Launch plan",
  productType: "knowledge",
  cardDescription: "A plan for a launch.",
  price: 3,
  category: "marketing",
  creator: { name: "Ada", type: "human" },
  downloads: 0,
  coverImageUrl: "https://images.example/launch-plan.jpg"
}

/** Every run of the work returns another result, so repeated work can't pass for a replay. */
const marketplace: MarketplaceOptions = {
  search: async ({ q }) => ({
    products: [sampleProduct({ title: `${q} ${randomUUID()}` })],
    totalResults: 1,
    hasMore: false
  })
}

const quoteLifetimeMillis = 10 * 60_000

const fulfilment = (notify: Notify): FulfilmentOptions => ({
  quote: async () => ({
    product: { title: "Canvas tote bag", price: "20.00" },
    subtotal: "20.00",
    tax: "1.65",
    shipping: "4.99",
    total: "26.64",
    currency: "USD",
    reference: `quote-${randomUUID()}`,
    expiresAt: new Date(Date.now() + quoteLifetimeMillis)
  }),
  place: async ({ email, orderId, reference }) => {
    await notify("/orders", { orderId, reference, email })
    return { reference: `upstream-${orderId}` }
  }
})

/** From 0 to 99, always the same for one order. */
const percentileOf = (id: string): number => createHash("sha256").update(id).digest().readUInt32BE() % 100

/**
 * Orders of which some are refused, some are placed without a response, and some fail once they are placed. Their status
 * is final.
 */
export const failingDeliveries = (notify: Notify): FulfilmentOptions => {
  const reliable = fulfilment(notify)
  return {
    ...reliable,
    place: async (order, context) => {
      const percentile = percentileOf(order.orderId)
      if (percentile < 10) throw new PlacementRefused({ reason: "out_of_stock" })
      const placed = await reliable.place(order, context)
      if (percentile < 20) throw new Error("the upstream's response was lost")
      return placed
    },
    find: async (orderId) => {
      const found = (await notify("/orders/find", { orderId })) as { readonly reference?: string }
      return found.reference ?? null
    },
    status: async (reference) =>
      percentileOf(reference) < 10
        ? { status: "failed", reason: "insufficient_stock", shipments: [] }
        : { status: "delivered", shipments: [{ trackingNumber: "1Z999AA10123456784" }] }
  }
}

const tracker: TrackerOptions = {
  track: async ({ number }) => sampleTrackResult(number, { serviceType: randomUUID() })
}

const vault: VaultOptions = {
  open: async ({ slug }) => ({ body: sampleArchive({ "README.md": `# ${slug}\n` }) })
}

const mailer = (notify: Notify): MailerOptions => ({
  send: async ({ idempotencyKey, to }) => {
    await notify("/mails", { to, idempotencyKey })
  }
})

/** The ports of a server: the external services record every call. */
export const shop = (notify: Notify) => ({
  marketplaces: { marketplace_a: marketplace },
  fulfilment: fulfilment(notify),
  tracker,
  vault,
  mailer: mailer(notify)
})
