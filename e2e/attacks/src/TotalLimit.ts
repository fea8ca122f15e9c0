import type { Server } from "./Visitor.ts"

/** Counts calls with a payment that are under way, whoever pays, as a developer adds it before everything else. */
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
