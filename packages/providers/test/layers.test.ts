import { assert, describe, it } from "@effect/vitest"
import { type Mail, type ProductReference, type ShippingAddress } from "@till402/core"
import { Fulfilment, Mailer, Marketplaces, Tracker } from "@till402/core/effect"
import { SeventeenTrack } from "@till402/providers/17track"
import { Canopy } from "@till402/providers/canopy"
import { LocalFacilitator } from "@till402/providers/facilitator"
import { MemoryJournals } from "@till402/providers/journals"
import { LogMailer } from "@till402/providers/mail/log"
import { Resend } from "@till402/providers/mail/resend"
import { Smtp } from "@till402/providers/mail/smtp"
import { Shopify } from "@till402/providers/shopify"
import { Zinc } from "@till402/providers/zinc"
import { ConfigProvider, Effect, Exit, Layer, Logger } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

/*
 * The layers of all providers: what they provide, what they require, and one run through each port.
 */

type Handler = (request: Request) => Response | Promise<Response>

/** An `HttpClient` that responds by a function. */
const respondingWith = (handle: Handler): Layer.Layer<HttpClient.HttpClient> =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url) =>
      Effect.promise(async () => {
        const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : null
        const sent = new Request(url, {
          method: request.method,
          headers: request.headers,
          ...(body === null ? {} : { body })
        })
        return HttpClientResponse.fromWeb(request, await handle(sent))
      })
    )
  )

const environment = (variables: Record<string, string>): Layer.Layer<never> =>
  ConfigProvider.layer(ConfigProvider.fromUnknown(variables))

const product: ProductReference = { source: "marketplace_a", asin: "B0TEST0001", productUrl: undefined }
const shippingAddress: ShippingAddress = {
  name: "Ada Lovelace",
  line1: "1 Main St",
  city: "Springfield",
  state: "IL",
  postalCode: "62701",
  country: "US",
  phone: "+15550100"
}
const request = { product, shippingAddress, email: "ada@example.com" }

const canopyPage = {
  amazonProductSearchResults: {
    productResults: { results: [{ asin: "B0TEST0001", title: "Shoes" }], pageInfo: { hasNextPage: false } }
  }
}
const shopifyPage = {
  jsonrpc: "2.0",
  id: 1,
  result: {
    structuredContent: {
      products: [{ id: "gid://shopify/Product/1", title: "Boots", variants: [{ id: "v1", price: {} }] }],
      pagination: {}
    }
  }
}

describe("Marketplaces.layerOf", () => {
  it.effect("combines the marketplaces of several providers", () =>
    Effect.gen(function* () {
      const marketplaces = yield* Marketplaces
      assert.deepStrictEqual(
        marketplaces.map(({ source }) => source),
        ["marketplace_a", "marketplace_b"]
      )
      const pages = yield* Effect.forEach(marketplaces, ({ search }) => search({ q: "shoes", page: 1 }))
      assert.deepStrictEqual(
        pages.map(({ products }) => products.map(({ title }) => title)),
        [["Shoes"], ["Boots"]]
      )
    }).pipe(
      Effect.provide(
        Marketplaces.layerOf(Canopy, Shopify).pipe(
          Layer.provide([Canopy.layerConfig(), Shopify.layerConfig()]),
          Layer.provide([
            respondingWith(({ url }) => Response.json(url.includes("canopy") ? canopyPage : shopifyPage)),
            environment({ CANOPY_API_KEY: "key", SHOPIFY_PROFILE_URL: "https://shop.example/agent.json" })
          ])
        )
      )
    )
  )
})

describe("SeventeenTrack.layerConfig", () => {
  it.live("is a tracker", () =>
    Effect.gen(function* () {
      const { track } = yield* Tracker
      const result = yield* track({ number: "RR123456785GB" })
      assert.strictEqual(result.status, "InTransit")
    }).pipe(
      Effect.provide(
        SeventeenTrack.layerConfig().pipe(
          Layer.provide([
            respondingWith(() => Response.json(known)),
            environment({ SEVENTEENTRACK_API_KEY: "key" })
          ])
        )
      )
    )
  )
})

const known = {
  code: 0,
  data: {
    accepted: [
      { number: "RR123456785GB", carrier: 11031, track_info: { latest_status: { status: "InTransit" } } }
    ],
    rejected: []
  }
}

describe("the layers of Fulfilment", () => {
  it.effect("quote, place, find and report the status", () =>
    Effect.gen(function* () {
      const { find, place, placesOnce, quote, status } = yield* Fulfilment
      const { reference, ...offer } = yield* quote(request)
      assert.deepInclude(offer, { subtotal: "11.00", tax: "1.00", total: "12.50" })
      const placed = yield* place({ ...request, orderId: "order-1", reference, total: "12.50" })
      assert.deepStrictEqual(placed, { reference: "zn-1" })
      assert.isTrue(placesOnce)
      assert.strictEqual(yield* find!("order-1", reference), "zn-1")
      assert.deepStrictEqual(yield* status!("zn-1"), {
        status: "shipped",
        shipments: [{ trackingNumber: "1Z", carrier: "UPS", trackingUrl: "http://ups.example/1Z" }]
      })
    }).pipe(
      Effect.provide(
        Zinc.layerConfig({ allowance: { taxBasisPoints: 1_000, shippingCents: 50 } }).pipe(
          Layer.provide([respondingWith(zincResponse), environment({ ZINC_API_KEY: "zn_test" })])
        )
      )
    )
  )

  it.effect("fail with the errors of the port", () =>
    Effect.gen(function* () {
      const { place, quote } = yield* Fulfilment
      const { phone: _phone, ...unreachable } = shippingAddress
      const phoneless = { ...request, shippingAddress: unreachable }
      assert.strictEqual((yield* Effect.flip(quote(phoneless)))._tag, "AddressNotServed")
      const unavailable = yield* Effect.flip(quote(request))
      assert.include(unavailable, { _tag: "UpstreamUnavailable", port: "fulfilment" })
      const order = { ...request, orderId: "order-1", reference: "estimate-100", total: "1.00" }
      const failed = yield* Effect.flip(place(order))
      assert.strictEqual(failed._tag, "UpstreamUnavailable")
    }).pipe(
      Effect.provide(
        Zinc.layerConfig({ allowance: { taxBasisPoints: 0, shippingCents: 0 }, retries: 0 }).pipe(
          Layer.provide([
            respondingWith(() => new Response(null, { status: 503 })),
            environment({ ZINC_API_KEY: "zn_test" })
          ])
        )
      )
    )
  )
})

const zincResponse: Handler = async ({ method, url }) => {
  const order = {
    id: "zn-1",
    status: "in_progress",
    metadata: { orderId: "order-1" },
    tracking_numbers: [{ tracking_number: "1Z", carrier: "UPS", tracking_url: "http://ups.example/1Z" }]
  }
  if (url.endsWith("/wallet/me")) return Response.json({ balance: 10_000 })
  if (url.includes("/products/")) return Response.json({ title: "Shoes", price: 1_000 })
  if (method === "POST" || url.endsWith("/zn-1")) return Response.json(order)
  return Response.json([order])
}

const mail: Mail = {
  to: "ada@example.com",
  subject: "Order confirmed",
  text: "Thank you.",
  html: "<p>Thank you.</p>",
  idempotencyKey: "order-confirmed:1"
}

describe("the layers of Mailer", () => {
  it.effect("send through Resend", () => {
    const sent: Array<unknown> = []
    return Effect.gen(function* () {
      const { send } = yield* Mailer
      yield* send(mail)
      assert.deepStrictEqual(sent, [mail.to])
      const error = yield* Effect.flip(send({ ...mail, to: "nobody" }))
      assert.strictEqual(error._tag, "MailRejected")
    }).pipe(
      Effect.provide(
        Resend.layerConfig({ from: "Shop <orders@shop.example>" }).pipe(
          Layer.provide([
            respondingWith(async (received) => {
              sent.push(...((await received.json()) as { to: Array<string> }).to)
              return Response.json({ id: "1" })
            }),
            environment({ RESEND_API_KEY: "re_1" })
          ])
        )
      )
    )
  })

  it.effect("log once for each key", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    return Effect.gen(function* () {
      const { send } = yield* Mailer
      yield* send(mail)
      yield* send(mail)
      assert.strictEqual(lines.length, 1)
      assert.include(String(lines[0]), "order-confirmed:1")
    }).pipe(Effect.provide([LogMailer.layerConfig(), Logger.layer([logger])]))
  })

  it.effect("read their settings", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.exit(Layer.build(Layer.provide(Smtp.layerConfig(), environment({}))))
      assert(Exit.isFailure(missing))
      assert.include(String(missing.cause), "SMTP_HOST")
      const settings = environment({ SMTP_HOST: "localhost", SMTP_FROM: "shop@shop.example" })
      yield* Layer.build(Layer.provide(Smtp.layerConfig(), settings))
    })
  )
})

describe("LocalFacilitator.layerConfig", () => {
  it.effect("rejects a private key that is none", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        Layer.build(
          LocalFacilitator.layerConfig().pipe(
            Layer.provide([
              respondingWith(() => Response.json({})),
              MemoryJournals.layer,
              environment({
                FACILITATOR_TILL: "bookshop",
                FACILITATOR_NETWORK: "base-sepolia",
                FACILITATOR_RPC_URL: "https://node.example",
                FACILITATOR_PRIVATE_KEY: "0xs3cret"
              })
            ])
          )
        )
      )
      assert(Exit.isFailure(exit))
      assert.include(String(exit.cause), "FACILITATOR_PRIVATE_KEY")
      assert.notInclude(String(exit.cause), "s3cret")
    })
  )
})
