import type { FacilitatorClient } from "@till402/core"
import type { Chain } from "@till402/sandbox"
import { openHandWritten } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"
import { keyOf } from "./Payments.ts"
import { isUsed } from "./ReceiptReader.ts"

export const countsRefunds = "a hand-rolled server that counts refunded payments as paid"

/**
 * A former rule of Till402: what a payer has settled covers later work that may be lost, also if the payment settled
 * after it was refused, and is refunded. Other work comes from a budget.
 */
export const openCountsRefunds = (
  facilitator: FacilitatorClient,
  chain: Chain,
  budgetAtomic: bigint,
  options: NaiveOptions = {}
): NaiveServer => {
  const paid = new Map<string, bigint>()
  const refused = new Set<string>()
  let budget = budgetAtomic
  return openHandWritten(async ({ challenge, context, payment, requirements, work }) => {
    const { authorization } = payment.payload
    const { from } = authorization
    const value = BigInt(authorization.value)
    const earn = () => paid.set(from, (paid.get(from) ?? 0n) + value)
    if (refused.has(keyOf(payment))) {
      if (await isUsed(chain, authorization)) earn()
      return challenge()
    }
    if (!(await facilitator.verify(payment, requirements)).isValid) return challenge()
    const covered = paid.get(from) ?? 0n
    if (covered >= value) paid.set(from, covered - value)
    else if (budget < value) return new Response("Too much work was lost", { status: 429 })
    else budget -= value
    await work()
    if ((await facilitator.settle(payment, requirements)).success) earn()
    else {
      refused.add(keyOf(payment))
      context.res = challenge()
    }
    return undefined
  }, options)
}
