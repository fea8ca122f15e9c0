import { Process } from "./Process.ts"
import { Server, type Surroundings } from "./Server.ts"
import type { Connection, Storage } from "./Storage.ts"
import type { Fate } from "./Fate.ts"
import type { Timeline } from "./Timeline.ts"
import type { Reply } from "./Witness.ts"

/** A machine that runs one process of the till at a time, and starts another when it has died. */
export class Machine {
  readonly name: string
  /** The process that runs, or the one that died last. */
  process: Process | undefined
  /** The till in it, once it serves. */
  server: Server | undefined
  /** Requests under way, to be told when the process dies. */
  readonly requests = new Set<(reply: Reply | undefined) => void>()
  private connection: Connection | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Lets its process have its turn; answers whether it had anything to do. */
  turn(): boolean {
    return this.process?.isAlive === true && this.process.turn()
  }

  /** Starts a process. `quiet` lets everything run on until it waits for something from outside. */
  async boot(options: {
    readonly timeline: Timeline
    readonly fate: Fate
    readonly skewMillis: number
    readonly storage: Storage
    readonly surroundings: (process: Process, connection: Connection) => Surroundings
    readonly quiet: () => Promise<void>
  }): Promise<void> {
    const process = new Process(this.name, options.timeline, options.fate, options.skewMillis)
    this.process = process
    const connection = await options.storage.connect(process)
    this.connection = connection
    const starting = Server.start(process, options.surroundings(process, connection))
    const state = { isOver: false }
    const over = (): void => {
      state.isOver = true
    }
    starting.then(over, over)
    // Nothing else happens meanwhile, however long the real machine takes over it.
    do await options.quiet()
    while (!state.isOver)
    this.server = await starting
  }

  /** Its process dies; who waits for an answer sees the connection break. */
  crash(): void {
    this.process?.crash()
    this.connection?.sever()
    this.server = undefined
    for (const broken of Array.from(this.requests)) broken(undefined)
  }
}
