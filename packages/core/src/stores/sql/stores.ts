import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StoreError } from "../../domain/Errors.ts"
import { StorageRehearsal } from "../../ports/StorageMarks.ts"
import { StoreClock } from "../../ports/StoreClock.ts"
import { report } from "../../runtime/events.ts"
import * as Charges from "./SqlCharges.ts"
import * as Marks from "./Marks.ts"
import { migrate, migrations } from "../schema/migrations.ts"
import * as Orders from "./SqlOrders.ts"
import * as Quotes from "./SqlQuotes.ts"
import { storing } from "./statements.ts"
import * as VaultItems from "./SqlVaultItems.ts"
import * as VaultPurchases from "./SqlVaultPurchases.ts"

/** The clock of PostgreSQL. An SQLite file is used on one machine, whose processes share its clock. */
const databaseClock = Layer.effect(
  StoreClock,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const reading = sql<{ readonly now: string }>`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now`
    return sql.onDialectOrElse({
      pg: () => ({
        nowMillis: storing(
          "clock",
          Effect.map(reading, ([row]) => Number(row!.now))
        )
      }),
      orElse: () => undefined
    })
  })
)

/** The name of a database for its operator; `undefined` for one in memory. */
const placeOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql<{ readonly place: string }>`SELECT current_database() AS place`,
      orElse: () =>
        sql<{ readonly place: string }>`SELECT file AS place FROM pragma_database_list WHERE name = 'main'`
    }),
    ([row]) => row?.place || undefined
  )

/** Reports a database without any table: where one with data is expected, its file or its backup is the wrong one. */
const reportCreated = Effect.gen(function* () {
  const place = yield* placeOf(yield* SqlClient.SqlClient)
  if (place === undefined) return
  yield* report(
    "Info",
    "storage_created",
    `The database ${place} was empty: its tables were created. If it should have data, stop the till, and restore the right file`
  )
})

const stores = Layer.mergeAll(
  Charges.layer,
  Quotes.layer,
  Orders.layer,
  VaultItems.layer,
  VaultPurchases.layer
)

/** Loaded where a till starts. */
const rehearsal = Effect.promise(() => import("./rehearsal.ts"))

/** Rehearses a sale: see `StorageRehearsal`. */
export const rehearse = (kinds: ReadonlySet<string>, network?: string) =>
  Effect.flatMap(rehearsal, (loaded) => Effect.provide(loaded.rehearse(kinds, network), stores))

const rehearseAtStart = (kinds: ReadonlySet<string>, network?: string) =>
  Effect.flatMap(rehearsal, (loaded) => Effect.provide(loaded.rehearseAtStart(kinds, network), stores))

const everything = new Set(["quotes", "purchases"])

/** Migrates. An upgrade after which nothing could be sold is taken back: it is rehearsed as well. */
const migrated = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ran = yield* migrate(migrations, "till_migrations", rehearse(everything))
  const isCreated = ran.length === migrations.length
  if (isCreated) yield* reportCreated
  // A file that this start has created has nothing of a host's.
  if (isCreated && sql.onDialectOrElse({ pg: () => false, orElse: () => true })) return undefined
  return (kinds: ReadonlySet<string>, network?: string) =>
    Effect.provideService(rehearseAtStart(kinds, network), SqlClient.SqlClient, sql)
}).pipe(
  Effect.mapError((cause) =>
    cause._tag === "SqlError" ? new StoreError({ operation: "migrate", cause }) : cause
  )
)

/** All stores over one database, whose schema is migrated first. */
export const layerSql = Layer.mergeAll(stores, databaseClock, Marks.layer).pipe(
  Layer.provideMerge(Layer.effect(StorageRehearsal, migrated))
)
