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

export const claimsFirst = "a hand-rolled server that claims payer and nonce before anything else"

/**
 * A server that records payer and nonce before any work, so only one of many copies is served, and verifies
 * the payment only afterwards.
 */
const paywallOf =
  (facilitator: FacilitatorClient): Paywall =>
  () => {
    const claimed = new Set<string>()
    return ({ path, priceOf }) =>
      async (context, next) => {
        const price = await priceOf(await context.req.json().catch(() => undefined))
        const requirements = requirementsOf(price)
        const header = context.req.header("payment-signature")
        if (header === undefined) return challengeOf(path, price)
        const payment = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Payment
        const { from, nonce } = payment.payload.authorization
        const key = `${from}:${nonce}`.toLowerCase()
        if (claimed.has(key)) return challengeOf(path, price)
        claimed.add(key)
        if (!(await facilitator.verify(payment, requirements)).isValid) return challengeOf(path, price)
        await next()
        if (!(await facilitator.settle(payment, requirements)).success) context.res = challengeOf(path, price)
      }
  }

export const openClaimsFirst = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openNaive(paywallOf(facilitator), options)
