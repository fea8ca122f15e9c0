/*
 * Payments that this process has begun to settle, and of which the chain hasn't shown the outcome.
 */

export interface OpenPayment {
  /** The signed message. */
  readonly key: string
  /** The token account that it takes its money from. */
  readonly source: string
  readonly amountAtomic: bigint
  /** What the fee payer pays for it, also if it fails. */
  readonly feeLamports: bigint
  readonly beganAtMillis: number
}

/** Longer than a blockhash is valid. */
const openMillis = 300_000

/** Reserves the amounts of open payments, so that one balance isn't promised twice. */
export class OpenPayments {
  /** By key, oldest first. */
  private readonly all = new Map<string, OpenPayment>()

  begin(payment: OpenPayment): void {
    if (!this.all.has(payment.key)) this.all.set(payment.key, payment)
  }

  find(key: string): OpenPayment | undefined {
    return this.all.get(key)
  }

  /** The payment has moved its money, or never will. */
  end(key: string): void {
    this.all.delete(key)
  }

  /** The open payments from an account, except one. */
  othersOf(source: string, key: string, nowMillis: number): ReadonlyArray<OpenPayment> {
    for (const [oldest, { beganAtMillis }] of this.all) {
      if (beganAtMillis + openMillis > nowMillis) break
      this.all.delete(oldest)
    }
    return [...this.all.values()].filter((each) => each.source === source && each.key !== key)
  }
}
