import { Effect } from "effect"
import { balanceKeptMillis, recentRead } from "../fulfilment/RecentRead.ts"
import type { UpstreamFault } from "../upstream/index.ts"
import { BalanceTooLow, DrawdownDisabled } from "./Errors.ts"
import type { Balance } from "./Intents.ts"

/*
 * The drawdown balance pays for orders. A quote that it can't pay for is not sold.
 */

/** Checks that the balance covers an amount in cents. */
export type BalanceCheck = (
  cents: bigint
) => Effect.Effect<void, BalanceTooLow | DrawdownDisabled | UpstreamFault>

export const makeBalanceCheck = (read: Effect.Effect<Balance, UpstreamFault>): BalanceCheck => {
  const current = recentRead(read, balanceKeptMillis)
  return Effect.fnUntraced(function* (cents: bigint) {
    const balance = yield* current
    if (!balance.isEnabled) return yield* new DrawdownDisabled()
    if (balance.cents < cents) return yield* new BalanceTooLow()
  })
}
