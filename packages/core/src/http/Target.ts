import type { Target } from "./HttpMessage.ts"

/** Origin of parsed requests: the till builds public addresses from its own `baseUrl`, never from `Host`. */
export const origin = "http://till.invalid"

/** A target that a URL leaves as it is: it has no dot segment, and nothing to encode. */
const plain = /^\/[\w/-]*(?:\?[\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e]+)?$/

/**
 * Reads a request target (`/path?query`, an absolute address, or `*`) as path and query of a URL, for any origin.
 * `undefined` where it is malformed.
 */
export const targetOf = (target: string): Target | undefined => {
  if (plain.test(target)) {
    const mark = target.indexOf("?")
    return mark === -1
      ? { pathname: target, search: "" }
      : { pathname: target.slice(0, mark), search: target.slice(mark) }
  }
  if (target.startsWith("/")) return URL.parse(origin + target) ?? undefined
  if (target === "*") return new URL("/*", origin)
  const absolute = URL.parse(target)
  return absolute?.protocol === "http:" || absolute?.protocol === "https:"
    ? new URL(origin + absolute.pathname + absolute.search)
    : undefined
}
