import { Clock, Deferred, Effect } from "effect"
import type { ChainHead } from "./ChainHead.ts"

/** Between the starts of two reads. */
const pollMillis = 2_000
/** How long a call waits for a read. */
const waitMillis = 1_000
/** A lower block than the newest one is a lagging node's, unless none has shown a higher one for so long. */
const lagMillis = 60_000

/**
 * The newest block that the nodes behind one endpoint have shown. Reads it on request, at most every two seconds,
 * for all calls at once.
 */
export class HeadPoll {
  private readonly read: Effect.Effect<ChainHead | undefined>
  private newest: { readonly head: ChainHead; readonly atMillis: number } | undefined
  private startedMillis: number | undefined
  private reading: Deferred.Deferred<void> | undefined
  private hasFailed = false

  /** `read`: never fails; `undefined` if the chain can't be read. */
  constructor(read: Effect.Effect<ChainHead | undefined>) {
    this.read = read
  }

  /** Starts a read if one is due. */
  private readonly start: Effect.Effect<void> = Effect.suspend(() =>
    this.reading === undefined
      ? Effect.flatMap(Clock.currentTimeMillis, (now) => this.startAt(now))
      : Effect.void
  )

  /** The newest block. Waits for a read that runs, for a bounded time, unless the one before has failed. */
  readonly head: Effect.Effect<ChainHead | undefined> = Effect.suspend(() =>
    Effect.flatMap(this.start, () => {
      const { hasFailed, reading } = this
      return reading === undefined || hasFailed
        ? Effect.sync(() => this.newest?.head)
        : Effect.map(Effect.timeoutOption(Deferred.await(reading), waitMillis), () => this.newest?.head)
    })
  )

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
