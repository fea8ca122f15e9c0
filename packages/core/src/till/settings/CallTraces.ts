import type { Tracer } from "effect"
import type { IncomingRequest } from "../../http/HttpMessage.ts"

/** Gives calls spans: `tillTraces()` of `@till402/telemetry/traces`. Neither function may throw. */
export interface CallTraces {
  readonly tracer: Tracer.Tracer
  /** Returns the span that a request belongs to. Called in the async context of the request. */
  readonly parentOf: (request: IncomingRequest) => Tracer.AnySpan | undefined
}
