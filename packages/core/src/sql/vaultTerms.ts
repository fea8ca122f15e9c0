import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { searchTermsOf } from "../domain/SearchTerms.ts"
import type { VaultItem } from "../domain/Vault.ts"

/** The version of the terms that `searchTermsOf` makes. */
export const termsVersion = 1

/** The terms of an item as the column `search` has them. */
export const searchColumn = (item: VaultItem): string => searchTermsOf(item).join(" ")

interface Row {
  readonly id: string
  readonly document: string
}

const batchSize = 500

/** PostgreSQL plans searches by statistics, which it would collect minutes later. */
const takeStock = (sql: SqlClient.SqlClient): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.onDialectOrElse({ pg: () => sql`ANALYZE till_vault_items`, orElse: () => Effect.void })

/** Writes the terms of items that a version before stored. Of concurrent processes one does; none overwrites a newer item. */
export const writeMissingTerms: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    for (let isFirst = true; ; isFirst = false) {
      const rows = yield* sql<Row>`
        SELECT id, document FROM till_vault_items WHERE terms_version = 0 ORDER BY id LIMIT ${batchSize}`
      if (rows.length === 0 && !isFirst) yield* takeStock(sql)
      if (rows.length === 0) return
      yield* sql.withTransaction(
        Effect.forEach(
          rows,
          ({ document, id }) => sql`
            UPDATE till_vault_items
            SET search = ${searchColumn(JSON.parse(document) as VaultItem)}, terms_version = ${termsVersion}
            WHERE id = ${id} AND document = ${document} AND terms_version = 0`,
          { discard: true }
        )
      )
    }
  }
)
