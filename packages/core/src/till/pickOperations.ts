import { Layer } from "effect"
import { Buy, Search, Shop, Track, VaultBuy, VaultDownload, VaultSearch } from "../shop/routes/Routes.ts"
import type { OperationId } from "../shop/routes/Api.ts"
import { plainOperation } from "../operations/PlainOperationLayer.ts"
import { Assistant } from "../shop/ports/Assistant.ts"
import { Catalogue } from "../shop/ports/Catalogue.ts"
import { Fulfilment } from "../shop/ports/Fulfilment.ts"
import { Mailer } from "../shop/ports/Mailer.ts"
import { Marketplaces } from "../shop/ports/Marketplaces.ts"
import { Orders } from "../shop/ports/Orders.ts"
import { Quotes } from "../shop/ports/Quotes.ts"
import { Tracker } from "../shop/ports/Tracker.ts"
import { VaultFiles } from "../shop/ports/VaultFiles.ts"
import { VaultItems } from "../shop/ports/VaultItems.ts"
import { VaultPurchases } from "../shop/ports/VaultPurchases.ts"
import { storesFor } from "./storesFor.ts"
import type { TillOptions } from "./settings/TillOptions.ts"

/**
 * The operations whose ports a host without Effect supplies, over layers made from its functions: each route of the
 * contract, and the host's own.
 */
export const pickOperations = (options: TillOptions) => {
  const { assistant, fulfilment, mailer, marketplaces = {}, operations = [], tracker, vault } = options
  const sources = Marketplaces.layerPromise(marketplaces)
  const mail = mailer === undefined ? Layer.empty : Mailer.layerPromise(mailer)
  const hasMarketplace = marketplaces.marketplace_a !== undefined || marketplaces.marketplace_b !== undefined
  const vaultPorts =
    vault === undefined
      ? undefined
      : Layer.mergeAll(
          VaultFiles.layerPromise(vault),
          mail,
          storesFor(
            { routes: "each of the routes vault/search, vault/buy and vault/download", option: "vault" },
            { vaultItems: VaultItems, vaultPurchases: VaultPurchases }
          )
        )
  const { search, ...others } = {
    search: hasMarketplace ? Search.layer.pipe(Layer.provide(sources)) : Layer.empty,
    shop:
      assistant === undefined
        ? Layer.empty
        : Shop.layer.pipe(
            Layer.provide(Assistant.layerPromise(assistant)),
            // A search drops a slow marketplace long before the assistant that called it would time out.
            Layer.provide(Catalogue.layer),
            Layer.provide(sources)
          ),
    buy:
      fulfilment === undefined
        ? Layer.empty
        : Buy.layer.pipe(
            Layer.provide([
              Fulfilment.layerPromise(fulfilment),
              mail,
              storesFor({ routes: "the route buy", option: "fulfilment" }, { quotes: Quotes, orders: Orders })
            ])
          ),
    track:
      tracker === undefined ? Layer.empty : Track.layer.pipe(Layer.provide(Tracker.layerPromise(tracker))),
    vaultSearch: vaultPorts === undefined ? Layer.empty : VaultSearch.layer.pipe(Layer.provide(vaultPorts)),
    vaultBuy: vaultPorts === undefined ? Layer.empty : VaultBuy.layer.pipe(Layer.provide(vaultPorts)),
    vaultDownload:
      vaultPorts === undefined ? Layer.empty : VaultDownload.layer.pipe(Layer.provide(vaultPorts))
  } satisfies Record<OperationId, unknown>
  const own = operations.reduce<ReturnType<typeof plainOperation>>(
    (routes, operation) => Layer.merge(routes, plainOperation(operation)),
    Layer.empty
  )
  return [search, ...Object.values(others), own] as const
}
