import { Clock, type Config, Context, Effect, Layer } from "effect"
import { ConfigurationError, type StoreError } from "../domain/Errors.ts"
import { assemble, type CommonPorts, type OperationLayers, type Operators, type PortsOf } from "./assemble.ts"
import { checkSettings } from "./settings/Configuration.ts"
import { openBooks } from "./books.ts"
import { makeTill } from "./makeTill.ts"
import { makeProbes } from "./probes.ts"
import { tillConfig } from "./settings/TillConfig.ts"
import { tillService, TillService } from "./TillService.ts"
import type { TillHooks } from "./settings/TillHooks.ts"
import type { TillSettings } from "./settings/TillSettings.ts"

const noOperation = Effect.fail(
  new ConfigurationError({ message: "Till402 can't start: no operation is given, such as Track.layer" })
)

/**
 * Makes the layer of a till: settings, and the operations that it serves. Requires the ports of these operations, the
 * stores, `Facilitator` and `Chain`. Runs in the host's runtime with its tracer, logger, clock and scope; releasing the
 * layer waits up to 30 seconds for running calls.
 *
 * Fails with a `ConfigurationError` that lists every fault of the settings, or reports that the process's clock is far
 * from the database's; with a `StoreError` where that can't be read.
 *
 * @example
 * import { Till, Track, Tracker } from "@till402/core/effect"
 * import { Layer } from "effect"
 *
 * const tracker = Tracker.layerPromise({ track: ({ number }) => lookUp(number) })
 * const TillLive = Till.layer(settings, [Track.layer]).pipe(Layer.provide(tracker))
 */
const layer = <const Ops extends OperationLayers>(
  settings: TillSettings & TillHooks,
  operations: Ops
): Layer.Layer<
  TillService | Operators | Layer.Success<Ops[number]>,
  ConfigurationError | StoreError | Layer.Error<Ops[number]>,
  PortsOf<Ops> | CommonPorts
> =>
  // Layers are shared by reference: fresh inside, so that two tills never share operations, and one value outside, so
  // that a till is built once wherever its layer is provided.
  Layer.effectContext(
    Effect.flatMap(operations.length === 0 ? noOperation : checkSettings(settings), (configured) =>
      Effect.map(
        Layer.build(
          Layer.fresh(
            tillService(configured, settings).pipe(
              Layer.provideMerge(assemble(configured, settings, operations))
            )
          )
        ),
        // The till may run on its database's time; the host keeps its own clock.
        Context.omit(Clock.Clock)
      )
    )
  )

/**
 * The same with the settings of the host's `ConfigProvider`: `TILL_BASE_URL`, `TILL_PAY_TO`, `TILL_NETWORKS`,
 * `TILL_SECRET`, … (docs/environment.md lists all variables).
 */
const layerConfig = <const Ops extends OperationLayers>(
  operations: Ops,
  hooks: TillHooks = {}
): Layer.Layer<
  TillService | Operators | Layer.Success<Ops[number]>,
  Config.ConfigError | ConfigurationError | StoreError | Layer.Error<Ops[number]>,
  PortsOf<Ops> | CommonPorts
> =>
  Layer.unwrap(
    Effect.gen(function* () {
      return layer({ ...(yield* tillConfig), ...hooks }, operations)
    })
  )

/** A till: a service and its layer for hosts with Effect (`layer`), or plain TypeScript (`make`). */
export const Till = Object.assign(TillService, {
  layer,
  layerConfig,
  make: makeTill,
  books: openBooks,
  probes: makeProbes
})
export type Till = TillService
