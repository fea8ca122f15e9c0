import { ExpiringMap } from "../../runtime/ExpiringMap.ts"
import type { Refusal } from "../request/Verdict.ts"

/** Reasons of failed simulations: the balance is too low, or the payment is on the chain already, or has expired. */
const ambiguous: ReadonlySet<string> = new Set([
  "invalid_exact_evm_transaction_simulation_failed",
  "invalid_exact_svm_payload_transaction_simulation_failed",
  "invalid_exact_svm_transaction_simulation_failed",
  "transaction_simulation_failed"
])

/** Reasons that stay valid for a moment regardless of new signatures: the balance is too low. */
const lasting: ReadonlySet<string> = new Set([
  "insufficient_funds",
  "insufficient_balance",
  "invalid_exact_evm_insufficient_balance",
  "invalid_exact_evm_insufficient_funds",
  ...ambiguous
])

/** Whether a reason says that the balance is too low, or something else. */
export const isAmbiguous = (code: string): boolean => ambiguous.has(code)

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
