import type { FacilitatorClient } from "@till402/core"
import { ExactEvmScheme } from "@x402/evm/exact/server"
import { paymentMiddleware, x402ResourceServer } from "@x402/hono"
import { baseUrl, network, payTo, usdc } from "./Calls.ts"
import { type NaiveOptions, type NaiveServer, openNaive, type Paywall } from "./NaiveShop.ts"

export const official = "the official @x402/hono middleware"

type OfficialClient = Extract<ConstructorParameters<typeof x402ResourceServer>[0], { verify: unknown }>

/** A facilitator in the official middleware's types. */
const clientOf = (facilitator: FacilitatorClient): OfficialClient => ({
  verify: async (payment, requirements) => {
    const { invalidReason, isValid, payer } = await facilitator.verify(payment, requirements)
    return {
      isValid,
      ...(invalidReason === undefined ? {} : { invalidReason }),
      ...(payer === undefined ? {} : { payer })
    }
  },
  settle: async (payment, requirements) => {
    const { errorReason, success, transaction } = await facilitator.settle(payment, requirements)
    return { success, transaction, network, ...(errorReason === undefined ? {} : { errorReason }) }
  },
  getSupported: async () => ({
    kinds: [{ x402Version: 2, scheme: "exact", network }],
    extensions: [],
    signers: {}
  })
})

/** `@x402/hono` 2.27 as in its README, on every route; the price of a purchase is a function of its body. */
const paywallOf =
  (facilitator: FacilitatorClient): Paywall =>
  (routes) => {
    const server = new x402ResourceServer(clientOf(facilitator)).register(network, new ExactEvmScheme())
    const middleware = paymentMiddleware(
      Object.fromEntries(
        routes.map(({ method, path, priceOf }) => [
          `${method} ${path}`,
          {
            resource: `${baseUrl}${path}`,
            accepts: {
              scheme: "exact",
              network,
              payTo,
              maxTimeoutSeconds: 120,
              price: async ({ adapter }: { readonly adapter: { getBody?(): unknown } }) => ({
                amount: (await priceOf(await adapter.getBody?.())).toString(),
                asset: usdc,
                extra: { name: "USDC", version: "2" }
              })
            }
          }
        ])
      ),
      server
    )
    return () => middleware
  }

export const openOfficial = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openNaive(paywallOf(facilitator), options)
