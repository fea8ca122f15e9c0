import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { migrate, type Migration, migrations } from "../../../src/stores/schema/migrations.ts"
import { foundSchema } from "../../../src/stores/schema/foundSchema.ts"
import * as Charges from "../../../src/stores/sql/SqlCharges.ts"
import { claimOf } from "../sql/claimOf.ts"
import { type Engine, openEngines } from "../sql/engines.ts"
import { rehearse } from "../../../src/stores/sql/stores.ts"
import { allKinds } from "../sql/rehearsing.ts"
import { laterVersions } from "./laterVersions.ts"

/*
 * Upgrades of databases that somebody has changed: parts are missing, there are others, or they are altered. An upgrade
 * that can't be made changes nothing, so that the version before goes on.
 */

const first: ReadonlyArray<Migration> = migrations
const second = [...migrations, ...laterVersions.slice(0, 1)]
const third = [...migrations, ...laterVersions]

/** Upgrades as the stores do. */
const upgrade = (version: ReadonlyArray<Migration>) => migrate(version, "till_migrations", rehearse(allKinds))

/** Everything in a database that an upgrade could change. */
const state = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    schema: yield* foundSchema(sql),
    objects: yield* sql.onDialectOrElse({
      pg: () => sql`
        SELECT c.relname AS name, c.relkind::text AS kind, pg_get_indexdef(i.indexrelid) AS definition
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid
        WHERE n.nspname = current_schema() ORDER BY 1, 2`,
      orElse: () => sql`SELECT name, type, tbl_name, sql FROM sqlite_master ORDER BY 1, 2`
    }),
    charges: yield* sql`SELECT * FROM till_charges ORDER BY key`,
    quotes: yield* sql`SELECT * FROM till_quotes ORDER BY id`,
    marks: yield* sql`SELECT * FROM till_marks ORDER BY value`,
    versions: yield* sql`SELECT migration_id, name FROM till_migrations ORDER BY migration_id`
  }
})

const run = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
  )

/** Claims a charge, as a till of any of these versions does. */
const claim = (key: string) =>
  Effect.map(Effect.provide(claimOf(key), Charges.layer), ({ _tag }) => expect(_tag).toBe("Claimed"))

const rows = [
  `INSERT INTO till_quotes (id, fingerprint, offer, created_at, expires_at) VALUES ('quote-1', 'f', '{}', 1, 2)`,
  "INSERT INTO till_marks (name, value) VALUES ('a', 'b')"
]

/** Makes a database of a version with a charge, a quote and a mark, then goes on with it. */
const inUse = async <A, E>(
  engine: Engine,
  version: ReadonlyArray<Migration>,
  goOn: Effect.Effect<A, E, SqlClient.SqlClient>
): Promise<A> => {
  const made = Effect.all([migrate(first), run(rows), claim("key"), migrate(version)])
  return engine.withClient(await engine.create(), Effect.andThen(made, goOn))
}

/** A change that somebody made to a database. */
interface Change {
  readonly what: string
  readonly statements: ReadonlyArray<string>
  /** What the refused upgrade says. */
  readonly says: RegExp
  /** What mends a database with which its own version doesn't start either. */
  readonly repair?: ReadonlyArray<string>
  /** The version that the change is for; otherwise both. */
  readonly of?: ReadonlyArray<Migration>
  /** The version that can't be reached; otherwise the last. */
  readonly to?: ReadonlyArray<Migration>
  readonly engine?: Engine["dialect"]
}

const owed = "till_charges_owed ON till_charges (created_at, key) WHERE refund_due_at IS NOT NULL"
const live = "till_quotes_live ON till_quotes (fingerprint) WHERE consumed_by IS NULL"
/** PostgreSQL names the table that stands in the way, SQLite's driver the statement that failed. */
const failedStatement = /SqlError/

const missing: ReadonlyArray<Change> = [
  {
    what: "an index",
    statements: ["DROP INDEX till_charges_owed"],
    says: /index till_charges\.till_charges_owed is missing/,
    repair: [`CREATE INDEX ${owed}`]
  },
  {
    what: "a column",
    statements: ["ALTER TABLE till_quotes RENAME COLUMN offer TO offered"],
    says: /column till_quotes\.offer is missing/,
    repair: ["ALTER TABLE till_quotes RENAME COLUMN offered TO offer"]
  },
  {
    what: "a table",
    statements: ["ALTER TABLE till_refund_stop RENAME TO own_refund_stop"],
    says: /table till_refund_stop is missing/,
    repair: ["ALTER TABLE own_refund_stop RENAME TO till_refund_stop"]
  },
  {
    what: "what its last version made",
    statements: ["DROP INDEX till_quotes_note"],
    says: /index till_quotes\.till_quotes_note is missing/,
    repair: ["CREATE INDEX till_quotes_note ON till_quotes (note)"],
    of: second
  },
  {
    what: "a trigger",
    engine: "sqlite",
    statements: ["DROP TRIGGER till_ledger_no_update"],
    says: /trigger till_ledger\.till_ledger_no_update is missing/,
    repair: first.flatMap(({ sqlite }) => sqlite.filter((text) => text.includes("till_ledger_no_update")))
  },
  {
    what: "a function",
    engine: "postgres",
    statements: ["ALTER FUNCTION till_claim RENAME TO own_claim"],
    says: /function till_claim is missing/,
    repair: ["ALTER FUNCTION own_claim RENAME TO till_claim"]
  }
]

const extra: ReadonlyArray<Change> = [
  {
    what: "a column that rows require",
    engine: "postgres",
    statements: [
      "ALTER TABLE till_quotes ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",
      "ALTER TABLE till_quotes ALTER COLUMN colour DROP DEFAULT"
    ],
    says: /failed at quotes\.put: null value in column "colour"/,
    repair: ["ALTER TABLE till_quotes ALTER COLUMN colour SET DEFAULT 'red'"]
  },
  {
    what: "a column of the name that the next version adds",
    statements: ["ALTER TABLE till_quotes ADD COLUMN note TEXT"],
    says: failedStatement,
    of: first
  },
  {
    what: "an index of the name that the next version makes, on another table",
    statements: ["CREATE INDEX till_quotes_note ON till_orders (status)"],
    says: /index till_quotes\.till_quotes_note is missing/,
    of: first,
    to: second
  },
  {
    what: "an index of the name that the version after makes, on another table",
    statements: ["CREATE INDEX till_marks_used ON till_orders (status)"],
    says: /index till_marks\.till_marks_used is missing/
  },
  {
    what: "a table of the name that an upgrade uses",
    statements: ["CREATE TABLE till_marks_new (name TEXT PRIMARY KEY)"],
    says: failedStatement
  },
  {
    what: "a view of a table that is written anew",
    statements: ["CREATE VIEW own_marks AS SELECT name, value FROM till_marks"],
    says: failedStatement
  }
]

const altered: ReadonlyArray<Change> = [
  {
    what: "an index that is no longer unique",
    statements: ["DROP INDEX till_quotes_live", `CREATE INDEX ${live}`],
    says: /failed at quotes\.put: .*ON CONFLICT/,
    repair: ["DROP INDEX till_quotes_live", `CREATE UNIQUE INDEX ${live}`]
  },
  {
    what: "a column that may be empty, with a row that the next version can't take",
    statements: [
      "DROP TABLE till_marks",
      "CREATE TABLE till_marks (name TEXT PRIMARY KEY, value TEXT)",
      "INSERT INTO till_marks (name, value) VALUES ('a', 'b'), ('c', NULL)"
    ],
    says: failedStatement
  },
  {
    what: "a table without its key",
    statements: [
      "DROP TABLE till_marks",
      "CREATE TABLE till_marks (name TEXT, value TEXT)",
      "INSERT INTO till_marks (name, value) VALUES ('a', 'b'), ('a', 'c')"
    ],
    says: /unique key till_marks\.\(name\) is missing/,
    repair: ["DROP TABLE till_marks", "CREATE TABLE till_marks (name TEXT PRIMARY KEY, value TEXT NOT NULL)"]
  },
  {
    what: "the name of a migration",
    statements: ["UPDATE till_migrations SET name = 'other' WHERE migration_id = 1"],
    says: /1_other; .*Nothing was changed/,
    repair: [`UPDATE till_migrations SET name = '${migrations[0]!.name}' WHERE migration_id = 1`]
  }
]

/** Upgrades that are refused, because of the chosen changes. */
const refusedTests = (engine: Engine, isChosen: (change: Change) => boolean): void => {
  for (const [kind, changes] of Object.entries({ missing, extra, altered }))
    it.each(changes.filter(isChosen))(
      `changes nothing where it is refused, and the version before goes on: ${kind} is $what`,
      async ({ of, repair = [], says, statements, to = third }) => {
        for (const from of of === undefined ? [first, second] : [of]) {
          const refused = Effect.gen(function* () {
            yield* run(statements)
            const before = yield* state
            expect(String(yield* Effect.flip(upgrade(to)))).toMatch(says)
            expect(yield* state).toEqual(before)
            yield* run(repair)
            expect(yield* upgrade(from)).toEqual([])
            yield* claim("key-2")
          })
          await inUse(engine, from, refused)
        }
      }
    )
}

/** What the statements of neither engine decide. */
const commonTests = (engine: Engine): void => {
  it("keeps what a host has added", async () => {
    const own = run([
      "ALTER TABLE till_quotes ADD COLUMN own_note TEXT",
      "UPDATE till_quotes SET own_note = 'mine'",
      "CREATE INDEX own_notes ON till_quotes (own_note)",
      "CREATE TABLE till_own (id TEXT PRIMARY KEY)",
      "CREATE VIEW own_charges AS SELECT key FROM till_charges"
    ])
    for (const from of [first, second]) {
      const [, ran, { objects, quotes }] = await inUse(engine, from, Effect.all([own, upgrade(third), state]))
      expect(ran).toHaveLength(third.length - from.length)
      expect(quotes).toMatchObject([{ id: "quote-1", own_note: "mine" }])
      expect(objects.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["own_notes", "till_own", "own_charges"])
      )
    }
  })

  it("whose result isn't the schema that it needs changes nothing", async () => {
    const needs =
      "CREATE TABLE IF NOT EXISTS till_marks (\n    name TEXT PRIMARY KEY,\n    colour TEXT NOT NULL\n  )"
    const wrong: Migration = { id: 2, name: "needs", sqlite: [needs], postgres: [needs] }
    const attempt = Effect.all([state, Effect.flip(migrate([...first, wrong])), state, migrate(first)])
    const [before, error, after, ran] = await inUse(engine, first, attempt)
    expect(String(error)).toContain("column till_marks.colour is missing")
    expect(after).toEqual(before)
    expect(ran).toEqual([])
  })

  it("after which nothing could be sold changes nothing", async () => {
    const refuses = "ALTER TABLE till_orders ADD COLUMN own TEXT CHECK (length(document) < 500)"
    const wrong: Migration = { id: 2, name: "refuses", sqlite: [refuses], postgres: [refuses] }
    const attempt = Effect.all([state, Effect.flip(upgrade([...first, wrong])), state, upgrade(first)])
    const [before, error, after, ran] = await inUse(engine, first, attempt)
    expect(String(error)).toContain("failed at orders.create: ")
    expect(after).toEqual(before)
    expect(ran).toEqual([])
  })
}

/** What both engines have, and what one of them alone can have. */
export const upgradeTests = (): void => {
  describe.each(openEngines({ isOpenedOnce: true }).engines)("an upgrade, in %s", (dialect, engine) => {
    it("from each earlier version runs what is missing, and keeps the rows", async () => {
      for (const from of [first, second]) {
        const upgrades = Effect.all([upgrade(third), state, upgrade(third)])
        const [ran, { charges, marks, quotes }, again] = await inUse(engine, from, upgrades)
        expect(ran).toHaveLength(third.length - from.length)
        expect([charges.length, quotes.length]).toEqual([1, 1])
        expect(marks).toMatchObject([{ name: "a", value: "b" }])
        expect(again).toEqual([])
      }
    })

    refusedTests(engine, (change) =>
      dialect === "sqlite" ? change.engine !== "postgres" : change.engine === dialect
    )
    if (dialect === "sqlite") commonTests(engine)
  })
}

/** What both engines can have, on the one that takes longer. */
export const otherUpgradeTests = (): void => {
  describe.each(openEngines({ isOpenedOnce: true }).engines.filter(([dialect]) => dialect === "postgres"))(
    "an upgrade, in %s",
    (_, engine) => {
      refusedTests(engine, (change) => change.engine === undefined)
      commonTests(engine)
    }
  )
}
