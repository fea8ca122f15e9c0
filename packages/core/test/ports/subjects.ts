import { createHash } from "node:crypto"
import { Effect, Layer, Option } from "effect"
import { Catalogue } from "../../src/shop/ports/Catalogue.ts"
import { PlacementRefused, type PortName } from "../../src/shop/ports/PortErrors.ts"
import type { Offer } from "../../src/shop/goods/Order.ts"
import type { SearchProduct } from "../../src/shop/goods/Product.ts"
import type { CallContext } from "../../src/runtime/Deadline.ts"
import { Assistant, guardedAssistant } from "../../src/shop/ports/Assistant.ts"
import { Fulfilment, guardedFulfilment } from "../../src/shop/ports/Fulfilment.ts"
import type { QuoteRequest } from "../../src/shop/ports/FulfilmentOptions.ts"
import { guardedMailer, type Mail, Mailer } from "../../src/shop/ports/Mailer.ts"
import { guardedMarketplaces, Marketplaces } from "../../src/shop/ports/Marketplaces.ts"
import { PortSettings } from "../../src/shop/ports/PortGuard.ts"
import { guardedTracker, Tracker } from "../../src/shop/ports/Tracker.ts"
import { guardedVaultFiles, VaultFiles } from "../../src/shop/ports/VaultFiles.ts"
import {
  fakeMarketplace,
  sampleArchive,
  sampleProduct,
  sampleTrackResult
} from "../../../testing/src/index.ts"

/** Deadline of every call in these tests. */
export const timeoutMillis = 5_000
export const settings = { timeoutMillis }

/** Calls ports with these settings. */
export const withSettings = Effect.provideService(PortSettings, settings)

/** A host's function of any port. */
export type HostFunction = (input: unknown, context: CallContext) => Promise<never>

/** A host's effect of any port. */
export type HostEffect = () => Effect.Effect<never, never>

/** One operation of one port, called through the guard. */
export interface Subject {
  /** The name of its span. */
  readonly operation: string
  readonly port: PortName
  /** Refusals that the operation lets a host throw. */
  readonly refusals: ReadonlyArray<string>
  /** Refusals that come out as another, by the name of what is thrown. */
  readonly becomes?: Readonly<Record<string, object>>
  /** Calls a port of plain functions. */
  readonly call: (host: HostFunction) => Effect.Effect<unknown, { readonly _tag: string }>
  /** Calls a port that is a layer. */
  readonly callLayer: (host: HostEffect) => Effect.Effect<unknown, { readonly _tag: string }>
  /** What a correct host returns, and what comes out of it. */
  readonly response: unknown
  readonly comesOut: unknown
  /** Unusable results, and the text that the failure must contain. */
  readonly malformed: ReadonlyArray<readonly [what: string, response: unknown, pattern: RegExp]>
}

/** A catalogue over given products. */
export const catalogueOf = (products: ReadonlyArray<SearchProduct>): Layer.Layer<Catalogue> =>
  Catalogue.layer.pipe(
    Layer.provide(Marketplaces.layerPromise({ marketplace_a: fakeMarketplace("marketplace_a", products) }))
  )

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

const searching = (marketplaces: Layer.Layer<Marketplaces>) =>
  Effect.flatMap(guardedMarketplaces("own"), ([marketplace]) =>
    marketplace!.search({ q: "tote", page: 1 })
  ).pipe(Effect.provide(marketplaces), withSettings)

const search: Subject = {
  operation: "Marketplaces.search",
  port: "marketplace",
  refusals: [],
  call: (host) =>
    searching(Marketplaces.layerPromise({ marketplace_a: { search: host, timeoutMillis: 4_500 } })),
  callLayer: (host) =>
    searching(Layer.succeed(Marketplaces, [{ source: "marketplace_a", search: host, timeoutMillis: 4_500 }])),
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

const reply = (layer: Layer.Layer<Assistant>) =>
  Effect.flatMap(guardedAssistant, (assistant) => assistant.reply({ message: "a bag" })).pipe(
    Effect.provide(layer),
    withSettings
  )

const replying: Subject = {
  operation: "Assistant.reply",
  port: "assistant",
  refusals: [],
  call: (host) => reply(Layer.provide(Assistant.layerPromise({ reply: host }), catalogueOf([]))),
  callLayer: (host) => reply(Layer.succeed(Assistant, { reply: host })),
  response: { reply: "Here you are.", products: [product] },
  comesOut: { reply: "Here you are.", products: [recommended] },
  malformed: [
    ["no reply", { products: [] }, /^reply: Missing key$/],
    ["products that are no list", { reply: "Here.", products: {} }, /^products: Expected array$/],
    ["an empty reply", { reply: " ", products: [] }, /^reply: is empty$/],
    ...["undefined", "null", "NaN", "[object Object]"].map(
      (reply) => [`the reply ${reply}`, { reply, products: [] }, /^reply: is empty$/] as const
    ),
    [
      "an unknown source",
      { reply: "Here.", products: [{ ...product, source: "elsewhere" }] },
      /products\.0\.source/
    ]
  ]
}

const orderly = <A, E>(
  layer: Layer.Layer<Fulfilment>,
  use: (fulfilment: Effect.Success<typeof guardedFulfilment>) => Effect.Effect<A, E>
) => Effect.flatMap(guardedFulfilment, use).pipe(Effect.provide(layer), withSettings)
const never = () => Promise.reject(new Error("must not be called"))
const unused = () => Effect.die("must not be called")
const quoting = (layer: Layer.Layer<Fulfilment>) =>
  orderly(layer, (fulfilment) => fulfilment.quote(quoteRequest))
const placing = (layer: Layer.Layer<Fulfilment>) =>
  orderly(layer, (fulfilment) => fulfilment.place({ ...quoteRequest, orderId: "7f1d", offer }))
const finding = (layer: Layer.Layer<Fulfilment>) =>
  orderly(layer, (fulfilment) => fulfilment.find!("7f1d", "offer-1"))
const reading = (layer: Layer.Layer<Fulfilment>) =>
  orderly(layer, (fulfilment) => fulfilment.status!("order-1"))

const quote: Subject = {
  operation: "Fulfilment.quote",
  port: "fulfilment",
  refusals: ["ProductNotFound", "ProductUnavailable", "AddressNotServed"],
  call: (host) => quoting(Fulfilment.layerPromise({ quote: host, place: never })),
  callLayer: (host) => quoting(Layer.succeed(Fulfilment, { quote: host, place: unused })),
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
    ["no reference", { ...quotedOffer, reference: "" }, /^reference: must not be empty$/],
    ["a reference of nothing", { ...quotedOffer, reference: String(undefined) }, /^reference: must not have/],
    ["a reference of an object", { ...quotedOffer, reference: String({}) }, /^reference: must not have/],
    [
      "a reference of nothing by a route",
      { ...quotedOffer, reference: "zinc:null" },
      /^reference: must not have/
    ],
    [
      "a title of nothing",
      { ...quotedOffer, product: { title: "undefined" } },
      /title: must not be undefined/
    ],
    ["minutes in seconds", { ...quotedOffer, expiresAt: new Date(900) }, /^expiresAt: .*look like seconds$/]
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
  call: (host) => placing(Fulfilment.layerPromise({ place: host, quote: never })),
  callLayer: (host) => placing(Layer.succeed(Fulfilment, { place: host, quote: unused })),
  response: { reference: "order-1" },
  comesOut: { reference: "order-1" },
  malformed: [
    ["no reference", {}, /^reference: Missing key$/],
    ["an empty reference", { reference: "" }, /^reference: must not be empty$/],
    ...[
      "undefined",
      "POundefined",
      "undefined/",
      "undefined-7",
      "zinc:undefined-7",
      "acme-undefined",
      "order_null",
      "zinc:NaN",
      "order [object Object]"
    ].map((reference) => [`the reference ${reference}`, { reference }, /^reference: must not/] as const)
  ]
}

const find: Subject = {
  operation: "Fulfilment.find",
  port: "fulfilment",
  refusals: [],
  call: (host) => finding(Fulfilment.layerPromise({ quote: never, place: never, find: host })),
  callLayer: (host) => finding(Layer.succeed(Fulfilment, { quote: unused, place: unused, find: host })),
  response: "order-1",
  comesOut: "order-1",
  malformed: [
    ["nothing", undefined, /^find returned undefined: return null if there is no such order$/],
    ["an empty reference", "", /must not be empty/],
    ["an object", { reference: "order-1" }, /Expected string/],
    ["text of nothing", "acme-undefined", /must not have/]
  ]
}

const status: Subject = {
  operation: "Fulfilment.status",
  port: "fulfilment",
  refusals: [],
  call: (host) => reading(Fulfilment.layerPromise({ quote: never, place: never, status: host })),
  callLayer: (host) => reading(Layer.succeed(Fulfilment, { quote: unused, place: unused, status: host })),
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

const tracking = (layer: Layer.Layer<Tracker>) =>
  Effect.flatMap(guardedTracker, (tracker) => tracker.track({ number: shipment.number }, undefined)).pipe(
    Effect.provide(layer),
    withSettings
  )

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
  call: (host) => tracking(Tracker.layerPromise({ track: host })),
  callLayer: (host) => tracking(Layer.succeed(Tracker, { track: host })),
  response: shipment,
  comesOut: shipment,
  malformed: [
    ["an unknown status", { ...shipment, status: "Lost" }, /^status: /],
    ["nonsense", { nonsense: 1 }, /^number: Missing key/],
    [
      "words of nothing",
      { ...shipment, statusDescription: "undefined" },
      /^events or carrier: a description or name is undefined/
    ],
    [
      "a carrier of nothing",
      { ...shipment, carrier: { ...shipment.carrier, name: "undefined" } },
      /^events or carrier: a/
    ],
    [
      "an event of nothing",
      { ...shipment, events: [{ ...shipment.events[0], description: "null" }] },
      /^events or carrier: a/
    ],
    ["a time that is none", { ...shipment, deliveredAt: "yesterday" }, /^deliveredAt: must be ISO 8601/],
    [
      "a day that is none",
      { ...shipment, milestones: [{ stage: "Departure", time: "2026-02-30T09:30:00Z" }] },
      /^milestones\.0\.time: must be ISO 8601/
    ],
    [
      "a time without an offset",
      { ...shipment, events: [{ time: "2026-03-02T09:30:00" }] },
      /^events\.0\.time: must be ISO 8601/
    ],
    ["a page that is no URL", { ...shipment, trackingPageUrl: "on our site" }, /^trackingPageUrl: must be/],
    [
      "a script as page",
      { ...shipment, trackingPageUrl: "javascript:alert(1)" },
      /^trackingPageUrl: must be/
    ],
    ["an unknown milestone", { ...shipment, milestones: [{ stage: "Lost" }] }, /^milestones\.0\.stage: /],
    ["no carrier", { ...shipment, carrier: null }, /^carrier: Expected object$/],
    ["an event that is text", { ...shipment, events: ["Departed"] }, /^events\.0: Expected object$/]
  ]
}

const opening = (layer: Layer.Layer<VaultFiles>) =>
  Effect.flatMap(guardedVaultFiles, (files) => files.open({ slug: "launch-plan" })).pipe(
    Effect.provide(layer),
    withSettings
  )

const open: Subject = {
  operation: "VaultFiles.open",
  port: "vault",
  refusals: [],
  call: (host) => opening(VaultFiles.layerPromise({ open: host })),
  callLayer: (host) => opening(Layer.succeed(VaultFiles, { open: host })),
  response: { body: archive },
  comesOut: {
    body: archive,
    size: archive.length,
    digest: createHash("sha256").update(archive).digest("hex")
  },
  malformed: [
    ["no body", {}, /^body: must be/],
    ["an empty archive", { body: new Uint8Array() }, /^body: must be a ZIP archive/],
    ["an error page", { body: new TextEncoder().encode("<Error>") }, /^body: must be a ZIP archive/],
    ["text", { body: "PK" }, /^body: must be/],
    ["a fraction of a byte", { body: new Blob(["PK"]).stream(), size: 1.5 }, /^size: must be/]
  ]
}

const sending = (layer: Layer.Layer<Mailer>) =>
  Effect.flatMap(guardedMailer, (mailer) => Option.getOrThrow(mailer).send(mail)).pipe(
    Effect.provide(layer),
    withSettings
  )

const send: Subject = {
  operation: "Mailer.send",
  port: "mail",
  refusals: ["MailRejected"],
  call: (host) => sending(Mailer.layerPromise({ send: host })),
  callLayer: (host) => sending(Layer.succeed(Mailer, { send: host })),
  response: { id: "whatever the mail service says" },
  comesOut: undefined,
  malformed: (
    [
      { ok: false },
      { error: { statusCode: 403 } },
      { statusCode: 401, name: "validation_error", message: "API key is invalid" },
      { status: 500, message: "try later" },
      { ErrorCode: 10, Message: "Bad or missing server API token" },
      { errors: [{ message: "The provided authorization grant is invalid" }] },
      { accepted: [], rejected: ["ada@shop.example"], response: "550" },
      { success: false }
    ] as const
  ).map((result) => [JSON.stringify(result), result, /throw if nothing was sent$/])
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
