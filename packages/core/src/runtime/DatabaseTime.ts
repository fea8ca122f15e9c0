import { type Clock, type Duration, Effect } from "effect"
import { sleepsAs } from "./schedule.ts"

/*
 * The time of a database between two readings of its clock. The process's monotonic clock measures what has passed
 * since the last reading: a wall clock may be set at any moment.
 */

/** The clocks of a process at one moment, in milliseconds. */
export interface Instant {
  readonly wallMillis: number
  readonly monotonicMillis: number
}

/** A reading of a database's clock: it was taken at some moment between `before` and `after`. */
export interface Reading {
  readonly databaseMillis: number
  readonly before: Instant
  readonly after: Instant
}

/** Wall and monotonic clock may differ by this much between two readings before the wall clock counts as set. */
const jumpMillis = 1_000

/** Reads the clocks of a process. */
export const instantOf = (clock: Clock.Clock): Instant => ({
  wallMillis: clock.currentTimeMillisUnsafe(),
  monotonicMillis: Number(clock.monotonicTimeNanosUnsafe() / 1_000n) / 1_000
})

const between = (first: number, second: number): number => first + (second - first) / 2

/** The middle of a reading, which is wrong by at most `errorOf`. */
const middleOf = ({ after, before }: Reading): Instant => ({
  wallMillis: between(before.wallMillis, after.wallMillis),
  monotonicMillis: between(before.monotonicMillis, after.monotonicMillis)
})

/** How far a reading may be from the truth, in milliseconds: half of the time that it took. */
export const errorOf = ({ after, before }: Reading): number =>
  (after.monotonicMillis - before.monotonicMillis) / 2

/** How far the process's clock is ahead of the database's, in milliseconds; negative where it is behind. */
export const skewOf = (reading: Reading): number => middleOf(reading).wallMillis - reading.databaseMillis

/** A clock with the database's time, and sleeps as the process's clock does. */
export class DatabaseTime implements Clock.Clock {
  readonly currentTimeMillis: Effect.Effect<number>
  readonly currentTimeNanos: Effect.Effect<bigint>
  readonly monotonicTimeNanos: Effect.Effect<bigint>
  private readonly own: Clock.Clock
  private databaseMillis: number
  private readAt: Instant

  constructor(own: Clock.Clock, first: Reading) {
    this.own = own
    sleepsAs(this, own)
    this.databaseMillis = first.databaseMillis
    this.readAt = middleOf(first)
    this.currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
    this.currentTimeNanos = own.currentTimeNanos
    this.monotonicTimeNanos = own.monotonicTimeNanos
  }

  /** Takes over a reading. One that agrees with the current time changes nothing, so that time runs evenly. */
  adopt(reading: Reading): void {
    const middle = middleOf(reading)
    const expectedMillis = this.databaseMillis + middle.monotonicMillis - this.readAt.monotonicMillis
    const agrees = Math.abs(reading.databaseMillis - expectedMillis) <= errorOf(reading) + 1
    this.databaseMillis = agrees ? expectedMillis : reading.databaseMillis
    this.readAt = middle
  }

  /**
   * Whether the wall clock was set since the last reading, or the machine slept: some monotonic clocks stand still
   * meanwhile. The time is then uncertain until the next reading.
   */
  get hasJumped(): boolean {
    const { monotonicMillis, wallMillis } = this.passed()
    return Math.abs(wallMillis - monotonicMillis) > jumpMillis
  }

  currentTimeMillisUnsafe(): number {
    const { monotonicMillis, wallMillis } = this.passed()
    // After a sleep the wall clock is right. If unsure, run ahead: an owner then gives up its lease too early, never too late.
    const isUncertain = wallMillis - monotonicMillis > jumpMillis
    return Math.floor(this.databaseMillis + (isUncertain ? wallMillis : monotonicMillis))
  }

  currentTimeNanosUnsafe(): bigint {
    return this.own.currentTimeNanosUnsafe()
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.own.monotonicTimeNanosUnsafe()
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return this.own.sleep(duration)
  }

  private passed(): Instant {
    const { monotonicMillis, wallMillis } = instantOf(this.own)
    return {
      wallMillis: wallMillis - this.readAt.wallMillis,
      monotonicMillis: monotonicMillis - this.readAt.monotonicMillis
    }
  }
}
