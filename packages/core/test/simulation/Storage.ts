import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { layerMemoryStores } from "../../src/memory.ts"
import type { Stores } from "../../src/ports/Stores.ts"
import { sqlite } from "../../src/sql/sqlite.ts"
import type { Process } from "./Process.ts"

/** A process's way to what is stored. */
export interface Connection {
  readonly stores: Context.Context<Stores>
  /** Does one verb and tells how it ended. */
  readonly execute: <A, E>(effect: Effect.Effect<A, E>, done: (exit: Exit.Exit<A, E>) => void) => void
  /** What the operating system does for a dead process: its files are closed. */
  readonly sever: () => void
}

/** What is stored: it outlives every process. */
export interface Storage {
  /** The store is part of each process, as SQLite is, and does nothing for a dead one. */
  readonly isLocal: boolean
  readonly connect: (process: Process) => Promise<Connection>
  /** The stores as they are, to look into. */
  readonly look: () => Promise<Context.Context<Stores>>
  /** Waits for verbs that take real time. */
  readonly settle?: () => Promise<void>
  readonly dispose: () => Promise<void>
}

const build = <E>(layer: Layer.Layer<Stores, E>, scope: Scope.Scope) =>
  Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), scope)

/** Stores in memory: of the world, not of a process, as a database elsewhere on the network. */
export const memoryStorage = async (): Promise<Storage> => {
  const scope = Scope.makeUnsafe()
  const stores = await Effect.runPromise(build(layerMemoryStores, scope))
  return {
    isLocal: false,
    connect: () =>
      Promise.resolve({
        stores,
        // Every verb of the memory stores is one synchronous step.
        execute: (effect, done) => done(Effect.runSyncExit(effect)),
        sever: () => undefined
      }),
    look: () => Promise.resolve(stores),
    dispose: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

let databases = 0

/**
 * The real stores on SQLite. The database is in memory (SQLite's own `memdb`, shared by name within this
 * process) and stays for as long as the keeper has it open; what a dead process did not commit is gone.
 */
export const sqliteStorage = async (): Promise<Storage> => {
  const filename = `file:/simulation-${++databases}?vfs=memdb`
  const keeper = new DatabaseSync(filename)
  const scope = Scope.makeUnsafe()
  let looking: Promise<Context.Context<Stores>> | undefined
  return {
    isLocal: true,
    connect: (process) => connectTo(filename, process),
    look: () => (looking ??= Effect.runPromise(build(sqlite({ filename }), scope))),
    dispose: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      keeper.close()
    }
  }
}

const connectTo = (filename: string, process: Process): Promise<Connection> =>
  new Promise((resolve, reject) => {
    const scope = Scope.makeUnsafe()
    process.run(build(sqlite({ filename }), scope), (exit) => {
      if (Exit.isFailure(exit)) return reject(new Error("SQLite does not open", { cause: exit.cause }))
      resolve({
        stores: exit.value,
        execute: (effect, done) => process.run(effect, done),
        sever: () => Effect.runFork(Scope.close(scope, Exit.void))
      })
    })
  })
