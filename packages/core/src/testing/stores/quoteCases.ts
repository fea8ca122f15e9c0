import { type Quote, Quotes } from "../../ports/Quotes.ts"
import { sampleOffer, sampleQuote, uuidOf } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase, wins } from "./StoreCase.ts"

const { fingerprint, id } = sampleQuote()
const numbered = (number: number, overrides: Partial<Quote> = {}): Quote =>
  sampleQuote({ id: uuidOf(number), offer: sampleOffer({ reference: `offer-${number}` }), ...overrides })
const until = (expiresAtMillis: number) => ({ offer: sampleOffer({ expiresAtMillis }) })

const standing: ReadonlyArray<StoreCase> = [
  storeCase("Quotes: a quote is found by its request while it lives", function* () {
    const quotes = yield* Quotes
    equal(yield* quotes.findLive(fingerprint, 1_000), undefined, "before")
    equal(yield* quotes.put(sampleQuote(), 1_000), sampleQuote(), "what put answers")
    equal(yield* quotes.findLive(fingerprint, 9_999), sampleQuote(), "in its last millisecond")
    equal(yield* quotes.findLive(fingerprint, 10_000), undefined, "once it has lapsed")
    equal(yield* quotes.findLive("k1:request-2", 1_000), undefined, "for another request")
  }),
  storeCase("Quotes: the live quote of a request stays, a lapsed one is replaced", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    const fresh = numbered(2, until(20_000))
    equal(yield* quotes.put(fresh, 9_999), sampleQuote(), "put beside a live quote")
    equal(yield* quotes.put(fresh, 10_000), fresh, "put beside a lapsed quote")
    equal(yield* quotes.findLive(fingerprint, 10_000), fresh, "the live quote")
    equal(yield* quotes.consume(id, "charge-1", 1_000), false, "consume of the replaced quote")
    const other = numbered(3, { fingerprint: "k1:request-2" })
    equal(yield* quotes.put(other, 1_000), other, "put for another request")
  }),
  storeCase(`Quotes: ${racers} racers for one request all get the same quote`, function* () {
    const quotes = yield* Quotes
    const got = yield* race((racer) => quotes.put(numbered(racer), 1_000))
    equal(new Set(got.map((quote) => quote.id)).size, 1, "different quotes")
    equal(yield* quotes.findLive(fingerprint, 1_000), got[0], "the live quote")
  }),
  storeCase("Quotes: money and text come back as they were", function* () {
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
      equal(found, quote, `quote ${index}`)
      equal(typeof found?.offer.total.atomic, "bigint", "the type of an amount")
      equal(
        Object.keys(found?.offer.product ?? {}).toSorted(),
        Object.keys(quote.offer.product).toSorted(),
        "fields"
      )
    }
  })
]

const consuming: ReadonlyArray<StoreCase> = [
  storeCase("Quotes: a quote is consumed once, and again by the same charge", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    equal(yield* quotes.consume(uuidOf(9), "charge-1", 1_000), false, "consume of an unknown quote")
    equal(yield* quotes.consume(id, "charge-1", 1_000), true, "consume")
    equal(yield* quotes.consume(id, "charge-1", 1_000), true, "consume by the same charge")
    equal(yield* quotes.consume(id, "charge-2", 1_000), false, "consume by another charge")
    equal(yield* quotes.findLive(fingerprint, 1_000), undefined, "the live quote")
    equal(yield* quotes.put(numbered(2), 1_000), numbered(2), "put after it was consumed")
  }),
  storeCase(`Quotes: of ${racers} racers exactly one consumes a quote`, function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    const outcomes = yield* race((racer) => quotes.consume(id, `charge-${racer}`, 1_000))
    equal(wins(outcomes), 1, "racers that consumed it")
  }),
  storeCase("Quotes: a lapsed quote is not consumed", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    equal(yield* quotes.consume(id, "charge-1", 10_000), false, "once it has lapsed")
    equal(yield* quotes.consume(id, "charge-1", 9_999), true, "in its last millisecond")
  }),
  storeCase("Quotes: a charge finds the quote that it consumed, until it lapses", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    equal(yield* quotes.findConsumed(fingerprint, "charge-1", 1_000), undefined, "before it is consumed")
    yield* quotes.consume(id, "charge-1", 1_000)
    const consumed = sampleQuote({ consumedBy: "charge-1" })
    equal(yield* quotes.findConsumed(fingerprint, "charge-1", 9_999), consumed, "in its last millisecond")
    equal(yield* quotes.findConsumed(fingerprint, "charge-1", 10_000), undefined, "once it has lapsed")
    equal(yield* quotes.findConsumed(fingerprint, "charge-2", 1_000), undefined, "by another charge")
    equal(yield* quotes.findConsumed("k1:request-2", "charge-1", 1_000), undefined, "for another request")
    yield* quotes.restore("charge-1")
    equal(yield* quotes.findConsumed(fingerprint, "charge-1", 1_000), undefined, "once it is given back")
  }),
  storeCase("Quotes: of several that a charge consumed the one that lives longest is found", function* () {
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
    equal((yield* quotes.findConsumed(fingerprint, "charge-1", 1_000))?.id, uuidOf(2), "the quote")
  }),
  storeCase("Quotes: a charge that came to nothing gives its quote back", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    yield* quotes.consume(id, "charge-1", 1_000)
    yield* quotes.restore("charge-2")
    equal(yield* quotes.findLive(fingerprint, 1_000), undefined, "after another charge's restore")
    yield* quotes.restore("charge-1")
    equal(yield* quotes.findLive(fingerprint, 1_000), sampleQuote(), "after its own")
    equal(yield* quotes.consume(id, "charge-2", 1_000), true, "consume by another charge")
  }),
  storeCase("Quotes: a quote given back makes way for a newer one of its request", function* () {
    const quotes = yield* Quotes
    yield* quotes.put(sampleQuote(), 1_000)
    yield* quotes.consume(id, "charge-1", 1_000)
    yield* quotes.put(numbered(2), 1_000)
    yield* quotes.restore("charge-1")
    equal(yield* quotes.findLive(fingerprint, 1_000), numbered(2), "the live quote")
    equal(yield* quotes.consume(id, "charge-2", 1_000), false, "consume of the older one")
  }),
  storeCase(
    "Quotes: of several quotes of a request given back, the one that lives longest is live",
    function* () {
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
      equal((yield* quotes.findLive(fingerprint, 1_000))?.id, uuidOf(2), "the live quote")
    }
  ),
  storeCase("Quotes: lapsed quotes are deleted, consumed or not", function* () {
    const quotes = yield* Quotes
    for (const [number, expiresAtMillis] of [4_000, 4_999, 5_000, 6_000].entries())
      yield* quotes.put(numbered(number, { fingerprint: `r-${number}`, ...until(expiresAtMillis) }), 1_000)
    yield* quotes.consume(uuidOf(0), "charge-1", 1_000)
    equal(yield* quotes.expire(5_000), 2, "how many were deleted")
    equal(yield* quotes.expire(5_000), 0, "how many were deleted once more")
    equal(yield* quotes.findLive("r-1", 1_000), undefined, "a deleted quote")
    equal((yield* quotes.findLive("r-2", 1_000))?.id, uuidOf(2), "a quote that lapsed at that moment")
    yield* quotes.restore("charge-1")
    equal(yield* quotes.findLive("r-0", 1_000), undefined, "a deleted quote given back")
  })
]

/** What `Quotes` promises. */
export const quoteCases: ReadonlyArray<StoreCase> = [...standing, ...consuming]
