import type { FacilitatorClient } from "@till402/core"
import { openHandWritten } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"

export const callCredit = "a hand-rolled server that trusts a payer for as many calls as they have paid"

/**
 * A former rule of Till402: each settled payment allows one more concurrent call without verification,
 * whatever it costs.
 */
export const openCallCredit = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer => {
  const credit = new Map<string, number>()
  return openHandWritten(async ({ challenge, context, payment, requirements, work }) => {
    const { from } = payment.payload.authorization
    const earned = credit.get(from) ?? 0
    credit.set(from, Math.max(0, earned - 1))
    if (earned === 0 && !(await facilitator.verify(payment, requirements)).isValid) return challenge()
    await work()
    if ((await facilitator.settle(payment, requirements)).success)
      credit.set(from, (credit.get(from) ?? 0) + (earned === 0 ? 1 : 2))
    else context.res = challenge()
    return undefined
  }, options)
}
