import type { FacilitatorClient } from "@till402/core"
import { baseUrl } from "./Calls.ts"
import {
  challengeOf,
  type NaiveOptions,
  type NaiveServer,
  openNaive,
  type Paywall,
  requirementsOf
} from "./NaiveShop.ts"
import type { Payment } from "./Payments.ts"

export const urlChecker = "a hand-rolled server that compares whole URLs"

/** A former rule of Till402: a payment's resource must equal the 402's, letter by letter. */
const paywallOf =
  (facilitator: FacilitatorClient): Paywall =>
  () =>
  ({ path, priceOf }) =>
  async (context, next) => {
    const price = await priceOf(await context.req.json().catch(() => undefined))
    const header = context.req.header("payment-signature")
    if (header === undefined) return challengeOf(path, price)
    const payment = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Payment
    const { resource } = payment
    if (resource !== undefined && resource.url !== `${baseUrl}${path}`) return challengeOf(path, price)
    if (!(await facilitator.verify(payment, requirementsOf(price))).isValid) return challengeOf(path, price)
    await next()
    if (!(await facilitator.settle(payment, requirementsOf(price))).success)
      context.res = challengeOf(path, price)
  }

export const openUrlChecker = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openNaive(paywallOf(facilitator), options)
