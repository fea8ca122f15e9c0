import { type Cause, Effect, Exit } from "effect"
import { Overloaded } from "../upstream/UpstreamFault.ts"
import type { CallPacer } from "./CallPacer.ts"
import type { CallFault } from "./Rejection.ts"

/** A request and its waiting callers. */
interface Entry<Item, Reply> {
  readonly item: Item
  readonly waiters: Set<Waiter<Reply>>
}

interface Waiter<Reply> {
  readonly onSent: () => void
  readonly resume: (exit: Exit.Exit<Reply, CallFault>) => void
}

export interface BatchSettings<Item, Reply> {
  readonly name: string
  readonly pace: CallPacer
  /** Maximum items per call. */
  readonly maxItems: number
  /** How long a first request waits for others. */
  readonly gatherMillis: number
  /** How long a call waits for its turn before its requests fail with `Overloaded`. */
  readonly maxTurnMillis: number
  /** Maximum requests that wait to be sent; further ones are refused. */
  readonly maxWaiting: number
  /** Requests with the same key are sent once. */
  readonly keyOf: (item: Item) => string
  /** Items with the same number go into different calls, because responses are matched by number. */
  readonly numberOf: (item: Item) => string
  /** Returns a reply for each item, in order, or fails for all of them. */
  readonly send: (
    items: ReadonlyArray<Item>
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<Reply, CallFault>>, CallFault>
}

/** Sends one request; `onSent` is called once it is in flight. */
export type BatchCall<Item, Reply> = (item: Item, onSent?: () => void) => Effect.Effect<Reply, CallFault>

/**
 * Batches the requests of concurrent callers. Requests accumulate until the provider's rate allows the next
 * call, so that under load calls become larger, not more frequent.
 *
 * A `RequestResolver` would fix the requests of a call before it waits for its turn, which makes many small
 * calls under load.
 */
export const makeBatch = <Item, Reply>(
  settings: BatchSettings<Item, Reply>
): Effect.Effect<BatchCall<Item, Reply>> =>
  Effect.map(Effect.context<never>(), (context) => {
    const batch = new Batch(settings)
    const fork = Effect.runForkWith(context)
    return (item, onSent = () => undefined) =>
      Effect.callback((resume) => {
        const waiter: Waiter<Reply> = { onSent, resume: resume }
        if (!batch.add(item, waiter)) {
          resume(Effect.fail(new Overloaded({ upstream: settings.name })))
          return
        }
        if (batch.claimDrain()) fork(batch.drain())
        return Effect.sync(() => batch.leave(item, waiter))
      })
  })

class Batch<Item, Reply> {
  private isDraining = false
  private readonly settings: BatchSettings<Item, Reply>
  private readonly pending = new Map<string, Entry<Item, Reply>>()

  constructor(settings: BatchSettings<Item, Reply>) {
    this.settings = settings
  }

  /** Adds a request, or joins the same waiting one; `false` if too many are waiting. */
  add(item: Item, waiter: Waiter<Reply>): boolean {
    const key = this.settings.keyOf(item)
    const entry = this.pending.get(key)
    if (entry !== undefined) {
      entry.waiters.add(waiter)
    } else if (this.pending.size < this.settings.maxWaiting) {
      this.pending.set(key, { item, waiters: new Set([waiter]) })
    } else {
      return false
    }
    return true
  }

  /** Removes a caller. A request without callers is not sent. */
  leave(item: Item, waiter: Waiter<Reply>): void {
    const key = this.settings.keyOf(item)
    const entry = this.pending.get(key)
    if (entry?.waiters.delete(waiter) === true && entry.waiters.size === 0) this.pending.delete(key)
  }

  /** Claims `drain` for the caller, who must run it; `false` if it is running. */
  claimDrain(): boolean {
    if (this.isDraining) return false
    this.isDraining = true
    return true
  }

  /** Sends calls until no request waits. A defect fails the waiting requests, and the next request drains again. */
  drain(): Effect.Effect<void> {
    return Effect.onError(this.sendAll(), (cause) => Effect.sync(() => this.fail(cause)))
  }

  private sendAll(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const { gatherMillis, maxTurnMillis, name, pace } = this.settings
      yield* Effect.sleep(gatherMillis)
      while (this.pending.size > 0) {
        const sent = yield* pace.inTurn(maxTurnMillis, () =>
          Effect.forkDetach(this.call(this.takeNext()), { startImmediately: true })
        )
        if (sent === undefined) {
          const overloaded = Exit.fail(new Overloaded({ upstream: name }))
          for (const entry of this.takeNext()) resumeAll(entry, overloaded)
        }
      }
      // Here and not in a finalizer: a request that is added before one runs would wait for a drain that has ended.
      this.isDraining = false
    })
  }

  private fail(cause: Cause.Cause<never>): void {
    this.isDraining = false
    const waiting = [...this.pending.values()]
    this.pending.clear()
    for (const entry of waiting) resumeAll(entry, Exit.failCause(cause))
  }

  private takeNext(): ReadonlyArray<Entry<Item, Reply>> {
    const { maxItems, numberOf } = this.settings
    const taken = new Map<string, Entry<Item, Reply>>()
    const numbers = new Set<string>()
    for (const [key, entry] of this.pending) {
      if (taken.size === maxItems) break
      const number = numberOf(entry.item)
      if (numbers.has(number)) continue
      numbers.add(number)
      taken.set(key, entry)
    }
    for (const key of taken.keys()) this.pending.delete(key)
    return [...taken.values()]
  }

  private call(entries: ReadonlyArray<Entry<Item, Reply>>): Effect.Effect<void> {
    if (entries.length === 0) return Effect.void
    for (const { waiters } of entries) for (const { onSent } of waiters) onSent()
    return Effect.map(Effect.exit(this.settings.send(entries.map(({ item }) => item))), (exit) => {
      entries.forEach((entry, index) => {
        resumeAll(entry, Exit.isSuccess(exit) ? exit.value[index]! : Exit.failCause(exit.cause))
      })
    })
  }
}

const resumeAll = <Item, Reply>({ waiters }: Entry<Item, Reply>, exit: Exit.Exit<Reply, CallFault>): void => {
  for (const waiter of waiters) waiter.resume(exit)
}
