import { isIPv6 } from "node:net"
import type { Server } from "./Visitor.ts"

/** The request header by which a trusted proxy names the client, in these tests. */
export const clientHeader = "x-client"

const perClient = 60
const inAll = 600

/** The first four groups of an IPv6 address: one subscriber. The tests don't abbreviate addresses. */
const clientOf = (address: string): string =>
  isIPv6(address) ? address.split(":").slice(0, 4).join(":") : address

/**
 * A former rule of Till402: a maximum of unpaid quotes for one address or IPv6 /64, and another for all callers. It
 * covers one minute, and no test takes longer.
 */
export const limitedQuotes = ({ fetch, goods }: Server): Server => {
  const clients = new Map<string, number>()
  let all = 0
  return {
    goods,
    fetch: async (request) => {
      const client = clientOf(request.headers.get(clientHeader) ?? "")
      const count = clients.get(client) ?? 0
      if (count >= perClient || all >= inAll) return new Response("Too many quotes", { status: 429 })
      clients.set(client, count + 1)
      all++
      return fetch(request)
    }
  }
}
