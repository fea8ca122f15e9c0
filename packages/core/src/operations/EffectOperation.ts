import { Effect, type Layer, Schema } from "effect"
import type { ApiFailure } from "../domain/ApiFailure.ts"
import { ConfigurationError } from "../domain/Errors.ts"
import { reportingDefects, timedOut } from "./HostDefects.ts"
import { refused } from "./HostWork.ts"
import { exitWithin } from "../runtime/Deadline.ts"
import { isAsyncFunction } from "../runtime/isAsyncFunction.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"
import { awaited } from "../runtime/awaited.ts"
import { type Operations, operationLayer } from "./Operation.ts"
import { OperationSettings } from "./OperationSettings.ts"
import { ownEndpoint, ownOperation } from "./OwnOperation.ts"
import { ownOperationFaults, type OwnOperationOptions } from "./OwnOperationOptions.ts"

/** The options of `Operation.make`. */
export interface OperationOptions<
  Fields extends Schema.Struct.Fields,
  Output extends Schema.Top,
  R
> extends OwnOperationOptions<Schema.Struct.Type<Fields>> {
  /** Fields of path, query and body. Those of path and query come as text: `Schema.FiniteFromString`. Default: none. */
  readonly input?: Schema.Struct<Fields>
  readonly output: Output
  /** The paid work. Fails with an `ApiFailure` of your own (4xx, 502 or 503), and nothing is charged. */
  readonly work: (input: Schema.Struct.Type<Fields>) => Effect.Effect<Output["Type"], ApiFailure, R>
}

const mustReturn = "must return an Effect: wrap promises in Effect.tryPromise"

/** The effect of a host's work. Hosts without types may return promises. */
const effectOf = <A, E, R>(id: string, returned: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.isEffect(returned)
    ? returned
    : Effect.die(
        new MalformedResponse({ message: `operation ${id}: work returned no Effect, and ${mustReturn}` })
      )

/**
 * A paid route of a host as a layer, for `Till.layer`. Requires what its work requires. Fails with a
 * `ConfigurationError` that lists every fault of the options.
 *
 * @example
 * import { Operation } from "@till402/core/effect"
 * import { Effect, Schema } from "effect"
 *
 * const Weather = Operation.make({
 *   id: "weather",
 *   method: "GET",
 *   path: "/weather/:city",
 *   description: "Weather of a city, now",
 *   input: Schema.Struct({ city: Schema.String }),
 *   output: Schema.Struct({ celsius: Schema.Finite }),
 *   price: "0.02",
 *   work: ({ city }) => Effect.succeed({ celsius: city.length })
 * })
 */
export const make = <const Fields extends Schema.Struct.Fields, Output extends Schema.Top, R = never>(
  options: OperationOptions<Fields, Output, R>
): Layer.Layer<never, ConfigurationError, R | Operations | OperationSettings> =>
  operationLayer(
    Effect.gen(function* () {
      const faults = [...ownOperationFaults({ ...options })]
      if (options.input?.ast.checks !== undefined)
        faults.push(
          "input can't have checks of the whole struct: check it in work, and fail with an ApiFailure"
        )
      if (isAsyncFunction(options.work)) faults.push(`work is an async function, and ${mustReturn}`)
      if (faults.length > 0)
        return yield* new ConfigurationError({
          message: `operation ${String(options.id)}: ${faults.join("; ")}`
        })
      const context = yield* Effect.context<R>()
      const settings = yield* OperationSettings
      const encode = Schema.encodeEffect(Schema.toCodecJson(options.output))
      const endpoint = yield* Effect.try({
        try: () => ownEndpoint(options, options.input?.fields ?? {}, options.output),
        catch: (error) =>
          new ConfigurationError({
            message: `operation ${options.id}: a field of input or output has no form as text or JSON (${error instanceof Error ? error.message : "it failed"}): give a schema that has one, such as Schema.DateFromString`
          })
      })
      const operation = yield* ownOperation(options, {
        endpoint,
        work: (input) =>
          exitWithin(
            { timeoutMillis: settings.upstreamTimeoutMillis, onTimeout: () => timedOut(options.id) },
            Effect.flatMap(
              Effect.suspend(() => effectOf(options.id, options.work(input))),
              (output) => Effect.catch(awaited(output), refused)
            )
          ).pipe(
            Effect.flatten,
            Effect.flatMap((output) => Effect.orDie(encode(output as Output["Type"]))),
            Effect.provide(context)
          ) as Effect.Effect<unknown, ApiFailure>
      })
      return reportingDefects(operation, settings)
    })
  )
