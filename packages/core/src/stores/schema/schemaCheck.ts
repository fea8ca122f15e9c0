import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { ConfigurationError } from "../../domain/Errors.ts"

/*
 * Compares the schema of a database with the one that the migrations make. The names in their statements show what is
 * needed, so that no second list has to follow them. A test compares the two on new databases.
 */

interface IndexFacts {
  readonly isUnique: boolean
  /** What is unique together, as in `uniques`; of a unique one. */
  readonly columns?: string | undefined
  /** The rows that it has, by `conditionOf`; empty: all. */
  readonly condition: string
}

/** Names of a schema, each with its table: `till_charges.key`. */
export interface Schema {
  readonly columns: ReadonlyMap<string, { readonly isRequired: boolean }>
  readonly indexes: ReadonlyMap<string, IndexFacts>
  /** Columns that are unique together, in alphabetical order: `till_settlements.(attempt,key)`. */
  readonly uniques: ReadonlySet<string>
  readonly triggers: ReadonlySet<string>
  /** Of PostgreSQL, by name alone: `till_claim`. */
  readonly functions: ReadonlySet<string>
}

/** A name that SQL has too, such as `transaction`, is in quotes. */
const column = /^ +"?([a-z]\w*)"? ([A-Z].*)/gm
const isNeverEmpty = (type = ""): boolean => /NOT NULL|PRIMARY KEY/.test(type)
/** Columns of a virtual table have no type; settings follow them. */
const virtualColumn = /^ +([a-z]\w*),$/gm

/** A column that is unique by itself. */
const uniqueColumn = /^ +"?([a-z]\w*)"? [A-Z][^,\n]*\b(?:PRIMARY KEY|UNIQUE)\b/gm
/** Columns that are unique together. */
const uniqueColumns = /^ +(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)/gm

const uniqueName = (table: string, columns: string): string => {
  const names = columns.split(",").map((name) => name.trim().replaceAll('"', ""))
  return `${table}.(${names.toSorted().join(",")})`
}

/** A condition of rows, as databases write it: PostgreSQL adds parentheses. */
const conditionOf = (text: string | null | undefined): string =>
  (text ?? "").replaceAll(/[\s()"]/g, "").toLowerCase()

const conditionIn = (statement: string | null | undefined): string =>
  conditionOf(/\sWHERE\s([^]*)$/i.exec(statement ?? "")?.[1])

/** The form in which a later migration changes a table: what it matches, and what that does to the names of its parts. */
const changes: ReadonlyArray<
  readonly [form: RegExp, rename: (name: string, table: string, other: string) => string | undefined]
> = [
  [/^DROP TABLE (?:IF EXISTS )?(\w+)/, (name, table) => (tableOf(name) === table ? undefined : name)],
  [/^DROP INDEX (?:IF EXISTS )?(\w+)/, (name, index) => (name.endsWith(`.${index}`) ? undefined : name)],
  [
    /^ALTER TABLE (\w+) DROP COLUMN (\w+)/,
    (name, table, column) =>
      tableOf(name) === table && name.slice(table.length).match(/\w+/g)?.includes(column) === true
        ? undefined
        : name
  ],
  [
    /^ALTER TABLE (\w+) RENAME TO (\w+)/,
    (name, table, other) => (tableOf(name) === table ? `${other}${name.slice(table.length)}` : name)
  ]
]

/** Changes what has been created so far. */
const change = (text: string, parts: ReadonlyArray<Map<string, unknown>>): void => {
  for (const [form, rename] of changes) {
    const [, table = "", other = ""] = form.exec(text) ?? []
    if (table === "") continue
    for (const part of parts)
      for (const [name, facts] of Array.from(part)) {
        part.delete(name)
        const renamed = rename(name, table, other)
        if (renamed !== undefined) part.set(renamed, facts)
      }
  }
}

/** Reads what a list of statements creates, and what later ones of it change. */
export const schemaOf = (statements: ReadonlyArray<string>): Schema => {
  const columns = new Map<string, { readonly isRequired: boolean }>()
  const indexes = new Map<string, IndexFacts>()
  const uniques = new Map<string, undefined>()
  const triggers = new Map<string, undefined>()
  const functions = new Set<string>()
  for (const text of statements) {
    change(text, [columns, indexes, uniques, triggers])
    const added = /^ALTER TABLE (\w+) ADD COLUMN (\w+) ([^]*)/.exec(text)
    if (added !== null) columns.set(`${added[1]}.${added[2]}`, { isRequired: isNeverEmpty(added[3]) })
    const table = /^CREATE TABLE IF NOT EXISTS (\w+) \(/.exec(text)?.[1]
    if (table !== undefined) {
      for (const [, name, type] of text.matchAll(column))
        columns.set(`${table}.${name}`, { isRequired: isNeverEmpty(type) })
      for (const form of [uniqueColumn, uniqueColumns])
        for (const [, names = ""] of text.matchAll(form)) uniques.set(uniqueName(table, names), undefined)
    }
    const virtual = /^CREATE VIRTUAL TABLE IF NOT EXISTS (\w+) /.exec(text)?.[1]
    if (virtual !== undefined)
      for (const [, name] of text.matchAll(virtualColumn))
        columns.set(`${virtual}.${name}`, { isRequired: false })
    const index = /^CREATE (UNIQUE )?INDEX IF NOT EXISTS (\w+)\s+ON (\w+)(?: \(([^)]*)\))?/.exec(text)
    if (index !== null) {
      const [, unique, name, table = "", names = ""] = index
      const isUnique = unique !== undefined
      indexes.set(`${table}.${name}`, {
        isUnique,
        condition: conditionIn(text),
        ...(isUnique ? { columns: uniqueName(table, names) } : {})
      })
    }
    const trigger = /^CREATE (?:OR REPLACE )?TRIGGER (?:IF NOT EXISTS )?(\w+)[^]*?\sON (\w+)/.exec(text)
    if (trigger !== null) triggers.set(`${trigger[2]}.${trigger[1]}`, undefined)
    const made = /^CREATE OR REPLACE FUNCTION (\w+)\(/.exec(text)?.[1]
    if (made !== undefined) functions.add(made)
  }
  return {
    columns,
    functions,
    indexes,
    uniques: new Set(uniques.keys()),
    triggers: new Set(triggers.keys())
  }
}

const tableOf = (name: string): string => name.slice(0, name.indexOf("."))

/** The tables that a list of statements creates. */
export const tablesOf = (statements: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(Array.from(schemaOf(statements).columns.keys(), tableOf))
]

/** An index that failed while it was created: it finds no rows, and a unique one refuses them. */
const invalid = " (invalid)"

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
const catalog = (sql: SqlClient.SqlClient) =>
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

/** What is wrong with the unique index of a needed name. */
const uniqueFault = (needed: IndexFacts, found: IndexFacts): string | undefined => {
  if (!found.isUnique) return "is not unique"
  if (found.columns !== needed.columns) return "is unique over other columns"
  return found.condition === needed.condition ? undefined : "is unique over other rows"
}

const columnsOf = (unique: string): ReadonlyArray<string> => /\((.*)\)$/.exec(unique)?.[1]?.split(",") ?? []

/** Whether a unique index refuses rows that none of the needed keys refuses. */
const refusesMore = (needed: Schema, [name, { columns = "", isUnique }]: [string, IndexFacts]): boolean =>
  isUnique &&
  !needed.indexes.has(name) &&
  !Array.from(needed.uniques).some(
    (unique) =>
      tableOf(unique) === tableOf(name) &&
      columnsOf(unique).every((column) => columnsOf(columns).includes(column))
  )

/** What a schema lacks, or has too much of. Columns and indexes that a host added are no fault, unless they refuse rows. Pure. */
export const schemaFaults = (needed: Schema, found: Schema): ReadonlyArray<string> => {
  const tables = new Set(Array.from(needed.columns.keys(), tableOf))
  const foundTables = new Set(Array.from(found.columns.keys(), tableOf))
  const missing = Array.from(tables).filter((table) => !foundTables.has(table))
  const isThere = (name: string): boolean => foundTables.has(tableOf(name))
  const lacks = (kind: string, names: Iterable<string>, has: (name: string) => boolean) =>
    Array.from(names)
      .filter((name) => isThere(name) && !has(name))
      .map((name) => `${kind} ${name} is missing`)
  return [
    ...missing.map((table) => `table ${table} is missing`),
    ...lacks("column", needed.columns.keys(), (name) => found.columns.has(name)),
    ...lacks("index", needed.indexes.keys(), (name) => found.indexes.has(name)),
    ...lacks("unique key", needed.uniques, (name) => found.uniques.has(name)),
    ...lacks("trigger", needed.triggers, (name) => found.triggers.has(name)),
    ...Array.from(needed.functions)
      .filter((name) => !found.functions.has(name))
      .map((name) => `function ${name} is missing`),
    ...Array.from(needed.indexes).flatMap(([name, facts]) => {
      const other = found.indexes.get(name)
      const fault = facts.isUnique && other !== undefined ? uniqueFault(facts, other) : undefined
      return fault === undefined ? [] : [`index ${name} ${fault}`]
    }),
    ...Array.from(found.indexes)
      .filter((index) => tables.has(tableOf(index[0])) && refusesMore(needed, index))
      .map(([name]) => `unique index ${name} is unknown, and refuses rows of Till402's`),
    ...Array.from(found.columns)
      .filter(
        ([name, { isRequired }]) => isRequired && tables.has(tableOf(name)) && !needed.columns.has(name)
      )
      .map(([name]) => `column ${name} is unknown and required`),
    ...Array.from(needed.columns)
      .filter(([name, { isRequired }]) => !isRequired && found.columns.get(name)?.isRequired === true)
      .map(([name]) => `column ${name} is required, and may be empty`)
  ]
}

/** The statements that create indexes which are missing, if nothing else is: an operator can run them. Pure. */
const repairOf = (
  faults: ReadonlyArray<string>,
  statements: ReadonlyArray<string>,
  { indexes }: Schema
): ReadonlyArray<string> | undefined => {
  const repairs = faults.map((fault) => {
    const name = /^index \w+\.(\w+) is missing$/.exec(fault)?.[1]
    // Where a unique one was missing, rows may have come in that it refuses.
    return statements.find((text) => /^CREATE INDEX IF NOT EXISTS (\w+)/.exec(text)?.[1] === (name ?? ""))
  })
  if (!repairs.every((text) => text !== undefined)) return undefined
  const failed = Array.from(indexes.keys()).filter((name) => name.endsWith(invalid))
  const drops = failed.map((name) => `DROP INDEX ${name.slice(tableOf(name).length + 1, -invalid.length)}`)
  return [...drops, ...repairs]
}

/** Fails with `ConfigurationError` where the schema of a database isn't the one that the statements make. */
export const checkSchema = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  statements: ReadonlyArray<string>
): Effect.fn.Return<void, ConfigurationError | SqlError.SqlError> {
  const found = yield* foundSchema(sql)
  const faults = schemaFaults(schemaOf(statements), found)
  if (faults.length === 0) return
  const repair = repairOf(faults, statements, found)
  const cure =
    repair === undefined
      ? "It was made by a version before the first release, or changed by other means. Restore a backup, or start with an empty database and move your records into it."
      : `Nothing else is wrong. Create what is missing, and start again:\n${repair.map((text) => `${text.replaceAll(/\s+/g, " ").trim()};`).join("\n")}`
  return yield* new ConfigurationError({
    message: `storage: the schema of the database is not the one that this version of Till402 needs: ${faults.join("; ")}. ${cure}`
  })
})

const cureOfForeign = (kind: "table" | "view"): string =>
  `Nothing was changed. Rename that ${kind}, or give Till402 a database of its own; on PostgreSQL a schema of its own, first in the search path, is enough.`

/**
 * Fails where tables or views of other programs have the names of those that the statements would create. Tables without a record of
 * migrations may be the till's own: made from `schemaSql`.
 */
export const refuseForeignTables = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  statements: ReadonlyArray<string>
): Effect.fn.Return<void, ConfigurationError | SqlError.SqlError> {
  const needed = schemaOf(statements)
  const ownTables = new Set(Array.from(needed.columns.keys(), tableOf))
  const views = (yield* catalog(sql).views).map(({ name }) => name).filter((name) => ownTables.has(name))
  if (views.length > 0)
    return yield* new ConfigurationError({
      message: `storage: the database has a view of another program with the name of one of Till402's tables: ${views.join(", ")}. ${cureOfForeign("view")}`
    })
  const found = yield* foundSchema(sql)
  const faults = schemaFaults(
    { ...needed, indexes: new Map(), triggers: new Set(), functions: new Set() },
    { ...found, indexes: new Map() }
  )
    // What is not there will be created.
    .filter((fault) => !fault.startsWith("table "))
  const tables = [...new Set(faults.map((fault) => /(till_\w+)\./.exec(fault)?.[1]))]
  if (tables.length === 0) return
  const shown = faults.length > maxShown ? `${faults.slice(0, maxShown).join("; ")}; …` : faults.join("; ")
  return yield* new ConfigurationError({
    message: `storage: the database has a table of another program with the name of one of Till402's, ${tables.join(", ")}: ${shown}. ${cureOfForeign("table")}`
  })
})

/** Another table lacks every column. */
const maxShown = 3
