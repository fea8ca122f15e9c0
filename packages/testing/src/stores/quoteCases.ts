import { type Quote, Quotes } from "@till402/core/effect"
import { quoteKeyCases } from "./keyCases.ts"
import { sampleOffer, sampleQuote, uuidOf } from "./records.ts"
import { expectEqual, race, racers, type StoreCase, storeCase, countTrue } from "./StoreCase.ts"

const { fingerprint, id } = sampleQuote()
const numbered = (number: number, overrides: Partial<Quote> = {}): Quote =>
  sampleQuote({ id: uuidOf(number), offer: sampleOffer({ reference: `offer-${number}` }), ...overrides })
const until = (expiresAtMillis: number) => ({ offer: sampleOffer({ expiresAtMillis }) })

const liveQuotes: ReadonlyArray<StoreCase<Quotes>> = [
  storeCase("Quotes: a quote is found by its request until it expires", function* () {
    const quotes = yield* Quotes
    expectEqual(yield* quotes.findLive(fingerprint, 1_000), undefined, "before")
    expectEqual(yield* quotes.put(sampleQuote(), 1_000), sampleQuote(), "the result of put")
    expectEqual(yield* quotes.findLive(fingerprint, 9_999), sampleQuote(), "in its last millisecond")
    expectEqual(yield* quotes.findLive(fingerprint, 10_000), undefined, "once it has expired")
    expectEqual(yield* quotes.findLive("k1:request-2", 1_000), undefined, "for another request")
  }),
  storeCase("Quotes: a live quote stays, an expired one is replaced", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    const fresh = numbered(2, until(20_000))
    expectEqual(yield* quotes.put(fresh, 9_999), sampleQuote(), "put beside a live quote")
    expectEqual(yield* quotes.put(fresh, 10_000), fresh, "put beside a expired quote")
    expectEqual(yield* quotes.findLive(fingerprint, 10_000), fresh, "the live quote")
    expectEqual(yield* quotes.consume(id, "charge-1", 1_000), false, "consume of the replaced quote")
    const other = numbered(3, { fingerprint: "k1:request-2" })
    expectEqual(yield* quotes.put(other, 1_000), other, "put for another request")
  }),
  storeCase(`Quotes: ${racers} racers for one request all get the same quote`, function* () {
    const quotes = yield* Quotes
    const got = yield* race((racer) => quotes.put(numbered(racer), 1_000))
    expectEqual(new Set(got.map((quote) => quote.id)).size, 1, "different quotes")
    expectEqual(yield* quotes.findLive(fingerprint, 1_000), got[0], "the live quote")
  }),
  storeCase("Quotes: money and text are stored unchanged", function* () {
    const quotes = yield* Quotes
    for (const [index, atomic] of [0n, 1n, 10n ** 15n, 2n ** 53n + 1n, 10n ** 24n].entries()) {
      const money = { atomic, currency: "USD" }
      const quote = numbered(index, {
        fingerprint: `request-${index}`,
        offer: {
          ...sampleOffer({ reference: `r'"\\%_👟 ${index}` }),
          product: index === 0 ? { title: "Ünïcode 🛍️" } : { title: "'; --", price: money },
          subtotal: money,
          tax: money,
          shipping: money,
          total: money
        }
      })
      yield* quotes.put(quote, 1_000)
      const found = yield* quotes.findLive(`request-${index}`, 1_000)
      expectEqual(found, quote, `quote ${index}`)
      expectEqual(typeof found?.offer.total.atomic, "bigint", "the type of an amount")
      expectEqual(
        Object.keys(found?.offer.product ?? {}).toSorted(),
        Object.keys(quote.offer.product).toSorted(),
        "fields"
      )
    }
  })
]

const consuming: ReadonlyArray<StoreCase<Quotes>> = [
  storeCase("Quotes: a quote is consumed by one charge, repeatedly", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    expectEqual(yield* quotes.consume(uuidOf(9), "charge-1", 1_000), false, "consume of an unknown quote")
    expectEqual(yield* quotes.consume(id, "charge-1", 1_000), true, "consume")
    expectEqual(yield* quotes.consume(id, "charge-1", 1_000), true, "consume by the same charge")
    expectEqual(yield* quotes.consume(id, "charge-2", 1_000), false, "consume by another charge")
    expectEqual(yield* quotes.findLive(fingerprint, 1_000), undefined, "the live quote")
    expectEqual(yield* quotes.put(numbered(2), 1_000), numbered(2), "put after it was consumed")
  }),
  storeCase(`Quotes: of ${racers} racers exactly one consumes a quote`, function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    const outcomes = yield* race((racer) => quotes.consume(id, `charge-${racer}`, 1_000))
    expectEqual(countTrue(outcomes), 1, "racers that consumed it")
  }),
  storeCase("Quotes: an expired quote is not consumed", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    expectEqual(yield* quotes.consume(id, "charge-1", 10_000), false, "once it has expired")
    expectEqual(yield* quotes.consume(id, "charge-1", 9_999), true, "in its last millisecond")
  }),
  storeCase("Quotes: a charge finds the quote it consumed until it expires", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    expectEqual(
      yield* quotes.findConsumed(fingerprint, "charge-1", 1_000),
      undefined,
      "before it is consumed"
    )
    yield* quotes.consume(id, "charge-1", 1_000)
    const consumed = sampleQuote({ consumedBy: "charge-1" })
    expectEqual(
      yield* quotes.findConsumed(fingerprint, "charge-1", 9_999),
      consumed,
      "in its last millisecond"
    )
    expectEqual(yield* quotes.findConsumed(fingerprint, "charge-1", 10_000), undefined, "once it has expired")
    expectEqual(yield* quotes.findConsumed(fingerprint, "charge-2", 1_000), undefined, "by another charge")
    expectEqual(
      yield* quotes.findConsumed("k1:request-2", "charge-1", 1_000),
      undefined,
      "for another request"
    )
    yield* quotes.restore("charge-1")
    expectEqual(
      yield* quotes.findConsumed(fingerprint, "charge-1", 1_000),
      undefined,
      "once it is given back"
    )
  }),
  storeCase("Quotes: of several quotes consumed by a charge, the last to expire is found", function* () {
    const quotes = yield* Quotes
    for (const [number, expiresAtMillis] of [
      [1, 20_000],
      [2, 30_000],
      [3, 25_000]
    ] as const) {
      const quote = sampleQuote({ id: uuidOf(number), offer: sampleOffer({ expiresAtMillis }) })
      yield* quotes.put(quote, 1_000)
      yield* quotes.consume(quote.id, "charge-1", 1_000)
    }
    expectEqual((yield* quotes.findConsumed(fingerprint, "charge-1", 1_000))?.id, uuidOf(2), "the quote")
  }),
  storeCase("Quotes: restore makes a charge's quote live again", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    yield* quotes.consume(id, "charge-1", 1_000)
    yield* quotes.restore("charge-2")
    expectEqual(yield* quotes.findLive(fingerprint, 1_000), undefined, "after another charge's restore")
    yield* quotes.restore("charge-1")
    expectEqual(yield* quotes.findLive(fingerprint, 1_000), sampleQuote(), "after its own")
    expectEqual(yield* quotes.consume(id, "charge-2", 1_000), true, "consume by another charge")
  }),
  storeCase("Quotes: a restored quote yields to a newer quote of its request", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    yield* quotes.consume(id, "charge-1", 1_000)
    yield* quotes.put(numbered(2), 1_000)
    yield* quotes.restore("charge-1")
    expectEqual(yield* quotes.findLive(fingerprint, 1_000), numbered(2), "the live quote")
    expectEqual(yield* quotes.consume(id, "charge-2", 1_000), false, "consume of the older one")
  }),
  storeCase("Quotes: of several restored quotes of a request, the last to expire is live", function* () {
    const quotes = yield* Quotes
    for (const [number, expiresAtMillis] of [
      [1, 10_000],
      [2, 30_000],
      [3, 20_000]
    ] as const) {
      yield* quotes.put(numbered(number, until(expiresAtMillis)), 1_000)
      yield* quotes.consume(uuidOf(number), "charge-1", 1_000)
    }
    yield* quotes.restore("charge-1")
    expectEqual((yield* quotes.findLive(fingerprint, 1_000))?.id, uuidOf(2), "the live quote")
  }),
  storeCase("Quotes: expired quotes are deleted, consumed or not", function* () {
    const quotes = yield* Quotes
    for (const [number, expiresAtMillis] of [4_000, 4_999, 5_000, 6_000].entries())
      yield* quotes.put(numbered(number, { fingerprint: `r-${number}`, ...until(expiresAtMillis) }), 1_000)
    yield* quotes.consume(uuidOf(0), "charge-1", 1_000)
    expectEqual(yield* quotes.expire(5_000, 10), 2, "number of deleted quotes")
    expectEqual(yield* quotes.expire(5_000, 10), 0, "number of deleted quotes again")
    expectEqual(yield* quotes.findLive("r-1", 1_000), undefined, "a deleted quote")
    expectEqual((yield* quotes.findLive("r-2", 1_000))?.id, uuidOf(2), "a quote that expired at that moment")
    yield* quotes.restore("charge-1")
    expectEqual(yield* quotes.findLive("r-0", 1_000), undefined, "a deleted quote given back")
  }),
  storeCase("Quotes: expire respects its limit and eventually deletes all", function* () {
    const quotes = yield* Quotes
    for (let number = 0; number < 5; number++)
      yield* quotes.put(numbered(number, { fingerprint: `r-${number}`, ...until(4_000 + number) }), 1_000)
    const deleted: Array<number> = []
    for (const limit of [0, 2, 2, 2, 2]) deleted.push(yield* quotes.expire(5_000, limit))
    expectEqual(deleted, [0, 2, 2, 1, 0], "number of deleted quotes, two at a time")
  })
]

/** Contract of `Quotes`. */
export const quoteCases: ReadonlyArray<StoreCase<Quotes>> = [...liveQuotes, ...consuming, ...quoteKeyCases]
