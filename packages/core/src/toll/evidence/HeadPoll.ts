import { Clock, Deferred, Effect } from "effect"
import { BoundedMap } from "../../runtime/BoundedMap.ts"
import type { ChainHead } from "./ChainHead.ts"

/** Shortest time between the starts of two reads. */
const pollMillis = 2_000
/** How long a call waits for a read that is running. */
const waitMillis = 1_000
/** How long it waits while no block is known yet: without one no payment is claimed, so it waits for a slow read, too. */
const firstWaitMillis = 5_000
/**
 * For so long, a node that shows a lower block than before is taken for one that lags. After that, the higher block is
 * taken for one that the chain doesn't have.
 */
const lagMillis = 60_000
/** Block numbers beyond the chain's end that are remembered. Only faulty nodes show any, and those show few. */
const maxUnreached = 1_000

/** A block, and when a node showed it as the newest one. */
interface Shown {
  readonly head: ChainHead
  readonly atMillis: number
}

/** The lower of two reads; `undefined` unless both succeed. */
const lower = ([one, other]: ReadonlyArray<ChainHead | undefined>): ChainHead | undefined => {
  if (one === undefined || other === undefined) return undefined
  return other.number < one.number ? other : one
}

/**
 * The newest block of a chain, as the nodes behind one endpoint show it. Read when a call needs it, at most every two
 * seconds, and shared by all calls.
 *
 * Each read asks twice and takes the lower block: one of several nodes may show a block that the chain doesn't have.
 */
export class HeadPoll {
  private readonly read: Effect.Effect<ChainHead | undefined>
  private newest: Shown | undefined
  private startedMillis: number | undefined
  private reading: Deferred.Deferred<void> | undefined
  private hasFailed = false
  /** For each number that {@link isNotReached} was called with: the newest block at the first call, and its time. */
  private readonly unreached = new BoundedMap<bigint, Shown>(maxUnreached)

  /** `read`: never fails; `undefined` if the chain can't be read. */
  constructor(read: Effect.Effect<ChainHead | undefined>) {
    this.read = Effect.map(Effect.all([read, read], { concurrency: 2 }), lower)
  }

  /** Starts a read if one is due. */
  private readonly start: Effect.Effect<void> = Effect.suspend(() =>
    this.reading === undefined
      ? Effect.flatMap(Clock.currentTimeMillis, (now) => this.startAt(now))
      : Effect.void
  )

  /**
   * The newest block that any read has shown. An older one than the chain's is safe: it excludes fewer transfers. Waits
   * for a running read, for a bounded time; not if a block is known and the last read failed.
   */
  readonly head: Effect.Effect<ChainHead | undefined> = Effect.suspend(() =>
    Effect.flatMap(this.start, () => {
      const { hasFailed, newest, reading } = this
      if (reading === undefined || (hasFailed && newest !== undefined))
        return Effect.sync(() => this.newest?.head)
      const millis = newest === undefined ? firstWaitMillis : waitMillis
      return Effect.map(Effect.timeoutOption(Deferred.await(reading), millis), () => this.newest?.head)
    })
  )

  /**
   * Whether the chain has no block of this number, although a node once showed it as the newest. True a minute after the
   * first call for this number, if nodes still show only lower blocks and the chain has grown since. Until then, the node
   * that is read may lag.
   */
  isNotReached(number: bigint): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      const head = yield* this.head
      const now = yield* Clock.currentTimeMillis
      if (head === undefined || head.number >= number) {
        this.unreached.delete(number)
        return false
      }
      const first = this.unreached.get(number)
      if (first === undefined) this.unreached.set(number, { head, atMillis: now })
      return (
        first !== undefined && head.number > first.head.number && Math.abs(now - first.atMillis) > lagMillis
      )
    })
  }

  private startAt(nowMillis: number): Effect.Effect<void> {
    const sinceMillis = this.startedMillis === undefined ? pollMillis : nowMillis - this.startedMillis
    // A clock that was set back must not stop the poll.
    if (sinceMillis >= 0 && sinceMillis < pollMillis) return Effect.void
    this.startedMillis = nowMillis
    const reading = Deferred.makeUnsafe<void>()
    this.reading = reading
    const run = this.read.pipe(
      Effect.map((head) => this.note(head, nowMillis)),
      Effect.ensuring(
        Effect.sync(() => {
          this.reading = undefined
          Deferred.doneUnsafe(reading, Effect.void)
        })
      )
    )
    return Effect.asVoid(Effect.forkDetach(run))
  }

  private note(head: ChainHead | undefined, nowMillis: number): void {
    this.hasFailed = head === undefined
    if (head === undefined) return
    const { newest } = this
    const isOvertaken = newest === undefined || head.number >= newest.head.number
    if (isOvertaken || Math.abs(nowMillis - newest.atMillis) > lagMillis)
      this.newest = { head, atMillis: nowMillis }
  }
}

/** {@link HeadPoll.isNotReached} of a network's poll. */
export const notReachedIn =
  (polls: ReadonlyMap<string, HeadPoll>, caip2: string) =>
  (number: bigint): Effect.Effect<boolean> =>
    polls.get(caip2)?.isNotReached(number) ?? Effect.succeed(false)
