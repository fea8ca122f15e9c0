import { ExpiringMap } from "../../runtime/ExpiringMap.ts"
import type { Refusal } from "../Verdict.ts"

/** Reasons that stay valid for a moment regardless of new signatures: the balance is too low. */
const lasting: ReadonlySet<string> = new Set([
  "insufficient_funds",
  "insufficient_balance",
  "invalid_exact_evm_insufficient_balance",
  "invalid_exact_evm_insufficient_funds",
  "invalid_exact_evm_transaction_simulation_failed",
  "invalid_exact_svm_payload_transaction_simulation_failed",
  "invalid_exact_svm_transaction_simulation_failed",
  "transaction_simulation_failed"
])

const maxPayers = 10_000

/**
 * Remembers for a moment that a payer could not pay, to spare the facilitator and the upstreams.
 *
 * Only for payers whose signature was verified here: otherwise anyone could block another payer.
 */
export class RecentPaymentFailures {
  private readonly refusals: ExpiringMap<string, Refusal>

  constructor(lifetimeMillis: number) {
    this.refusals = new ExpiringMap({ capacity: maxPayers, lifetimeMillis })
  }

  note(payer: string, refusal: Refusal, nowMillis: number): void {
    if (lasting.has(refusal.code)) this.refusals.set(payer, refusal, nowMillis)
  }

  recall(payer: string, nowMillis: number): Refusal | undefined {
    return this.refusals.get(payer, nowMillis)
  }
}
