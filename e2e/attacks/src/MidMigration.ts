import type { FacilitatorClient } from "@till402/core"
import { network } from "./Calls.ts"
import {
  challengeOf,
  type NaiveOptions,
  type NaiveServer,
  openNaive,
  type Paywall,
  requirementsOf
} from "./NaiveShop.ts"
import { paymentOf } from "./Payments.ts"

export const midMigration = "a hand-rolled server on its way from version 1 to version 2"

/**
 * What results when version 2 is added to a version-1 server: the new check reads the new header and the new field
 * `accepted`. The old settlement behind it prefers the old header, and forwards the document unchanged.
 */
const paywallOf =
  (facilitator: FacilitatorClient): Paywall =>
  () =>
  ({ path, priceOf }) =>
  async (context, next) => {
    const price = await priceOf(await context.req.json().catch(() => undefined))
    const checked = context.req.header("payment-signature") ?? context.req.header("x-payment")
    const settled = context.req.header("x-payment") ?? context.req.header("payment-signature")
    if (checked === undefined || settled === undefined) return challengeOf(path, price)
    const { accepted, payload } = paymentOf(checked)
    const isRight =
      accepted.network === network &&
      accepted.amount === price.toString() &&
      payload.authorization.value === accepted.amount
    const { isValid } = await facilitator.verify(paymentOf(checked), requirementsOf(price))
    if (!isRight || !isValid) return challengeOf(path, price)
    await next()
    const { success } = await facilitator.settle(paymentOf(settled), paymentOf(settled).accepted)
    if (!success) context.res = challengeOf(path, price)
  }

export const openMidMigration = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openNaive(paywallOf(facilitator), options)
