import { varyByPayment } from "./Responses.ts"

/** Headers by which caches store a response although its `Cache-Control` forbids it, or that describe such a copy. */
const cacheHeader =
  /^(?:.+-cache-control|surrogate-.*|edge-control|x-accel-expires|expires|age|cache-control|pragma)$/

/** Whether a header of the host instructs a cache. */
export const isCacheHeader = (name: string): boolean => cacheHeader.test(name)

/** A response of the host to a request with a payment, as no cache may store it. */
export const uncached = (response: Response): Response => {
  const { body, status, statusText } = response
  // `Response.error()`, or a change of protocol, can't be made anew.
  if (status < 200) return response
  const headers = new Headers([...response.headers].filter(([name]) => !isCacheHeader(name)))
  headers.set("cache-control", "no-store")
  headers.append("vary", varyByPayment)
  return new Response(body, { status, statusText, headers })
}
