import { SearchProduct } from "@till402/core/effect"
import { Effect, Result, Schema } from "effect"
import { Headers } from "effect/http"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { outOfFive, toSearchProduct, variantIdOf } from "../../src/shopify/CatalogueProduct.ts"
import { readToolResponse } from "../../src/shopify/JsonRpc.ts"
import { centsAround, exponentOf, fromMinor } from "../../src/shopify/MinorUnits.ts"
import { readPage } from "../../src/shopify/SearchCall.ts"

/*
 * What holds for any document of the catalogue; fast-check prints the seed of a failure.
 */

const currencies = fc.constantFrom("USD", "EUR", "JPY", "KRW", "KWD", "TND", "CLF", "XYZ")

describe("minor units", () => {
  it("are the decimal number with the point set", () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), currencies, (amount, currency) => {
        fc.pre(String(amount).length <= 15)
        const price = fromMinor(amount, currency)!
        // The nearest number to a decimal of 15 digits prints as that decimal.
        assert.strictEqual(
          BigInt(price.toFixed(exponentOf(currency)).replace(".", "")),
          BigInt(amount),
          `${price}`
        )
        assert.strictEqual(fromMinor(String(amount), currency), price)
      })
    )
  })

  it("know the currencies without cents and with thousandths", () => {
    assert.deepStrictEqual(
      ["JPY", "KRW", "VND", "ISK", "KWD", "BHD", "CLF", "USD", "EUR"].map(exponentOf),
      [0, 0, 0, 0, 3, 3, 4, 2, 2]
    )
  })

  it("widen a filter by at most a cent", () => {
    const dollars = fc.oneof(
      fc.double({ min: 0.0001, max: 1e9, noNaN: true }),
      fc.nat({ max: 10_000_000 }).map((cents) => cents / 100)
    )
    fc.assert(
      fc.property(dollars, (bound) => {
        const { max, min } = centsAround({ priceMin: bound, priceMax: bound })
        const near = 1e-6 * Math.max(1, bound)
        assert.isAtMost(min! / 100, bound + near)
        assert.isAtLeast(max! / 100, bound - near)
        assert.isAtMost(max! - min!, 1)
      })
    )
    fc.assert(
      fc.property(fc.nat({ max: 100_000_000 }), (cents) => {
        assert.deepStrictEqual(centsAround({ priceMin: cents / 100, priceMax: cents / 100 }), {
          min: cents,
          max: cents
        })
      })
    )
  })
})

/** A value as documented, sometimes anything else, sometimes missing. */
const perhaps = <A>(documented: fc.Arbitrary<A>) =>
  fc.oneof(
    { weight: 6, arbitrary: documented as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: fc.constant(undefined) as fc.Arbitrary<unknown> }
  )

const price = fc.record({
  amount: perhaps(fc.nat({ max: 10_000_000 })),
  currency: perhaps(fc.oneof(fc.constant("USD"), currencies))
})
const media = fc.array(
  perhaps(fc.record({ type: perhaps(fc.constantFrom("image", "video")), url: perhaps(fc.webUrl()) })),
  { maxLength: 3 }
)
const variant = fc.record({
  id: perhaps(fc.nat().map((id) => `gid://shopify/ProductVariant/${id}?shop=1`)),
  url: perhaps(fc.webUrl({ withQueryParameters: true })),
  price: perhaps(price),
  availability: perhaps(fc.record({ available: perhaps(fc.boolean()), status: fc.string() })),
  media: perhaps(media),
  seller: perhaps(fc.record({ name: fc.string() }))
})
const product = fc.record({
  id: perhaps(fc.string().map((id) => `gid://shopify/p/${id}`)),
  title: perhaps(fc.string({ minLength: 1 })),
  brand: perhaps(fc.string()),
  url: perhaps(fc.webUrl()),
  handle: perhaps(fc.string()),
  media: perhaps(media),
  rating: perhaps(
    fc.record({
      value: perhaps(fc.double({ min: 0, max: 10 })),
      scale_max: perhaps(fc.constantFrom(5, 10, 100)),
      count: perhaps(fc.nat())
    })
  ),
  variants: perhaps(fc.array(perhaps(variant), { maxLength: 4 }))
})
const filters = fc.record(
  {
    priceMin: fc.double({ min: 0.01, max: 1e5, noNaN: true }),
    priceMax: fc.double({ min: 0.01, max: 1e5, noNaN: true }),
    brand: fc.string({ minLength: 1 })
  },
  { requiredKeys: [] }
)
const isProduct = Schema.is(SearchProduct)

describe("any product of the catalogue", () => {
  it("is left out, or satisfies the contract and the filters", () => {
    fc.assert(
      fc.property(product, filters, fc.boolean(), (document, query, isOfShop) => {
        const reading = { currency: "USD", ...(isOfShop ? { shop: "https://shop.example" } : {}) }
        const found = toSearchProduct(document, query, reading)
        if (found === undefined) return
        assert.isTrue(isProduct(found))
        assert.strictEqual(found.source, "marketplace_b")
        assert.match(found.currency, /^[A-Z]{3}$/)
        if (found.price !== null) assert.isAtLeast(found.price, 0)
        if (found.rating !== null) assert.isTrue(found.rating >= 0 && found.rating <= 5)
        for (const url of [found.imageUrl, found.productUrl]) {
          if (url !== null) assert.match(new URL(url).protocol, /^https?:$/)
        }
        if (query.priceMin !== undefined) assert.isAtLeast(found.price!, query.priceMin)
        if (query.priceMax !== undefined) assert.isAtMost(found.price!, query.priceMax)
        if (query.priceMin !== undefined || query.priceMax !== undefined) {
          assert.strictEqual(found.currency, "USD")
        }
      }),
      { numRuns: 1_000 }
    )
  })

  it("is read from any value at all without a throw", () => {
    fc.assert(
      fc.property(fc.anything(), (document) => {
        const found = toSearchProduct(document, {}, { currency: "USD" })
        assert.isTrue(found === undefined || isProduct(found))
      })
    )
  })

  it("has the variant of its page in the page's address", () => {
    fc.assert(
      fc.property(fc.nat(), fc.webUrl({ withQueryParameters: true }), (id, url) => {
        const found = toSearchProduct(
          { id: "p", title: "t", variants: [{ id: `gid://shopify/ProductVariant/${id}`, url }] },
          {},
          { currency: "USD" }
        )
        assert.strictEqual(new URL(found!.productUrl!).searchParams.get("variant"), String(id))
        assert.strictEqual(variantIdOf(undefined, found!.productUrl), String(id))
      })
    )
  })

  it("is rated on a scale of five, the best with five and the worst with none", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 100 }),
        (scale_max, percent) => {
          const rated = outOfFive({ value: (scale_max * percent) / 100, scale_max })!
          assert.closeTo(rated, percent / 20, 0.005_001)
        }
      )
    )
  })
})

describe("any response of the catalogue", () => {
  const read = (text: string, contentType: string) =>
    Effect.runSync(
      Effect.result(
        readToolResponse({
          upstream: "shopify",
          status: 200,
          headers: Headers.fromInput({ "content-type": contentType }),
          text
        })
      )
    )
  const contentTypes = fc.constantFrom("application/json", "text/event-stream", "text/html", "")

  it("is a document or a fault that quotes nothing of it", () => {
    const documents = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          jsonrpc: fc.constant("2.0"),
          result: perhaps(
            fc.record({
              isError: perhaps(fc.boolean()),
              structuredContent: perhaps(fc.record({ products: fc.jsonValue(), messages: fc.jsonValue() })),
              content: perhaps(fc.array(fc.jsonValue()))
            })
          ),
          error: perhaps(fc.record({ code: fc.jsonValue(), data: fc.jsonValue() }))
        })
        .map((document) => JSON.stringify(document))
    )
    fc.assert(
      fc.property(documents, contentTypes, (text, contentType) => {
        const result = read(text, contentType)
        if (Result.isSuccess(result)) {
          assert.isObject(result.success)
        } else {
          const { failure } = result
          assert.include(["ResponseMalformed", "CatalogueRefused", "RateLimited"], failure._tag)
          if (failure._tag === "CatalogueRefused") assert.match(failure.code, /^\w{1,60}$/)
        }
      }),
      { numRuns: 1_000 }
    )
  })

  it("is the same as JSON and as an event stream, wherever its lines end", () => {
    const products = fc.array(fc.record({ id: fc.string(), title: fc.string() }), { maxLength: 3 })
    fc.assert(
      fc.property(products, fc.constantFrom("\n", "\r\n", "\r"), fc.nat(), (found, newline, at) => {
        const response = { jsonrpc: "2.0", id: 1, result: { structuredContent: { products: found } } }
        const lines = JSON.stringify(response, null, 1).split("\n")
        const split = (at % lines.length) + 1
        const data = [lines.slice(0, split).join(""), lines.slice(split).join("")].filter(
          (line) => line !== ""
        )
        const stream = [...data.map((line) => `data: ${line}`), "", ""].join(newline)
        const [asJson, asStream] = [
          read(JSON.stringify(response), "application/json"),
          read(stream, "text/event-stream")
        ]
        assert(Result.isSuccess(asJson) && Result.isSuccess(asStream))
        assert.deepStrictEqual(asStream.success, asJson.success)
        assert.deepStrictEqual(readPage(asStream.success)?.products as unknown, found)
      })
    )
  })
})
