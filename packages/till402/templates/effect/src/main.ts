import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import {
  Buy,
  Search,
  Shop,
  Till,
  TillClients,
  TillRoutes,
  Track,
  VaultBuy,
  VaultDownload,
  VaultOperator,
  VaultSearch
} from "@till402/core/effect"
import { sqlite } from "@till402/core/sqlite"
import { Cause, Config, Effect, Exit, Layer, Option } from "effect"
import { FetchHttpClient, Headers, HttpRouter, HttpServerResponse, UrlParams } from "effect/http"
import { Otlp } from "effect/observability"
import { ShopLive, vaultItems } from "./shop.ts"

/** Add a paid route of your own to this list. */
const operations = [
  Search.layer,
  Shop.layer,
  Buy.layer,
  Track.layer,
  VaultSearch.layer,
  VaultBuy.layer,
  VaultDownload.layer
] as const

const StorageLive = Layer.unwrap(
  Effect.gen(function* () {
    return sqlite({ filename: yield* Config.withDefault(Config.String("TILL_DATABASE"), "till.sqlite") })
  })
)

const TillLive = Till.layerConfig(operations).pipe(
  Layer.provide([ShopLive, StorageLive, TillClients.layerConfig])
)

const VaultItems = Layer.effectDiscard(
  VaultOperator.use((vault) => Effect.forEach(vaultItems, (item) => vault.put(item)))
)

const OwnRoutes = Layer.mergeAll(
  HttpRouter.add("GET", "/", HttpServerResponse.text("A shop of my own. Agents pay per call under /x402.")),
  HttpRouter.add("GET", "/health", HttpServerResponse.jsonUnsafe({ ok: true }))
)

const ServerLive = Layer.unwrap(
  Effect.gen(function* () {
    return NodeHttpServer.layer(createServer, { port: yield* Config.withDefault(Config.Int("PORT"), 3000) })
  })
)

/** Traces, logs and metrics, if OTLP_URL is set. */
const TelemetryLive = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* Config.option(Config.String("OTLP_URL"))
    return Option.match(url, {
      onNone: () => Layer.empty,
      onSome: (baseUrl) => Otlp.layerJson({ baseUrl, resource: { serviceName: "till402-example" } })
    })
  })
)

/** Removes payments and download tokens from traces: whoever reads an unsettled payment could spend it. */
const RedactionLive = Layer.mergeAll(
  Layer.effect(
    Headers.CurrentRedactedNames,
    Effect.map(Headers.CurrentRedactedNames, (names) => [...names, "payment-signature", "x-payment"])
  ),
  Layer.effect(
    UrlParams.CurrentRedactedNames,
    Effect.map(UrlParams.CurrentRedactedNames, (names) => [...names, "downloadToken"])
  )
)

const App = HttpRouter.serve(Layer.mergeAll(TillRoutes, OwnRoutes)).pipe(
  Layer.merge(VaultItems),
  // Listens once the till has started: Node keeps what comes before a handler is there, and never responds to it.
  Layer.provide(ServerLive),
  Layer.provide(TillLive),
  Layer.provide([TelemetryLive, RedactionLive]),
  Layer.provide(FetchHttpClient.layer)
)

Layer.launch(App).pipe(
  Effect.tapError((error) => Effect.sync(() => console.error(error.message))),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    // Ending by a signal is normal for a server.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
