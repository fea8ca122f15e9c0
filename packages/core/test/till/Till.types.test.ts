import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { describe, expectTypeOf, it } from "vitest"
import {
  Assistant,
  Buy,
  Catalogue,
  Chain,
  ChainRpc,
  Charges,
  type CommonPorts,
  Facilitator,
  Fulfilment,
  type HostStores,
  Marketplaces,
  Orders,
  Quotes,
  Search,
  Shop,
  storageFrom,
  type Stores,
  type StoresOf,
  Till,
  Track,
  Tracker,
  VaultBuy,
  VaultDownload,
  VaultFiles,
  VaultItems,
  VaultPurchases,
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

const upstream = Layer.mergeAll(
  ChainRpc.layer(settings).pipe(Layer.provide(FetchHttpClient.layer)),
  Facilitator.layerHttp({ url: "https://facilitator.example" }).pipe(Layer.provide(FetchHttpClient.layer))
)

const common = Layer.merge(memory(), upstream)

declare const tracker: Layer.Layer<Tracker>
declare const fulfilment: Layer.Layer<Fulfilment>
declare const stores: HostStores
declare const withOrders: HostStores & Required<Pick<HostStores, "quotes" | "orders">>

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
  it("requires the ports of its operations, charges, Facilitator and Chain", () => {
    const one = () => Till.layer(settings, [Track.layer])
    expectTypeOf<Layer.Services<ReturnType<typeof one>>>().toEqualTypeOf<Tracker | CommonPorts>()
    expectTypeOf<CommonPorts>().toEqualTypeOf<Charges | Facilitator | Chain>()
  })

  it("requires the ports of all seven operations", () => {
    const seven = () => Till.layer(settings, allOperations)
    expectTypeOf<Layer.Services<ReturnType<typeof seven>>>().toEqualTypeOf<
      | Marketplaces
      | Assistant
      | Fulfilment
      | Tracker
      | VaultFiles
      | Quotes
      | Orders
      | VaultItems
      | VaultPurchases
      | CommonPorts
    >()
  })

  it("names the missing port where the layer is provided", () => {
    const missing = () => Till.layer(settings, [Track.layer]).pipe(Layer.provide(common))
    expectTypeOf<Layer.Services<ReturnType<typeof missing>>>().toEqualTypeOf<Tracker>()
    const complete = () => missing().pipe(Layer.provide(tracker))
    expectTypeOf<Layer.Services<ReturnType<typeof complete>>>().toEqualTypeOf<never>()
  })

  it("requires of the stores those of its operations", () => {
    const over = <Provided>(storage: Layer.Layer<Provided>) => {
      const ports = Layer.mergeAll(storage, upstream, tracker, fulfilment)
      return {
        track: () => Till.layer(settings, [Track.layer]).pipe(Layer.provide(ports)),
        buy: () => Till.layer(settings, [Buy.layer]).pipe(Layer.provide(ports))
      }
    }
    const charges = () => over(Layer.orDie(storageFrom(stores)))
    type Of<Route extends "track" | "buy"> = Layer.Services<ReturnType<ReturnType<typeof charges>[Route]>>
    expectTypeOf<Of<"track">>().toEqualTypeOf<never>()
    expectTypeOf<Of<"buy">>().toEqualTypeOf<Quotes | Orders>()
    expectTypeOf<StoresOf<typeof withOrders>>().toEqualTypeOf<Charges | Quotes | Orders>()
    expectTypeOf<StoresOf<Required<HostStores>>>().toEqualTypeOf<Stores>()
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
