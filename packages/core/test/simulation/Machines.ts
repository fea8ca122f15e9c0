import type { TillEvent } from "../../src/runtime/events.ts"
import type { FaultInjector } from "./FaultInjector.ts"
import { Link } from "./Link.ts"
import { Machine } from "./Machine.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Environment, Server } from "./Server.ts"
import type { Connection, Storage } from "./Storage.ts"
import type { Timeline } from "./Timeline.ts"
import type { Trace } from "./Trace.ts"
import type { ProcessRun } from "./UnpaidWork.ts"

/** Turns of the event loop in which every body has been read. */
const maxTurns = 10_000

/** Starts, crashes and restarts the machines, and runs their processes. */
export class Machines {
  readonly all: ReadonlyArray<Machine>
  readonly first: Machine
  private readonly timeline: Timeline
  private readonly random: SeededRandom
  private readonly storage: Storage
  private readonly trace: Trace
  private readonly faultInjector: FaultInjector
  private readonly isActive: () => boolean
  private readonly environment: (
    link: Link,
    connection: Connection,
    onEvent: (event: TillEvent) => void
  ) => Environment
  private readonly count: (what: string) => void
  private readonly note: (actor: string, message: string) => void
  private readonly pendingBoots: Array<Promise<void>> = []
  private readonly lives: Array<{
    readonly machine: Machine
    readonly fromMillis: number
    untilMillis: number
  }> = []

  constructor(options: {
    /** What the names of the machines begin with. */
    readonly prefix: string
    /** Number of machines. */
    readonly machines: number
    readonly timeline: Timeline
    readonly random: SeededRandom
    readonly storage: Storage
    readonly trace: Trace
    readonly faultInjector: FaultInjector
    /** Whether faults still happen: after that, crashed machines are not restarted. */
    readonly isActive: () => boolean
    /** Connects a new process with the simulated services. */
    readonly environment: (
      link: Link,
      connection: Connection,
      onEvent: (event: TillEvent) => void
    ) => Environment
    readonly count: (what: string) => void
    readonly note: (actor: string, message: string) => void
  }) {
    const { prefix } = options
    this.first = new Machine(`${prefix}0`)
    this.all = Array.from({ length: options.machines }, (_, index) =>
      index === 0 ? this.first : new Machine(`${prefix}${index}`)
    )
    this.timeline = options.timeline
    this.random = options.random
    this.storage = options.storage
    this.trace = options.trace
    this.faultInjector = options.faultInjector
    this.isActive = options.isActive
    this.environment = options.environment
    this.count = options.count
    this.note = options.note
  }

  /** The time for which each process has run, and longer where its clock was set. */
  get runs(): ReadonlyArray<ProcessRun> {
    return this.lives.map(({ fromMillis, machine, untilMillis }) => ({
      millis:
        Math.min(untilMillis, this.timeline.nowMillis) -
        fromMillis +
        this.faultInjector.clockJumpsMillis(this.all.indexOf(machine))
    }))
  }

  /** Any running till. */
  runningServer(): Server | undefined {
    const running = this.all.flatMap(({ server }) => (server?.process.isFrozen === false ? [server] : []))
    return running.length === 0 ? undefined : this.random.pick(running)
  }

  async boot(machine: Machine): Promise<void> {
    const { storage, timeline, trace } = this
    const isUp = await machine.boot({
      timeline,
      storage,
      random: this.random.branch(),
      skewMillis: () => this.faultInjector.skewMillis(this.all.indexOf(machine), timeline.nowMillis),
      environment: (process, connection) => {
        const link = new Link({
          process,
          timeline,
          trace,
          planCall: (name) => this.faultInjector.planCall(name, machine.requests.size > 0),
          crash: () => this.crash(machine)
        })
        return this.environment(link, connection, (event) => this.recordEvent(machine, event))
      },
      runUntilIdle: () => this.runUntilIdle()
    })
    if (isUp) {
      this.lives.push({ machine, fromMillis: timeline.nowMillis, untilMillis: Infinity })
      return this.note(machine.name, "is up")
    }
    this.note(machine.name, "is refused: its clock is wrong")
    this.count("refused for its clock")
    this.crash(machine)
  }

  /** Crashes a machine's process, and schedules its restart while faults last. */
  crash(machine: Machine): void {
    machine.crash()
    const life = this.lives.findLast((each) => each.machine === machine)
    if (life !== undefined) life.untilMillis = Math.min(life.untilMillis, this.timeline.nowMillis)
    if (!this.isActive()) return
    this.timeline.after(this.random.between(50, 15_000), () => {
      if (this.isActive()) this.pendingBoots.push(this.boot(machine))
    })
  }

  /** Waits for the restarts that the current event triggered. */
  async finishRestarts(): Promise<void> {
    while (this.pendingBoots.length > 0) await this.pendingBoots.pop()
  }

  /** Runs all processes until each waits for an external event. */
  async runUntilIdle(): Promise<void> {
    let isBusy = true
    for (let turn = 0; isBusy; turn++) {
      if (turn === maxTurns) throw new Error("a process is never idle")
      // After a turn, all callbacks of settled promises have run.
      await new Promise(setImmediate)
      if (this.storage.settle !== undefined) {
        await this.storage.settle()
        await new Promise(setImmediate)
      }
      isBusy = this.all.some(({ server }) => server?.isReading === true)
      for (const machine of this.all) if (machine.runPending()) isBusy = true
    }
  }

  private recordEvent(machine: Machine, event: TillEvent): void {
    const { at: _at, level, message, ...fields } = event
    // Stack traces differ between runs.
    this.note(machine.name, `logs ${level}: ${message} ${JSON.stringify(fields)}`)
    this.count(`logs ${level}`)
    this.count(`logs ${event.code}`)
  }
}
