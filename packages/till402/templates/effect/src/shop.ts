import {
  Assistant,
  Catalogue,
  Fulfilment,
  Mailer,
  Marketplaces,
  Tracker,
  VaultFiles
} from "@till402/core/effect"
import { SeventeenTrack } from "@till402/providers/17track"
import { sampleShop } from "@till402/sandbox/shop"
import { Config, Effect, Layer, Option } from "effect"

/*
 * The ports of the sample shop as layers. Replace them with layers of @till402/providers or your own services.
 */

const { ports, vaultItems } = sampleShop()

const MarketplacesLive = Marketplaces.layerPromise(ports.marketplaces)

/** 17TRACK, if its key is set. */
const TrackerLive = Layer.unwrap(
  Effect.gen(function* () {
    const key = yield* Config.option(Config.Redacted("SEVENTEENTRACK_API_KEY"))
    return Option.isSome(key) ? SeventeenTrack.layerConfig() : Tracker.layerPromise(ports.tracker)
  })
)

/** All ports that the seven operations require. */
export const ShopLive = Layer.mergeAll(
  MarketplacesLive,
  Assistant.layerPromise(ports.assistant).pipe(
    Layer.provide(Catalogue.layer),
    Layer.provide(MarketplacesLive)
  ),
  Fulfilment.layerPromise(ports.fulfilment),
  TrackerLive,
  VaultFiles.layerPromise(ports.vault),
  Mailer.layerPromise(ports.mailer)
)

/** The archives that the vault sells. */
export { vaultItems }
