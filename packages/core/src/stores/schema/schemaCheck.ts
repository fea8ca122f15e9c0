import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { ConfigurationError } from "../../domain/Errors.ts"
import { catalog, foundSchema, invalid } from "./foundSchema.ts"
import { type IndexFacts, type Schema, schemaOf, tableOf } from "./Schema.ts"

/*
 * Compares the schema of a database with the one that the migrations make. A test compares the two on new databases.
 */

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
