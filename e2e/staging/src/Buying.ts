import { randomUUID } from "node:crypto"
import type {
  CallContext,
  FulfilmentOptions,
  FulfilmentStatus,
  ProductReference,
  QuotedOffer
} from "@till402/core"
import { expect, type Steps } from "./StagingScript.ts"

/*
 * The flow of every fulfilment: a quote, a lookup of an order that doesn't exist and, if allowed, an order.
 */

const staged = { city: "Durham", state: "NC", postalCode: "27701", country: "US" }
/** A fictitious buyer: orders of staging services aren't shipped. */
export const shippingAddress = { name: "Test Buyer", line1: "1 Test St", ...staged, phone: "+15555550100" }
const email = "buyer@example.com"

/** The product that Rye's documentation names for tests. */
export const testAsin = "B0CWXNS552"

export const amazonProduct = (asin: string): ProductReference => ({
  source: "marketplace_a",
  asin,
  productUrl: undefined
})

/** An address on this machine, used by fakes. */
const local: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Whether orders at a service aren't real. */
export const isStaging = (baseUrl: string, stagingUrl: string): boolean => {
  const host = URL.parse(baseUrl)?.hostname
  return host !== undefined && (host === URL.parse(stagingUrl)?.hostname || local.has(host))
}

const atomic = (text: string): bigint => {
  expect(/^\d{1,12}(\.\d{1,6})?$/.test(text), "an amount is not decimal text")
  const [whole = "", part = ""] = text.split(".")
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, "0"))
}

const checkOffer = (offer: QuotedOffer): void => {
  const { currency, expiresAt, product, reference, shipping, subtotal, tax, total } = offer
  expect(atomic(total) > 0n, "the total is zero")
  expect(
    atomic(subtotal) + atomic(tax) + atomic(shipping) === atomic(total),
    "the parts don't add up to the total"
  )
  expect(currency === "USD", "the currency is not USD")
  expect(expiresAt.getTime() > Date.now() + 30_000, "the quote expires within half a minute")
  expect(product.title !== "", "the product has no title")
  expect(reference !== "", "the quote has no reference")
}

/** The fields that all three fulfilments return. */
interface Followed extends FulfilmentOptions {
  readonly find: NonNullable<FulfilmentOptions["find"]>
  readonly status: (reference: string, context: CallContext) => Promise<FulfilmentStatus>
}

export interface Buying {
  readonly fulfilment: Followed
  readonly product: ProductReference
  /** Why no order is placed; `undefined` if one is. */
  readonly whyNot: string | undefined
}

/** Quotes a product, and places the order unless there is a reason not to. */
export const buy = async (steps: Steps, { fulfilment, product, whyNot }: Buying): Promise<void> => {
  const request = { product, shippingAddress, email }
  const offer = await steps.take(
    "quote",
    async (context) => {
      const quoted = await fulfilment.quote(request, context)
      checkOffer(quoted)
      return quoted
    },
    ({ expiresAt, total }) =>
      `${total} USD, for ${Math.round((expiresAt.getTime() - Date.now()) / 60_000)} minutes`
  )
  const { reference, total } = offer
  const orderId = randomUUID()
  await steps.take("find an order that does not exist", async (context) => {
    const found = await fulfilment.find(orderId, { ...context, reference })
    expect(found === null, "it was found")
  })
  if (whyNot !== undefined) return steps.skip("place", whyNot)
  const order = { ...request, orderId, reference, total }
  const placed = await steps.take("place", (context) => fulfilment.place(order, context))
  await steps.take("find", async (context) => {
    const found = await fulfilment.find(orderId, { ...context, reference })
    expect(found === placed.reference, "the placed order was not found")
  })
  await steps.take(
    "status",
    (context) => fulfilment.status(placed.reference, context),
    ({ reason, shipments, status }) =>
      `${status}${reason === undefined ? "" : ` (${reason})`}, ${shipments.length} parcels`
  )
}

/** Why an order may not be placed at a service; `undefined` if it may. */
export const reasonAgainst = (mayPlace: boolean, isNothingReal: boolean, otherwise: string) => {
  if (!mayPlace) return "--place is not given"
  return isNothingReal ? undefined : otherwise
}
