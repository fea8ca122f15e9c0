/*
 * What a merged search costs beside the marketplaces' own time: the median over fakes that respond at once,
 * as plain functions, and as Canopy and Rainforest over a `fetch` that never leaves the process. The same
 * documents parsed alone are what any implementation pays.
 *
 *   node --conditions=@till402/source bench/src/search.ts
 */
import type { MarketplaceOptions, ProductPage } from "@till402/core"
import { Catalogue, Marketplaces } from "@till402/core/effect"
import { Effect, Layer } from "effect"
import { canopy } from "../../packages/providers/src/canopy/index.ts"
import { rainforest } from "../../packages/providers/src/rainforest/index.ts"

const results = 20
const warmUp = 500
const rounds = 3_000

const each = <A>(make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: results }, (_, index) => make(index))
const asin = (index: number) => `B0TEST${String(index).padStart(4, "0")}`
const title = (index: number) => `Acme trail running shoes, light and waterproof, size ${index}`
const imageUrl = "https://m.media-amazon.com/images/I/test.jpg"

const page: ProductPage = {
  products: each((index) => ({
    asin: asin(index),
    title: title(index),
    price: 20 + index,
    currency: "USD",
    rating: 4.5,
    reviewCount: 1287,
    imageUrl,
    productUrl: `https://www.amazon.com/dp/${asin(index)}`,
    source: "marketplace_a",
    isExpedited: true
  })),
  totalResults: 140,
  hasMore: true
}
const plain: MarketplaceOptions = { search: () => Promise.resolve(page) }

const canopyText = JSON.stringify({
  data: {
    amazonProductSearchResults: {
      productResults: {
        results: each((index) => ({
          asin: asin(index),
          title: title(index),
          url: "https://www.amazon.com/sspa/click",
          price: { value: 20 + index, currency: "USD", display: "$20", symbol: "$" },
          rating: 4.5,
          ratingsTotal: 1287,
          mainImageUrl: imageUrl,
          isPrime: true,
          sponsored: false
        })),
        pageInfo: { currentPage: 1, totalPages: 7, hasNextPage: true }
      }
    }
  }
})
const rainforestText = JSON.stringify({
  request_info: { success: true, credits_used: 1, credits_remaining: 99 },
  search_results: each((index) => ({
    asin: asin(index),
    title: title(index),
    price: { value: 20 + index, currency: "USD", raw: "$20", symbol: "$" },
    rating: 4.5,
    ratings_total: 1287,
    image: imageUrl,
    is_prime: true
  })),
  pagination: { current_page: 1, total_pages: 7, total_results: 140 }
})
const respondWith = (text: string) => ({ apiKey: "key", fetch: () => Promise.resolve(new Response(text)) })

/** The median in milliseconds of one run after another. */
const median = async (run: () => Promise<unknown>): Promise<number> => {
  const times: Array<number> = []
  for (let round = 0; round < warmUp + rounds; round++) {
    const started = performance.now()
    await run()
    if (round >= warmUp) times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
}

const merged = (marketplace_a: MarketplaceOptions, marketplace_b: MarketplaceOptions): Promise<number> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { search } = yield* Catalogue
      const run = Effect.runPromiseWith(yield* Effect.context())
      return yield* Effect.promise(() =>
        median(() => run(search({ q: "trail shoes", page: 1, priceMin: 21, priceMax: 38 })))
      )
    }).pipe(
      Effect.provide(
        Catalogue.layer.pipe(
          Layer.provide(Marketplaces.fromPromise({ marketplace_a, marketplace_b }, { timeoutMillis: 8_000 }))
        )
      )
    )
  )

const parsed = () =>
  median(() =>
    Promise.all(
      [canopyText, rainforestText].map(async (text) => JSON.parse(await new Response(text).text()) as unknown)
    )
  )

const show = (name: string, millis: number): void => console.log(`${name.padEnd(52)} ${millis.toFixed(3)} ms`)

console.log(`merged search, two pages of ${results} products each, p50 of ${rounds}`)
show("two plain functions", await merged(plain, plain))
show(
  "Canopy and Rainforest over a fetch in this process",
  await merged(canopy(respondWith(canopyText)), rainforest(respondWith(rainforestText)))
)
show("  of which reading both bodies and parsing them", await parsed())
