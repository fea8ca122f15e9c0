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

export const settlesFirst = "a hand-rolled server that settles first and works afterwards"

/** Settles first, then calls the handler. */
const paywallOf =
  (facilitator: FacilitatorClient): Paywall =>
  () =>
  ({ path, priceOf }) =>
  async (context, next) => {
    const price = await priceOf(await context.req.json().catch(() => undefined))
    const header = context.req.header("payment-signature")
    if (header === undefined) return challengeOf(path, price)
    const payment = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Payment
    if (!(await facilitator.settle(payment, requirementsOf(price))).success) return challengeOf(path, price)
    return next()
  }

export const openSettlesFirst = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openNaive(paywallOf(facilitator), options)
