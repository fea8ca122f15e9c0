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

export const responseCache = "a hand-rolled server that caches its responses by payer and nonce"

/**
 * A server that verifies and settles correctly and caches each response by payer and nonce, so that retries
 * aren't charged twice.
 */
const paywallOf =
  (facilitator: FacilitatorClient): Paywall =>
  () => {
    const responses = new Map<string, Response>()
    return ({ path, priceOf }) =>
      async (context, next) => {
        const price = await priceOf(await context.req.json().catch(() => undefined))
        const requirements = requirementsOf(price)
        const header = context.req.header("payment-signature")
        if (header === undefined) return challengeOf(path, price)
        const payment = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Payment
        const { from, nonce } = payment.payload.authorization
        const known = responses.get(`${from}:${nonce}`.toLowerCase())
        if (known !== undefined) return known.clone()
        if (!(await facilitator.verify(payment, requirements)).isValid) return challengeOf(path, price)
        await next()
        if ((await facilitator.settle(payment, requirements)).success)
          responses.set(`${from}:${nonce}`.toLowerCase(), context.res.clone())
        else context.res = challengeOf(path, price)
      }
  }

export const openResponseCache = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openNaive(paywallOf(facilitator), options)
