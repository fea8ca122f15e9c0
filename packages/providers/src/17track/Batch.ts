import { Effect, Exit } from "effect"
import { Overloaded } from "../upstream/UpstreamFault.ts"
import type { Pace } from "./Pace.ts"
import type { CallFault } from "./Rejection.ts"

/** A question and whoever waits for its answer. */
interface Entry<Item, Reply> {
  readonly item: Item
  readonly waiters: Set<Waiter<Reply>>
}

interface Waiter<Reply> {
  readonly onSent: () => void
  readonly answer: (exit: Exit.Exit<Reply, CallFault>) => void
}

export interface BatchSettings<Item, Reply> {
  readonly name: string
  readonly pace: Pace
  /** Items of one call at most. */
  readonly maxItems: number
  /** How long a first question waits for company. */
  readonly gatherMillis: number
  /** How long a call waits for its turn before those in it are told that too many are waiting. */
  readonly maxTurnMillis: number
  /** Questions that wait to be sent at most; more are refused. */
  readonly maxWaiting: number
  /** Questions of one key are one question. */
  readonly keyOf: (item: Item) => string
  /** Items of one number stand in different calls, so that each answer is known by its number. */
  readonly numberOf: (item: Item) => string
  /** Answers each item in its place, or fails for all of them. */
  readonly send: (
    items: ReadonlyArray<Item>
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<Reply, CallFault>>, CallFault>
}

/** Asks one question; `onSent` is told once it is on its way. */
export type Ask<Item, Reply> = (item: Item, onSent?: () => void) => Effect.Effect<Reply, CallFault>

/**
 * Puts the questions of concurrent callers into few calls. Questions gather until the provider's rate
 * lets the next call go, and leave with it, so that calls grow with the load and not in number.
 *
 * A `RequestResolver` would fix a call's questions before it waits for its turn; under load that makes
 * many small calls.
 */
export const makeBatch = <Item, Reply>(
  settings: BatchSettings<Item, Reply>
): Effect.Effect<Ask<Item, Reply>> =>
  Effect.map(Effect.context<never>(), (context) => {
    const batch = new Batch(settings)
    const fork = Effect.runForkWith(context)
    return (item, onSent = () => undefined) =>
      Effect.callback((resume) => {
        const waiter: Waiter<Reply> = { onSent, answer: resume }
        if (!batch.add(item, waiter)) {
          resume(Effect.fail(new Overloaded({ upstream: settings.name })))
          return
        }
        if (batch.startsToDrain()) fork(batch.drain())
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

  /** Joins the question if it waits already; `false` where too many do. */
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

  /** Who asked went away: a question that nobody waits for any more is not sent. */
  leave(item: Item, waiter: Waiter<Reply>): void {
    const key = this.settings.keyOf(item)
    const entry = this.pending.get(key)
    if (entry?.waiters.delete(waiter) === true && entry.waiters.size === 0) this.pending.delete(key)
  }

  /** Whether the caller is the one to run `drain`. */
  startsToDrain(): boolean {
    if (this.isDraining) return false
    this.isDraining = true
    return true
  }

  /** Sends what waits, call after call, until nothing does. */
  drain(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const { gatherMillis, maxTurnMillis, name, pace } = this.settings
      yield* Effect.sleep(gatherMillis)
      while (this.pending.size > 0) {
        const sent = yield* pace.inTurn(maxTurnMillis, () =>
          Effect.forkDetach(this.call(this.takeNext()), { startImmediately: true })
        )
        if (sent === undefined) {
          const late = Exit.fail(new Overloaded({ upstream: name }))
          for (const entry of this.takeNext()) answer(entry, late)
        }
      }
      this.isDraining = false
    })
  }

  private takeNext(): ReadonlyArray<Entry<Item, Reply>> {
    const { maxItems, numberOf } = this.settings
    const taken: Array<Entry<Item, Reply>> = []
    const numbers = new Set<string>()
    for (const [key, entry] of this.pending) {
      if (taken.length === maxItems) break
      const number = numberOf(entry.item)
      if (numbers.has(number)) continue
      numbers.add(number)
      taken.push(entry)
      this.pending.delete(key)
    }
    return taken
  }

  private call(entries: ReadonlyArray<Entry<Item, Reply>>): Effect.Effect<void> {
    if (entries.length === 0) return Effect.void
    for (const { waiters } of entries) for (const { onSent } of waiters) onSent()
    return Effect.map(Effect.exit(this.settings.send(entries.map(({ item }) => item))), (exit) => {
      entries.forEach((entry, index) => {
        answer(entry, Exit.isSuccess(exit) ? exit.value[index]! : Exit.failCause(exit.cause))
      })
    })
  }
}

const answer = <Item, Reply>({ waiters }: Entry<Item, Reply>, exit: Exit.Exit<Reply, CallFault>): void => {
  for (const waiter of waiters) waiter.answer(exit)
}
