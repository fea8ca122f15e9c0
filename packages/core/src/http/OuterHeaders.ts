/*
 * Headers that a framework's middleware has set before a priced handler runs: they belong to one request, so a record
 * must not hold them.
 */

/** Names and values; a name can occur more than once. */
export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>

/** For adapters: the headers of a handler's response, without those that earlier middleware had set. */
export const withoutOuterHeaders = (headers: Headers, outer: HeaderList): Headers => {
  const own = new Headers(headers)
  for (const [name, value] of outer) if (own.get(name) === value) own.delete(name)
  return own
}

/**
 * For adapters: headers that a priced handler of GET doesn't see. By them a caller asks whether the response is still
 * the one that they name: a 304 or 412 isn't charged, and would tell for nothing what is sold.
 */
export const conditionalHeaders = ["if-none-match", "if-modified-since", "if-match", "if-unmodified-since"]

/** Headers of earlier middleware that would let a cache store a response of the till. */
const cacheHeader =
  /^(?:.+-cache-control|surrogate-.*|edge-control|x-accel-expires|expires|age|pragma|content-encoding)$/

/** For adapters: the headers of a till's response, with those that earlier middleware has set for this request. */
export const withOuterHeaders = (own: Headers, outer: HeaderList): Headers => {
  const headers = new Headers(own)
  for (const [name, value] of outer) {
    if (cacheHeader.test(name)) continue
    if (name === "set-cookie" || name === "vary") headers.append(name, value)
    // A header that the handler has changed stays. CORS is decided by the app, if it does.
    else if (name.startsWith("access-control-") || !headers.has(name)) headers.set(name, value)
  }
  return headers
}
