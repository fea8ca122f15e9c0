import type { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Charges, PayerActivity } from "../../ports/Charges.ts"
import type { PaymentAttempt } from "../machine/PaymentAttempt.ts"
import type { PayerAccounts } from "./PayerAccounts.ts"

type Reading<A> = Effect.fn.Return<A, StoreError>

const dayMillis = 86_400_000

/** Reads a payer's settled and open payments from the store, and passes them on to this process's accounts. */
export class PayerHistory {
  private readonly charges: Charges["Service"]
  private readonly accounts: PayerAccounts
  private readonly recentMillis: number

  constructor(charges: Charges["Service"], accounts: PayerAccounts, recentMillis: number) {
    this.charges = charges
    this.accounts = accounts
    this.recentMillis = recentMillis
  }

  /** The payer's open payments up to this one, and those settled since a time. */
  standing(
    { lease, network, payer }: PaymentAttempt,
    createdAtMillis: number,
    sinceMillis: number
  ): Effect.Effect<PayerActivity, StoreError> {
    return this.charges.payerActivity(
      { payer, network: network.caip2, asset: network.asset, key: lease.key, createdAtMillis },
      sinceMillis,
      lease.nowMillis()
    )
  }

  /** Whether the payer has settled here within a day, from memory; `undefined`: the store decides. */
  recallKnown({ lease, payer, ticket }: PaymentAttempt): boolean | undefined {
    return ticket.isProven ? (this.accounts.isKnown(payer, lease.nowMillis()) ?? ticket.isKnown) : false
  }

  /** Whether the payer has settled here within a day, in any process. Reads the store once per call. */
  *isKnown(attempt: PaymentAttempt): Reading<boolean> {
    const recalled = this.recallKnown(attempt)
    if (recalled !== undefined) return recalled
    const nowMillis = attempt.lease.nowMillis()
    const { settledAtomic } = yield* this.standing(attempt, nowMillis, nowMillis - dayMillis)
    const isKnown = settledAtomic !== "0"
    attempt.ticket.recordPayer(isKnown)
    if (isKnown) this.accounts.learnKnown(attempt.payer, nowMillis)
    return isKnown
  }

  /** Learns what the payer has recently settled in all processes. */
  *learnRecent(attempt: PaymentAttempt, nowMillis: number): Reading<void> {
    const { settledAtomic } = yield* this.standing(attempt, nowMillis, nowMillis - this.recentMillis)
    this.accounts.learnRecent(attempt.payer, BigInt(settledAtomic), nowMillis)
  }
}
