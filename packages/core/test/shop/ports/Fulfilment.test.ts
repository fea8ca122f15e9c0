import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { UpstreamFailed } from "../../../src/shop/ports/PortErrors.ts"
import type { FulfilmentOptions } from "../../../src/shop/ports/FulfilmentOptions.ts"
import { Fulfilment, guardedFulfilment } from "../../../src/shop/ports/Fulfilment.ts"
import { offer, quotedOffer, quoteRequest } from "../../ports/subjects.ts"

describe("Fulfilment", () => {
  const options = (host: Partial<FulfilmentOptions>): FulfilmentOptions => ({
    quote: async () => quotedOffer,
    place: async () => ({ reference: "order-1" }),
    ...host
  })
  const quoteOf = (quote: FulfilmentOptions["quote"]) =>
    Effect.flatMap(guardedFulfilment, (fulfilment) => fulfilment.quote(quoteRequest)).pipe(
      Effect.provide(Fulfilment.layerPromise(options({ quote })))
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

  it.effect(
    "refuses the address of a picture that a browser can't open, and reads an empty one as none",
    () =>
      Effect.gen(function* () {
        const picturedBy = (imageUrl: string) =>
          quoteOf(async () => ({ ...quotedOffer, product: { title: "Tote", imageUrl } }))
        assert.match(
          String((yield* Effect.flip(picturedBy("/img/lamp.jpg"))).cause),
          /product.imageUrl: must be an http\(s\) URL/
        )
        assert.deepStrictEqual((yield* picturedBy("")).product, { title: "Tote" })
      })
  )

  it.effect("holds a price for a week at most, also where milliseconds were taken for seconds", () =>
    Effect.gen(function* () {
      const minute = 60_000
      const nowMillis = quotedOffer.expiresAt.getTime()
      yield* TestClock.setTime(nowMillis)
      const heldFor = (expiresAtMillis: number) =>
        Effect.map(
          quoteOf(async () => ({ ...quotedOffer, expiresAt: new Date(expiresAtMillis) })),
          (quoted) => (quoted.expiresAtMillis - nowMillis) / minute
        )
      const week = 7 * 24 * 60
      assert.strictEqual(yield* heldFor(nowMillis + 15 * minute), 15)
      assert.strictEqual(yield* heldFor(nowMillis + week * minute), week)
      assert.strictEqual(yield* heldFor((nowMillis + 15 * minute) * 1_000), week)
    })
  )

  it.effect("takes the address of a cart as a quote's reference, and a quote that can just be paid", () =>
    Effect.gen(function* () {
      const nowMillis = yield* Clock.currentTimeMillis
      for (const reference of ["https://shop.example/cart?coupon=null", "cart-null", "/NaN"]) {
        const quoting = async () => ({ ...quotedOffer, reference, expiresAt: new Date(nowMillis + 10_000) })
        const { quote } = yield* Effect.provide(
          guardedFulfilment,
          Fulfilment.layerPromise(options({ quote: quoting }))
        )
        assert.strictEqual((yield* quote(quoteRequest)).reference, reference)
      }
    })
  )

  it.effect("takes references that only look like nothing", () =>
    Effect.gen(function* () {
      for (const reference of [
        "nonnull",
        "7NaN",
        "is-Null",
        "null-modem-7",
        "undefinedly-3",
        "ünull",
        "[object]"
      ]) {
        const host = options({
          quote: async () => ({ ...quotedOffer, reference }),
          place: async () => ({ reference }),
          find: async () => reference
        })
        yield* Effect.gen(function* () {
          const { find, place, quote } = yield* guardedFulfilment
          assert.strictEqual((yield* quote(quoteRequest)).reference, reference)
          assert.deepStrictEqual(yield* place({ ...quoteRequest, orderId: "7f1d", offer }), { reference })
          assert.strictEqual(yield* find!("7f1d", "quote-1"), reference)
        }).pipe(Effect.provide(Fulfilment.layerPromise(host)))
      }
    })
  )

  it.effect("takes no refusal beside a reference for an order, and any honest word", () =>
    Effect.gen(function* () {
      const placeOf = (members: object) =>
        Effect.gen(function* () {
          const { place } = yield* guardedFulfilment
          return yield* place({ ...quoteRequest, orderId: "7f1d", offer })
        }).pipe(
          Effect.provide(
            Fulfilment.layerPromise(options({ place: async () => ({ reference: "7f1d", ...members }) }))
          )
        )
      for (const refusal of [
        { ok: false, error: "out of stock" },
        { code: 401, message: "Bad key" },
        { success: false },
        { status: "failed" },
        { errors: ["out of stock"] }
      ])
        assert.instanceOf(yield* Effect.flip(placeOf(refusal)), UpstreamFailed)
      for (const honest of [
        { status: "pending" },
        { message: "ok" },
        { error: null },
        { errors: [] },
        { code: 0 },
        { code: 200, message: "created" },
        { code: 412 },
        { warnings: ["late"] }
      ])
        assert.deepStrictEqual(yield* placeOf(honest), { reference: "7f1d" })
    })
  )

  it.effect("takes null of find for an order that was not placed", () =>
    Effect.gen(function* () {
      const { find } = yield* guardedFulfilment
      assert.isNull(yield* find!("7f1d", "quote-1"))
    }).pipe(Effect.provide(Fulfilment.layerPromise(options({ find: async () => null }))))
  )

  it.effect("refuses an offer that expires before anybody can pay", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(quotedOffer.expiresAt.getTime() - 4_000)
      yield* quoteOf(async () => quotedOffer)
      yield* TestClock.setTime(quotedOffer.expiresAt.getTime() - 3_999)
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
        yield* Effect.flatMap(guardedFulfilment, (fulfilment) =>
          Effect.andThen(
            fulfilment.place({ ...quoteRequest, orderId: "7f1d", offer }),
            fulfilment.place({ ...quoteRequest, orderId: "7f1d", offer, payment })
          )
        ).pipe(Effect.provide(Fulfilment.layerPromise(options({ place }))))
        const expected = { ...quoteRequest, orderId: "7f1d", reference: "quote-1", total: "26.64" }
        assert.deepStrictEqual(orders, [expected, { ...expected, payment }])
      })
  )
})
