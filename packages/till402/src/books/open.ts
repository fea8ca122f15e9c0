import { Till, type TillOptions } from "@till402/core"
import type { ConsoleSource } from "@till402/console/operate"
import { WrongUsage } from "../CommandFailed.ts"
import { readModule } from "../doctor/Settings.ts"
import { storageOf } from "../migrate/Database.ts"

/*
 * What operators' commands work on: the books in a database, or the till of a module.
 */

/** Where the command line says that the records are. */
export interface Place {
  /** That of `--database`. */
  readonly database: string | undefined
  /** That of the environment, for commands without a module. */
  readonly usualDatabase: string | undefined
  readonly module: string | undefined
}

type Storage = TillOptions["storage"]

type Found =
  | { readonly _tag: "Books"; readonly storage: Storage; readonly options: TillOptions | undefined }
  | { readonly _tag: "Running"; readonly till: Till }

const missing = () => new WrongUsage("--database is missing, and TILL_DATABASE isn't set")

const findOf = async ({ database, module, usualDatabase }: Place): Promise<Found> => {
  if (module === undefined) {
    const address = database ?? usualDatabase
    if (address === undefined) throw missing()
    return { _tag: "Books", storage: storageOf(address), options: undefined }
  }
  const settings = await readModule(module)
  if (settings._tag === "Running") return settings
  const own = (settings.options as Partial<TillOptions>).storage
  const address = database ?? (own === undefined ? usualDatabase : undefined)
  const storage = address === undefined ? own : storageOf(address)
  if (storage === undefined) throw missing()
  return { _tag: "Books", storage, options: { ...settings.options, storage } }
}

interface Opened {
  readonly ready: Promise<void>
  readonly dispose: () => Promise<void>
}

const using = async <Calls extends Opened, A>(
  opened: Calls,
  use: (calls: Calls) => Promise<A>
): Promise<A> => {
  try {
    await opened.ready
    return await use(opened)
  } finally {
    await opened.dispose()
  }
}

/** The records of a place, opened for each use. */
export interface Records {
  /** Without the till, unless the module has started one. */
  readonly read: <A>(use: (calls: ConsoleSource) => Promise<A>) => Promise<A>
  /** As above, for what needs no provider. */
  readonly write: <A>(use: (calls: ConsoleSource) => Promise<A>) => Promise<A>
  /** With the till of the module. Until `use` ends, it does the till's background work, too. */
  readonly operate: <A>(use: (calls: ConsoleSource) => Promise<A>) => Promise<A>
}

/** @throws WrongUsage if no place is given */
export const recordsIn = async (place: Place): Promise<Records & { readonly close: () => Promise<void> }> => {
  const found = await findOf(place)
  if (found._tag === "Running") {
    const use = async <A>(work: (calls: ConsoleSource) => Promise<A>): Promise<A> => {
      await found.till.ready
      return work(found.till)
    }
    return { read: use, write: use, operate: use, close: () => found.till.dispose() }
  }
  const { options, storage } = found
  return {
    read: (use) => using(Till.books({ storage }), use),
    write: (use) => using(Till.books({ storage, readOnly: false }), use),
    operate: (use) => {
      if (options === undefined) throw new WrongUsage("this takes a till: give --config MODULE")
      return using(Till.make(options), use)
    },
    close: async () => undefined
  }
}
