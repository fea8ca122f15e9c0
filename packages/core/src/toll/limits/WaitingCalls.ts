import { Effect } from "effect"

/** Another process that works on a charge can't wake waiters here, so they poll. */
const pollMillis = 500

/** Calls that may wait for one key, and in all. */
const defaultLimits = { perKey: 64, inAll: 2_000 }

/** Share of the places in all for calls of strangers: the rest is reserved for payers who have settled here. */
const strangersShare = 0.75

/**
 * Calls that wait for another call to end, by a key that both have: for the response to a copy of their payment, or for
 * capacity.
 *
 * A call of this process wakes them when it ends. Bounded per key and in total, so copies of a payment can't pile up.
 */
export class WaitingCalls {
  private readonly waiters = new Map<string, Set<() => void>>()
  private count = 0
  private readonly maxPerKey: number
  private readonly maxInAll: number

  constructor(limits: { readonly perKey: number; readonly inAll: number } = defaultLimits) {
    this.maxPerKey = limits.perKey
    this.maxInAll = limits.inAll
  }

  /** Whether one more call may wait for this key. */
  admits(key: string, isKnownPayer: boolean): boolean {
    const places = isKnownPayer ? this.maxInAll : this.maxInAll * strangersShare
    return this.count < places && (this.waiters.get(key)?.size ?? 0) < this.maxPerKey
  }

  /** Wakes the waiters of a key: the call that held it has ended. */
  wake(key: string): void {
    const waiters = this.waiters.get(key)
    if (waiters === undefined) return
    for (const wakeUp of Array.from(waiters)) wakeUp()
  }

  /** Waits until the key's call ends, or until it is time to poll. */
  wait(key: string): Effect.Effect<void> {
    const woken = Effect.callback<void>((resume) => {
      const wakeUp = () => {
        this.leave(key, wakeUp)
        resume(Effect.void)
      }
      this.enter(key, wakeUp)
      return Effect.sync(() => this.leave(key, wakeUp))
    })
    return Effect.asVoid(Effect.timeoutOption(woken, pollMillis))
  }

  private enter(key: string, wakeUp: () => void): void {
    const waiters = this.waiters.get(key)
    if (waiters === undefined) this.waiters.set(key, new Set([wakeUp]))
    else waiters.add(wakeUp)
    this.count++
  }

  private leave(key: string, wakeUp: () => void): void {
    const waiters = this.waiters.get(key)
    if (waiters?.delete(wakeUp) !== true) return
    this.count--
    if (waiters.size === 0) this.waiters.delete(key)
  }
}
