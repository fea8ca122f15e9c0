import type { Caller } from "@till402/core"
import type { FastifyRequest } from "fastify"

/** An address of documents, which no client has (RFC 5737). */
const first = "192.0.2.1"

/** What a request over three strangers' proxies shows of them. */
const strangers = {
  raw: { socket: { remoteAddress: "192.0.2.3" }, headers: { "x-forwarded-for": `${first}, 192.0.2.2` } }
}

const takesFirst = (request: FastifyRequest): boolean => {
  try {
    return Reflect.get(request, "ip", strangers) === first
  } catch {
    // A function of the host's, which knows its own proxies alone.
    return false
  }
}

/** By the kind of request, of which an app has one for each of its plugins. */
const known = new WeakMap<object, boolean>()

/** Whether an app trusts all proxies. Its setting isn't shown: one that would trust strangers does. */
const trustsAll = (request: FastifyRequest): boolean => {
  const kind: object = Object.getPrototypeOf(request)
  const found = known.get(kind) ?? takesFirst(request)
  known.set(kind, found)
  return found
}

/** The client's address, by the app's `trustProxy`: `true` takes the first of the header, which callers may have written. */
export const callerOf = (request: FastifyRequest): Caller => ({
  clientAddress: request.ip,
  trustsAll: trustsAll(request)
})
