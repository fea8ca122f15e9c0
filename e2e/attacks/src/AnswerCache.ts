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

export const answerCache = "a hand-rolled server that keeps its answers by payer and nonce"

/**
 * What a developer writes who has read that a retry must not be charged twice: verifies and settles by the facilitator,
 * as one should, and keeps each answer under the payer and nonce of its payment, to give it again.
 */
const paywallOf =
  (facilitator: FacilitatorClient): Paywall =>
  () => {
    const answers = new Map<string, Response>()
    return ({ path, priceOf }) =>
      async (context, next) => {
        const price = await priceOf(await context.req.json().catch(() => undefined))
        const requirements = requirementsOf(price)
        const header = context.req.header("payment-signature")
        if (header === undefined) return challengeOf(path, price)
        const payment = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Payment
        const { from, nonce } = payment.payload.authorization
        const known = answers.get(`${from}:${nonce}`.toLowerCase())
        if (known !== undefined) return known.clone()
        if (!(await facilitator.verify(payment, requirements)).isValid) return challengeOf(path, price)
        await next()
        if ((await facilitator.settle(payment, requirements)).success)
          answers.set(`${from}:${nonce}`.toLowerCase(), context.res.clone())
        else context.res = challengeOf(path, price)
      }
  }

export const openAnswerCache = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openNaive(paywallOf(facilitator), options)
