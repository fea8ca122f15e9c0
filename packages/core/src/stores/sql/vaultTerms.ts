import { Effect, Schedule, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { searchTermsOf } from "../../shop/goods/SearchTerms.ts"
import type { VaultItem } from "../../shop/goods/Vault.ts"
import { causeName } from "../../runtime/causeName.ts"
import { report } from "../../runtime/events.ts"

/** The version of the terms that `searchTermsOf` makes. */
export const termsVersion = 1

/** The terms of an item as the column `search` has them. */
export const searchColumn = (item: VaultItem): string => searchTermsOf(item).join(" ")

interface Row {
  readonly id: string
  readonly document: string
}

/** Small batches with pauses: paid calls on the same database go on meanwhile. */
const batchSize = 100
const pause = "5 millis"
const retries = Schedule.spaced("15 seconds")

/** Collects statistics on PostgreSQL, which plans searches by them and would collect them minutes later. */
export const refreshStatistics = (sql: SqlClient.SqlClient): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.onDialectOrElse({ pg: () => sql`ANALYZE till_vault_items`, orElse: () => Effect.void })

const nextRows = (sql: SqlClient.SqlClient, limit: number) =>
  sql<Row>`SELECT id, document FROM till_vault_items WHERE terms_version = 0 ORDER BY id LIMIT ${limit}`

/** Of concurrent processes one writes a row, and none overwrites a newer item. */
const writeTerms = (sql: SqlClient.SqlClient, rows: ReadonlyArray<Row>) =>
  sql.withTransaction(
    Effect.forEach(
      rows,
      ({ document, id }) => sql`
        UPDATE till_vault_items
        SET search = ${searchColumn(JSON.parse(document) as VaultItem)}, terms_version = ${termsVersion}
        WHERE id = ${id} AND document = ${document} AND terms_version = 0`,
      { discard: true }
    )
  )

const writeAllTerms = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<void, SqlError.SqlError> {
  for (;;) {
    const rows = yield* nextRows(sql, batchSize)
    if (rows.length === 0) break
    yield* writeTerms(sql, rows)
    yield* Effect.sleep(pause)
  }
  yield* refreshStatistics(sql)
})

/**
 * Writes the terms of items that a version before stored, in the background of the scope: until then they are found by
 * their plain words. Retries after a failure.
 */
export const writeMissingTerms: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient | Scope.Scope> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if ((yield* nextRows(sql, 1)).length === 0) return
    const work = Effect.tapError(writeAllTerms(sql), (error) =>
      report("Warn", "vault_index_delayed", "The index of the vault's items is completed later", {
        error: causeName(error)
      })
    )
    yield* Effect.forkScoped(Effect.retry(work, retries))
  })
