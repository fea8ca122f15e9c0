import type { Caller } from "@till402/core"
import type { FastifyRequest } from "fastify"

/** Addresses of documents, which are no proxy's (RFC 5737), and more of them than a host has proxies. */
const strangers = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`)

/** The prototypes of requests, of which each app has its own, and whether that app trusts everybody. */
const trusting = new WeakMap<object, boolean>()

const trustsAll = (request: FastifyRequest): boolean => {
  const kind = Object.getPrototypeOf(request) as object
  const known = trusting.get(kind)
  if (known !== undefined) return known
  const raw = { socket: { remoteAddress: strangers[99] }, headers: { "x-forwarded-for": strangers.join() } }
  const isTrusting = firstIsTrusted(Object.create(kind, { raw: { value: raw } }) as FastifyRequest)
  trusting.set(kind, isTrusting)
  return isTrusting
}

/** A function of the host's that throws for strangers doesn't trust them. */
const firstIsTrusted = (forwarded: FastifyRequest): boolean => {
  try {
    return forwarded.ip === strangers[0]
  } catch {
    return false
  }
}

/** The client's address, by the app's `trustProxy`: `true` takes the first of the header, which callers may have written. */
export const callerOf = (request: FastifyRequest): Caller => ({
  clientAddress: request.ip,
  trustsAll: request.headers["x-forwarded-for"] !== undefined && trustsAll(request)
})
