import type { ProductPage, ProductQuery } from "@till402/core"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import type { ShopifyLayerOptions } from "../../src/shopify/index.ts"
import { makeShopify } from "../../src/shopify/Shopify.ts"
import { profileUrl } from "./catalogue.ts"
import { type FakeCatalogue, productDocument, type ToolCall } from "./fakeCatalogue.ts"
import { webClient } from "./webClient.ts"

export const products = (count: number) =>
  Array.from({ length: count }, (_, index) => productDocument(index + 1))
export const names = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => `test${from + index}`)

export const over = (
  fake: Pick<FakeCatalogue, "respond">,
  options: Partial<ShopifyLayerOptions> = {}
): Effect.Effect<(query?: Partial<ProductQuery>) => Effect.Effect<ProductPage, unknown>> =>
  makeShopify({ profileUrl, retries: 0, requestsPerSecond: 1_000, pageSize: 10, ...options }).pipe(
    Effect.provideService(
      HttpClient.HttpClient,
      webClient(async (request) => Response.json(fake.respond((await request.json()) as ToolCall)))
    ),
    Effect.orDie,
    Effect.map(
      ({ search }) =>
        (query = {}) =>
          search({ q: "shoes", page: 1, ...query })
    )
  )
