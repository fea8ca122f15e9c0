import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { Catalogue } from "../../src/shop/ports/Catalogue.ts"
import { PlacementRefused, type PortName } from "../../src/shop/ports/Errors.ts"
import type { Offer } from "../../src/shop/goods/Order.ts"
import type { SearchProduct } from "../../src/shop/goods/Product.ts"
import type { CallContext } from "../../src/runtime/Deadline.ts"
import { Assistant } from "../../src/shop/ports/Assistant.ts"
import { Fulfilment } from "../../src/shop/ports/Fulfilment.ts"
import type { QuoteRequest } from "../../src/shop/ports/FulfilmentOptions.ts"
import { type Mail, Mailer } from "../../src/shop/ports/Mailer.ts"
import { Marketplaces } from "../../src/shop/ports/Marketplaces.ts"
import { Tracker } from "../../src/shop/ports/Tracker.ts"
import { VaultFiles } from "../../src/shop/ports/VaultFiles.ts"
import { sampleArchive, sampleProduct, sampleTrackResult } from "../../../testing/src/index.ts"

/** Deadline of every call in these tests. */
export const timeoutMillis = 5_000
export const settings = { timeoutMillis }

/** A host's function of any port. */
export type HostFunction = (input: unknown, context: CallContext) => Promise<never>

/** One operation of one port, called through `fromPromise`. */
export interface Subject {
  /** The name of its span. */
  readonly operation: string
  readonly port: PortName
  /** Refusals that the operation lets a host throw. */
  readonly refusals: ReadonlyArray<string>
  /** Refusals that come out as another, by the name of what is thrown. */
  readonly becomes?: Readonly<Record<string, object>>
  readonly call: (host: HostFunction) => Effect.Effect<unknown, { readonly _tag: string }>
  /** What a correct host returns, and what comes out of it. */
  readonly response: unknown
  readonly comesOut: unknown
  /** Unusable results, and the text that the failure must contain. */
  readonly malformed: ReadonlyArray<readonly [what: string, response: unknown, pattern: RegExp]>
}

/** A catalogue over given products. */
export const catalogueOf = (products: ReadonlyArray<SearchProduct>): Layer.Layer<Catalogue> =>
  Catalogue.layerWith(settings).pipe(Layer.provide(Marketplaces.layerMemory(products)))

export const quoteRequest: QuoteRequest = {
  product: { source: "marketplace_a", asin: "B000000001", productUrl: undefined },
  shippingAddress: {
    name: "Ada Lovelace",
    line1: "1 Analytical Way",
    city: "Newark",
    state: "NJ",
    postalCode: "07102",
    country: "US"
  },
  email: "ada@shop.example"
}

const usd = (atomic: bigint) => ({ atomic, currency: "USD" })
export const offer: Offer = {
  product: { title: "Canvas tote bag", imageUrl: "https://images.example/1.jpg", price: usd(20_000_000n) },
  subtotal: usd(20_000_000n),
  tax: usd(1_650_000n),
  shipping: usd(4_990_000n),
  total: usd(26_640_000n),
  reference: "quote-1",
  expiresAtMillis: 600_000
}
export const quotedOffer = {
  product: { title: "Canvas tote bag", imageUrl: "https://images.example/1.jpg", price: "20.00" },
  subtotal: "20.00",
  tax: "1.65",
  shipping: "4.99",
  total: "26.64",
  currency: "USD",
  reference: "quote-1",
  expiresAt: new Date(600_000)
}

const product = sampleProduct()
const { isExpedited: _expedited, ...recommended } = product
const shipment = sampleTrackResult("1Z999AA10123456784")
const archive = sampleArchive({ "README.md": "# Launch plan\n" })
const mail: Mail = {
  to: "ada@shop.example",
  subject: "Your order",
  text: "Thank you.",
  html: "<p>Thank you.</p>",
  idempotencyKey: "order-1"
}

const search: Subject = {
  operation: "Marketplaces.search",
  port: "marketplace",
  refusals: [],
  call: (host) =>
    Effect.flatMap(Marketplaces, ([marketplace]) => marketplace!.search({ q: "tote", page: 1 })).pipe(
      Effect.provide(Marketplaces.fromPromise({ marketplace_a: { search: host } }, settings))
    ),
  response: { products: [product], totalResults: 1, hasMore: false },
  comesOut: { products: [product], totalResults: 1, hasMore: false },
  malformed: [
    ["no result", undefined, /Expected object/],
    ["no products", { totalResults: 1, hasMore: false }, /^products: Missing key$/],
    [
      "a title that is no text",
      { products: [product, { ...product, title: 3 }], totalResults: 1, hasMore: false },
      /^products\.1\.title: Expected string, got \d+$/
    ],
    [
      "a price in text",
      { products: [{ ...product, price: "19.99" }], totalResults: 1, hasMore: false },
      /products\.0\.price/
    ],
    [
      "a price that is no number",
      { products: [{ ...product, price: Number.NaN }], totalResults: 1, hasMore: false },
      /products\.0\.price/
    ],
    ["a negative count", { products: [], totalResults: -1, hasMore: false }, /totalResults/]
  ]
}

const replying: Subject = {
  operation: "Assistant.reply",
  port: "assistant",
  refusals: [],
  call: (host) =>
    Effect.flatMap(Assistant, (assistant) => assistant.reply({ message: "a bag" })).pipe(
      Effect.provide(Assistant.fromPromise({ reply: host }, settings).pipe(Layer.provide(catalogueOf([]))))
    ),
  response: { reply: "Here you are.", products: [product] },
  comesOut: { reply: "Here you are.", products: [recommended] },
  malformed: [
    ["no reply", { products: [] }, /^reply: Missing key$/],
    ["products that are no list", { reply: "", products: {} }, /^products: Expected array$/],
    [
      "an unknown source",
      { reply: "", products: [{ ...product, source: "elsewhere" }] },
      /products\.0\.source/
    ]
  ]
}

const quote: Subject = {
  operation: "Fulfilment.quote",
  port: "fulfilment",
  refusals: ["ProductNotFound", "ProductUnavailable", "AddressNotServed"],
  call: (host) =>
    Effect.flatMap(Fulfilment, (fulfilment) => fulfilment.quote(quoteRequest)).pipe(
      Effect.provide(Fulfilment.fromPromise({ quote: host, place: host }, settings))
    ),
  response: quotedOffer,
  comesOut: offer,
  malformed: [
    ["another currency", { ...quotedOffer, currency: "EUR" }, /^currency: must be USD/],
    ["an amount that is a number", { ...quotedOffer, total: 26.64 }, /^total: Expected string, got 26\.64$/],
    ["an amount with a comma", { ...quotedOffer, tax: "1,65" }, /^tax: must be a decimal amount/],
    ["a negative amount", { ...quotedOffer, shipping: "-4.99" }, /^shipping: must be a decimal amount/],
    ["an exponent", { ...quotedOffer, subtotal: "2e1" }, /^subtotal: must be a decimal amount/],
    [
      "nothing to pay",
      { ...quotedOffer, subtotal: "0", tax: "0", shipping: "0", total: "0.00" },
      /^total: must be above zero$/
    ],
    ["a total too low", { ...quotedOffer, total: "26.63" }, /^total: 26\.63 is not .* 26\.64$/],
    ["a total too high", { ...quotedOffer, total: "26.640001" }, /^total: 26\.640001 is not/],
    ["an expired offer", { ...quotedOffer, expiresAt: new Date(0) }, /^expiresAt: .*expired/],
    ["no date", { ...quotedOffer, expiresAt: new Date(Number.NaN) }, /^expiresAt: Expected a valid Date$/],
    ["no reference", { ...quotedOffer, reference: "" }, /^reference: must not be empty$/]
  ]
}

const place: Subject = {
  operation: "Fulfilment.place",
  port: "fulfilment",
  refusals: ["PlacementRefused", "NotPlaced"],
  becomes: {
    ProductNotFound: new PlacementRefused({ reason: "product_not_found" }),
    ProductUnavailable: new PlacementRefused({ reason: "out_of_stock" }),
    AddressNotServed: new PlacementRefused({ reason: "address_not_served" })
  },
  call: (host) =>
    Effect.flatMap(Fulfilment, (fulfilment) =>
      fulfilment.place({ ...quoteRequest, orderId: "7f1d", offer })
    ).pipe(Effect.provide(Fulfilment.fromPromise({ quote: host, place: host }, settings))),
  response: { reference: "order-1" },
  comesOut: { reference: "order-1" },
  malformed: [
    ["no reference", {}, /^reference: Missing key$/],
    ["an empty reference", { reference: "" }, /^reference: must not be empty$/]
  ]
}

const never = () => Promise.reject(new Error("must not be called"))

const find: Subject = {
  operation: "Fulfilment.find",
  port: "fulfilment",
  refusals: [],
  call: (host) =>
    Effect.flatMap(Fulfilment, (fulfilment) => fulfilment.find!("7f1d", "offer-1")).pipe(
      Effect.provide(Fulfilment.fromPromise({ quote: never, place: never, find: host }, settings))
    ),
  response: "order-1",
  comesOut: "order-1",
  malformed: [
    ["an empty reference", "", /must return a reference/],
    ["an object", { reference: "order-1" }, /must return a reference/]
  ]
}

const status: Subject = {
  operation: "Fulfilment.status",
  port: "fulfilment",
  refusals: [],
  call: (host) =>
    Effect.flatMap(Fulfilment, (fulfilment) => fulfilment.status!("order-1")).pipe(
      Effect.provide(Fulfilment.fromPromise({ quote: never, place: never, status: host }, settings))
    ),
  response: {
    status: "shipped",
    reason: "In Transit!",
    shipments: [
      { carrier: null, trackingNumber: "1Z9", trackingUrl: "javascript:alert(1)" },
      { carrier: "UPS", trackingNumber: "1Z8", trackingUrl: "https://ups.example/1Z8" }
    ]
  },
  comesOut: {
    status: "shipped",
    reason: "in_transit",
    shipments: [
      { trackingNumber: "1Z9" },
      { carrier: "UPS", trackingNumber: "1Z8", trackingUrl: "https://ups.example/1Z8" }
    ]
  },
  malformed: [
    ["an unknown status", { status: "lost", shipments: [] }, /^status: /],
    ["no shipments", { status: "placed" }, /^shipments: Missing key$/],
    [
      "a shipment without a number",
      { status: "placed", shipments: [{ trackingNumber: "" }] },
      /^shipments\.0/
    ]
  ]
}

const track: Subject = {
  operation: "Tracker.track",
  port: "tracking",
  refusals: [
    "AdditionalFieldRequired",
    "CarrierNotDetected",
    "InvalidCarrier",
    "InvalidTrackingNumber",
    "NoTrackingInfo"
  ],
  call: (host) =>
    Effect.flatMap(Tracker, (tracker) => tracker.track({ number: shipment.number })).pipe(
      Effect.provide(Tracker.fromPromise({ track: host }, settings))
    ),
  response: shipment,
  comesOut: shipment,
  malformed: [
    ["an unknown status", { ...shipment, status: "Lost" }, /^status: /],
    ["an unknown milestone", { ...shipment, milestones: [{ stage: "Lost" }] }, /^milestones\.0\.stage: /],
    ["no carrier", { ...shipment, carrier: null }, /^carrier: Expected object$/],
    ["an event that is text", { ...shipment, events: ["Departed"] }, /^events\.0: Expected object$/]
  ]
}

const open: Subject = {
  operation: "VaultFiles.open",
  port: "vault",
  refusals: [],
  call: (host) =>
    Effect.flatMap(VaultFiles, (files) => files.open({ slug: "launch-plan" })).pipe(
      Effect.provide(VaultFiles.fromPromise({ open: host }, settings))
    ),
  response: { body: archive },
  comesOut: {
    body: archive,
    size: archive.length,
    digest: createHash("sha256").update(archive).digest("hex")
  },
  malformed: [
    ["no body", {}, /^body: must be/],
    ["an empty archive", { body: new Uint8Array() }, /^body: is empty$/],
    ["text", { body: "PK" }, /^body: must be/],
    ["a fraction of a byte", { body: new Blob(["PK"]).stream(), size: 1.5 }, /^size: must be/]
  ]
}

const send: Subject = {
  operation: "Mailer.send",
  port: "mail",
  refusals: ["MailRejected"],
  call: (host) =>
    Effect.flatMap(Mailer, (mailer) => mailer.send(mail)).pipe(
      Effect.provide(Mailer.fromPromise({ send: host }, settings))
    ),
  response: { id: "whatever the mail service says" },
  comesOut: undefined,
  malformed: []
}

export const subjects: ReadonlyArray<Subject> = [
  search,
  replying,
  quote,
  place,
  find,
  status,
  track,
  open,
  send
]
