import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { describe, expectTypeOf, it } from "vitest"
import {
  Assistant,
  Buy,
  Catalogue,
  Chain,
  ChainRpc,
  type CommonPorts,
  Facilitator,
  Fulfilment,
  Marketplaces,
  Search,
  Shop,
  type Stores,
  Till,
  Track,
  Tracker,
  VaultBuy,
  VaultDownload,
  VaultFiles,
  VaultSearch
} from "../../src/effect.ts"
import { memory } from "../../src/stores/memory.ts"
import { settings } from "./hosted.ts"

/*
 * Checked by the compiler. A port that is missing is an error at the line that provides or launches the layer.
 */

const allOperations = [
  Search.layer,
  Shop.layer,
  Buy.layer,
  Track.layer,
  VaultSearch.layer,
  VaultBuy.layer,
  VaultDownload.layer
] as const

const common = Layer.mergeAll(
  memory(),
  ChainRpc.layer(settings).pipe(Layer.provide(FetchHttpClient.layer)),
  Facilitator.layerHttp({ url: "https://facilitator.example" }).pipe(Layer.provide(FetchHttpClient.layer))
)

declare const tracker: Layer.Layer<Tracker>

/** Never run: it is compiled. */
const compiled = () => {
  const withoutTracker = Till.layer(settings, [Track.layer]).pipe(Layer.provide(common))
  // @ts-expect-error -- Type 'Tracker' is not assignable to type 'never'
  Effect.runFork(Layer.launch(withoutTracker))
  Effect.runFork(Layer.launch(withoutTracker.pipe(Layer.provide(tracker))))

  const withoutStorage = Till.layer(settings, [Track.layer]).pipe(
    Layer.provide([tracker, ChainRpc.layer(settings)]),
    Layer.provide(FetchHttpClient.layer)
  )
  // @ts-expect-error -- the stores and Facilitator are missing
  Effect.runFork(Layer.launch(withoutStorage))

  // @ts-expect-error -- a till has at least one operation
  return Till.layer(settings, [])
}

describe("the type of Till.layer", () => {
  it("requires the ports of its operations, the stores, Facilitator and Chain", () => {
    const one = () => Till.layer(settings, [Track.layer])
    expectTypeOf<Layer.Services<ReturnType<typeof one>>>().toEqualTypeOf<Tracker | CommonPorts>()
    expectTypeOf<CommonPorts>().toEqualTypeOf<Stores | Facilitator | Chain>()
  })

  it("requires the ports of all seven operations", () => {
    const seven = () => Till.layer(settings, allOperations)
    expectTypeOf<Layer.Services<ReturnType<typeof seven>>>().toEqualTypeOf<
      Marketplaces | Assistant | Fulfilment | Tracker | VaultFiles | CommonPorts
    >()
  })

  it("names the missing port where the layer is provided", () => {
    const missing = () => Till.layer(settings, [Track.layer]).pipe(Layer.provide(common))
    expectTypeOf<Layer.Services<ReturnType<typeof missing>>>().toEqualTypeOf<Tracker>()
    const complete = () => missing().pipe(Layer.provide(tracker))
    expectTypeOf<Layer.Services<ReturnType<typeof complete>>>().toEqualTypeOf<never>()
  })

  it("requires the same with settings of a ConfigProvider", () => {
    const one = () => Till.layerConfig([Track.layer])
    expectTypeOf<Layer.Services<ReturnType<typeof one>>>().toEqualTypeOf<Tracker | CommonPorts>()
  })

  it("compiles the launches above", () => {
    expectTypeOf(compiled).toBeFunction()
    expectTypeOf(Catalogue.layer).toEqualTypeOf<Layer.Layer<Catalogue, never, Marketplaces>>()
  })
})
