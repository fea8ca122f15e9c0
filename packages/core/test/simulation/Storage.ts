import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { layerMemoryStores } from "../../src/stores/memory.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { sqlite } from "../../src/sqlite.ts"
import type { Process } from "./Process.ts"

/** A process's connection to its stores. */
export interface Connection {
  readonly stores: Context.Context<Stores>
  /** Runs one operation and reports its exit. */
  readonly execute: <A, E>(effect: Effect.Effect<A, E>, done: (exit: Exit.Exit<A, E>) => void) => void
  /** Closes the files of a dead process, as an operating system does. */
  readonly close: () => void
}

/** The stored data, which outlives every process. */
export interface Storage {
  /** Whether the store is part of each process, like SQLite, and does nothing for a dead one. */
  readonly isLocal: boolean
  readonly connect: (process: Process) => Promise<Connection>
  /** The stores, to inspect them. */
  readonly stores: () => Promise<Context.Context<Stores>>
  /** Waits for operations that take real time. */
  readonly settle?: () => Promise<void>
  readonly dispose: () => Promise<void>
}

const build = <E>(layer: Layer.Layer<Stores, E>, scope: Scope.Scope) =>
  Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), scope)

/** Stores in memory, shared by all processes like a database server. */
export const memoryStorage = async (): Promise<Storage> => {
  const scope = Scope.makeUnsafe()
  const stores = await Effect.runPromise(build(layerMemoryStores, scope))
  return {
    isLocal: false,
    connect: () =>
      Promise.resolve({
        stores,
        // Every operation of the memory stores is one synchronous step.
        execute: (effect, done) => done(Effect.runSyncExit(effect)),
        close: () => undefined
      }),
    stores: () => Promise.resolve(stores),
    dispose: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

let databases = 0

/**
 * The real stores on SQLite, in SQLite's own `memdb`, shared by name within this process.
 *
 * The data stays while the keeper connection is open. Data that a dead process did not commit is lost.
 */
export const sqliteStorage = async (): Promise<Storage> => {
  const filename = `file:/simulation-${++databases}?vfs=memdb`
  const keeper = new DatabaseSync(filename)
  const scope = Scope.makeUnsafe()
  let looking: Promise<Context.Context<Stores>> | undefined
  return {
    isLocal: true,
    connect: (process) => connectTo(filename, process),
    stores: () => (looking ??= Effect.runPromise(build(sqlite({ filename }), scope))),
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
      if (Exit.isFailure(exit)) return reject(new Error("SQLite failed to open", { cause: exit.cause }))
      resolve({
        stores: exit.value,
        execute: (effect, done) => process.run(effect, done),
        close: () => Effect.runFork(Scope.close(scope, Exit.void))
      })
    })
  })
