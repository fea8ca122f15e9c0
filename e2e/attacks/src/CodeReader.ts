import type { FacilitatorClient } from "@till402/core"
import { createPublicClient, hashTypedData, type Hex, http, recoverAddress } from "viem"
import { openHandWritten, verifyWorkSettle } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"
import { typedDataOf } from "./Payments.ts"

export const codeReader = "a hand-rolled server that reads from the chain whether a payer is a contract"

/**
 * Accepts payments of contract wallets: if the signature isn't the payer's own and the payer has code, leaves the check
 * to the facilitator.
 */
export const openCodeReader = (
  facilitator: FacilitatorClient,
  rpcUrl: string,
  options: NaiveOptions = {}
): NaiveServer => {
  const client = createPublicClient({ transport: http(rpcUrl) })
  return openHandWritten(async (request) => {
    const { accepted, payload } = request.payment
    const hash = hashTypedData(typedDataOf(accepted, payload.authorization))
    const signer = await recoverAddress({ hash, signature: payload.signature as Hex })
    const from = payload.authorization.from as Hex
    if (signer !== from && (await client.getCode({ address: from })) === undefined) return request.challenge()
    return verifyWorkSettle(facilitator, { ...request, requirements: accepted })
  }, options)
}
