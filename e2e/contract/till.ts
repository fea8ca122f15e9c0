import { memory, Till, type TillOptions, type TrackResult, type VaultItem } from "@till402/core"
import { onTestFinished } from "vitest"

/*
 * The till under test: in-memory storage, providers that a test scripts, and a facilitator in the same
 * process that finds every payment valid and settles it. Nothing here knows a schema of the service.
 */

/** Public address, which is never the address that requests are sent to. */
export const baseUrl = "https://shop.example"
export const internalOrigin = "http://10.0.0.7:8080"
export const payTo = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
export const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"

type Marketplace = NonNullable<NonNullable<TillOptions["marketplaces"]>["marketplace_a"]>
type Port<Name extends keyof TillOptions> = NonNullable<TillOptions[Name]>

/** What each provider function does; a test replaces what it needs. */
export interface Script {
  searchA: Marketplace["search"]
  searchB: Marketplace["search"]
  ask: Port<"assistant">["ask"]
  quote: Port<"fulfilment">["quote"]
  place: Port<"fulfilment">["place"]
  track: Port<"tracker">["track"]
  open: Port<"vault">["open"]
  send: Port<"mailer">["send"]
}

/** The input of every call to a provider, in order. */
export type Calls = { readonly [Name in keyof Script]: Array<Parameters<Script[Name]>[0]> }

type SearchProduct = Awaited<ReturnType<Marketplace["search"]>>["products"][number]

export const productA: SearchProduct = {
  asin: "B0CONTRACT",
  title: "Walnut desk lamp",
  price: 39.5,
  currency: "USD",
  rating: 4.6,
  reviewCount: 812,
  imageUrl: "https://images.example/lamp.jpg",
  productUrl: "https://marketplace.example/dp/B0CONTRACT",
  source: "marketplace_a",
  isExpedited: true
}

/** Everything that may be unknown is unknown. */
export const productB: SearchProduct = {
  asin: "7219004411",
  title: "Linen lamp shade",
  price: null,
  currency: "USD",
  rating: null,
  reviewCount: null,
  imageUrl: null,
  productUrl: null,
  source: "marketplace_b",
  isExpedited: false
}

export const delivered: TrackResult = {
  number: "1Z999AA10123456784",
  status: "Delivered",
  subStatus: "Delivered_Signed",
  statusDescription: "Signed for by the receiver",
  delivered: true,
  found: true,
  carrier: { code: 100002, name: "UPS", homepage: "https://www.ups.com", country: "US" },
  lastMileCarrier: { code: 21051, name: "USPS" },
  origin: "CN",
  destination: "US",
  latestEvent: {
    time: "2026-03-04T14:05:00-08:00",
    description: "Delivered",
    location: "Portland, OR",
    stage: "Delivered"
  },
  events: [
    {
      time: "2026-03-04T14:05:00-08:00",
      description: "Delivered",
      location: "Portland, OR",
      stage: "Delivered"
    },
    { time: null, description: null, location: null, stage: null }
  ],
  milestones: [
    { stage: "InfoReceived", time: "2026-02-27T09:00:00+08:00" },
    { stage: "Delivered", time: null }
  ],
  pickedUpAt: "2026-02-27T18:30:00+08:00",
  deliveredAt: "2026-03-04T14:05:00-08:00",
  daysInTransit: 5,
  daysSinceLastUpdate: 1,
  estimatedDelivery: { from: "2026-03-03T00:00:00-08:00", to: null, source: "Official" },
  serviceType: "Ground",
  weightKg: "1.36",
  carrierNotice: "Left with the concierge",
  trackingPageUrl: "https://t.example/1Z999AA10123456784"
}

export const unknownShipment: TrackResult = {
  number: "NEW-00001",
  status: "NotFound",
  subStatus: null,
  statusDescription: null,
  delivered: false,
  found: false,
  carrier: { code: null, name: null, homepage: null, country: null },
  lastMileCarrier: null,
  origin: null,
  destination: null,
  latestEvent: null,
  events: [],
  milestones: [],
  pickedUpAt: null,
  deliveredAt: null,
  daysInTransit: null,
  daysSinceLastUpdate: null,
  estimatedDelivery: null,
  serviceType: null,
  weightKg: null,
  carrierNotice: null,
  trackingPageUrl: "https://t.example/NEW-00001"
}

export const vaultItem: VaultItem = {
  id: "0b9c2f4e-52f1-4c0e-9d53-6a1f1f0a7c01",
  slug: "launch-checklist",
  title: "Launch checklist",
  productType: "skill",
  cardDescription: "Everything to do before a product goes live",
  price: 7,
  category: "marketing",
  creator: { name: "Ada", type: "human" },
  downloads: 12,
  coverImageUrl: "https://images.example/launch.png"
}

/** An archive with no entries: the shortest bytes that are a ZIP. */
export const emptyZip = new Uint8Array([0x50, 0x4b, 0x05, 0x06, ...Array.from({ length: 18 }, () => 0)])

/** Whole US dollars and cents that the scripted fulfilment quotes. */
export const quotedTotal = "84.37"

const defaultScript = (): Script => ({
  searchA: async () => ({ products: [productA], totalResults: 1, hasMore: false }),
  searchB: async () => ({ products: [productB], totalResults: 1, hasMore: false }),
  ask: async () => ({ reply: "Have a look at this lamp.", products: [withoutExpedited(productA)] }),
  quote: async () => ({
    product: { title: "Walnut desk lamp", imageUrl: "https://images.example/lamp.jpg", price: "69.99" },
    subtotal: "69.99",
    tax: "6.39",
    shipping: "7.99",
    total: quotedTotal,
    currency: "USD",
    reference: "upstream-quote-1",
    expiresAt: new Date(Date.now() + 15 * 60_000)
  }),
  place: async () => ({ reference: "upstream-order-1" }),
  track: async () => delivered,
  open: async () => ({ body: emptyZip, size: emptyZip.length }),
  send: async () => undefined
})

export const withoutExpedited = ({ isExpedited: _, ...product }: SearchProduct) => product

/** One settlement that the facilitator was asked for. */
export interface Settlement {
  readonly amount: string
  readonly transaction: string
}

/** Says yes to every payment and gives each settlement a transaction hash of its own. */
const obligingFacilitator = (settlements: Array<Settlement>): TillOptions["facilitator"] => ({
  verify: async (payment: WirePayment) => ({ isValid: true, payer: payment.payload.authorization.from }),
  settle: async (payment: WirePayment) => {
    const transaction = `0x${(settlements.length + 1).toString(16).padStart(64, "0")}`
    settlements.push({ amount: payment.payload.authorization.value, transaction })
    return {
      success: true,
      transaction,
      network: "eip155:84532",
      payer: payment.payload.authorization.from
    }
  }
})

interface WirePayment {
  readonly payload: { readonly authorization: { readonly from: string; readonly value: string } }
}

/** A call as a client means it: `body` is JSON unless it is bytes or text already. */
export interface Call {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const requestOf = (call: Call, headers: Readonly<Record<string, string>> = {}): Request => {
  const { body, method = "GET", path } = call
  const raw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream
  return new Request(`${internalOrigin}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
      ...headers
    },
    ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body), duplex: "half" })
  } as RequestInit)
}

export type PortName = "marketplaces" | "assistant" | "fulfilment" | "tracker" | "vault" | "mailer"

export interface Shop {
  readonly till: ReturnType<typeof Till.make>
  readonly script: Script
  readonly calls: Calls
  readonly settlements: ReadonlyArray<Settlement>
  /** Sends a call without payment, unless its headers carry one. */
  readonly send: (call: Call) => Promise<Response>
}

/** Opens a till of its own for one test, and closes it with the test. */
export const openShop = async (
  settings: {
    readonly script?: Partial<Script>
    readonly options?: Partial<TillOptions>
    readonly without?: ReadonlyArray<PortName>
    /** Default: one item. */
    readonly items?: ReadonlyArray<VaultItem>
  } = {}
): Promise<Shop> => {
  const shop = await keepShop(settings)
  onTestFinished(() => shop.till.dispose())
  return shop
}

/** The same for a whole file: the caller disposes of it. */
export const keepShop = async (settings: Parameters<typeof openShop>[0] = {}): Promise<Shop> => {
  const script: Script = { ...defaultScript(), ...settings.script }
  const calls: Calls = {
    searchA: [],
    searchB: [],
    ask: [],
    quote: [],
    place: [],
    track: [],
    open: [],
    send: []
  }
  const settlements: Array<Settlement> = []
  const options: Record<string, unknown> & TillOptions = {
    baseUrl,
    payTo,
    networks: ["base-sepolia"],
    facilitator: obligingFacilitator(settlements),
    trustFacilitator: true,
    secret: "a contract test's own secret, known to everybody",
    storage: memory(),
    onEvent: () => undefined,
    ...providers(script, calls),
    ...settings.options
  }
  for (const port of settings.without ?? []) delete options[port]
  const till = Till.make(options)
  await till.ready
  for (const item of settings.items ?? [vaultItem]) await till.vault.put(item)
  return { till, script, calls, settlements, send: (call) => till.fetch(requestOf(call)) }
}

const providers = (script: Script, calls: Calls) => ({
  marketplaces: {
    marketplace_a: {
      search: (query, context) => {
        calls.searchA.push(query)
        return script.searchA(query, context)
      }
    },
    marketplace_b: {
      search: (query, context) => {
        calls.searchB.push(query)
        return script.searchB(query, context)
      }
    }
  } satisfies Port<"marketplaces">,
  assistant: {
    ask: (request, context) => {
      calls.ask.push(request)
      return script.ask(request, context)
    }
  } satisfies Port<"assistant">,
  fulfilment: {
    quote: (request, context) => {
      calls.quote.push(request)
      return script.quote(request, context)
    },
    place: (order, context) => {
      calls.place.push(order)
      return script.place(order, context)
    }
  } satisfies Port<"fulfilment">,
  tracker: {
    track: (query, context) => {
      calls.track.push(query)
      return script.track(query, context)
    }
  } satisfies Port<"tracker">,
  vault: {
    open: (item, context) => {
      calls.open.push(item)
      return script.open(item, context)
    }
  } satisfies Port<"vault">,
  mailer: {
    send: (mail, context) => {
      calls.send.push(mail)
      return script.send(mail, context)
    }
  } satisfies Port<"mailer">
})
