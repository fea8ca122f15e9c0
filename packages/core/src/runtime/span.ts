import { Clock, Context, Effect, Exit, type Fiber, Option, References, Tracer } from "effect"

/*
 * Spans of calls. The tracer of an Effect host sees each step of a call as a span of its own. Elsewhere `traces` has a
 * tracer, for which a step is an event of its call's span: six spans cost a paid call 16 % of its processor time.
 */

/** The tracer of `traces`. It isn't Effect's own `Tracer` service, by which each SQL statement would get a span. */
export const CallTracer = Context.Reference<Tracer.Tracer | undefined>("@till402/core/CallTracer", {
  defaultValue: () => undefined
})

type AnyFiber = Fiber.Fiber<unknown, unknown>

/** Whether the sampler keeps nothing of the call. */
const isLeftOut = ({ cache: { span } }: AnyFiber): boolean => span?._tag === "Span" && !span.sampled

const nowNanos = (fiber: AnyFiber): bigint => fiber.getRef(Clock.Clock).currentTimeNanosUnsafe()

const spanBy = (tracer: Tracer.Tracer, name: string, fiber: AnyFiber): Tracer.Span =>
  tracer.span({
    name,
    parent: Option.fromUndefinedOr(fiber.cache.span),
    annotations: Context.empty(),
    links: [],
    startTime: nowNanos(fiber),
    kind: "internal",
    root: false,
    sampled: true
  })

/** How the effect ended, which its span shows. */
const observed = <A, E, R>(effect: Effect.Effect<A, E, R>, span: Tracer.Span) =>
  Effect.map(Effect.provideService(Effect.exit(effect), Tracer.ParentSpan, span), (exit) => {
    if (Exit.isFailure(exit)) span.attribute("failed", true)
    return exit
  })

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
    Effect.withFiber((fiber) => {
      const { tracerEnabled } = fiber.cache
      const tracer = tracerEnabled ? undefined : fiber.getRef(CallTracer)
      if ((!tracerEnabled && tracer === undefined) || isLeftOut(fiber)) return effect
      // Not `withSpan`, which also keeps a frame for stack traces: half of a span's cost.
      if (tracer === undefined)
        return Effect.flatten(Effect.useSpan(name, { attributes }, (span) => observed(effect, span)))
      const span = spanBy(tracer, name, fiber)
      for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
      return Effect.onExit(Effect.provideService(effect, Tracer.ParentSpan, span), (exit) => {
        if (Exit.isFailure(exit)) span.attribute("failed", true)
        span.end(nowNanos(fiber), Exit.void)
        return Effect.void
      })
    })

/**
 * Runs an effect of one asynchronous step, such as `Effect.callback` or `Effect.tryPromise`, in the span of its call: the host's
 * function that it calls makes its spans below that. Others need `handedOn`, which changes the context and changes it back.
 */
export const handedToFunction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const context = fiber.getRef(CallTracer)?.context
    const step = effect as unknown as Tracer.EffectPrimitive<typeof effect>
    return context && !isLeftOut(fiber) ? context(step, fiber) : effect
  })

/** Lets an effect make spans below that of the call: of requests, say. */
export const handedOn = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const tracer = fiber.getRef(CallTracer)
    if (tracer === undefined || isLeftOut(fiber)) return effect
    // Added one by one: a merged context copies all services.
    return Effect.updateContext(effect, (context: Context.Context<R>) =>
      context.pipe(Context.add(Tracer.Tracer, tracer), Context.add(References.TracerEnabled, true))
    )
  })

const prefix = "till402."
const eventOf = (name: string): string => (name.startsWith(prefix) ? name : prefix + name)

/**
 * Shows a step of a call, or a call of a port: as a span of its own, or as an event of the call's span once it has ended.
 * The event's name ends in `.failed` where it did.
 */
export const callStep =
  (name: string, attributes?: Readonly<Record<string, string>>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const { span, tracerEnabled } = fiber.cache
      if (tracerEnabled) return spanned(name, attributes)(effect)
      if (span?._tag !== "Span" || !span.sampled || fiber.getRef(CallTracer) === undefined) return effect
      return Effect.onExit(effect, (exit) => {
        const event = eventOf(name)
        span.event(Exit.isSuccess(exit) ? event : `${event}.failed`, nowNanos(fiber), attributes)
        return Effect.void
      })
    })
