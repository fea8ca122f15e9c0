import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { StoreError } from "../domain/Errors.ts"

/** Work that a part of the till has done in the background. */
export interface BackgroundTask {
  /** Names it where it fails: `orders.forget`. */
  readonly operation: string
  /** Repeated every 15 seconds once it has ended, for as long as the till runs. */
  readonly run: Effect.Effect<unknown, StoreError>
  /** `run` never ends, so its age says nothing: the age of its due work does. */
  readonly isEndless?: true
  /** Does at once what is due, when a host reconciles. */
  readonly reconcile?: Effect.Effect<unknown, StoreError>
}

/** The background work of one till besides the settlement of charges. Whatever needs some registers it. */
export class BackgroundWork extends Context.Service<
  BackgroundWork,
  {
    readonly add: (task: BackgroundTask) => Effect.Effect<void>
    readonly all: Effect.Effect<ReadonlyArray<BackgroundTask>>
  }
>()("@till402/core/BackgroundWork") {
  static readonly layer: Layer.Layer<BackgroundWork> = Layer.sync(BackgroundWork, () => {
    const tasks: Array<BackgroundTask> = []
    return BackgroundWork.of({
      add: (task) => Effect.sync(() => void tasks.push(task)),
      all: Effect.sync(() => [...tasks])
    })
  })
}

/** Records that one statement erases or deletes; more would block the event loop on SQLite. */
const eraseBatch = 200
/** Between two full batches, so that calls go on. */
const batchPauseMillis = 25

/** Erases what is older than a lifetime: batch by batch, with short pauses, while they are full. */
export const eraseOlder = <E, R>(
  lifetimeMillis: number,
  erase: (beforeMillis: number, limit: number) => Effect.Effect<number, E, R>
): Effect.Effect<void, E, R> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
    Effect.asVoid(
      Effect.repeat(erase(nowMillis - lifetimeMillis, eraseBatch), {
        while: (changed) => changed >= eraseBatch,
        schedule: Schedule.spaced(batchPauseMillis)
      })
    )
  )
