import { Context, Effect, Layer, Option } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"

/**
 * The stores that routes need, of a storage that may lack them, by their names in `HostStores`. Fails with a
 * `ConfigurationError` that names the routes, what is missing, and the option without which the routes aren't served.
 */
export const storesFor = <const Needed extends Readonly<Record<string, Context.Key<unknown, unknown>>>>(
  { option, routes }: { readonly routes: string; readonly option: string },
  needed: Needed
): Layer.Layer<Context.Service.Identifier<Needed[keyof Needed]>, ConfigurationError> =>
  Layer.effectContext(
    Effect.flatMap(Effect.context<never>(), (context) => {
      const missing = Object.keys(needed).filter((name) =>
        Option.isNone(Context.getOption(context, needed[name]!))
      )
      return missing.length === 0
        ? // None is missing.
          Effect.succeed(context as Context.Context<Context.Service.Identifier<Needed[keyof Needed]>>)
        : Effect.fail(
            new ConfigurationError({
              message: `storage: it has no ${missing.join(" and no ")}, which ${routes} needs. Add them to the stores of storageFrom, or leave out the option ${option}`
            })
          )
    })
  )
