/** Path and query of a request, normalized as in a `URL`; `search` includes its question mark. */
export interface Target {
  readonly pathname: string
  readonly search: string
}

/** Origin for parsing targets: the till builds public URLs from its own `baseUrl`, never from `Host`. */
export const placeholderOrigin = "http://till.invalid"

/**
 * Parses a request target (`/path?query`, an absolute URL, or `*`) into path and query, ignoring its origin.
 * `undefined` if it is malformed.
 */
export const targetOf = (target: string): Target | undefined => {
  if (target.startsWith("/")) return URL.parse(placeholderOrigin + target) ?? undefined
  if (target === "*") return new URL("/*", placeholderOrigin)
  const absolute = URL.parse(target)
  return absolute?.protocol === "http:" || absolute?.protocol === "https:"
    ? new URL(placeholderOrigin + absolute.pathname + absolute.search)
    : undefined
}
