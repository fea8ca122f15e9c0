/*
 * What a host sets and reads of an upstream, in plain TypeScript.
 */

/**
 * How an upstream is called. Every time is in milliseconds. The deadline stays below the 8 seconds that a
 * till gives a marketplace: a call that the till cuts short says nothing about the upstream, one that
 * misses its own deadline counts against it.
 */
export interface UpstreamSettings {
  /** Of one attempt, from sending to the last byte of the answer; default 5000. */
  readonly timeoutMillis?: number
  /** Of the whole call: waiting for a turn, attempts and pauses; default 7500. */
  readonly deadlineMillis?: number
  /** Attempts after the first; default 2. */
  readonly retries?: number
  /** Longest answer, unpacked; default 4 MiB. */
  readonly maxAnswerBytes?: number
  /** Calls at the same time; default 16. */
  readonly maxConcurrent?: number
  /** Calls that wait while `maxConcurrent` run; more are refused. Default 256. */
  readonly maxWaiting?: number
  /** Failed calls in a row after which the upstream is left alone; default 5. */
  readonly circuitFailures?: number
  /** How long it is left alone at first; doubles up to twelve times that. Default 5000. */
  readonly circuitOpenMillis?: number
}

/** What every provider's plain function takes beside its own options. */
export interface FetchOptions {
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch
}

/** What an upstream last said of our rate, as far as it did. */
export interface RateLimit {
  readonly limit?: number
  readonly remaining?: number
  /** Milliseconds since the epoch at which the window starts anew. */
  readonly resetAt?: number
}

/** What one upstream has been used for since it was made; plain data, for a host's own page or log. */
export interface UpstreamUsage {
  /** Calls asked for, those refused without a request included. */
  readonly calls: number
  /** Calls that ended in a fault. */
  readonly failures: number
  /** Requests sent, repeats included. */
  readonly requests: number
  /** Units of the upstream's quota spent (credits, numbers, requests), as the upstream counts them. */
  readonly quotaSpent: number
  /** Units left, as the upstream last said; `undefined` until it does. */
  readonly quotaRemaining: number | undefined
  /** The rate limit as the upstream last told it in headers. */
  readonly rateLimit: RateLimit | undefined
  readonly circuit: "closed" | "open" | "probing"
}
