import { Clock, Effect, Latch } from "effect"

/** The longest pause between two polls for orders that other processes have changed. */
const maxPauseMillis = 5_000

/** The earliest time at which an order that this process has changed is due again. */
export class NextDue {
  private dueAtMillis = Infinity
  private wakeAtMillis = 0
  private readonly earlier = Latch.makeUnsafe()

  /** Records a due time; ends the current pause if it is longer. */
  note(dueAtMillis: number | undefined): void {
    this.dueAtMillis = Math.min(this.dueAtMillis, dueAtMillis ?? Infinity)
    if (this.dueAtMillis < this.wakeAtMillis) this.earlier.openUnsafe()
  }

  /** Waits for the next poll, or for the earliest recorded due time. */
  readonly pause: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const pollAtMillis = (yield* Clock.currentTimeMillis) + maxPauseMillis
    for (;;) {
      const nowMillis = yield* Clock.currentTimeMillis
      this.wakeAtMillis = Math.min(pollAtMillis, this.dueAtMillis)
      if (this.wakeAtMillis <= nowMillis) break
      this.earlier.closeUnsafe()
      yield* Effect.raceFirst(Effect.sleep(this.wakeAtMillis - nowMillis), this.earlier.await)
    }
    this.dueAtMillis = Infinity
  })
}
