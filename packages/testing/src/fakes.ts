import type {
  AssistantOptions,
  FulfilmentOptions,
  Mail,
  MailerOptions,
  MarketplaceOptions,
  SearchProduct,
  Source,
  TrackerOptions,
  VaultOptions
} from "@till402/core/effect"
import { sampleArchive } from "./archive.ts"
import { sampleProducts, sampleTrackResult } from "./samples.ts"
import { type Scripted, scripted } from "./scripted.ts"

/*
 * Providers to pass to `Till.make` in a test. Each returns plausible results by default, can be scripted, and records
 * its calls.
 */

/** A marketplace with a scripted `search`. */
export interface FakeMarketplace extends MarketplaceOptions {
  readonly search: Scripted<MarketplaceOptions["search"]>
}

/**
 * Creates a marketplace that returns the same products for every query, by default five of `source`.
 *
 * @example
 * const marketplace = fakeMarketplace("marketplace_b")
 * marketplace.search.failsOnceWith(new Error("connection reset"))
 * const till = Till.make({ ...options, marketplaces: { marketplace_b: marketplace } })
 */
export const fakeMarketplace = (
  source: Source = "marketplace_a",
  products: ReadonlyArray<SearchProduct> = sampleProducts(source, 5)
): FakeMarketplace => ({
  search: scripted<MarketplaceOptions["search"]>(`${source}.search`, () => ({
    products,
    totalResults: products.length,
    hasMore: false
  }))
})

/** An assistant with a scripted `reply`. */
export interface FakeAssistant extends AssistantOptions {
  readonly reply: Scripted<AssistantOptions["reply"]>
}

/**
 * Creates an assistant that searches for the message and recommends the first three products.
 *
 * @example
 * const assistant = fakeAssistant()
 * assistant.reply.returnsOnce({ reply: "Nothing found.", products: [] })
 */
export const fakeAssistant = (): FakeAssistant => ({
  reply: scripted<AssistantOptions["reply"]>("assistant.reply", async ({ message }, { search }) => {
    const products = (await search({ q: message, page: 1 })).slice(0, 3)
    return { reply: `I found ${products.length} for you.`, products }
  })
})

type PlacedOrder = Parameters<FulfilmentOptions["place"]>[0]

/** An order upstream with scripted `quote` and `place`. */
export interface FakeFulfilment extends FulfilmentOptions {
  readonly quote: Scripted<FulfilmentOptions["quote"]>
  readonly place: Scripted<FulfilmentOptions["place"]>
  /** Orders that exist upstream, by order id. Placing an id again creates no second order. */
  readonly orders: ReadonlyMap<string, PlacedOrder & { readonly upstreamReference: string }>
  /** Number of calls to place an order, including failed ones. */
  readonly placements: (orderId: string) => number
  /** Places the next order but fails the call, as if its response was lost. */
  readonly losesNextResponse: (error?: unknown) => FakeFulfilment
}

/**
 * Creates a fulfilment that quotes 26.64 USD for ten minutes and places each order id once.
 *
 * @param options.now its clock, in milliseconds since the epoch
 * @example
 * const fulfilment = fakeFulfilment()
 * fulfilment.losesNextResponse()
 * const till = Till.make({ ...options, fulfilment })
 */
export const fakeFulfilment = (options: { readonly now?: () => number } = {}): FakeFulfilment => {
  const now = options.now ?? Date.now
  const orders = new Map<string, PlacedOrder & { readonly upstreamReference: string }>()
  let quotes = 0
  const keep = (order: PlacedOrder): { readonly reference: string } => {
    const upstreamReference =
      orders.get(order.orderId)?.upstreamReference ?? `upstream-order-${orders.size + 1}`
    if (!orders.has(order.orderId)) orders.set(order.orderId, { ...order, upstreamReference })
    return { reference: upstreamReference }
  }
  const place = scripted<FulfilmentOptions["place"]>("fulfilment.place", keep)
  const fake: FakeFulfilment = {
    quote: scripted<FulfilmentOptions["quote"]>("fulfilment.quote", () => ({
      product: {
        title: "Canvas tote bag",
        imageUrl: "https://images.example/B000000001.jpg",
        price: "20.00"
      },
      subtotal: "20.00",
      tax: "1.65",
      shipping: "4.99",
      total: "26.64",
      currency: "USD",
      reference: `upstream-quote-${++quotes}`,
      expiresAt: new Date(now() + 600_000)
    })),
    place,
    placesOnce: true,
    orders,
    placements: (orderId) => place.calls.filter(([order]) => order.orderId === orderId).length,
    losesNextResponse: (error = new Error("connection reset")) => {
      place.returnsOnce((order) => {
        keep(order)
        throw error
      })
      return fake
    }
  }
  return fake
}

/** A tracker with a scripted `track`. */
export interface FakeTracker extends TrackerOptions {
  readonly track: Scripted<TrackerOptions["track"]>
}

/**
 * Creates a tracker that returns a shipment in transit for every number.
 *
 * @example
 * const tracker = fakeTracker()
 * tracker.track.returns(sampleTrackResult("1Z999AA10123456784", { delivered: true, status: "Delivered" }))
 */
export const fakeTracker = (): FakeTracker => ({
  track: scripted<TrackerOptions["track"]>("tracker.track", ({ number }) => sampleTrackResult(number))
})

/** Vault files with a scripted `open`. */
export interface FakeVaultFiles extends VaultOptions {
  readonly open: Scripted<VaultOptions["open"]>
}

/**
 * Creates a vault with the given archives by slug; any other slug opens an archive with one `README.md`.
 *
 * @example
 * const vault = fakeVaultFiles(new Map([["launch-plan", sampleArchive({ "SKILL.md": "# Launch plan\n" })]]))
 */
export const fakeVaultFiles = (archives: ReadonlyMap<string, Uint8Array> = new Map()): FakeVaultFiles => ({
  open: scripted<VaultOptions["open"]>("vault.open", ({ slug }) => ({
    body: archives.get(slug) ?? sampleArchive({ "README.md": `# ${slug}\n` })
  }))
})

/** A mailer with a scripted `send`. */
export interface FakeMailer extends MailerOptions {
  readonly send: Scripted<MailerOptions["send"]>
  /** Sent mails, oldest first, each idempotency key once. */
  readonly sent: ReadonlyArray<Mail>
}

/**
 * Creates a mailer that records every mail instead of sending it.
 *
 * @example
 * const mailer = fakeMailer()
 * const till = Till.make({ ...options, mailer })
 * const subjects = mailer.sent.map(({ subject }) => subject)
 */
export const fakeMailer = (): FakeMailer => {
  const sent: Array<Mail> = []
  return {
    sent,
    send: scripted<MailerOptions["send"]>("mailer.send", (mail) => {
      if (!sent.some(({ idempotencyKey }) => idempotencyKey === mail.idempotencyKey)) sent.push(mail)
    })
  }
}
