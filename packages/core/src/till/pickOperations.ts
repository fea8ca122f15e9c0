import { Layer } from "effect"
import * as Buy from "../operations/routes/Buy.ts"
import { plainOperation } from "../operations/PlainOperationLayer.ts"
import * as Search from "../operations/routes/Search.ts"
import * as Shop from "../operations/routes/Shop.ts"
import * as Track from "../operations/routes/Track.ts"
import * as VaultBuy from "../operations/routes/VaultBuy.ts"
import * as VaultDownload from "../operations/routes/VaultDownload.ts"
import * as VaultSearch from "../operations/routes/VaultSearch.ts"
import { Assistant } from "../ports/Assistant.ts"
import { Catalogue } from "../ports/Catalogue.ts"
import { Fulfilment } from "../ports/Fulfilment.ts"
import type { CallSettings } from "../ports/HostCall.ts"
import { Mailer } from "../ports/Mailer.ts"
import { Marketplaces } from "../ports/Marketplaces.ts"
import { printProviderFailure } from "../ports/ProviderFailure.ts"
import { Tracker } from "../ports/Tracker.ts"
import { VaultFiles } from "../ports/VaultFiles.ts"
import type { TillOptions } from "./TillOptions.ts"

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
