import type { RateLimit } from "./UpstreamSettings.ts"

const decimal = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*\d{1,15}(\.\d{1,9})?\s*$/.test(text) ? Number(text) : undefined

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3), in seconds or as an HTTP date, to milliseconds from now.
 * `undefined` if it is missing or neither.
 */
export const parseRetryAfter = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  const seconds = decimal(text)
  if (seconds !== undefined) return Math.ceil(seconds * 1_000)
  // Full dates only: Date.parse accepts almost any word with a number.
  if (!/^[A-Za-z]{3,9},? \d{1,2}[ -][A-Za-z]{3}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Seconds until the reset, or a date in seconds or milliseconds. Upstreams differ; the size decides. */
const parseReset = (value: number | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined
  if (value > 100_000_000_000) return value
  return value > 1_000_000_000 ? value * 1_000 : now + value * 1_000
}

/** `key=12` of a structured header: `"default";r=12;t=30`. */
const parameter = (text: string | undefined, key: string): number | undefined =>
  decimal(new RegExp(`(?:^|[;,\\s])${key}=(\\d{1,15})`).exec(text ?? "")?.[1])

/**
 * Parses the rate limit from the headers in use: `X-RateLimit-*`, `RateLimit-*` of the older drafts, and `RateLimit`
 * with `RateLimit-Policy` of the newer ones. `undefined` if there is none.
 */
export const parseRateLimit = (
  headers: Readonly<Record<string, string | undefined>>,
  now: number
): RateLimit | undefined => {
  const either = (name: string) =>
    decimal(headers[`x-ratelimit-${name}`]) ?? decimal(headers[`ratelimit-${name}`])
  const structured = headers["ratelimit"]
  const limit =
    either("limit") ?? parameter(headers["ratelimit-policy"], "q") ?? parameter(structured, "limit")
  const remaining = either("remaining") ?? parameter(structured, "r") ?? parameter(structured, "remaining")
  const resetAt = parseReset(
    either("reset") ?? parameter(structured, "t") ?? parameter(structured, "reset"),
    now
  )
  return limit === undefined && remaining === undefined && resetAt === undefined
    ? undefined
    : {
        ...(limit === undefined ? {} : { limit }),
        ...(remaining === undefined ? {} : { remaining }),
        ...(resetAt === undefined ? {} : { resetAt })
      }
}
