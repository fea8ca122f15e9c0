import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import {
  NoTrackingInfo,
  ProductNotFound,
  ProductUnavailable,
  UpstreamFailed,
  UpstreamUnavailable
} from "../../src/domain/Errors.ts"
import { SearchProduct } from "../../src/domain/Product.ts"
import { TrackResult } from "../../src/domain/Tracking.ts"
import type { AssistantOptions } from "../../src/ports/Assistant.ts"
import type { FulfilmentOptions } from "../../src/ports/FulfilmentOptions.ts"
import type { MarketplaceOptions } from "../../src/ports/Marketplaces.ts"
import type { TrackerOptions } from "../../src/ports/Tracker.ts"
import { Assistant } from "../../src/ports/Assistant.ts"
import { Fulfilment } from "../../src/ports/Fulfilment.ts"
import { causeName, DeadlineExceeded, MalformedResponse } from "../../src/runtime/causeName.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import type { ProviderFailure } from "../../src/ports/ProviderFailure.ts"
import { type Mail, Mailer } from "../../src/ports/Mailer.ts"
import { Marketplaces } from "../../src/ports/Marketplaces.ts"
import { Tracker } from "../../src/ports/Tracker.ts"
import { type VaultFile, VaultFiles } from "../../src/ports/VaultFiles.ts"
import { Catalogue } from "../../src/ports/Catalogue.ts"
import { fakeMarketplace, sampleProduct, sampleProducts, sampleTrackResult } from "../../src/testing.ts"
import { catalogueOf, offer, quotedOffer, quoteRequest, timeoutMillis } from "./subjects.ts"

const settings = { timeoutMillis }

describe("Marketplaces", () => {
  const searchOf = (search: MarketplaceOptions["search"]) =>
    Effect.flatMap(Marketplaces, ([marketplace]) => marketplace!.search({ q: "tote", page: 1 })).pipe(
      Effect.provide(Marketplaces.fromPromise({ marketplace_b: { search } }, settings))
    )

  it.effect("reads what is missing as null, drops what is unknown, and knows the source itself", () =>
    Effect.gen(function* () {
      const sparse = {
        asin: "7000000001",
        title: "Tote",
        currency: "USD",
        rating: undefined,
        source: "marketplace_a",
        isExpedited: false,
        internalMargin: 0.4
      }
      const page = yield* searchOf(
        async () => ({ products: [sparse], totalResults: 1, hasMore: false }) as never
      )
      assert.deepStrictEqual(page.products, [
        {
          asin: "7000000001",
          title: "Tote",
          price: null,
          currency: "USD",
          rating: null,
          reviewCount: null,
          imageUrl: null,
          productUrl: null,
          source: "marketplace_b",
          isExpedited: false
        }
      ])
      assert.isTrue(page.products.every(Schema.is(SearchProduct)))
    })
  )

  it.effect("keeps `this` of the host's object, and its query from being changed", () =>
    Effect.gen(function* () {
      class Shop implements MarketplaceOptions {
        readonly #products = sampleProducts("marketplace_b", 1)
        async search(query: { page: number }) {
          query.page = 99
          return { products: this.#products, totalResults: 1, hasMore: false }
        }
      }
      const query = { q: "tote", page: 1 }
      const page = yield* Effect.flatMap(Marketplaces, ([marketplace]) => marketplace!.search(query)).pipe(
        Effect.provide(Marketplaces.fromPromise({ marketplace_b: new Shop() }, settings))
      )
      assert.strictEqual(page.products.length, 1)
      assert.strictEqual(query.page, 1)
    })
  )

  it.effect("stand in the order of their names, those that are configured", () =>
    Effect.gen(function* () {
      const fakes = {
        marketplace_b: fakeMarketplace("marketplace_b"),
        marketplace_a: fakeMarketplace("marketplace_a")
      }
      const sources = (options: Partial<typeof fakes>) =>
        Effect.map(Marketplaces, (all) => all.map(({ source }) => source)).pipe(
          Effect.provide(Marketplaces.fromPromise(options, settings))
        )
      assert.deepStrictEqual(yield* sources(fakes), ["marketplace_a", "marketplace_b"])
      assert.deepStrictEqual(yield* sources({ marketplace_b: fakes.marketplace_b }), ["marketplace_b"])
      assert.deepStrictEqual(yield* sources({}), [])
    })
  )

  it.effect("in memory: words, brand, prices and pages", () =>
    Effect.gen(function* () {
      const [marketplace] = yield* Marketplaces
      const titles = (query: object) =>
        Effect.map(marketplace!.search({ q: "tote", page: 1, ...query }), ({ products, ...rest }) => ({
          titles: products.map(({ title }) => title),
          ...rest
        }))
      assert.deepStrictEqual(yield* titles({}), {
        titles: ["Canvas tote bag A1", "Canvas tote bag A2"],
        totalResults: 5,
        hasMore: true
      })
      assert.deepStrictEqual(yield* titles({ page: 3 }), {
        titles: ["Canvas tote bag A5"],
        totalResults: 5,
        hasMore: false
      })
      assert.deepStrictEqual((yield* titles({ q: "BAG canvas", brand: "a2" })).titles, ["Canvas tote bag A2"])
      assert.deepStrictEqual((yield* titles({ priceMin: 50 })).titles, ["Canvas tote bag A5"])
      assert.deepStrictEqual((yield* titles({ q: "boat" })).titles, [])
    }).pipe(Effect.provide(Marketplaces.layerMemory(sampleProducts("marketplace_a", 5), { pageSize: 2 })))
  )
})

describe("Assistant", () => {
  const askOf = (ask: AssistantOptions["reply"], catalogue: Layer.Layer<Catalogue>) =>
    Effect.flatMap(Assistant, (assistant) => assistant.reply({ message: "tote" })).pipe(
      Effect.provide(Assistant.fromPromise({ reply: ask }, settings).pipe(Layer.provide(catalogue)))
    )
  const recommending: AssistantOptions["reply"] = async ({ message }, { search }) => ({
    reply: "These.",
    products: await search({ q: message, page: 1 })
  })
  const failingCatalogue = (error: UpstreamFailed | UpstreamUnavailable) =>
    Layer.succeed(Catalogue, { sources: [], search: () => Effect.fail(error) })

  it.effect("may search the marketplaces; products come out in the shape of the response", () =>
    Effect.gen(function* () {
      const { isExpedited: _, ...product } = sampleProduct()
      const response = yield* askOf(recommending, catalogueOf([sampleProduct()]))
      assert.deepStrictEqual(response, { reply: "These.", products: [product] })
    })
  )

  it.effect("is unavailable where a search it relies on is, and has failed where that failed", () =>
    Effect.gen(function* () {
      const unavailable = yield* Effect.flip(
        askOf(
          recommending,
          failingCatalogue(new UpstreamUnavailable({ port: "marketplace", retryAfterSeconds: 7 }))
        )
      )
      assert.instanceOf(unavailable, UpstreamUnavailable)
      assert.strictEqual(unavailable.port, "assistant")
      assert.strictEqual(unavailable.retryAfterSeconds, 7)

      const failed = yield* Effect.flip(
        askOf(recommending, failingCatalogue(new UpstreamFailed({ port: "marketplace" })))
      )
      assert.instanceOf(failed, UpstreamFailed)
      assert.strictEqual(failed.port, "assistant")
    })
  )

  it.effect("may go on without a search that fails", () =>
    Effect.gen(function* () {
      const response = yield* askOf(
        async (_, { search }) => {
          const products = await search({ q: "tote", page: 1 }).catch(() => [])
          return { reply: "I can't look right now.", products }
        },
        failingCatalogue(new UpstreamFailed({ port: "marketplace" }))
      )
      assert.deepStrictEqual(response, { reply: "I can't look right now.", products: [] })
    })
  )

  it.effect("takes its searches with it past the deadline", () =>
    Effect.gen(function* () {
      let interrupted = false
      const hanging = Layer.succeed(Catalogue, {
        sources: [],
        search: () =>
          Effect.onInterrupt(Effect.never, () =>
            Effect.sync(() => {
              interrupted = true
            })
          )
      })
      const fiber = yield* Effect.forkChild(Effect.flip(askOf(recommending, hanging)))
      yield* TestClock.adjust(timeoutMillis)
      assert.instanceOf(yield* Fiber.join(fiber), UpstreamUnavailable)
      assert.isTrue(interrupted)
    })
  )
})

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

  it.effect("places with the order's id, the quote's reference and the total in decimal text", () =>
    Effect.gen(function* () {
      const orders: Array<unknown> = []
      const place: FulfilmentOptions["place"] = async (order) => {
        orders.push(order)
        return { reference: "order-1" }
      }
      yield* Effect.flatMap(Fulfilment, (fulfilment) =>
        fulfilment.place({ ...quoteRequest, orderId: "7f1d", offer })
      ).pipe(Effect.provide(Fulfilment.fromPromise(options({ place }), settings)))
      assert.deepStrictEqual(orders, [
        { ...quoteRequest, orderId: "7f1d", reference: "quote-1", total: "26.64" }
      ])
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

describe("Tracker", () => {
  const trackOf = (track: TrackerOptions["track"]) =>
    Effect.flatMap(Tracker, (tracker) => tracker.track({ number: "ABC12345" })).pipe(
      Effect.provide(Tracker.fromPromise({ track }, settings))
    )

  it.effect("reads what is missing as null, however deep", () =>
    Effect.gen(function* () {
      const result = yield* trackOf(
        async () =>
          ({
            number: "ABC12345",
            status: "InTransit",
            delivered: false,
            found: true,
            carrier: { name: "UPS" },
            lastMileCarrier: { name: "USPS" },
            latestEvent: { description: "Departed" },
            events: [{ description: "Departed" }],
            milestones: [{ stage: "Departure" }],
            estimatedDelivery: { to: "2026-03-05T20:00:00-05:00" },
            trackingPageUrl: "https://tracking.example/ABC12345",
            raw: { anything: true }
          }) as never
      )
      assert.isTrue(Schema.is(TrackResult)(result))
      assert.notProperty(result, "raw")
      assert.deepStrictEqual(result.carrier, { code: null, name: "UPS", homepage: null, country: null })
      assert.deepStrictEqual(result.lastMileCarrier, { code: null, name: "USPS" })
      assert.deepStrictEqual(result.events, [
        { time: null, description: "Departed", location: null, stage: null }
      ])
      assert.deepStrictEqual(result.milestones, [{ stage: "Departure", time: null }])
      assert.strictEqual(result.subStatus, null)
    })
  )

  it.effect("does not trust the fields of a refusal", () =>
    Effect.gen(function* () {
      const refusedWith = (thrown: object) =>
        Effect.flip(trackOf(() => Promise.reject(Object.assign(new Error(""), thrown))))
      const carrier = yield* refusedWith({
        _tag: "CarrierNotDetected",
        candidates: [
          { code: 1, name: "One" },
          { code: "2", name: "Two" },
          null,
          { code: Number.NaN, name: "" }
        ]
      })
      assert.strictEqual(carrier._tag, "CarrierNotDetected")
      assert.deepStrictEqual(Reflect.get(carrier, "candidates"), [{ code: 1, name: "One" }])
      assert.isNotEmpty(Reflect.get(carrier, "message"))
      const field = yield* refusedWith({ _tag: "AdditionalFieldRequired", field: "password" })
      assert.instanceOf(field, UpstreamFailed)
    })
  )

  it.effect("in memory: knows the given shipments", () =>
    Effect.gen(function* () {
      const tracker = yield* Tracker
      assert.strictEqual((yield* tracker.track({ number: "ABC12345" })).status, "InTransit")
      assert.instanceOf(yield* Effect.flip(tracker.track({ number: "XYZ98765" })), NoTrackingInfo)
    }).pipe(Effect.provide(Tracker.layerMemory([sampleTrackResult("ABC12345")])))
  )
})

describe("VaultFiles", () => {
  const openOf = (open: (signal: AbortSignal) => Promise<VaultFile>) =>
    Effect.flatMap(VaultFiles, (files) => files.open({ slug: "launch-plan" })).pipe(
      Effect.provide(VaultFiles.fromPromise({ open: (_, { signal }) => open(signal) }, settings))
    )
  const watched = () => {
    const seen = { cancelled: false }
    const body = new ReadableStream<Uint8Array>({
      cancel: () => {
        seen.cancelled = true
      }
    })
    return { body, seen }
  }

  it.effect("passes a stream on unread, with its size where known", () =>
    Effect.gen(function* () {
      const { body, seen } = watched()
      assert.deepStrictEqual(yield* openOf(async () => ({ body, size: 10 })), { body, size: 10 })
      assert.deepStrictEqual(yield* openOf(async () => ({ body, size: undefined }) as never), { body })
      assert.isFalse(body.locked)
      assert.isFalse(seen.cancelled)
    })
  )

  it.effect("knows the size of bytes itself", () =>
    Effect.gen(function* () {
      const file = yield* openOf(async () => ({ body: Buffer.from("PK"), size: 99 }))
      assert.strictEqual(file.size, 2)
    })
  )

  it.effect("cancels a stream it can't use, and refuses one that is being read", () =>
    Effect.gen(function* () {
      const { body, seen } = watched()
      assert.instanceOf(yield* Effect.flip(openOf(async () => ({ body, size: -1 }))), UpstreamFailed)
      assert.isTrue(seen.cancelled)
      const taken = watched()
      taken.body.getReader()
      const failure = yield* Effect.flip(openOf(async () => ({ body: taken.body })))
      assert.match(causeName(failure.cause), /already being read/)
    })
  )

  it.effect("cancels a stream that comes after the deadline", () =>
    Effect.gen(function* () {
      const { body, seen } = watched()
      const late = Promise.withResolvers<VaultFile>()
      const fiber = yield* Effect.forkChild(Effect.flip(openOf(() => late.promise)))
      yield* TestClock.adjust(timeoutMillis)
      assert.instanceOf(yield* Fiber.join(fiber), UpstreamUnavailable)
      late.resolve({ body })
      yield* Effect.promise(() => late.promise)
      assert.isTrue(seen.cancelled)
    })
  )

  it.effect("in memory: archives by slug", () =>
    Effect.gen(function* () {
      const files = yield* VaultFiles
      assert.deepStrictEqual(yield* files.open({ slug: "plan" }), { body: new Uint8Array([80, 75]), size: 2 })
      assert.instanceOf(yield* Effect.flip(files.open({ slug: "other" })), UpstreamFailed)
    }).pipe(Effect.provide(VaultFiles.layerMemory(new Map([["plan", new Uint8Array([80, 75])]]))))
  )
})

describe("Mailer", () => {
  it.effect("in memory: keeps each mail once", () => {
    const outbox: Array<Mail> = []
    const mail: Mail = { to: "a@b.example", subject: "Hi", text: "", html: "", idempotencyKey: "1" }
    return Effect.gen(function* () {
      const mailer = yield* Mailer
      yield* mailer.send(mail)
      yield* mailer.send({ ...mail, subject: "Hi again" })
      yield* mailer.send({ ...mail, idempotencyKey: "2" })
      assert.deepStrictEqual(outbox, [mail, { ...mail, idempotencyKey: "2" }])
    }).pipe(Effect.provide(Mailer.layerMemory(outbox)))
  })
})

describe("hostCall", () => {
  const track = (
    host: TrackerOptions["track"],
    onError: (failure: ProviderFailure) => void = () => undefined
  ) =>
    Effect.flatMap(Tracker, (tracker) => tracker.track({ number: "ABC12345" })).pipe(
      Effect.provide(Tracker.fromPromise({ track: host }, { ...settings, onError }))
    )

  it.effect("logs what failed, without the host's words; a refusal is no failure", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
      const trackThrowing = (error: Error) =>
        Effect.flatMap(Tracker, (tracker) => tracker.track({ number: "ABC12345" })).pipe(
          Effect.provide(Tracker.fromPromise({ track: () => Promise.reject(error) }, settings)),
          Effect.provide(Logger.layer([logger])),
          Effect.flip
        )
      yield* trackThrowing(new NoTrackingInfo({ message: "not yet" }))
      assert.deepStrictEqual(lines, [])
      yield* trackThrowing(new RangeError("no ABC12345 for phone 555-0100"))
      assert.strictEqual(lines.length, 1)
      assert.include(lines[0], "tracking")
      assert.include(lines[0], "UpstreamFailed: RangeError")
      assert.notInclude(lines[0], "555-0100")
    })
  )

  it.effect("reports port, operation, error and place of a failure", () =>
    Effect.gen(function* () {
      const events: Array<TillEvent> = []
      const error = Object.assign(new RangeError("ABC12345 is taken"), { code: "E_TAKEN" })
      yield* Effect.flip(track(async () => Promise.reject(error))).pipe(
        Effect.provide(Logger.layer([eventLogger((event) => events.push(event))]))
      )
      assert.strictEqual(events.length, 1)
      const { at, ...event } = events[0]!
      assert.deepStrictEqual(event, {
        level: "warning",
        code: "provider_failed",
        message: "A provider failed",
        port: "tracking",
        operation: "track",
        error: "UpstreamFailed: RangeError E_TAKEN"
      })
      assert.match(at!, /^at .*HostCall\.test\.ts/)
    })
  )

  it.effect("passes the real error to onError, which can't change the result", () =>
    Effect.gen(function* () {
      const failures: Array<ProviderFailure> = []
      const onError = (failure: ProviderFailure) => {
        failures.push(failure)
        throw new Error("a faulty observer")
      }
      const error = new RangeError("ABC12345 is taken")
      const thrown = yield* Effect.flip(track(async () => Promise.reject(error), onError))
      assert.deepStrictEqual(thrown, new UpstreamFailed({ port: "tracking", cause: error }))
      assert.deepStrictEqual(failures, [{ port: "tracking", operation: "track", error, stack: error.stack }])
    })
  )

  it.effect("passes malformed responses and deadlines to onError, and no allowed error", () =>
    Effect.gen(function* () {
      const failures: Array<ProviderFailure> = []
      const onError = (failure: ProviderFailure) => failures.push(failure)
      yield* Effect.flip(
        track(async () => Promise.reject(new NoTrackingInfo({ message: "not yet" })), onError)
      )
      assert.deepStrictEqual(failures, [])
      yield* Effect.flip(track(async () => ({}) as never, onError))
      const late = yield* Effect.forkChild(Effect.flip(track(() => new Promise(() => undefined), onError)))
      yield* TestClock.adjust(timeoutMillis)
      yield* Fiber.join(late)
      assert.deepStrictEqual(
        failures.map(({ error }) => error).map((error) => (error as Error).constructor),
        [MalformedResponse, DeadlineExceeded]
      )
    })
  )

  it.effect("has no stack where the host throws something else than an error", () =>
    Effect.gen(function* () {
      const failures: Array<ProviderFailure> = []
      // oxlint-disable-next-line prefer-promise-reject-errors -- what a host throws may be anything
      yield* Effect.flip(
        track(
          () => Promise.reject("no"),
          (failure) => failures.push(failure)
        )
      )
      assert.deepStrictEqual(failures, [
        { port: "tracking", operation: "track", error: "no", stack: undefined }
      ])
    })
  )
})

describe("causeName", () => {
  it("tells name and code, never the host's words", () => {
    const error = Object.assign(new TypeError("fetch https://shop.example/?q=tote failed"), {
      code: "ECONNREFUSED"
    })
    assert.strictEqual(causeName(error), "TypeError ECONNREFUSED")
    assert.strictEqual(causeName(Object.assign(new Error("x"), { code: "a secret, perhaps" })), "Error")
    assert.strictEqual(
      causeName(new UpstreamFailed({ port: "tracking", cause: error })),
      "UpstreamFailed: TypeError ECONNREFUSED"
    )
    assert.strictEqual(
      causeName(
        new UpstreamFailed({
          port: "marketplace",
          cause: new AggregateError([error, new UpstreamUnavailable({ port: "marketplace" })], "q=tote")
        })
      ),
      "UpstreamFailed: AggregateError: TypeError ECONNREFUSED; UpstreamUnavailable"
    )
    assert.strictEqual(causeName("q=tote"), "string")
    assert.strictEqual(causeName(undefined), "undefined")
  })
})
