import { BoundedMap } from "../runtime/BoundedMap.ts"
import { backoff } from "../runtime/backoff.ts"

const maxRemembered = 10_000

/** The pause before a refund that is due is tried again: 5 seconds to an hour. */
export const refundBackoff = backoff(5_000, 3_600_000)

/** Refunds that failed in this process, and until when each of them waits. */
export class RefundRetries {
  private readonly failures = new BoundedMap<
    string,
    { readonly attempts: number; readonly untilMillis: number }
  >(maxRemembered)

  /** Whether a refund waits for its next attempt. */
  isWaiting(key: string, nowMillis: number): boolean {
    return (this.failures.get(key)?.untilMillis ?? 0) > nowMillis
  }

  /** Notes a failed attempt, with exponential backoff. */
  note(key: string, nowMillis: number): void {
    const attempts = this.failures.get(key)?.attempts ?? 0
    this.failures.set(key, { attempts: attempts + 1, untilMillis: nowMillis + refundBackoff(attempts) })
  }

  /** Forgets the failures of a refund that was sent. */
  forget(key: string): void {
    this.failures.delete(key)
  }
}
