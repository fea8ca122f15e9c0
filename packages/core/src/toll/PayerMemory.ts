import type { Refusal } from "./Verdict.ts"

/** Reasons that stay true for a moment whatever the payer signs next: their account is short. */
const lasting: ReadonlySet<string> = new Set([
  "insufficient_funds",
  "insufficient_balance",
  "invalid_exact_evm_insufficient_balance",
  "invalid_exact_evm_insufficient_funds",
  "invalid_exact_evm_transaction_simulation_failed",
  "transaction_simulation_failed"
])

const maxPayers = 10_000

/**
 * Remembers for a moment that a payer could not pay, so that a payer without money makes the facilitator
 * and the upstreams do next to nothing. Only for payers whose own signature was checked here: anybody
 * could else have somebody else remembered.
 */
export class PayerMemory {
  private readonly refusals = new Map<string, { readonly refusal: Refusal; readonly untilMillis: number }>()
  private readonly millis: number

  constructor(millis: number) {
    this.millis = millis
  }

  note(payer: string, refusal: Refusal, nowMillis: number): void {
    if (!lasting.has(refusal.code)) return
    this.refusals.delete(payer)
    if (this.refusals.size >= maxPayers) {
      const [oldest] = this.refusals.keys()
      if (oldest !== undefined) this.refusals.delete(oldest)
    }
    this.refusals.set(payer, { refusal, untilMillis: nowMillis + this.millis })
  }

  recall(payer: string, nowMillis: number): Refusal | undefined {
    if (this.refusals.size === 0) return undefined
    const found = this.refusals.get(payer)
    if (found === undefined) return undefined
    if (found.untilMillis > nowMillis) return found.refusal
    this.refusals.delete(payer)
    return undefined
  }
}
