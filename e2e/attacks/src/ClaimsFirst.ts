import type { FacilitatorClient } from "@till402/core"
import { openHandWritten, verifyWorkSettle } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"
import { keyOf } from "./Payments.ts"

export const claimsFirst = "a hand-rolled server that claims payer and nonce before anything else"

/**
 * A server that records payer and nonce before any work, so only one of many copies is served, and verifies
 * the payment only afterwards.
 */
export const openClaimsFirst = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer => {
  const claimed = new Set<string>()
  return openHandWritten(async (request) => {
    const key = keyOf(request.payment)
    if (claimed.has(key)) return request.challenge()
    claimed.add(key)
    return verifyWorkSettle(facilitator, request)
  }, options)
}
