import type { Authorization, PaymentPayload } from "../../src/domain/PaymentPayload.ts"
import type { PaymentRequirements } from "../../src/domain/PaymentRequired.ts"
import { signatureOf } from "./chain/Calls.ts"

/*
 * Payments by contract wallets: their signatures are longer than 65 bytes, so the till leaves their
 * judgement to the facilitator, and the simulated facilitator knows the true one. Real ones would say
 * nothing more here and take most of the time of a run.
 */

/** What stands in `PAYMENT-REQUIRED`, as far as a payer looks at it. */
export interface Challenge {
  readonly resource: { readonly url: string }
  readonly accepts: ReadonlyArray<PaymentRequirements>
}

/** A payment of the first option of a challenge, in either version of the protocol. */
export const payChallenge = (
  { accepts, resource }: Challenge,
  options: {
    readonly from: string
    readonly nonce: string
    readonly nowSeconds: number
    readonly validSeconds: number
    readonly version: 1 | 2
    /** Leaves the resource out, which version 2 leaves to the client. */
    readonly isBare: boolean
  }
): PaymentPayload => {
  const accepted = accepts[0]!
  const authorization: Authorization = {
    from: options.from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(options.nowSeconds - 600),
    validBefore: String(options.nowSeconds + options.validSeconds),
    nonce: options.nonce
  }
  const payload = { signature: signatureOf(authorization), authorization }
  if (options.version === 1) {
    return { x402Version: 1, scheme: accepted.scheme, network: "base-sepolia", payload }
  }
  return {
    x402Version: 2,
    accepted: { ...accepted },
    payload,
    ...(options.isBare ? {} : { resource: { url: resource.url } })
  }
}
