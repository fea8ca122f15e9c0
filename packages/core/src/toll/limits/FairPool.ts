import { Clock, Effect } from "effect"
import { schedule } from "../../runtime/schedule.ts"

interface Client {
  readonly name: string
  inUse: number
  /** Number of its latest grant of a slot; 0: none yet. Rises with each grant. */
  latestGrant: number
  /** In order of arrival. */
  readonly queue: Array<Waiter>
}

interface Waiter {
  readonly client: Client
  /** Rises with each arrival. */
  readonly arrival: number
  isAdmitted: boolean
  /** Set once the waiter is registered. */
  resume: () => void
}

/** Whether the next slot goes to `left` rather than to `right`. */
const comesBefore = (left: Client, right: Client): boolean => {
  if (left.inUse !== right.inUse) return left.inUse < right.inUse
  if (left.latestGrant !== right.latestGrant) return left.latestGrant < right.latestGrant
  return left.queue[0]!.arrival < right.queue[0]!.arrival
}

/** Number of different waits over which successive calls are spread. */
const spreadSteps = 64

/**
 * Limits concurrent calls, fairly by client. A call without a slot waits in a bounded queue for a bounded time.
 *
 * A free slot goes to the waiting client with the fewest slots in use. Ties go to the client whose latest slot is the
 * oldest, so a new client doesn't wait behind the queues of others; then to the oldest call. A single client may use
 * every slot. When the queue is full, a call of a client with few queued calls evicts the newest queued call of the
 * client with the most, unless that would only swap the two. Memory is bounded by `capacity + maxQueued` clients; each
 * step takes O(waiting clients).
 *
 * Call `leave` once for each `tryEnter` or `enter` that returned true. `tryEnter` needs no effect when a slot is free.
 */
export class FairPool {
  private readonly clients = new Map<string, Client>()
  /** Clients with a queued call. */
  private readonly waiting = new Set<Client>()
  private taken = 0
  private queuedCount = 0
  private arrivals = 0
  private grants = 0
  private isAdmitting = false
  private readonly capacity: number
  private readonly maxQueued: number
  private readonly minWaitMillis: number
  private readonly maxWaitMillis: number

  constructor(limits: {
    /** Slots, 1 or more. */
    readonly capacity: number
    /** Limit on waiting calls; 0: a call without a slot is refused at once. */
    readonly maxQueued: number
    readonly maxWaitMillis: number
    /**
     * Shortest wait; waits are spread evenly from it to the longest. Default: all are the longest. Spreading keeps
     * calls that arrived together from being refused, and retried, together.
     */
    readonly minWaitMillis?: number
  }) {
    this.capacity = limits.capacity
    this.maxQueued = limits.maxQueued
    this.maxWaitMillis = limits.maxWaitMillis
    this.minWaitMillis = limits.minWaitMillis ?? limits.maxWaitMillis
  }

  /** Slots in use. */
  get inUse(): number {
    return this.taken
  }

  /** Calls that wait for a slot. */
  get queued(): number {
    return this.queuedCount
  }

  /** Clients with a slot or a queued call: all entries in memory. */
  get size(): number {
    return this.clients.size
  }

  /** Takes a slot if one is free and no call waits for it. */
  tryEnter(client: string): boolean {
    if (this.taken >= this.capacity || this.queuedCount > 0) return false
    this.grant(this.clientOf(client))
    return true
  }

  /** Whether a client without a queued call may be refused at once. */
  get isFull(): boolean {
    return this.queuedCount >= this.maxQueued && this.taken >= this.capacity
  }

  /** Whether `enter` would refuse a call of this client at once. */
  isClosedTo(client: string): boolean {
    return this.isFull && this.evictable(client) === undefined
  }

  /**
   * Takes a slot when it is this client's turn. `false`: the queue is full, the call was evicted, or the wait was too
   * long. Interruption leaves the queue, and gives back a slot granted at the same moment.
   */
  enter(client: string): Effect.Effect<boolean> {
    return Clock.clockWith((clock) =>
      Effect.callback<boolean>((resume) => {
        if (this.tryEnter(client)) return resume(Effect.succeed(true))
        const evicted = this.queuedCount < this.maxQueued ? undefined : this.evictable(client)
        if (this.queuedCount >= this.maxQueued && evicted === undefined) return resume(Effect.succeed(false))
        if (evicted !== undefined) this.dequeue(evicted)
        const waiter = this.enqueue(client)
        const stop = schedule(clock, this.waitMillis(waiter), () => {
          if (this.dequeue(waiter)) resume(Effect.succeed(false))
        })
        waiter.resume = () => {
          stop()
          resume(Effect.succeed(waiter.isAdmitted))
        }
        // Last: it runs at once, and may enter again.
        evicted?.resume()
        return Effect.sync(() => {
          stop()
          if (waiter.isAdmitted) this.leave(client)
          else this.dequeue(waiter)
        })
      })
    )
  }

  private waitMillis({ arrival }: Waiter): number {
    const share = (arrival % spreadSteps) / spreadSteps
    return this.maxWaitMillis - Math.round((this.maxWaitMillis - this.minWaitMillis) * share)
  }

  /** Gives a slot back, and admits the next call. Ignored for a client without a slot. */
  leave(client: string): void {
    const known = this.clients.get(client)
    if (known === undefined || known.inUse === 0) return
    known.inUse--
    this.taken--
    this.forgetIdle(known)
    this.admit()
  }

  /** Admits calls in a loop, not recursively: a resumed call may leave at once. */
  private admit(): void {
    if (this.isAdmitting) return
    this.isAdmitting = true
    try {
      while (this.taken < this.capacity && this.queuedCount > 0) {
        const waiter = this.next()
        this.dequeue(waiter)
        this.clients.set(waiter.client.name, waiter.client)
        this.grant(waiter.client)
        waiter.isAdmitted = true
        waiter.resume()
      }
    } finally {
      this.isAdmitting = false
    }
  }

  private grant(client: Client): void {
    client.inUse++
    client.latestGrant = ++this.grants
    this.taken++
  }

  /** The queued call that is next. */
  private next(): Waiter {
    let chosen: Client | undefined
    for (const client of this.waiting)
      if (chosen === undefined || comesBefore(client, chosen)) chosen = client
    return chosen!.queue[0]!
  }

  /** The queued call to evict for one of `client`: the newest of the client with the most. */
  private evictable(client: string): Waiter | undefined {
    let most: Client | undefined
    for (const other of this.waiting) {
      if (
        most === undefined ||
        other.queue.length > most.queue.length ||
        (other.queue.length === most.queue.length && other.queue.at(-1)!.arrival > most.queue.at(-1)!.arrival)
      )
        most = other
    }
    const own = this.clients.get(client)?.queue.length ?? 0
    // Otherwise the client would then have as many queued calls as the other has now.
    return most !== undefined && own + 1 < most.queue.length ? most.queue.at(-1) : undefined
  }

  private enqueue(client: string): Waiter {
    const waiter: Waiter = {
      client: this.clientOf(client),
      arrival: this.arrivals++,
      isAdmitted: false,
      resume: () => undefined
    }
    waiter.client.queue.push(waiter)
    this.waiting.add(waiter.client)
    this.queuedCount++
    return waiter
  }

  /** Removes a call from the queue; `false`: it had left already. */
  private dequeue(waiter: Waiter): boolean {
    const { client } = waiter
    const index = client.queue.indexOf(waiter)
    if (index === -1) return false
    client.queue.splice(index, 1)
    this.queuedCount--
    if (client.queue.length === 0) this.waiting.delete(client)
    this.forgetIdle(client)
    return true
  }

  private clientOf(name: string): Client {
    let client = this.clients.get(name)
    if (client === undefined) {
      client = { name, inUse: 0, latestGrant: 0, queue: [] }
      this.clients.set(name, client)
    }
    return client
  }

  private forgetIdle(client: Client): void {
    if (client.inUse === 0 && client.queue.length === 0) this.clients.delete(client.name)
  }
}
