import { Clock, Effect } from "effect"
import { schedule } from "../Deadline.ts"

/** A charge may be another process's, which tells nobody: so look again after so long. */
const lookAgainMillis = 500

/**
 * Who waits for the answer of a payment that is being worked on. Calls of this process wake them; bounded
 * for one payment and in all, so that copies of a payment can't pile up.
 */
export class Waiting {
  private readonly waiters = new Map<string, Set<() => void>>()
  private count = 0
  private readonly maxPerKey: number
  private readonly maxInAll: number

  constructor(limits: { readonly perKey: number; readonly inAll: number }) {
    this.maxPerKey = limits.perKey
    this.maxInAll = limits.inAll
  }

  /** Whether one more may wait for this key. */
  hasRoom(key: string): boolean {
    return this.count < this.maxInAll && (this.waiters.get(key)?.size ?? 0) < this.maxPerKey
  }

  /** The call that held this key has ended. */
  wake(key: string): void {
    const waiters = this.waiters.get(key)
    if (waiters === undefined) return
    for (const waken of Array.from(waiters)) waken()
  }

  /** Until the key's call ends, or it is time to look again. */
  wait(key: string): Effect.Effect<void> {
    return Clock.clockWith((clock) =>
      Effect.callback<void>((resume) => {
        const waken = () => {
          stop()
          this.leave(key, waken)
          resume(Effect.void)
        }
        const stop = schedule(clock, lookAgainMillis, waken)
        this.enter(key, waken)
        return Effect.sync(() => {
          stop()
          this.leave(key, waken)
        })
      })
    )
  }

  private enter(key: string, waken: () => void): void {
    const waiters = this.waiters.get(key)
    if (waiters === undefined) this.waiters.set(key, new Set([waken]))
    else waiters.add(waken)
    this.count++
  }

  private leave(key: string, waken: () => void): void {
    const waiters = this.waiters.get(key)
    if (waiters?.delete(waken) !== true) return
    this.count--
    if (waiters.size === 0) this.waiters.delete(key)
  }
}
