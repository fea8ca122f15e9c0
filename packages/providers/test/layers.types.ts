import type { ConfigurationError } from "@till402/core"
import { Facilitator, Fulfilment, Mailer, Marketplaces, Tracker } from "@till402/core/effect"
import { SeventeenTrack } from "@till402/providers/17track"
import { Canopy } from "@till402/providers/canopy"
import { LocalFacilitator } from "@till402/providers/facilitator"
import { type Journals, MemoryJournals, PostgresJournals, SqliteJournals } from "@till402/providers/journals"
import { LogMailer } from "@till402/providers/mail/log"
import { Resend } from "@till402/providers/mail/resend"
import { Smtp } from "@till402/providers/mail/smtp"
import { Rainforest } from "@till402/providers/rainforest"
import { Rye } from "@till402/providers/rye"
import { Shopify } from "@till402/providers/shopify"
import { ShopifyAdmin } from "@till402/providers/shopify-admin"
import { SolanaFacilitator } from "@till402/providers/solana-facilitator"
import { WooCommerce } from "@till402/providers/woocommerce"
import { Zinc } from "@till402/providers/zinc"
import { type Config, Effect, Layer } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"

/*
 * Types of the layers, checked by the compiler only: a missing requirement is an error that names it.
 */

type Failure = Config.ConfigError | ConfigurationError
type Http = HttpClient.HttpClient

const tracker: Layer.Layer<Tracker | SeventeenTrack, Failure, Http> = SeventeenTrack.layerConfig()
const canopy: Layer.Layer<Canopy, Failure, Http> = Canopy.layerConfig()
const rainforest: Layer.Layer<Rainforest, Failure, Http> = Rainforest.layerConfig()
const shopify: Layer.Layer<Shopify, Failure, Http> = Shopify.layerConfig()
const rye: Layer.Layer<Fulfilment | Rye, Failure, Http | Journals> = Rye.layerConfig()
const zinc: Layer.Layer<Fulfilment | Zinc, Failure, Http> = Zinc.layerConfig()
const shopifyAdmin: Layer.Layer<Fulfilment | ShopifyAdmin, Failure, Http> = ShopifyAdmin.layerConfig()
const wooCommerce: Layer.Layer<Fulfilment | WooCommerce, Failure, Http> = WooCommerce.layerConfig()
const facilitator: Layer.Layer<Facilitator, Failure, Http | Journals> = LocalFacilitator.layerConfig()
const onSolana: Layer.Layer<Facilitator, Failure, Http | Journals> = SolanaFacilitator.layerConfig()
const resend: Layer.Layer<Mailer | Resend, Failure, Http> = Resend.layerConfig()
const smtp: Layer.Layer<Mailer, Failure> = Smtp.layerConfig()
const log: Layer.Layer<Mailer, Failure> = LogMailer.layerConfig()
const sqlite: Layer.Layer<Journals, Failure> = SqliteJournals.layerConfig()
const postgres: Layer.Layer<Journals, Failure> = PostgresJournals.layerConfig()
const both: Layer.Layer<Marketplaces, never, Canopy | Shopify> = Marketplaces.layerOf(Canopy, Shopify)

const track = Tracker.use(({ track }) => track({ number: "1Z" }))
const quoting = Fulfilment.use(({ placesOnce }) => Effect.succeed(placesOnce))
const listing = Facilitator.use(({ supported }) => supported)
const searching = Marketplaces.use((marketplaces) => Effect.succeed(marketplaces.length))

export const complete: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
  track.pipe(Effect.provide(tracker), Effect.provide(FetchHttpClient.layer)),
  quoting.pipe(Effect.provide(rye), Effect.provide([FetchHttpClient.layer, MemoryJournals.layer])),
  quoting.pipe(Effect.provide(shopifyAdmin), Effect.provide(FetchHttpClient.layer)),
  quoting.pipe(Effect.provide(wooCommerce), Effect.provide(FetchHttpClient.layer)),
  listing.pipe(Effect.provide(facilitator), Effect.provide([FetchHttpClient.layer, MemoryJournals.layer])),
  listing.pipe(Effect.provide(onSolana), Effect.provide([FetchHttpClient.layer, MemoryJournals.layer])),
  searching.pipe(
    Effect.provide(both),
    Effect.provide([canopy, shopify]),
    Effect.provide(FetchHttpClient.layer)
  )
]

export const incomplete: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
  // @ts-expect-error HttpClient is missing
  track.pipe(Effect.provide(tracker)),
  // @ts-expect-error HttpClient is missing
  quoting.pipe(Effect.provide(zinc)),
  // @ts-expect-error HttpClient is missing
  Mailer.use(({ send }) => Effect.succeed(send)).pipe(Effect.provide(resend)),
  // @ts-expect-error Journals is missing
  quoting.pipe(Effect.provide(rye), Effect.provide(FetchHttpClient.layer)),
  // @ts-expect-error Journals is missing
  listing.pipe(Effect.provide(facilitator), Effect.provide(FetchHttpClient.layer)),
  // @ts-expect-error Journals is missing
  listing.pipe(Effect.provide(onSolana), Effect.provide(FetchHttpClient.layer)),
  // @ts-expect-error Shopify is missing
  searching.pipe(Effect.provide(both), Effect.provide(canopy), Effect.provide(FetchHttpClient.layer)),
  // @ts-expect-error HttpClient is missing
  searching.pipe(Effect.provide(Marketplaces.layerOf(Rainforest)), Effect.provide(rainforest))
]

export const journals: ReadonlyArray<Layer.Layer<Journals, Failure>> = [sqlite, postgres]
export const mailers: ReadonlyArray<Layer.Layer<Mailer, Failure>> = [smtp, log]
