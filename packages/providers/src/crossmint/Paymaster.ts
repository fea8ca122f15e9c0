import { Effect } from "effect"
import type { Treasury } from "../treasury/Treasury.ts"
import { treasuryRejection, type TreasuryRejection } from "./Errors.ts"

/** A treasury's promises as effects. Interrupting one aborts its signal. */
export const fromTreasury = (treasury: Treasury) => {
  const asked = <A>(ask: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, TreasuryRejection> =>
    Effect.tryPromise({ try: ask, catch: treasuryRejection })
  return {
    check: (agreement: Parameters<Treasury["check"]>[0]) => asked(() => treasury.check(agreement)),
    find: (key: string) => asked((signal) => treasury.find(key, { signal })),
    pay: (payment: Parameters<Treasury["pay"]>[0]) => asked((signal) => treasury.pay(payment, { signal }))
  }
}

export type Paymaster = ReturnType<typeof fromTreasury>
