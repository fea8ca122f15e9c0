import * as otel from "@opentelemetry/api"
import type { CallTraces, IncomingRequest } from "@till402/core"
import { Cause, Context, Effect, type Exit, Option, Tracer } from "effect"

/*
 * Effect's spans as spans of OpenTelemetry's API. Names are those of the till's code; attributes are only those listed
 * here, and errors have no message, since a message, URL, header or statement may hold a key or personal data.
 */

const kept: ReadonlySet<string> = new Set([
  "operation",
  "network",
  "outcome",
  "facilitator",
  "source",
  "upstream",
  "http.request.method",
  "http.response.status_code",
  "server.address",
  "server.port",
  "error.type"
])
const maxValueLength = 128

/** Outcomes that a stranger without money can cause: no error of the service. */
const harmless: ReadonlySet<unknown> = new Set(["refused", "replayed", "in_progress", "limited", "repeated"])

const isKept = (key: string, value: unknown): value is string | number =>
  kept.has(key) && (typeof value === "string" || typeof value === "number")

const bounded = (value: string | number): string | number =>
  typeof value === "string" ? value.slice(0, maxValueLength) : value

const keptOf = (attributes: Readonly<Record<string, unknown>>): otel.Attributes => {
  const own: otel.Attributes = {}
  for (const [key, value] of Object.entries(attributes)) if (isKept(key, value)) own[key] = bounded(value)
  return own
}

/** The tag of an error, which code names; never its message. */
const typeOf = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined
  return typeof tag === "string" && /^\w{1,64}$/u.test(tag) ? tag : "_OTHER"
}

/** An exporter or processor that throws must never end a paid call. */
const guard = <A>(run: () => A, otherwise: A): A => {
  try {
    return run()
  } catch (error) {
    otel.diag.error("Till402: a span failed", error)
    return otherwise
  }
}

const kinds = {
  internal: otel.SpanKind.INTERNAL,
  server: otel.SpanKind.SERVER,
  client: otel.SpanKind.CLIENT,
  producer: otel.SpanKind.PRODUCER,
  consumer: otel.SpanKind.CONSUMER
} as const satisfies Record<Tracer.SpanKind, otel.SpanKind>

const unrecorded = otel.trace.wrapSpanContext(otel.INVALID_SPAN_CONTEXT)

/** The span that the host has for a request. */
class RequestSpan implements Tracer.ExternalSpan {
  readonly _tag = "ExternalSpan"
  readonly annotations = Context.empty()
  readonly spanId: string
  readonly traceId: string
  readonly sampled: boolean
  readonly context: otel.Context
  constructor(context: otel.Context, { spanId, traceFlags, traceId }: otel.SpanContext) {
    this.context = context
    this.spanId = spanId
    this.traceId = traceId
    this.sampled = (traceFlags & otel.TraceFlags.SAMPLED) !== 0
  }
}

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

const noAttributes: ReadonlyMap<string, unknown> = new Map()
const noLinks: ReadonlyArray<Tracer.SpanLink> = []

/** A span of a call. What it is to have is written to OpenTelemetry's at once, and not kept twice. */
class CallSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly parent: SpanOptions["parent"]
  readonly annotations: SpanOptions["annotations"]
  readonly links = noLinks
  readonly kind: Tracer.SpanKind
  readonly attributes = noAttributes
  status: Tracer.SpanStatus
  readonly spanId: string
  readonly traceId: string
  readonly sampled: boolean
  /** Active while the host's functions run. */
  readonly context: otel.Context
  private readonly span: otel.Span
  private hasFailed = false
  private isHarmless = false
  constructor({ annotations, kind, name, parent, startTime }: SpanOptions, otelTracer: otel.Tracer) {
    this.name = name
    this.parent = parent
    this.annotations = annotations
    this.kind = kind
    this.status = { _tag: "Started", startTime }
    const above = contextOf(Option.getOrUndefined(parent))
    this.span = guard(() => otelTracer.startSpan(name, { kind: kinds[kind] }, above), unrecorded)
    this.context = otel.trace.setSpan(above, this.span)
    const { spanId, traceFlags, traceId } = this.span.spanContext()
    this.spanId = spanId
    this.traceId = traceId
    this.sampled = (traceFlags & otel.TraceFlags.SAMPLED) !== 0
  }

  attribute(key: string, value: unknown): void {
    if (this.status._tag === "Ended") return
    if (key === "failed" || key === "error.type") this.hasFailed = true
    if (key === "outcome") this.isHarmless = harmless.has(value)
    if (!isKept(key, value)) return
    guard(() => this.span.setAttribute(key, bounded(value)), this.span)
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    const { startTime, _tag } = this.status
    if (_tag === "Ended") return
    if (exit._tag === "Failure" && !Cause.hasInterruptsOnly(exit.cause))
      this.attribute("error.type", typeOf(exit.cause))
    this.status = { _tag: "Ended", startTime, endTime, exit }
    guard(() => {
      if (this.hasFailed && !this.isHarmless) this.span.setStatus({ code: otel.SpanStatusCode.ERROR })
      this.span.end()
    }, undefined)
  }

  /** Only steps of a call: the name of another event may be a log's text. */
  event(name: string, _time: bigint, attributes?: Readonly<Record<string, unknown>>): void {
    if (name.startsWith("till402."))
      guard(() => this.span.addEvent(name, attributes && keptOf(attributes)), this.span)
  }
  addLinks(): void {}
}

const contextOf = (span: Tracer.AnySpan | undefined): otel.Context =>
  span instanceof CallSpan || span instanceof RequestSpan ? span.context : otel.context.active()

const evaluate = "~effect/Effect/evaluate"
/** How asynchronous steps are evaluated: only they call the host, so the others need no context. */
const evaluateAsync = (Effect.callback<void>(() => {}) as unknown as Evaluated)[evaluate]
interface Evaluated {
  readonly [evaluate]: unknown
}

const headers: otel.TextMapGetter<IncomingRequest> = {
  get: (request, name) => request.header(name.toLowerCase()) ?? undefined,
  keys: () => []
}

/** The span that the host's own instrumentation has for a request, or the caller's of `traceparent`. */
const parentOf = (request: IncomingRequest): Tracer.AnySpan | undefined =>
  guard(() => {
    const active = otel.context.active()
    const context =
      otel.trace.getSpanContext(active) === undefined
        ? otel.propagation.extract(active, request, headers)
        : active
    const span = otel.trace.getSpanContext(context)
    return span === undefined || !otel.isSpanContextValid(span) ? undefined : new RequestSpan(context, span)
  }, undefined)

/**
 * Gives the calls of a till spans of OpenTelemetry: `till402.charge`, and below it its steps. They belong to the span of
 * your server, or to the caller's `traceparent`. Register your SDK before; without one, spans go nowhere, and cost their making.
 *
 * @example
 * const till = Till.make({ ...options, traces: tillTraces() })
 */
export const tillTraces = (): CallTraces => {
  const otelTracer = otel.trace.getTracer("@till402/telemetry")
  return {
    parentOf,
    tracer: Tracer.make({
      span: (options) => new CallSpan(options, otelTracer),
      // Spans of the host's functions belong to the step that calls them.
      context: (primitive, fiber) => {
        // Called for every step of a call, so it must be cheap.
        const run = primitive[evaluate]
        if (run !== evaluateAsync) return run.call(primitive, fiber)
        const { span } = fiber.cache
        return span instanceof CallSpan && span.context !== otel.context.active()
          ? otel.context.with(span.context, run, primitive, fiber)
          : run.call(primitive, fiber)
      }
    })
  }
}
