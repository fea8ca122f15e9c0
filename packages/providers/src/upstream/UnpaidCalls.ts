import { Context, Effect } from "effect"

/** Whether a call is made for a caller who hasn't paid. */
export const IsUnpaid: Context.Reference<boolean> = Context.Reference<boolean>(
  "@till402/providers/IsUnpaid",
  {
    defaultValue: () => false
  }
)

/** Leaves half of an upstream's places to other calls: anybody can request a quote, and a paid order must not wait. */
export const unpaid = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, IsUnpaid, true)
