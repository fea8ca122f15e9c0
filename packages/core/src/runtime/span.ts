import { Effect, Exit, References } from "effect"

/**
 * Gives an effect a span, where a tracer may see it: without one, a span would cost its making.
 *
 * The span of a failed effect has the attribute `failed`, and never the failure itself: its message, or that of what
 * caused it, may have a key or an address.
 */
export const spanned =
  (name: string, attributes: Readonly<Record<string, string>> = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      if (!fiber.getRef(References.TracerEnabled)) return effect
      const observed = Effect.tap(Effect.exit(effect), (exit) =>
        Exit.isFailure(exit) ? Effect.annotateCurrentSpan("failed", true) : Effect.void
      )
      return Effect.flatten(Effect.withSpan(observed, name, { attributes, captureStackTrace: false }))
    })
