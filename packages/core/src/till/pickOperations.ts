import { Layer } from "effect"
import * as Buy from "../shop/routes/Buy.ts"
import { plainOperation } from "../operations/PlainOperationLayer.ts"
import * as Search from "../shop/routes/Search.ts"
import * as Shop from "../shop/routes/Shop.ts"
import * as Track from "../shop/routes/Track.ts"
import * as VaultBuy from "../shop/routes/VaultBuy.ts"
import * as VaultDownload from "../shop/routes/VaultDownload.ts"
import * as VaultSearch from "../shop/routes/VaultSearch.ts"
import { Assistant } from "../shop/ports/Assistant.ts"
import { Catalogue } from "../shop/ports/Catalogue.ts"
import { Fulfilment } from "../shop/ports/Fulfilment.ts"
import type { CallSettings } from "../ports/ProviderFailure.ts"
import { Mailer } from "../shop/ports/Mailer.ts"
import { Marketplaces } from "../shop/ports/Marketplaces.ts"
import { printProviderFailure } from "../ports/ProviderFailure.ts"
import { Tracker } from "../shop/ports/Tracker.ts"
import { VaultFiles } from "../shop/ports/VaultFiles.ts"
import type { TillOptions } from "./settings/TillOptions.ts"

const marketplaceTimeoutMillis = 8_000
/** The part of the till's deadline that a marketplace's own may take: the rest is for the response. */
const longestShare = 9 / 10

/** The operations whose ports a host without Effect supplies, over layers made from its functions. */
export const pickOperations = (options: TillOptions, upstreamTimeoutMillis: number) => {
  const { assistant, fulfilment, mailer, marketplaces = {}, operations = [], tracker, vault } = options
  const settings: CallSettings = {
    timeoutMillis: upstreamTimeoutMillis,
    onError: options.onProviderError ?? printProviderFailure
  }
  const timeoutMillis = Math.min(marketplaceTimeoutMillis, upstreamTimeoutMillis / 2)
  const marketplaceSettings = {
    ...settings,
    timeoutMillis,
    longestMillis: upstreamTimeoutMillis * longestShare
  }
  const sources = Marketplaces.fromPromise(marketplaces, marketplaceSettings)
  const mail = mailer === undefined ? Layer.empty : Mailer.fromPromise(mailer, settings)
  const hasMarketplace = marketplaces.marketplace_a !== undefined || marketplaces.marketplace_b !== undefined
  const search = hasMarketplace ? Search.layer.pipe(Layer.provide(sources)) : Layer.empty
  const shop =
    assistant === undefined
      ? Layer.empty
      : Shop.layer.pipe(
          Layer.provide(Assistant.fromPromise(assistant, settings)),
          // A search drops a slow marketplace long before the assistant that called it would time out.
          Layer.provide(Catalogue.layerWith({ timeoutMillis })),
          Layer.provide(sources)
        )
  const buy =
    fulfilment === undefined
      ? Layer.empty
      : Buy.layer.pipe(Layer.provide([Fulfilment.fromPromise(fulfilment, settings), mail]))
  const track =
    tracker === undefined
      ? Layer.empty
      : Track.layer.pipe(Layer.provide(Tracker.fromPromise(tracker, settings)))
  const vaultRoutes =
    vault === undefined
      ? Layer.empty
      : Layer.mergeAll(VaultSearch.layer, VaultBuy.layer, VaultDownload.layer).pipe(
          Layer.provide([VaultFiles.fromPromise(vault, settings), mail])
        )
  const own = operations.reduce<ReturnType<typeof plainOperation>>(
    (routes, operation) => Layer.merge(routes, plainOperation(operation, settings)),
    Layer.empty
  )
  return [search, shop, buy, track, vaultRoutes, own] as const
}
