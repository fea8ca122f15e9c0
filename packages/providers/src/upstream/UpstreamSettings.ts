/*
 * What a host sets and reads of an upstream, in plain TypeScript.
 */

/**
 * How an upstream is called. Times are in milliseconds. The deadline is below the 8 seconds that a till
 * allows a marketplace: a call canceled by the till doesn't count for the circuit breaker, a call that
 * misses its own deadline does.
 */
export interface UpstreamSettings {
  /** Time limit of one attempt, until the last byte of the response; default 5000. */
  readonly timeoutMillis?: number | undefined
  /** Time limit of the whole call with waiting, attempts and pauses; default 7500. */
  readonly deadlineMillis?: number | undefined
  /** Attempts after the first; default 2. */
  readonly retries?: number | undefined
  /** Longest response after decompression; default 4 MiB. */
  readonly maxResponseBytes?: number | undefined
  /** Calls at the same time; default 16. Those of unpaid quotes have half of these places. */
  readonly maxConcurrent?: number | undefined
  /** Calls that wait while `maxConcurrent` run, up to half of `deadlineMillis`; further ones are refused. Default 256. */
  readonly maxWaiting?: number | undefined
  /** Consecutive failed calls that open the circuit; default 5. */
  readonly circuitFailures?: number | undefined
  /** How long the circuit stays open at first; doubles up to twelve times that. Default 5000. */
  readonly circuitOpenMillis?: number | undefined
}

/** The options that the plain function of each provider takes in addition to its own. */
export interface FetchOptions {
  /** Sends the requests; default: the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The rate limit that an upstream last reported. Values that it didn't report are missing. */
export interface RateLimit {
  readonly limit?: number
  readonly remaining?: number
  /** When the window restarts, in milliseconds since the epoch. */
  readonly resetAt?: number
}

/** Usage of one upstream since it was made, as plain data for a status page or a log. */
export interface UpstreamUsage {
  /** Calls, including those refused without a request. */
  readonly calls: number
  /** Calls that failed. */
  readonly failures: number
  /** Requests sent, including retries. */
  readonly requests: number
  /** Units of the upstream's quota spent (credits, numbers, requests), as the upstream counts them. */
  readonly quotaSpent: number
  /** Units left, as last reported; `undefined` until then. */
  readonly quotaRemaining: number | undefined
  /** The rate limit last reported in headers. */
  readonly rateLimit: RateLimit | undefined
  /** Calls of unpaid quotes have a circuit of their own, which counts here while the other one is closed. */
  readonly circuit: "closed" | "open" | "probing"
}
