import type { FacilitatorClient } from "@till402/core"
import { createPublicClient, hashTypedData, type Hex, http, recoverAddress } from "viem"
import { challengeOf, type NaiveOptions, type NaiveServer, openNaive, type Paywall } from "./NaiveShop.ts"
import { type Payment, typedDataOf } from "./Payments.ts"

export const codeReader = "a hand-rolled server that reads from the chain whether a payer is a contract"

/**
 * Accepts payments of contract wallets: if the signature isn't the payer's own and the payer has code, leaves the check
 * to the facilitator.
 */
const paywallOf = (facilitator: FacilitatorClient, rpcUrl: string): Paywall => {
  const client = createPublicClient({ transport: http(rpcUrl) })
  return () =>
    ({ path, priceOf }) =>
    async (context, next) => {
      const price = await priceOf(await context.req.json().catch(() => undefined))
      const header = context.req.header("payment-signature")
      if (header === undefined) return challengeOf(path, price)
      const payment = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Payment
      const { accepted, payload } = payment
      const hash = hashTypedData(typedDataOf(accepted, payload.authorization))
      const signer = await recoverAddress({ hash, signature: payload.signature as Hex })
      const from = payload.authorization.from as Hex
      if (signer !== from && (await client.getCode({ address: from })) === undefined)
        return challengeOf(path, price)
      if (!(await facilitator.verify(payment, accepted)).isValid) return challengeOf(path, price)
      await next()
      if (!(await facilitator.settle(payment, accepted)).success) context.res = challengeOf(path, price)
    }
}

export const openCodeReader = (
  facilitator: FacilitatorClient,
  rpcUrl: string,
  options: NaiveOptions = {}
): NaiveServer => openNaive(paywallOf(facilitator, rpcUrl), options)
