import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ProductNotFound, ProductUnavailable, UpstreamFailed } from "../../../src/shop/ports/Errors.ts"
import type { FulfilmentOptions } from "../../../src/shop/ports/FulfilmentOptions.ts"
import { Fulfilment } from "../../../src/shop/ports/Fulfilment.ts"
import { offer, quotedOffer, quoteRequest, settings } from "../../ports/subjects.ts"

describe("Fulfilment", () => {
  const options = (host: Partial<FulfilmentOptions>): FulfilmentOptions => ({
    quote: async () => quotedOffer,
    place: async () => ({ reference: "order-1" }),
    ...host
  })
  const quoteOf = (quote: FulfilmentOptions["quote"]) =>
    Effect.flatMap(Fulfilment, (fulfilment) => fulfilment.quote(quoteRequest)).pipe(
      Effect.provide(Fulfilment.fromPromise(options({ quote }), settings))
    )

  it.effect("leaves out what is not known of the product, and rounds up to the atomic unit", () =>
    Effect.gen(function* () {
      const quoted = yield* quoteOf(async () => ({
        ...quotedOffer,
        product: { title: "Tote", imageUrl: null, price: undefined } as never,
        currency: "usd",
        subtotal: "20",
        tax: "1.6500001",
        shipping: "4.99",
        total: "26.6400001"
      }))
      assert.deepStrictEqual(quoted.product, { title: "Tote" })
      assert.deepStrictEqual(quoted.tax, { atomic: 1_650_001n, currency: "USD" })
      assert.deepStrictEqual(quoted.total, { atomic: 26_640_001n, currency: "USD" })
    })
  )

  it.effect("refuses an offer that expires this very moment", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(quotedOffer.expiresAt.getTime() - 1)
      yield* quoteOf(async () => quotedOffer)
      yield* TestClock.setTime(quotedOffer.expiresAt.getTime())
      assert.instanceOf(yield* Effect.flip(quoteOf(async () => quotedOffer)), UpstreamFailed)
    })
  )

  it.effect(
    "places with the order's id, the quote's reference, the total in decimal text and the payment",
    () =>
      Effect.gen(function* () {
        const orders: Array<unknown> = []
        const place: FulfilmentOptions["place"] = async (order) => {
          orders.push(order)
          return { reference: "order-1" }
        }
        const payment = { network: "eip155:8453", transaction: `0x${"ab".repeat(32)}` }
        yield* Effect.flatMap(Fulfilment, (fulfilment) =>
          Effect.andThen(
            fulfilment.place({ ...quoteRequest, orderId: "7f1d", offer }),
            fulfilment.place({ ...quoteRequest, orderId: "7f1d", offer, payment })
          )
        ).pipe(Effect.provide(Fulfilment.fromPromise(options({ place }), settings)))
        const expected = { ...quoteRequest, orderId: "7f1d", reference: "quote-1", total: "26.64" }
        assert.deepStrictEqual(orders, [expected, { ...expected, payment }])
      })
  )

  it.effect("in memory: quotes what is in stock, and places an order once", () =>
    Effect.gen(function* () {
      const fulfilment = yield* Fulfilment
      const quoted = yield* fulfilment.quote(quoteRequest)
      assert.deepStrictEqual(quoted.total, { atomic: 5_000_000n, currency: "USD" })
      assert.strictEqual(quoted.expiresAtMillis, 600_000)
      const placement = { ...quoteRequest, orderId: "1", offer: quoted }
      assert.deepStrictEqual(yield* fulfilment.place(placement), { reference: "order-1" })
      assert.deepStrictEqual(yield* fulfilment.place(placement), { reference: "order-1" })
      assert.deepStrictEqual(yield* fulfilment.place({ ...placement, orderId: "2" }), {
        reference: "order-2"
      })
      assert.instanceOf(yield* Effect.flip(fulfilment.place({ ...placement, offer })), UpstreamFailed)
      const variant = (variantId: string) =>
        Effect.flip(
          fulfilment.quote({
            ...quoteRequest,
            product: { source: "marketplace_b", productUrl: "https://store.example/p", variantId }
          })
        )
      assert.instanceOf(yield* variant("sold-out"), ProductUnavailable)
      assert.instanceOf(yield* variant("unheard-of"), ProductNotFound)
    }).pipe(
      Effect.provide(
        Fulfilment.layerMemory(
          new Map([
            ["B000000001", { title: "Tote", price: { atomic: 5_000_000n, currency: "USD" }, inStock: true }],
            ["sold-out", { title: "Cap", price: { atomic: 1n, currency: "USD" }, inStock: false }]
          ])
        )
      )
    )
  )
})
