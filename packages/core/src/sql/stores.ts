import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StoreError } from "../domain/Errors.ts"
import { StoreClock } from "../ports/StoreClock.ts"
import * as Charges from "./Charges.ts"
import { migrate } from "./migrations.ts"
import * as Orders from "./Orders.ts"
import * as Quotes from "./Quotes.ts"
import { storing } from "./rows.ts"
import * as VaultItems from "./VaultItems.ts"
import * as VaultPurchases from "./VaultPurchases.ts"
import { writeMissingTerms } from "./vaultTerms.ts"

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

/** All stores over one database, whose schema is migrated first. */
export const layerSql = Layer.mergeAll(
  Charges.layer,
  Quotes.layer,
  Orders.layer,
  VaultItems.layer,
  VaultPurchases.layer,
  databaseClock
).pipe(
  Layer.provideMerge(
    Layer.effectDiscard(
      migrate.pipe(
        Effect.andThen(writeMissingTerms),
        Effect.mapError((cause) =>
          cause._tag === "ConfigurationError" ? cause : new StoreError({ operation: "migrate", cause })
        )
      )
    )
  )
)
