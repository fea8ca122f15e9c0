import { Clock, Context, Duration, Effect, type Exit, Random, Scheduler } from "effect"
import { Identifiers } from "../../src/Identifiers.ts"
import type { Fate } from "./Fate.ts"
import type { Timeline } from "./Timeline.ts"

/** Operations of one fiber before another has its turn: few, so that fibers mix. */
const operationsPerTurn = 512

/** Runs the fibers of one process when it is told to, and never again once the process is dead. */
class ProcessScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async"
  private tasks: Array<() => void> = []

  shouldYield({ currentOpCount }: { readonly currentOpCount: number }): boolean {
    return currentOpCount >= operationsPerTurn
  }
  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return {
      scheduleTask: (task) => {
        this.tasks.push(task)
      },
      flush: () => this.run()
    }
  }
  run(): void {
    while (this.tasks.length > 0) {
      const tasks = this.tasks
      this.tasks = []
      for (const task of tasks) task()
    }
  }
  get isIdle(): boolean {
    return this.tasks.length === 0
  }
  discard(): void {
    this.tasks = []
  }
}

/**
 * One operating-system process of the simulated world: its clock, its turn at the processor, and its end.
 *
 * Whatever reaches it from outside (a timer, an answer, a request) comes through {@link deliver}. A crash
 * shuts that door: no timer rings and no answer arrives, so no fiber of it ever goes on, not even to run
 * its finalizers. It lives on only as garbage.
 */
export class Process {
  readonly name: string
  readonly context: Context.Context<never>
  private readonly timeline: Timeline
  private readonly scheduler = new ProcessScheduler()
  private state: "running" | "dead" = "running"
  private frozenUntilMillis = 0

  constructor(name: string, timeline: Timeline, fate: Fate, skewMillis: number) {
    this.name = name
    this.timeline = timeline
    const clock = clockOf(timeline, skewMillis, (millis, ring) => this.deliver(millis, ring))
    this.context = Context.make(Scheduler.Scheduler, this.scheduler).pipe(
      Context.add(Clock.Clock, clock),
      Context.add(Identifiers, { uuid: () => fate.uuid() }),
      Context.add(Random.Random, {
        nextDoubleUnsafe: () => fate.fraction(),
        nextIntUnsafe: () => fate.between(-0x7fff_ffff, 0x7fff_ffff)
      })
    )
  }

  get isAlive(): boolean {
    return this.state === "running"
  }

  get isFrozen(): boolean {
    return this.frozenUntilMillis > this.timeline.nowMillis
  }

  /** Has something reach the process in so many milliseconds, if it lives then; answers how to call it off. */
  deliver(millis: number, reach: () => void): () => void {
    let recall = this.timeline.after(millis, () => {
      if (!this.isAlive) return
      const frozenMillis = this.frozenUntilMillis - this.timeline.nowMillis
      if (frozenMillis > 0) recall = this.deliver(frozenMillis, reach)
      else reach()
    })
    return () => recall()
  }

  /** Starts a fiber; `end` is told how it ended, if the process lives to see that. */
  run<A, E>(
    effect: Effect.Effect<A, E>,
    end: (exit: Exit.Exit<A, E>) => void,
    context: Context.Context<never> = this.context
  ): void {
    Effect.runForkWith(context)(effect).addObserver((exit) => {
      if (this.isAlive) end(exit)
    })
  }

  /** Stops for so long, as a machine that is suspended, and goes on as if nothing had been. */
  freeze(millis: number): void {
    this.frozenUntilMillis = Math.max(this.frozenUntilMillis, this.timeline.nowMillis + millis)
  }

  /** Dies on the spot. */
  crash(): void {
    this.state = "dead"
    this.scheduler.discard()
  }

  /** Lets its fibers have their turn; answers whether any had. */
  turn(): boolean {
    if (this.scheduler.isIdle) return false
    this.scheduler.run()
    return true
  }
}

const clockOf = (
  timeline: Timeline,
  skewMillis: number,
  alarm: (millis: number, ring: () => void) => () => void
): Clock.Clock => {
  const millis = () => timeline.nowMillis + skewMillis
  const nanos = () => BigInt(Math.round(millis() * 1000)) * 1000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const stop = alarm(Duration.toMillis(duration), () => resume(Effect.void))
        return Effect.sync(stop)
      })
  }
}
