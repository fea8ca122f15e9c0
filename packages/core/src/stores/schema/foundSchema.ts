import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { conditionIn, conditionOf, type Schema, uniqueName } from "./Schema.ts"

/*
 * The schema that a database has, as its own catalog tells.
 */

/** An index that failed while it was created: it finds no rows, and a unique one refuses them. */
export const invalid = " (invalid)"

interface FoundColumn {
  readonly name: string
  /** No row can be written without it. */
  readonly required: boolean | number
}
interface FoundUnique {
  readonly table: string
  /** Separated by commas; `null`: of expressions alone. */
  readonly columns: string | null
}
interface FoundIndex extends FoundUnique {
  readonly name: string
  readonly isUnique: boolean | number
  /** Of PostgreSQL. */
  readonly condition?: string | null
  /** Of SQLite: as it was created. */
  readonly statement?: string | null
}

/** Of PostgreSQL, the current schema alone: others of the search path may belong to other shops. */
export const catalog = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      columns: sql<FoundColumn>`
        SELECT c.relname || '.' || a.attname AS name,
          a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS required
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname LIKE 'till\\_%'
          AND a.attnum > 0 AND NOT a.attisdropped`,
      indexes: sql<FoundIndex>`
        SELECT t.relname || '.' || i.relname || CASE WHEN x.indisvalid THEN '' ELSE ${invalid} END AS name,
          x.indisunique OR x.indisexclusion AS "isUnique", t.relname AS "table",
          pg_get_expr(x.indpred, x.indrelid) AS condition,
          (SELECT string_agg(CAST(a.attname AS TEXT), ',') FROM pg_catalog.pg_attribute a
            WHERE a.attrelid = t.oid
              AND a.attnum = ANY ((CAST(x.indkey AS SMALLINT[]))[0:x.indnkeyatts - 1])) AS columns
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
      triggers: sql<{ readonly name: string }>`
        SELECT c.relname || '.' || t.tgname AS name
        FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relname LIKE 'till\\_%' AND NOT t.tgisinternal`,
      functions: sql<{ readonly name: string }>`
        SELECT p.proname AS name FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = current_schema() AND p.proname LIKE 'till\\_%'`,
      views: sql<{ readonly name: string }>`
        SELECT c.relname AS name
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relkind IN ('v', 'm') AND c.relname LIKE 'till\\_%'`
    }),
    orElse: () => ({
      columns: sql<FoundColumn>`
        SELECT m.name || '.' || c.name AS name,
          c."notnull" = 1 AND c.dflt_value IS NULL AND c.pk = 0 AS required
        FROM pragma_table_list m JOIN pragma_table_info(m.name) c
        WHERE m.schema = 'main' AND m.type IN ('table', 'virtual') AND m.name LIKE 'till\\_%' ESCAPE '\\'`,
      indexes: sql<FoundIndex>`
        SELECT m.name || '.' || i.name AS name, i."unique" AS "isUnique", m.name AS "table",
          (SELECT s.sql FROM sqlite_master s WHERE s.name = i.name) AS statement,
          (SELECT group_concat(c.name, ',') FROM pragma_index_info(i.name) c) AS columns
        FROM pragma_table_list m JOIN pragma_index_list(m.name) i
        WHERE m.schema = 'main' AND m.type = 'table' AND m.name LIKE 'till\\_%' ESCAPE '\\'`,
      uniques: sql<FoundUnique>`
        SELECT m.name AS "table", group_concat(c.name, ',') AS columns
        FROM pragma_table_list m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
        WHERE m.schema = 'main' AND m.type = 'table' AND m.name LIKE 'till\\_%' ESCAPE '\\'
          AND i."unique" = 1 AND i.partial = 0
        GROUP BY m.name, i.name HAVING COUNT(c.name) = COUNT(*)`,
      triggers: sql<{ readonly name: string }>`
        SELECT tbl_name || '.' || name AS name FROM sqlite_master WHERE type = 'trigger'`,
      functions: Effect.succeed([]),
      views: sql<{ readonly name: string }>`SELECT name FROM sqlite_master WHERE type = 'view'`
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
  return {
    columns: new Map(columns.map(({ name, required }) => [name, { isRequired: Boolean(required) }])),
    indexes: new Map(
      indexes.map(({ columns: names, condition, isUnique, name, statement, table }) => [
        name,
        {
          isUnique: Boolean(isUnique),
          columns: uniqueName(table, names ?? ""),
          condition: conditionOf(condition) || conditionIn(statement)
        }
      ])
    ),
    uniques: new Set(uniques.map(({ columns: names, table }) => uniqueName(table, names ?? ""))),
    triggers: new Set(triggers.map(({ name }) => name)),
    functions: new Set(functions.map(({ name }) => name))
  }
})
