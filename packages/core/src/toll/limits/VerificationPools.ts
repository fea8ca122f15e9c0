import type { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { clientOf, groupOf } from "../../runtime/ClientAddress.ts"
import type { PaymentAttempt } from "../machine/PaymentAttempt.ts"
import { FairPool } from "./FairPool.ts"
import type { PayerHistory } from "./PayerHistory.ts"

const queue = { maxQueued: 2_000, minWaitMillis: 4_000, maxWaitMillis: 8_000 }

/**
 * Limits concurrent verifications: strangers share one pool by client address, payers who have settled here another by
 * payer.
 *
 * So strangers don't delay payers, and one payer can't take the slots of the others.
 */
export class VerificationPools {
  private readonly strangers: FairPool
  private readonly payers: FairPool
  private readonly history: PayerHistory

  constructor(
    limits: { readonly maxUnverified: number; readonly maxUnsettled: number },
    history: PayerHistory
  ) {
    this.strangers = new FairPool({ capacity: limits.maxUnverified, ...queue })
    this.payers = new FairPool({ capacity: limits.maxUnsettled, ...queue })
    this.history = history
  }

  /** Takes a slot for a verification, waiting for one if necessary; `false`: there was none in time. */
  *enter(attempt: PaymentAttempt): Effect.fn.Return<boolean, StoreError> {
    const client = groupOf(clientOf(attempt.request.clientAddress() ?? ""))
    if (this.history.recallKnown(attempt) !== true && this.strangers.tryEnter(client)) {
      attempt.place = { pool: this.strangers, name: client }
      return true
    }
    const place = (yield* this.history.isKnown(attempt))
      ? { pool: this.payers, name: attempt.payer }
      : { pool: this.strangers, name: client }
    if (!place.pool.tryEnter(place.name) && !(yield* place.pool.enter(place.name))) return false
    attempt.place = place
    return true
  }

  /** Gives the slot back, if the attempt has one. */
  leave(attempt: PaymentAttempt): void {
    attempt.place?.pool.leave(attempt.place.name)
    attempt.place = undefined
  }
}
