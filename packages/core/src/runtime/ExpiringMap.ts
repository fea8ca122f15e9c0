import { BoundedMap } from "./BoundedMap.ts"

/** A bounded map whose entries expire. Time is passed in, so a test needs no timer. */
export class ExpiringMap<K, V> {
  private readonly entries: BoundedMap<K, { readonly value: V; readonly untilMillis: number }>
  private readonly lifetimeMillis: number

  constructor(limits: { readonly capacity: number; readonly lifetimeMillis: number }) {
    this.entries = new BoundedMap(limits.capacity)
    this.lifetimeMillis = limits.lifetimeMillis
  }

  /** Entries held, including expired ones that were not read since. */
  get size(): number {
    return this.entries.size
  }

  get(key: K, nowMillis: number): V | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    if (entry.untilMillis > nowMillis) return entry.value
    this.entries.delete(key)
    return undefined
  }

  /** Starts the entry's lifetime anew and makes it the newest. */
  set(key: K, value: V, nowMillis: number): void {
    this.entries.set(key, { value, untilMillis: nowMillis + this.lifetimeMillis })
  }
}
