import type { SearchProduct, Source } from "../domain/Product.ts"
import type {
  AssistantOptions,
  FulfilmentOptions,
  MailerOptions,
  MarketplaceOptions,
  TrackerOptions,
  VaultOptions
} from "../ProviderOptions.ts"
import type { Mail } from "../ports/Mailer.ts"
import { sampleArchive } from "./archive.ts"
import { sampleProducts, sampleTrackResult } from "./samples.ts"
import { type Scripted, scripted } from "./scripted.ts"

/*
 * Providers to give to `Till.make` in a test. Each answers something sensible from the start, does as
 * it is told from then on, and remembers what it was asked.
 */

export interface FakeMarketplace extends MarketplaceOptions {
  readonly search: Scripted<MarketplaceOptions["search"]>
}

/** A marketplace that answers the same products, five of `source` by default, to every query. */
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

export interface FakeAssistant extends AssistantOptions {
  readonly ask: Scripted<AssistantOptions["ask"]>
}

/** An assistant that recommends the first three products a search for the message finds. */
export const fakeAssistant = (): FakeAssistant => ({
  ask: scripted<AssistantOptions["ask"]>("assistant.ask", async ({ message }, { search }) => {
    const products = (await search({ q: message, page: 1 })).slice(0, 3)
    return { reply: `I found ${products.length} for you.`, products }
  })
})

type PlacedOrder = Parameters<FulfilmentOptions["place"]>[0]

export interface FakeFulfilment extends FulfilmentOptions {
  readonly quote: Scripted<FulfilmentOptions["quote"]>
  readonly place: Scripted<FulfilmentOptions["place"]>
  /** Orders that stand upstream, by order id: each once, however often it was placed. */
  readonly orders: ReadonlyMap<string, PlacedOrder & { readonly upstreamReference: string }>
  /** How often an order was asked to be placed, failures included. */
  readonly placements: (orderId: string) => number
  /** Places the next order and then fails all the same: the answer was lost on its way. */
  readonly losesNextAnswer: (error?: unknown) => FakeFulfilment
}

/**
 * A fulfilment that quotes 20.00 and 1.65 tax and 4.99 shipping, for ten minutes, and places each order
 * id once. `now` is its clock in milliseconds since the epoch.
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
    losesNextAnswer: (error = new Error("connection reset")) => {
      place.answersOnce((order) => {
        keep(order)
        throw error
      })
      return fake
    }
  }
  return fake
}

export interface FakeTracker extends TrackerOptions {
  readonly track: Scripted<TrackerOptions["track"]>
}

/** A tracker to which every number is a shipment on its way. */
export const fakeTracker = (): FakeTracker => ({
  track: scripted<TrackerOptions["track"]>("tracker.track", ({ number }) => sampleTrackResult(number))
})

export interface FakeVaultFiles extends VaultOptions {
  readonly open: Scripted<VaultOptions["open"]>
}

/** A vault with the given archives by slug; any other slug opens an archive of one `README.md`. */
export const fakeVaultFiles = (archives: ReadonlyMap<string, Uint8Array> = new Map()): FakeVaultFiles => ({
  open: scripted<VaultOptions["open"]>("vault.open", ({ slug }) => ({
    body: archives.get(slug) ?? sampleArchive({ "README.md": `# ${slug}\n` })
  }))
})

export interface FakeMailer extends MailerOptions {
  readonly send: Scripted<MailerOptions["send"]>
  /** Mails that went out, oldest first: each idempotency key once. */
  readonly sent: ReadonlyArray<Mail>
}

/** A mailer that keeps what it is given. */
export const fakeMailer = (): FakeMailer => {
  const sent: Array<Mail> = []
  return {
    sent,
    send: scripted<MailerOptions["send"]>("mailer.send", (mail) => {
      if (!sent.some(({ idempotencyKey }) => idempotencyKey === mail.idempotencyKey)) sent.push(mail)
    })
  }
}
