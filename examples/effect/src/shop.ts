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
const settings = { timeoutMillis: 20_000 }

const MarketplacesLive = Marketplaces.fromPromise(ports.marketplaces, { timeoutMillis: 8_000 })

/** 17TRACK, if its key is set. */
const TrackerLive = Layer.unwrap(
  Effect.gen(function* () {
    const key = yield* Config.option(Config.Redacted("SEVENTEENTRACK_API_KEY"))
    return Option.isSome(key) ? SeventeenTrack.layerConfig() : Tracker.fromPromise(ports.tracker, settings)
  })
)

/** All ports that the seven operations require. */
export const ShopLive = Layer.mergeAll(
  MarketplacesLive,
  Assistant.fromPromise(ports.assistant, settings).pipe(
    Layer.provide(Catalogue.layer),
    Layer.provide(MarketplacesLive)
  ),
  Fulfilment.fromPromise(ports.fulfilment, settings),
  TrackerLive,
  VaultFiles.fromPromise(ports.vault, settings),
  Mailer.fromPromise(ports.mailer, settings)
)

/** The archives that the vault sells. */
export { vaultItems }
