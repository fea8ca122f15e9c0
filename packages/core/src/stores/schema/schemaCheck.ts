import { Effect, Record as Records } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { ConfigurationError } from "../../domain/Errors.ts"
import { catalog, disabled, foundSchema, invalid } from "./foundSchema.ts"
import { type Schema, schemaOf, tableOf } from "./Schema.ts"

/*
 * Compares the schema of a database with the one that the migrations make. A test compares the two on new databases.
 */

const parts = {
  columns: "column",
  indexes: "index",
  uniques: "unique key",
  triggers: "trigger",
  functions: "function"
} satisfies Record<keyof Schema, string>

/** What a schema lacks. What it has besides is the matter of a rehearsal. Pure. */
export const schemaFaults = (needed: Schema, found: Schema): ReadonlyArray<string> => {
  const foundTables = new Set(Array.from(found.columns, tableOf))
  const missing = new Set(Array.from(needed.columns, tableOf).filter((table) => !foundTables.has(table)))
  return [
    ...Array.from(missing, (table) => `table ${table} is missing`),
    ...Records.toEntries(parts).flatMap(([part, kind]) =>
      Array.from(needed[part])
        .filter((name) => !missing.has(tableOf(name)) && !found[part].has(name))
        .map((name) => `${kind} ${name} is ${found[part].has(name + disabled) ? "disabled" : "missing"}`)
    )
  ]
}

/** The statements that create missing indexes and enable triggers, if nothing else is wrong: for an operator. Pure. */
const repairOf = (
  faults: ReadonlyArray<string>,
  statements: ReadonlyArray<string>,
  { indexes }: Schema
): ReadonlyArray<string> | undefined => {
  const repairs = faults.map((fault) => {
    const [, table, trigger] = /^trigger (\w+)\.(\w+) is disabled$/.exec(fault) ?? []
    if (trigger !== undefined) return `ALTER TABLE ${table} ENABLE TRIGGER ${trigger}`
    const name = /^index \w+\.(\w+) is missing$/.exec(fault)?.[1]
    // Where a unique one was missing, rows may have come in that it refuses.
    return statements.find((text) => /^CREATE INDEX IF NOT EXISTS (\w+)/.exec(text)?.[1] === (name ?? ""))
  })
  if (!repairs.every((text) => text !== undefined)) return undefined
  const failed = Array.from(indexes).filter((name) => name.endsWith(invalid))
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
      : `Nothing else is wrong. Run this as the owner of the tables, and start again:\n${repair.map((text) => `${text.replaceAll(/\s+/g, " ").trim()};`).join("\n")}`
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
  const ownTables = new Set(Array.from(needed.columns, tableOf))
  const views = (yield* catalog(sql).views).map(({ name }) => name).filter((name) => ownTables.has(name))
  if (views.length > 0)
    return yield* new ConfigurationError({
      message: `storage: the database has a view of another program with the name of one of Till402's tables: ${views.join(", ")}. ${cureOfForeign("view")}`
    })
  const found = yield* foundSchema(sql)
  const none = new Set<string>()
  const faults = schemaFaults({ ...needed, indexes: none, triggers: none, functions: none }, found)
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
