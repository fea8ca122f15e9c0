import { paymentOf } from "./Payments.ts"
import type { Server } from "./Visitor.ts"

export const blamesPayers = "the official middleware, behind a limit on lost work per payer"

/** Refuses a payer whose payment failed after the work: the payer that it names, whoever presented it. */
export const blamingPayers = ({ fetch, goods }: Server): Server => {
  const blamed = new Set<string>()
  return {
    goods,
    fetch: async (request) => {
      const header = request.headers.get("payment-signature")
      if (header === null) return fetch(request)
      const { from } = paymentOf(header).payload.authorization
      if (blamed.has(from)) return new Response("Too much work for this payer is unpaid", { status: 429 })
      const response = await fetch(request)
      if (response.status === 402) blamed.add(from)
      return response
    }
  }
}
