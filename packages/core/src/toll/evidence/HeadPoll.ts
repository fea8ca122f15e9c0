import { Clock, Deferred, Effect } from "effect"
import { BoundedMap } from "../../runtime/BoundedMap.ts"
import type { ChainHead } from "./ChainHead.ts"

/** Between the starts of two reads. */
const pollMillis = 2_000
/** How long a call waits for a read. */
const waitMillis = 1_000
/** The same while no block is known: without one, no payment is claimed. As long as a slow read may take. */
const firstWaitMillis = 5_000
/** A lower block than the newest one is a lagging node's, unless none has shown a higher one for so long. */
const lagMillis = 60_000
/** Numbers that the chain hasn't reached: faulty nodes show few. */
const maxUnreached = 1_000

/** A block, and when it was shown as the newest one. */
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
 * The newest block that the nodes behind one endpoint have shown. Reads it on request, at most every two seconds,
 * for all calls at once.
 *
 * Reads twice, and takes the lower block: one node of several may once show a block that the chain doesn't have.
 */
export class HeadPoll {
  private readonly read: Effect.Effect<ChainHead | undefined>
  private newest: Shown | undefined
  private startedMillis: number | undefined
  private reading: Deferred.Deferred<void> | undefined
  private hasFailed = false
  /** When {@link isNotReached} was first called for a number, and the newest block then. */
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
   * The newest block that was ever shown: an older one is only weaker. Waits for a read that runs, for a bounded time,
   * unless a block is known and the read before has failed.
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
   * Whether a block that was shown as the newest one is none of this chain: a minute after the first call with this
   * number, only lower ones are shown, and newer ones than then. Before that, or without newer ones, a node may lag.
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
