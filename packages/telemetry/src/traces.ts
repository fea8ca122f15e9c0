import * as otel from "@opentelemetry/api"
import type { CallTraces, IncomingRequest } from "@till402/core"
import { Cause, Context, type Exit, Option, Tracer } from "effect"

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
  "db.system.name",
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

class CallSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly parent: SpanOptions["parent"]
  readonly annotations: SpanOptions["annotations"]
  readonly links: ReadonlyArray<Tracer.SpanLink> = []
  readonly kind: Tracer.SpanKind
  readonly attributes = new Map<string, unknown>()
  readonly spanId: string
  readonly traceId: string
  readonly sampled: boolean
  /** Active while the host's functions run. */
  readonly context: otel.Context
  status: Tracer.SpanStatus
  private readonly span: otel.Span
  constructor({ annotations, kind, name, parent, startTime }: SpanOptions, otelTracer: otel.Tracer) {
    this.name = name
    this.parent = parent
    this.annotations = annotations
    this.kind = kind
    this.status = { _tag: "Started", startTime }
    const above = contextOf(Option.getOrUndefined(parent))
    // A statement that no call has: one for each request of a stranger.
    const isStray = kind === "client" && otel.trace.getSpanContext(above) === undefined
    this.span = isStray
      ? unrecorded
      : guard(() => otelTracer.startSpan(name, { kind: kinds[kind] }, above), unrecorded)
    this.context = isStray ? above : otel.trace.setSpan(above, this.span)
    const { spanId, traceFlags, traceId } = this.span.spanContext()
    this.spanId = spanId
    this.traceId = traceId
    this.sampled = (traceFlags & otel.TraceFlags.SAMPLED) !== 0
  }

  attribute(key: string, value: unknown): void {
    if (this.status._tag === "Ended") return
    this.attributes.set(key, value)
    if (!this.span.isRecording() || !isKept(key, value)) return
    guard(
      () => this.span.setAttribute(key, typeof value === "string" ? value.slice(0, maxValueLength) : value),
      this.span
    )
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    const { startTime, _tag } = this.status
    if (_tag === "Ended") return
    const isBroken = exit._tag === "Failure" && !Cause.hasInterruptsOnly(exit.cause)
    if (isBroken) this.attribute("error.type", typeOf(exit.cause))
    this.status = { _tag: "Ended", startTime, endTime, exit }
    const hasFailed = isBroken || this.attributes.get("failed") === true || this.attributes.has("error.type")
    guard(() => {
      if (hasFailed && !harmless.has(this.attributes.get("outcome")))
        this.span.setStatus({ code: otel.SpanStatusCode.ERROR })
      this.span.end()
    }, undefined)
  }

  /** An event's name may be a log's text. */
  event(): void {}
  addLinks(): void {}
}

const contextOf = (span: Tracer.AnySpan | undefined): otel.Context =>
  span instanceof CallSpan || span instanceof RequestSpan ? span.context : otel.context.active()

const isAsync = (primitive: object): boolean =>
  "~effect/Effect/identifier" in primitive && primitive["~effect/Effect/identifier"] === "Async"

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
        // Only an asynchronous step calls the host: the others need no context.
        const { span } = fiber.cache
        return isAsync(primitive) && span instanceof CallSpan
          ? otel.context.with(span.context, () => primitive["~effect/Effect/evaluate"](fiber))
          : primitive["~effect/Effect/evaluate"](fiber)
      }
    })
  }
}
