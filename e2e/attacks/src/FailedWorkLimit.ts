import type { Server } from "./Visitor.ts"

/** A former rule of Till402: one budget of failed work for all payers. */
export const limitedFailures = ({ fetch, goods }: Server, max: number): Server => {
  let failed = 0
  return {
    goods,
    fetch: async (request) => {
      const isPaid = request.headers.get("payment-signature") !== null
      if (isPaid && failed >= max) return new Response("Too much work failed", { status: 429 })
      const response = await fetch(request)
      if (isPaid && response.status >= 500) failed++
      return response
    }
  }
}
