/**
 * A map with a capacity: `set` evicts the entry that was set longest ago. To keep an entry, set it again.
 *
 * Synchronous, unlike Effect's `Cache`, so a lookup on the path of a paid call needs no fiber.
 */
export class BoundedMap<K, V> {
  private readonly entries = new Map<K, V>()
  private readonly capacity: number
  /**
   * The oldest keys. One iterator for good: every key it returns is deleted at once, and a map's iterator continues with
   * entries added later. A new one would walk over the places of all entries deleted since the map was last resized.
   */
  private readonly oldest = this.entries.keys()

  /** `capacity`: 1 or more. */
  constructor(capacity: number) {
    this.capacity = capacity
  }

  get size(): number {
    return this.entries.size
  }

  get(key: K): V | undefined {
    return this.entries.get(key)
  }

  /** Makes this the newest entry. Returns the key that it evicted. */
  set(key: K, value: V): K | undefined {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size <= this.capacity) return undefined
    const { value: evicted } = this.oldest.next()
    if (evicted !== undefined) this.entries.delete(evicted)
    return evicted
  }

  delete(key: K): boolean {
    return this.entries.delete(key)
  }
}
