import type { FacilitatorClient } from "@till402/core"
import { openHandWritten } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"
import { keyOf } from "./Payments.ts"

export const responseCache = "a hand-rolled server that caches its responses by payer and nonce"

/**
 * A server that verifies and settles correctly and caches each response by payer and nonce, so that retries
 * aren't charged twice.
 */
export const openResponseCache = (
  facilitator: FacilitatorClient,
  options: NaiveOptions = {}
): NaiveServer => {
  const responses = new Map<string, Response>()
  return openHandWritten(async ({ challenge, context, payment, requirements, work }) => {
    const known = responses.get(keyOf(payment))
    if (known !== undefined) return known.clone()
    if (!(await facilitator.verify(payment, requirements)).isValid) return challenge()
    await work()
    if ((await facilitator.settle(payment, requirements)).success)
      responses.set(keyOf(payment), context.res.clone())
    else context.res = challenge()
    return undefined
  }, options)
}
