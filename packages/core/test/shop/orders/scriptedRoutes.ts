import { type FulfilmentOptions, type ProductReference, type QuotedOffer } from "@till402/core"

export const ofA: ProductReference = { source: "marketplace_a", asin: "B0ABCDEFGH", productUrl: undefined }

export const shippingAddress = {
  name: "Ada",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}
const email = "ada@shop.example"
export const context = { signal: new AbortController().signal }

export const offer = (reference: string): QuotedOffer => ({
  product: { title: "Tote" },
  subtotal: "10",
  tax: "1",
  shipping: "2",
  total: "13",
  currency: "USD",
  reference,
  expiresAt: new Date(0)
})

/** An upstream that records its calls, and quotes unless a test has it fail. */
export const upstream = (name: string, changes: Partial<FulfilmentOptions> = {}) => {
  const calls: Array<string> = []
  const fulfilment: FulfilmentOptions = {
    quote: async () => offer(`${name}-quote:1`),
    place: async ({ orderId, reference }) => {
      calls.push(`place ${orderId} ${reference}`)
      return { reference: `${name}-order:1` }
    },
    find: async (orderId, { reference }) => {
      calls.push(`find ${orderId} ${reference}`)
      return `${name}-order:1`
    },
    status: async (reference) => {
      calls.push(`status ${reference}`)
      return { status: "shipped", shipments: [{ trackingNumber: "1Z" }] }
    },
    ...changes
  }
  const { quote } = fulfilment
  return {
    calls,
    fulfilment: {
      ...fulfilment,
      quote: async (...args: Parameters<typeof quote>) => {
        calls.push("quote")
        return quote(...args)
      }
    } satisfies FulfilmentOptions
  }
}

export const failing = (error: unknown) =>
  upstream("failing", {
    quote: async () => {
      throw error
    }
  })

export const request = (product: ProductReference = ofA) => ({ product, shippingAddress, email })

export const thrownBy = (response: Promise<unknown>): Promise<unknown> =>
  response.then(
    (value) => {
      throw new Error(`returned ${JSON.stringify(value)}`)
    },
    (error: unknown) => error
  )
