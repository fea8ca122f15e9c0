import { SearchProduct } from "@till402/core/effect"
import { Schema } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { outOfFive, toSearchProduct, variantIdOf } from "../../src/shopify/CatalogueProduct.ts"
import { perhaps, price } from "./anyCatalogue.ts"
import { shareOfRuns } from "../../../core/test/domain/seeded.ts"

/*
 * What holds for any document of the catalogue; fast-check prints the seed of a failure.
 */

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
      { numRuns: shareOfRuns(1_000) }
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
