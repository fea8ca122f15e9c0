import { BoundedMap } from "../runtime/BoundedMap.ts"
import { refundBackoff } from "./OrderTimings.ts"

const maxRemembered = 10_000

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
