import { inspect } from "node:util"
import type { ProductPage, ProductQuery } from "@till402/core"
import { shopify, type ShopifyOptions } from "../../src/shopify/index.ts"
import { assert } from "vitest"

export const profileUrl = "https://shop.example.com/.well-known/ucp-agent.json"
export const endpoint = "https://catalog.shopify.com/api/ucp/mcp"
export const tokenUrl = "https://api.shopify.com/auth/access_token"
export const clientSecret = "s3cret-client-0123456789"

/** Rates and repeats are off unless a case is about them: real pauses are slow. */
export const catalogue = (options: Partial<ShopifyOptions> = {}) =>
  shopify({ profileUrl, retries: 0, requestsPerSecond: 1_000, ...options })

export const searchOf =
  (shopify: ReturnType<typeof catalogue>) =>
  (query: Partial<ProductQuery> = {}): Promise<ProductPage> =>
    shopify.search({ q: "trail shoes", page: 1, ...query }, { signal: new AbortController().signal })

export interface Thrown extends Error {
  readonly _tag: string
  readonly code?: string
  readonly retryAfterSeconds?: number
}

/** What a search fails with, having looked that it gives no secret and no query away. */
export const thrownBy = async (search: Promise<unknown>): Promise<Thrown> => {
  const error: unknown = await search.then(
    () => assert.fail("the search should have failed"),
    (thrown: unknown) => thrown
  )
  assert.instanceOf(error, Error)
  const shown = inspect(error, { depth: 12, showHidden: true })
  assert.notInclude(shown, clientSecret)
  assert.notInclude(shown, "trail shoes")
  return error as Thrown
}

export const ids = (page: ProductPage) =>
  page.products.map(({ asin }) => asin.replace("gid://shopify/p/", ""))
