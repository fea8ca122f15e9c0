import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Schema, uniqueName } from "./Schema.ts"

/*
 * The schema that a database has, as its own catalog tells.
 */

/** An index that failed while it was created: it finds no rows, and a unique one refuses them. */
export const invalid = " (invalid)"

/** A trigger that was switched off, as imports do. */
export const disabled = " (disabled)"

interface Found {
  readonly name: string
}
interface FoundUnique {
  readonly table: string
  /** Separated by commas. */
  readonly columns: string
}

/** Of PostgreSQL, the current schema alone: others of the search path may belong to other shops. */
export const catalog = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      columns: sql<Found>`
        SELECT c.relname || '.' || a.attname AS name
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname LIKE 'till\\_%'
          AND a.attnum > 0 AND NOT a.attisdropped`,
      indexes: sql<Found>`
        SELECT t.relname || '.' || i.relname || CASE WHEN x.indisvalid THEN '' ELSE ${invalid} END AS name
        FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_class t ON t.oid = x.indrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        WHERE n.nspname = current_schema() AND t.relname LIKE 'till\\_%'`,
      // Those of all rows, and of columns alone.
      uniques: sql<FoundUnique>`
        SELECT t.relname AS "table", string_agg(CAST(a.attname AS TEXT), ',') AS columns
        FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class t ON t.oid = x.indrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        CROSS JOIN LATERAL unnest(CAST(x.indkey AS SMALLINT[])) WITH ORDINALITY AS k (attnum, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
        WHERE n.nspname = current_schema() AND t.relname LIKE 'till\\_%' AND x.indisunique AND x.indisvalid
          AND x.indpred IS NULL AND x.indexprs IS NULL AND k.place <= x.indnkeyatts
        GROUP BY x.indexrelid, t.relname`,
      triggers: sql<Found>`
        SELECT c.relname || '.' || t.tgname || CASE WHEN t.tgenabled IN ('O', 'A') THEN '' ELSE ${disabled} END AS name
        FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relname LIKE 'till\\_%' AND NOT t.tgisinternal`,
      functions: sql<Found>`
        SELECT p.proname AS name FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = current_schema() AND p.proname LIKE 'till\\_%'`,
      views: sql<Found>`
        SELECT c.relname AS name
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relkind IN ('v', 'm') AND c.relname LIKE 'till\\_%'`
    }),
    orElse: () => ({
      columns: sql<Found>`
        SELECT m.name || '.' || c.name AS name
        FROM pragma_table_list m JOIN pragma_table_info(m.name) c
        WHERE m.schema = 'main' AND m.type IN ('table', 'virtual') AND m.name LIKE 'till\\_%' ESCAPE '\\'`,
      indexes: sql<Found>`
        SELECT m.name || '.' || i.name AS name FROM pragma_table_list m JOIN pragma_index_list(m.name) i
        WHERE m.schema = 'main' AND m.type = 'table' AND m.name LIKE 'till\\_%' ESCAPE '\\'`,
      uniques: sql<FoundUnique>`
        SELECT m.name AS "table", group_concat(c.name, ',') AS columns
        FROM pragma_table_list m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
        WHERE m.schema = 'main' AND m.type = 'table' AND m.name LIKE 'till\\_%' ESCAPE '\\'
          AND i."unique" = 1 AND i.partial = 0
        GROUP BY m.name, i.name HAVING COUNT(c.name) = COUNT(*)`,
      triggers: sql<Found>`
        SELECT tbl_name || '.' || name AS name FROM sqlite_master WHERE type = 'trigger'`,
      functions: Effect.succeed([]),
      views: sql<Found>`SELECT name FROM sqlite_master WHERE type = 'view'`
    })
  })

/** Reads the schema of a database. */
export const foundSchema = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<Schema, SqlError.SqlError> {
  const found = catalog(sql)
  const columns = yield* found.columns
  const indexes = yield* found.indexes
  const uniques = yield* found.uniques
  const triggers = yield* found.triggers
  const functions = yield* found.functions
  const named = (rows: ReadonlyArray<Found>) => new Set(rows.map(({ name }) => name))
  return {
    columns: named(columns),
    indexes: named(indexes),
    uniques: new Set(uniques.map((unique) => uniqueName(unique.table, unique.columns))),
    triggers: named(triggers),
    functions: named(functions)
  }
})
