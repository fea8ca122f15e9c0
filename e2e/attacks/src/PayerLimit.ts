import { paymentOf } from "./Payments.ts"
import type { Server } from "./Visitor.ts"

/** Maximum number of concurrent calls per payer with {@link limitedByPayer}. */
export const perPayer = 8

/** Limits concurrent calls by the payer named in the payment header, before any check. */
export const limitedByPayer = ({ fetch, goods }: Server): Server => {
  const underWay = new Map<string, number>()
  return {
    goods,
    fetch: async (request) => {
      const header = request.headers.get("payment-signature")
      if (header === null) return fetch(request)
      const { from } = paymentOf(header).payload.authorization
      const count = underWay.get(from) ?? 0
      if (count >= perPayer) return new Response("Too many payments are unsettled", { status: 429 })
      underWay.set(from, count + 1)
      return fetch(request).finally(() => underWay.set(from, (underWay.get(from) ?? 1) - 1))
    }
  }
}
