const capacity = 1_000

interface Subscriber<Item> {
  readonly waiting: Array<Item>
  wake: (() => void) | undefined
}

/**
 * Publishes items to subscribers, which read at their own pace; one that is over 1,000 items behind misses the oldest.
 * Covers this process only.
 */
export class Feed<Item> {
  private readonly subscribers = new Set<Subscriber<Item>>()
  private isClosed = false

  /** Whether anybody reads: an item that nobody reads need not be made. */
  get isObserved(): boolean {
    return this.subscribers.size > 0
  }

  publish(item: Item): void {
    for (const subscriber of this.subscribers) {
      subscriber.waiting.push(item)
      if (subscriber.waiting.length > capacity) subscriber.waiting.shift()
      subscriber.wake?.()
    }
  }

  /** Items from now on; ends when the feed closes, or when the loop is left. */
  subscribe(): AsyncGenerator<Item, void, void> {
    const subscriber: Subscriber<Item> = { waiting: [], wake: undefined }
    this.subscribers.add(subscriber)
    return this.itemsFor(subscriber)
  }

  private async *itemsFor(subscriber: Subscriber<Item>): AsyncGenerator<Item, void, void> {
    try {
      while (!this.isClosed || subscriber.waiting.length > 0) {
        const item = subscriber.waiting.shift()
        if (item !== undefined) yield item
        else {
          await new Promise<void>((resolve) => {
            subscriber.wake = resolve
          })
          subscriber.wake = undefined
        }
      }
    } finally {
      this.subscribers.delete(subscriber)
    }
  }

  close(): void {
    this.isClosed = true
    for (const { wake } of this.subscribers) wake?.()
  }
}
