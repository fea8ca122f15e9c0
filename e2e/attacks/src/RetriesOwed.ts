import type { FacilitatorClient } from "@till402/core"
import { openHandWritten } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"
import { keyOf } from "./Payments.ts"

export const retriesOwed = "a hand-rolled server that settles first and retries work that fails"

/** A former rule of Till402: the work of each settled payment is tried eight times, then the payment is refunded. */
export const openRetriesOwed = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer => {
  const tries = new Map<string, number>()
  return openHandWritten(async ({ challenge, payment, requirements, work }) => {
    const key = keyOf(payment)
    const tried = tries.get(key)
    if (tried === undefined && !(await facilitator.settle(payment, requirements)).success) return challenge()
    if (tried === 8) return new Response("Refunded later", { status: 429 })
    tries.set(key, (tried ?? 0) + 1)
    await work()
    return undefined
  }, options)
}
