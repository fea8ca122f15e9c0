/** Path and query of a request, normalized as in a `URL`; `search` includes its question mark. */
export interface Target {
  readonly pathname: string
  readonly search: string
}

/** Origin for parsing targets: the till builds public URLs from its own `baseUrl`, never from `Host`. */
export const placeholderOrigin = "http://till.invalid"

/** The path and query of an absolute URL, as `Request.url` has it. */
export const targetOfUrl = (url: string): Target => {
  const start = url.indexOf("/", url.indexOf("://") + 3)
  return (start === -1 ? undefined : plainTarget(url.slice(start))) ?? new URL(url)
}

/** A target that URL parsing leaves unchanged: no dot segments, and nothing to encode. */
const plain = /^\/[\w/-]*(?:\?[\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e]+)?$/

const plainTarget = (target: string): Target | undefined => {
  if (!plain.test(target)) return undefined
  const mark = target.indexOf("?")
  return mark === -1
    ? { pathname: target, search: "" }
    : { pathname: target.slice(0, mark), search: target.slice(mark) }
}

/**
 * Parses a request target (`/path?query`, an absolute URL, or `*`) into path and query, ignoring its origin.
 * `undefined` if it is malformed.
 */
export const targetOf = (target: string): Target | undefined => {
  const read = plainTarget(target)
  if (read !== undefined) return read
  if (target.startsWith("/")) return URL.parse(placeholderOrigin + target) ?? undefined
  if (target === "*") return new URL("/*", placeholderOrigin)
  const absolute = URL.parse(target)
  return absolute?.protocol === "http:" || absolute?.protocol === "https:"
    ? new URL(placeholderOrigin + absolute.pathname + absolute.search)
    : undefined
}
