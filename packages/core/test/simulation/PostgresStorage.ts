import { PgClient } from "@effect/sql-pg"
import { Context, Effect, type Exit, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Orders } from "../../src/shop/ports/Orders.ts"
import { VaultPurchases } from "../../src/shop/ports/VaultPurchases.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { postgres } from "../../src/postgres.ts"
import { emptying } from "../stores/sql/emptyDatabase.ts"
import type { Storage } from "./Storage.ts"

/** The environment variable with the connection string of a running cluster. */
export const clusterVariable = "SIMULATION_POSTGRES"

interface Database {
  readonly stores: ManagedRuntime.ManagedRuntime<Stores, unknown>
  /** Empties every table. */
  readonly empty: () => Promise<void>
  readonly close: () => Promise<void>
}

const openDatabase = async (url: string): Promise<Database> => {
  const stores = ManagedRuntime.make(postgres({ url, maxConnections: 2 }))
  await stores.context()
  const client = ManagedRuntime.make(
    PgClient.layer({ url: Redacted.make(url), maxConnections: 1, multiplex: false })
  )
  const empty = await client.runPromise(emptying)
  return {
    stores,
    empty: () => client.runPromise(empty),
    close: async () => {
      await client.dispose()
      await stores.dispose()
    }
  }
}

let database: Promise<Database> | undefined

const byId = (left: { readonly id: string }, right: { readonly id: string }): number =>
  left.id < right.id ? -1 : left.id > right.id ? 1 : 0

/** The same stores with a deterministic order in `take`, which PostgreSQL doesn't guarantee. */
const inOneOrder = (stores: Context.Context<Stores>): Context.Context<Stores> => {
  const [orders, purchases] = [Context.get(stores, Orders), Context.get(stores, VaultPurchases)]
  return stores.pipe(
    Context.add(Orders, {
      ...orders,
      take: (...input) => Effect.map(orders.take(...input), (taken) => taken.toSorted(byId))
    }),
    Context.add(VaultPurchases, {
      ...purchases,
      take: (...input) => Effect.map(purchases.take(...input), (taken) => taken.toSorted(byId))
    })
  )
}

/** The cluster that this process shares. Loaded late: most simulations need none. */
export const ownCluster = async () => (await import("@till402/test-postgres")).sharedPostgres()

/** Opens a database for this process, on the cluster named by the environment or on its own. */
const openOwn = async (): Promise<Database> => {
  const url = process.env[clusterVariable]
  if (url === undefined) return openDatabase(await (await ownCluster()).createDatabase())
  const name = `simulation_${process.pid}`
  const client = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  await client.runPromise(SqlClient.SqlClient.use((sql) => sql.unsafe(`CREATE DATABASE ${name}`)))
  await client.dispose()
  return openDatabase(url.replace(/postgres$/, name))
}

/** Closes this process's connections to PostgreSQL. */
export const closePostgres = async (): Promise<void> => {
  const opened = database
  database = undefined
  await (await opened)?.close()
}

/**
 * The real stores on PostgreSQL, with one pool that outlives every process. Operations take real time but no
 * virtual time: nothing else happens until they complete.
 */
export const postgresStorage = async (): Promise<Storage> => {
  const { empty, stores } = await (database ??= openOwn())
  await empty()
  const services = inOneOrder(await stores.context())
  const running = new Set<Promise<unknown>>()
  return {
    isLocal: false,
    connect: () =>
      Promise.resolve({
        stores: services,
        execute: <A, E>(effect: Effect.Effect<A, E>, done: (exit: Exit.Exit<A, E>) => void) => {
          const verb = Effect.runPromiseExit(effect).then((exit) => {
            running.delete(verb)
            done(exit)
          })
          running.add(verb)
        },
        close: () => undefined
      }),
    stores: () => Promise.resolve(services),
    settle: async () => {
      while (running.size > 0) await Promise.all(running)
    },
    dispose: () => Promise.resolve()
  }
}
