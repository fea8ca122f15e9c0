/*
 * The schema that statements make, by the names in them: no second list has to follow them.
 */

export interface IndexFacts {
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

export const uniqueName = (table: string, columns: string): string => {
  const names = columns.split(",").map((name) => name.trim().replaceAll('"', ""))
  return `${table}.(${names.toSorted().join(",")})`
}

/** A condition of rows, as databases write it: PostgreSQL adds parentheses. */
export const conditionOf = (text: string | null | undefined): string =>
  (text ?? "").replaceAll(/[\s()"]/g, "").toLowerCase()

export const conditionIn = (statement: string | null | undefined): string =>
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

export const tableOf = (name: string): string => name.slice(0, name.indexOf("."))

/** The tables that a list of statements creates. */
export const tablesOf = (statements: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(Array.from(schemaOf(statements).columns.keys(), tableOf))
]
