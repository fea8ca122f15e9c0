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

export const recordsFirst = "a hand-rolled server that records a payment before it verifies it"

/** A former rule of Till402: every presented payment is stored as a row with its header. */
const paywallOf =
  (facilitator: FacilitatorClient, rows: Map<string, string>): Paywall =>
  () =>
  ({ path, priceOf }) =>
  async (context, next) => {
    const price = await priceOf(await context.req.json().catch(() => undefined))
    const header = context.req.header("payment-signature")
    if (header === undefined) return challengeOf(path, price)
    const payment = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Payment
    const { from, nonce } = payment.payload.authorization
    rows.set(`${from}:${nonce}`, header)
    if (!(await facilitator.verify(payment, requirementsOf(price))).isValid) return challengeOf(path, price)
    await next()
    if (!(await facilitator.settle(payment, requirementsOf(price))).success)
      context.res = challengeOf(path, price)
  }

export interface RecordsFirst extends NaiveServer {
  /** The rows of its table. */
  readonly rows: () => ReadonlyArray<string>
}

export const openRecordsFirst = (
  facilitator: FacilitatorClient,
  options: NaiveOptions = {}
): RecordsFirst => {
  const rows = new Map<string, string>()
  const server = openNaive(paywallOf(facilitator, rows), options)
  return { ...server, rows: () => Array.from(rows.values()) }
}
