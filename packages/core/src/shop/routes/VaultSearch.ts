import { Effect, Layer } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { VaultPage, VaultQuery } from "../goods/VaultItem.ts"
import { Vault } from "../vault/Vault.ts"
import { type Operation, operationLayer } from "../../operations/Operation.ts"
import { OperationSettings } from "../../operations/OperationSettings.ts"
import { commonErrors, fixedPrice, respond } from "../../operations/RouteParts.ts"
import { vaultSearchNames } from "./OtherNames.ts"
import { publishedExample } from "./publishedExample.ts"
import { ShopSettings } from "./ShopSettings.ts"

/** The contract of `vault/search`: path, input, responses and documentation. */
export const endpoint = HttpApiEndpoint.get("vaultSearch", "/x402/vault/search", {
  query: VaultQuery,
  success: VaultPage,
  error: commonErrors
}).annotateMerge(
  OpenApi.annotations({
    summary: "Search the vault",
    description: "Lists digital assets (skills, knowledge, personas), page by page with a cursor."
  })
)

const item = {
  id: "0b8f6f7e-7c43-4a7e-9f0e-3f0a3c1d2b11",
  slug: "an-item",
  title: "An item",
  productType: "skill",
  cardDescription: "What the item is for.",
  price: 10,
  category: "development",
  creator: { name: "Ada", type: "human" },
  downloads: 12,
  coverImageUrl: "https://images.example/an-item.png"
} as const

export const example = {
  input: { category: "development", limit: 10 },
  output: { items: [item], nextCursor: null }
}

/** `GET /x402/vault/search`: search of the vault's items. */
export const layer = operationLayer(
  Effect.gen(function* () {
    const vault = yield* Vault
    const { responseLifetimeMillis } = yield* OperationSettings
    const { prices, settlement } = yield* ShopSettings
    return {
      endpoint,
      documents: {
        description: "Search of digital assets: skills, knowledge, personas",
        mimeType: "application/json",
        example: yield* publishedExample(endpoint, example),
        queryInResource: true
      },
      input: { otherNames: vaultSearchNames },
      settlement: { beforeWork: settlement.vaultSearch === "before-work" },
      response: { replayMillis: responseLifetimeMillis },
      price: fixedPrice(prices.vaultSearch),
      work: (query) => Effect.map(vault.search(query), (page) => respond(page))
    } satisfies Operation<VaultQuery>
  })
).pipe(Layer.provideMerge(Vault.layer))
