/*
 * The schema that statements make, by the names in them: no second list has to follow them.
 */

/** Names of a schema, each with its table: `till_charges.key`. */
export interface Schema {
  readonly columns: ReadonlySet<string>
  readonly indexes: ReadonlySet<string>
  /** Columns that are unique together, in alphabetical order: `till_settlements.(attempt,key)`. */
  readonly uniques: ReadonlySet<string>
  readonly triggers: ReadonlySet<string>
  /** Of PostgreSQL, by name alone: `till_claim`. */
  readonly functions: ReadonlySet<string>
}

/** A name that SQL has too, such as `transaction`, is in quotes. */
const column = /^ +"?([a-z]\w*)"? [A-Z]/gm
/** Columns of a virtual table have no type; settings follow them. */
const virtualColumn = /^ +([a-z]\w*),$/gm

/** A column that is unique by itself. */
const uniqueColumn = /^ +"?([a-z]\w*)"? [A-Z][^,\n]*\b(?:PRIMARY KEY|UNIQUE)\b/gm
/** Columns that are unique together. */
const uniqueColumns = /^ +(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)/gm

export const uniqueName = (table: string, columns: string): string => {
  const names = columns.split(",").map((name) => name.trim().replaceAll('"', ""))
  return `${table}.(${names.toSorted().join(",")})`
}

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
const change = (text: string, parts: ReadonlyArray<Set<string>>): void => {
  for (const [form, rename] of changes) {
    const [, table = "", other = ""] = form.exec(text) ?? []
    if (table === "") continue
    for (const part of parts)
      for (const name of Array.from(part)) {
        part.delete(name)
        const renamed = rename(name, table, other)
        if (renamed !== undefined) part.add(renamed)
      }
  }
}

/** Reads what a list of statements creates, and what later ones of it change. */
export const schemaOf = (statements: ReadonlyArray<string>): Schema => {
  const [columns, indexes, uniques] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const [triggers, functions] = [new Set<string>(), new Set<string>()]
  for (const text of statements) {
    change(text, [columns, indexes, uniques, triggers])
    const added = /^ALTER TABLE (\w+) ADD COLUMN (\w+) /.exec(text)
    if (added !== null) columns.add(`${added[1]}.${added[2]}`)
    const table = /^CREATE TABLE IF NOT EXISTS (\w+) \(/.exec(text)?.[1]
    if (table !== undefined) {
      for (const [, name] of text.matchAll(column)) columns.add(`${table}.${name}`)
      for (const form of [uniqueColumn, uniqueColumns])
        for (const [, names = ""] of text.matchAll(form)) uniques.add(uniqueName(table, names))
    }
    const virtual = /^CREATE VIRTUAL TABLE IF NOT EXISTS (\w+) /.exec(text)?.[1]
    if (virtual !== undefined)
      for (const [, name] of text.matchAll(virtualColumn)) columns.add(`${virtual}.${name}`)
    const index = /^CREATE (?:UNIQUE )?INDEX IF NOT EXISTS (\w+)\s+ON (\w+)/.exec(text)
    if (index !== null) indexes.add(`${index[2]}.${index[1]}`)
    const trigger = /^CREATE (?:OR REPLACE )?TRIGGER (?:IF NOT EXISTS )?(\w+)[^]*?\sON (\w+)/.exec(text)
    if (trigger !== null) triggers.add(`${trigger[2]}.${trigger[1]}`)
    const made = /^CREATE OR REPLACE FUNCTION (\w+)\(/.exec(text)?.[1]
    if (made !== undefined) functions.add(made)
  }
  return { columns, indexes, uniques, triggers, functions }
}

export const tableOf = (name: string): string => name.slice(0, name.indexOf("."))
