import type { FacilitatorClient } from "@till402/core"
import {
  challengeOf,
  type NaiveOptions,
  type NaiveServer,
  openNaive,
  type Paywall,
  requirementsOf
} from "./NaiveShop.ts"
import type { Payment } from "./Payments.ts"

export const callCredit = "a hand-rolled server that trusts a payer for as many calls as they have paid"

/**
 * A former rule of Till402: each settled payment allows one more concurrent call without verification,
 * whatever it costs.
 */
const paywallOf = (facilitator: FacilitatorClient): Paywall => {
  const credit = new Map<string, number>()
  return () =>
    ({ path, priceOf }) =>
    async (context, next) => {
      const price = await priceOf(await context.req.json().catch(() => undefined))
      const requirements = requirementsOf(price)
      const header = context.req.header("payment-signature")
      if (header === undefined) return challengeOf(path, price)
      const payment = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Payment
      const { from } = payment.payload.authorization
      const earned = credit.get(from) ?? 0
      credit.set(from, Math.max(0, earned - 1))
      if (earned === 0 && !(await facilitator.verify(payment, requirements)).isValid)
        return challengeOf(path, price)
      await next()
      if ((await facilitator.settle(payment, requirements)).success)
        credit.set(from, (credit.get(from) ?? 0) + (earned === 0 ? 1 : 2))
      else context.res = challengeOf(path, price)
    }
}

export const openCallCredit = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openNaive(paywallOf(facilitator), options)
