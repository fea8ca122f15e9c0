import { type Context, Effect, Option } from "effect"
import { ConfigurationError } from "../../domain/Errors.ts"

/**
 * A store for operators, by its name in `HostStores`. The storage of a till that doesn't serve the shop may lack it:
 * every call of it dies with a `ConfigurationError` then.
 */
export const optionalStore = <Id, Store extends object>(
  key: Context.Key<Id, Store>,
  name: string
): Effect.Effect<Store> =>
  Effect.map(
    Effect.serviceOption(key),
    Option.getOrElse(() => {
      const missing = new ConfigurationError({
        message: `storage: it has no ${name}. Add it to the stores of storageFrom`
      })
      return new Proxy({} as Store, { get: () => () => Effect.die(missing) })
    })
  )
