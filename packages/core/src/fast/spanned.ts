import { Effect, Tracer } from "effect"

/*
 * Gives an effect a span, if the host has a tracer.
 *
 * Replaces: `Effect.fn` with a name, which makes a span with random ids and a stack for the default tracer too, which
 * drops it.
 * Gain: 4.3 µs → 0.1 µs, 7 % of a paid call.
 * Equivalence: test/fast/spanned.test.ts.
 */

/** The default tracer: nobody sees its spans. */
const unseen: Tracer.Tracer = Effect.runSync(Effect.tracer)

/** The effect within a span of this name, as `Effect.withSpan` makes it. */
export const spanned = <A, E>(
  effect: Effect.Effect<A, E>,
  name: string,
  attributes: Readonly<Record<string, string>> = {}
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(Tracer.Tracer) === unseen ? effect : Effect.withSpan(effect, name, { attributes })
  )
