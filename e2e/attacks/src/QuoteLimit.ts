import { isIPv6 } from "node:net"
import type { Server } from "./Visitor.ts"

/** The request header by which a trusted proxy names the client, in these tests. */
export const clientHeader = "x-client"

const perClient = 60
const inAll = 600

/** The first four groups of an IPv6 address: one subscriber. The tests write addresses out. */
const clientOf = (address: string): string =>
  isIPv6(address) ? address.split(":").slice(0, 4).join(":") : address

/**
 * The budget that Till402 once had: so many unpaid prices of an order for one address, or one /64 of IPv6, and so many
 * for everybody together. Within one minute, which the tests don't outlast.
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
