import { Clock, Context, Duration, Effect, type Exit, Random, Scheduler } from "effect"
import { Identifiers } from "../../src/runtime/Identifiers.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Timeline } from "./Timeline.ts"

/** Operations of one fiber before it yields: few, so that fibers interleave. */
const operationsPerTurn = 512

/** Runs the fibers of one process on request, and never again once the process is dead. */
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
 * One simulated operating-system process, with its own clock and scheduler.
 *
 * Everything from outside (a timer, a response, a request) arrives through {@link deliver}. After a crash
 * nothing is delivered, so no fiber continues, not even to run its finalizers.
 */
export class Process {
  readonly name: string
  readonly context: Context.Context<never>
  private readonly timeline: Timeline
  private readonly scheduler = new ProcessScheduler()
  private state: "running" | "dead" = "running"
  private frozenUntilMillis = 0

  constructor(name: string, timeline: Timeline, random: SeededRandom, skewMillis: () => number) {
    this.name = name
    this.timeline = timeline
    const clock = clockOf(timeline, skewMillis, (millis, ring) => this.deliver(millis, ring))
    this.context = Context.make(Scheduler.Scheduler, this.scheduler).pipe(
      Context.add(Clock.Clock, clock),
      Context.add(Identifiers, { uuid: () => random.uuid() }),
      Context.add(Random.Random, {
        nextDoubleUnsafe: () => random.fraction(),
        nextIntUnsafe: () => random.between(-0x7fff_ffff, 0x7fff_ffff)
      })
    )
  }

  get isAlive(): boolean {
    return this.state === "running"
  }

  get isFrozen(): boolean {
    return this.frozenUntilMillis > this.timeline.nowMillis
  }

  /** Delivers a callback after a delay, if the process is still alive; returns how to cancel it. */
  deliver(millis: number, reach: () => void): () => void {
    let recall = this.timeline.after(millis, () => {
      if (!this.isAlive) return
      const frozenMillis = this.frozenUntilMillis - this.timeline.nowMillis
      if (frozenMillis > 0) recall = this.deliver(frozenMillis, reach)
      else reach()
    })
    return () => recall()
  }

  /** Starts a fiber; calls `end` with its exit if the process is still alive. */
  run<A, E>(
    effect: Effect.Effect<A, E>,
    end: (exit: Exit.Exit<A, E>) => void,
    context: Context.Context<never> = this.context
  ): void {
    Effect.runForkWith(context)(effect).addObserver((exit) => {
      if (this.isAlive) end(exit)
    })
  }

  /** Suspends the process for a while, as a machine that sleeps; it continues without noticing. */
  freeze(millis: number): void {
    this.frozenUntilMillis = Math.max(this.frozenUntilMillis, this.timeline.nowMillis + millis)
  }

  /** Kills the process at once. */
  crash(): void {
    this.state = "dead"
    this.scheduler.discard()
  }

  /** Runs all pending fibers; returns whether there were any. */
  runPending(): boolean {
    if (this.scheduler.isIdle) return false
    this.scheduler.run()
    return true
  }
}

const clockOf = (
  timeline: Timeline,
  skewMillis: () => number,
  alarm: (millis: number, ring: () => void) => () => void
): Clock.Clock => {
  const millis = () => timeline.nowMillis + skewMillis()
  const nanosOf = (ownMillis: number) => BigInt(Math.round(ownMillis * 1000)) * 1000n
  const nanos = () => nanosOf(millis())
  // Nobody sets a monotonic clock.
  const monotonicNanos = () => nanosOf(timeline.nowMillis)
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: monotonicNanos,
    monotonicTimeNanos: Effect.sync(monotonicNanos),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const stop = alarm(Duration.toMillis(duration), () => resume(Effect.void))
        return Effect.sync(stop)
      })
  }
}
