import { Effect, Exit, Tracer } from "effect"

/**
 * Gives an effect a span, where a tracer may see it: without one, and below a span that no sampler keeps, a span would
 * cost its making.
 *
 * The span of a failed effect has the attribute `failed`, and never the failure itself: its message, or that of what
 * caused it, may have a key or an address.
 */
export const spanned =
  (name: string, attributes: Readonly<Record<string, string>> = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber(({ cache: { span: parent, tracerEnabled } }) => {
      if (!tracerEnabled || (parent?._tag === "Span" && !parent.sampled)) return effect
      // Not `withSpan`, which also keeps a frame for stack traces: half of a span's cost.
      const observed = Effect.useSpan(name, { attributes }, (span) =>
        Effect.map(Effect.provideService(Effect.exit(effect), Tracer.ParentSpan, span), (exit) => {
          if (Exit.isFailure(exit)) span.attribute("failed", true)
          return exit
        })
      )
      return Effect.flatten(observed)
    })
