import { Cause } from "effect"
import { Process } from "./Process.ts"
import { Server, type Environment } from "./Server.ts"
import type { Connection, Storage } from "./Storage.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Timeline } from "./Timeline.ts"
import type { Reply } from "./Payment.ts"

const isClockRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  Cause.isCause(error.cause) &&
  /clock of this process/.test(String(Cause.squash(error.cause)))

/** A machine that runs one till process at a time and restarts it after a crash. */
export class Machine {
  readonly name: string
  /** The current process, or the last one that crashed. */
  process: Process | undefined
  /** The till in that process, once it has started. */
  server: Server | undefined
  /** Callbacks of requests in flight, called with `undefined` if the process crashes. */
  readonly requests = new Set<(reply: Reply | undefined) => void>()
  private connection: Connection | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Runs the process's pending tasks; returns whether there were any. */
  runPending(): boolean {
    return this.process?.isAlive === true && this.process.runPending()
  }

  /**
   * Starts a process. `runUntilIdle` runs everything until it waits for an external event. Returns whether the till
   * started: it refuses to where its clock is wrong.
   */
  async boot(options: {
    readonly timeline: Timeline
    readonly random: SeededRandom
    /** How far its clock is ahead now. */
    readonly skewMillis: () => number
    readonly storage: Storage
    readonly environment: (process: Process, connection: Connection) => Environment
    readonly runUntilIdle: () => Promise<void>
  }): Promise<boolean> {
    const process = new Process(this.name, options.timeline, options.random, options.skewMillis)
    this.process = process
    const connection = await options.storage.connect(process)
    this.connection = connection
    const starting = Server.start(process, options.environment(process, connection))
    const state = { isOver: false }
    const over = (): void => {
      state.isOver = true
    }
    starting.then(over, over)
    // The virtual time stands still during the start.
    do await options.runUntilIdle()
    while (!state.isOver)
    try {
      this.server = await starting
      return true
    } catch (error) {
      if (isClockRefusal(error)) return false
      throw error
    }
  }

  /** Crashes the process and resets its connections. */
  crash(): void {
    this.process?.crash()
    this.connection?.close()
    this.server = undefined
    for (const broken of Array.from(this.requests)) broken(undefined)
  }
}
