import { type FulfilmentOptions, routeFulfilment } from "@till402/core"
import { sqliteJournals } from "@till402/providers/journals"
import { rye, type RyeFulfilment } from "@till402/providers/rye"
import { zinc, type ZincFulfilment } from "@till402/providers/zinc"
import { databaseOf } from "./money.ts"
import { type Environment, type Fetch, missing, numberOf, type Part, valueOf } from "./environment.ts"

/*
 * Orders: Rye delivers within the United States, at exact quotes. Zinc delivers elsewhere, at the listed price plus an
 * allowance.
 */

/** Called when a webhook reports news of an order, by its reference at the till. */
type OnNews = (reference: string) => Promise<void>

type Webhook = RyeFulfilment["webhook"]

export interface Orders {
  readonly fulfilment: FulfilmentOptions
  /** By upstream. */
  readonly webhooks: Readonly<Record<string, Webhook>>
  readonly close: () => Promise<void>
}

const ryeFrom = (environment: Environment, fetch: Fetch, onNews: OnNews) => {
  const apiKey = valueOf(environment, "RYE_API_KEY")
  if (apiKey === undefined) return undefined
  const journals = sqliteJournals(databaseOf(environment))
  const fulfilment = rye({
    apiKey,
    fetch,
    baseUrl: valueOf(environment, "RYE_BASE_URL"),
    webhookSecret: valueOf(environment, "RYE_WEBHOOK_SECRET"),
    defaultPhone: valueOf(environment, "DEFAULT_PHONE"),
    placements: journals.placements,
    // References at the till begin with the name of their route.
    onUpdate: ({ reference }) => onNews(`rye:${reference}`)
  })
  return { fulfilment, close: journals.close }
}

const zincFrom = (environment: Environment, fetch: Fetch, onNews: OnNews): ZincFulfilment | undefined => {
  const apiKey = valueOf(environment, "ZINC_API_KEY")
  const taxBasisPoints = numberOf(environment, "ZINC_ALLOWANCE_TAX_BASIS_POINTS")
  const shippingCents = numberOf(environment, "ZINC_ALLOWANCE_SHIPPING_CENTS")
  if (apiKey === undefined || taxBasisPoints === undefined || shippingCents === undefined) return undefined
  return zinc({
    apiKey,
    fetch,
    allowance: { taxBasisPoints, shippingCents },
    webhookSecret: valueOf(environment, "ZINC_WEBHOOK_SECRET"),
    defaultPhone: valueOf(environment, "DEFAULT_PHONE"),
    onUpdate: ({ reference }) => onNews(`zinc:${reference}`)
  })
}

const zincVariables = "ZINC_API_KEY, ZINC_ALLOWANCE_TAX_BASIS_POINTS and ZINC_ALLOWANCE_SHIPPING_CENTS"

/** Also with one upstream: references keep the route's name when the other is added. */
const routed = (
  inTheUnitedStates: FulfilmentOptions | undefined,
  elsewhere: FulfilmentOptions | undefined
): FulfilmentOptions => {
  const routes: Record<string, FulfilmentOptions> = {
    ...(inTheUnitedStates === undefined ? {} : { rye: inTheUnitedStates }),
    ...(elsewhere === undefined ? {} : { zinc: elsewhere })
  }
  return routeFulfilment({
    routes,
    choose: ({ shippingAddress }) => {
      if (elsewhere === undefined) return "rye"
      return inTheUnitedStates !== undefined && shippingAddress.country === "US" ? "rye" : "zinc"
    }
  })
}

export const ordersFrom = (environment: Environment, fetch: Fetch, onNews: OnNews): Part<Orders> => {
  const elsewhere = zincFrom(environment, fetch, onNews)
  const opened = ryeFrom(environment, fetch, onNews)
  const inTheUnitedStates = opened?.fulfilment
  if (inTheUnitedStates === undefined && elsewhere === undefined) {
    return missing("orders", `RYE_API_KEY, or ${zincVariables}`, "there is no POST /x402/buy")
  }
  return {
    port: {
      fulfilment: routed(inTheUnitedStates, elsewhere),
      webhooks: {
        ...(inTheUnitedStates === undefined ? {} : { rye: inTheUnitedStates.webhook }),
        ...(elsewhere === undefined ? {} : { zinc: elsewhere.webhook })
      },
      close: async () => opened?.close()
    },
    line:
      inTheUnitedStates === undefined
        ? "orders: Zinc, of Amazon's products. Set RYE_API_KEY; without, there are no exact quotes, and no orders at Shopify's shops."
        : elsewhere === undefined
          ? `orders: Rye, in the United States. Set ${zincVariables}; without, other countries are not served.`
          : "orders: Rye in the United States, Zinc elsewhere."
  }
}
