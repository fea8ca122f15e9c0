import type { Headers } from "effect/http"

/** A complete response of an upstream, within its bound. */
export interface UpstreamResponse {
  readonly upstream: string
  readonly status: number
  /** Names in lower case. */
  readonly headers: Headers.Headers
  readonly text: string
}
