import type { Server } from "./Visitor.ts"

/**
 * Limits the calls with a payment in flight, regardless of payer, as a developer would add it in front of everything
 * else.
 */
export const limitedInAll = ({ fetch, goods }: Server, max: number): Server => {
  let underWay = 0
  return {
    goods,
    fetch: async (request) => {
      if (request.headers.get("payment-signature") === null) return fetch(request)
      if (underWay >= max) return new Response("Too many payments are unsettled", { status: 429 })
      underWay++
      return fetch(request).finally(() => underWay--)
    }
  }
}
