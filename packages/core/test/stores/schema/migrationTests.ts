import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
import { ConfigurationError } from "../../../src/domain/Errors.ts"
import { migrate, type Migration, migrations } from "../../../src/stores/schema/migrations.ts"
import { foundSchema } from "../../../src/stores/schema/foundSchema.ts"
import { schemaOf } from "../../../src/stores/schema/Schema.ts"
import { schemaFaults } from "../../../src/stores/schema/schemaCheck.ts"
import type { Engine } from "../sql/engines.ts"
import { claimOf } from "../sql/claimOf.ts"
import { rehearsing } from "../sql/rehearsing.ts"

/*
 * Databases that other versions made, or that were changed by other means. A host's records depend on each case. The
 * second migration is invented: it stands for that of a later version. migrations.test.ts has all of them in SQLite, and
 * in PostgreSQL what its own statements decide; migrations.deep.test.ts has the others there.
 */

export const failureOf = (engine: Engine, name: string): Promise<unknown> =>
  engine.open(name, rehearsing()).then(
    () => "opened",
    (error: unknown) => error
  )

const makeInUse = async (engine: Engine): Promise<string> => {
  const name = await engine.create()
  expect(await engine.open(name, claimOf("key"))).toEqual({ _tag: "Claimed" })
  return name
}
const made = new Map<Engine, Promise<string>>()

/** A database in which a till has one charge: a copy of one that is made once. */
export const inUse = async (engine: Engine): Promise<string> => {
  const making = made.get(engine) ?? makeInUse(engine)
  made.set(engine, making)
  return engine.copy(await making)
}

const tables = [
  "CREATE TABLE IF NOT EXISTS till_seconds (\n    key TEXT NOT NULL\n  )",
  "CREATE INDEX IF NOT EXISTS till_seconds_key ON till_seconds (key)",
  "INSERT INTO till_seconds (key) SELECT key FROM till_charges"
]
const second: Migration = { id: 2, name: "second", sqlite: tables, postgres: tables }
const withSecond = [...migrations, second]

const keys = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT key FROM till_seconds ORDER BY key`)

export const secondTests = (engine: Engine): void => {
  it("runs once, over what is there, however many processes start with it", async () => {
    const name = await inUse(engine)
    const starts = Array.from({ length: 4 }, () => engine.withClient(name, migrate(withSecond)))
    expect((await Promise.all(starts)).flat()).toEqual(["2_second"])
    expect(await engine.withClient(name, keys)).toEqual([{ key: "key" }])
    expect(await engine.withClient(name, migrate(withSecond))).toEqual([])
  })
}

export const otherSecondTests = (engine: Engine): void => {
  it("leaves nothing behind where one of its statements fails", async () => {
    const name = await inUse(engine)
    const failing = [...tables, "INSERT INTO till_seconds (key) VALUES (NULL)"]
    const broken = [...migrations, { ...second, sqlite: failing, postgres: failing }]
    const error = await engine.withClient(name, Effect.flip(migrate(broken)))
    expect(error._tag).toBe("SqlError")
    expect(await engine.open(name, claimOf("key-2"))).toEqual({ _tag: "Claimed" })
    expect(await engine.withClient(name, migrate(withSecond))).toEqual(["2_second"])
    expect(await engine.withClient(name, keys)).toEqual([{ key: "key" }, { key: "key-2" }])
  })

  it("is checked, as the first one is", async () => {
    const name = await inUse(engine)
    await engine.withClient(name, migrate(withSecond))
    await engine.run(name, ["DROP INDEX till_seconds_key"])
    const error = await engine.withClient(name, Effect.flip(migrate(withSecond)))
    expect(String(error)).toContain("index till_seconds.till_seconds_key is missing")
  })
}

type Lack = readonly [what: string, statements: ReadonlyArray<string>, fault: string]

const refuses = (engine: Engine, lacks: ReadonlyArray<Lack>): void => {
  it.each(lacks)("is refused where it lacks %s, with what to do", async (_, statements, fault) => {
    const name = await inUse(engine)
    await engine.run(name, statements)
    const error = await failureOf(engine, name)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toContain(fault)
    expect(String(error)).toContain("Restore a backup")
  })
}

export const schemaTests = (dialect: Engine["dialect"], engine: Engine): void => {
  it("is the one that the statements of the migrations make", async () => {
    const name = await inUse(engine)
    const found = await engine.withClient(name, Effect.flatMap(SqlClient.SqlClient, foundSchema))
    const needed = schemaOf(migrations.flatMap((migration) => migration[dialect]))
    const own = (names: Iterable<string>) =>
      Array.from(names)
        .filter(
          (text) => !text.startsWith("till_migrations.") && !/_pkey$|_slug_key$|sqlite_autoindex/.test(text)
        )
        .sort()
    expect(own(found.columns.keys())).toEqual(own(needed.columns.keys()))
    expect(own(found.indexes.keys())).toEqual(own(needed.indexes.keys()))
    expect(own(found.uniques)).toEqual(own(needed.uniques))
    expect(own(found.triggers)).toEqual(own(needed.triggers))
    expect(own(found.functions)).toEqual(own(needed.functions))
    expect(needed.columns.size).toBeGreaterThan(80)
    expect(schemaFaults(needed, found)).toEqual([])
  })

  it("lacks an index: the error has the statement that creates it, after which the till starts", async () => {
    const name = await inUse(engine)
    await engine.run(name, ["DROP INDEX till_charges_owed", "DROP INDEX till_charges_named"])
    const { message } = (await failureOf(engine, name)) as ConfigurationError
    expect(message).toContain(
      "Nothing else is wrong. Run this as the owner of the tables, and start again:\n"
    )
    const statements = message.split("\n").slice(1)
    expect(statements).toHaveLength(2)
    await engine.run(name, statements)
    expect(await failureOf(engine, name)).toBe("opened")
  })

  it("has a table of another program: the error names it, nothing is changed, and a till's own tables are taken", async () => {
    const name = await engine.create()
    await engine.run(name, ["CREATE TABLE till_charges (id TEXT NOT NULL)"])
    const error = await failureOf(engine, name)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toMatch(
      /a table of another program with the name of one of Till402's, till_charges: column till_charges\.\w+ is missing.*; …\. Nothing was changed\. Rename that table/
    )
    const found = await engine.withClient(name, Effect.flatMap(SqlClient.SqlClient, foundSchema))
    expect([...found.columns.keys()]).toEqual(["till_charges.id"])
    await engine.run(name, ["ALTER TABLE till_charges RENAME TO charges"])
    expect(await failureOf(engine, name)).toBe("opened")
    await engine.run(name, ["DROP TABLE till_migrations"])
    expect(await failureOf(engine, name)).toBe("opened")
  })

  refuses(engine, [
    [
      "a trigger",
      [
        dialect === "sqlite"
          ? "DROP TRIGGER till_ledger_no_update"
          : "DROP TRIGGER till_ledger_kept ON till_ledger"
      ],
      dialect === "sqlite"
        ? "trigger till_ledger.till_ledger_no_update is missing"
        : "trigger till_ledger.till_ledger_kept is missing"
    ],
    ...(dialect === "postgres"
      ? [["a function", ["DROP FUNCTION till_claim"], "function till_claim is missing"] satisfies Lack]
      : [])
  ])

  it("may have more than is needed", async () => {
    const name = await inUse(engine)
    await engine.run(name, [
      "ALTER TABLE till_orders ADD COLUMN note TEXT",
      "CREATE INDEX own_notes ON till_orders (note)",
      "CREATE TABLE till_own (id TEXT PRIMARY KEY)",
      // The same key, in another way.
      "DROP TABLE till_purchase_downloads",
      "CREATE TABLE till_purchase_downloads (purchase_id TEXT NOT NULL, charge_key TEXT NOT NULL)",
      "CREATE UNIQUE INDEX own_keys ON till_purchase_downloads (charge_key, purchase_id)",
      // Refuses no more than the key.
      "CREATE UNIQUE INDEX own_states ON till_charges (key, state)"
    ])
    expect(await engine.open(name, claimOf("key-2"))).toEqual({ _tag: "Claimed" })
  })
}

export const otherSchemaTests = (engine: Engine): void => {
  it("lacks a unique index: no statement is offered, since rows may be there that it refuses", async () => {
    const name = await inUse(engine)
    await engine.run(name, ["DROP INDEX till_charges_transfer"])
    expect(String(await failureOf(engine, name))).toMatch(/till_charges_transfer is missing\. It was made by/)
  })

  it("has a view of another program: the error names it, nothing is changed, and others stop no till", async () => {
    const name = await engine.create()
    await engine.run(name, [
      "CREATE VIEW till_charges AS SELECT 1 AS id",
      "CREATE VIEW till_report AS SELECT 2 AS id"
    ])
    const error = await failureOf(engine, name)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toMatch(
      /a view of another program with the name of one of Till402's tables: till_charges\. Nothing was changed\. Rename that view/
    )
    const found = await engine.withClient(name, Effect.flatMap(SqlClient.SqlClient, foundSchema))
    expect([...found.columns.keys()]).toEqual([])
    await engine.run(name, ["DROP VIEW till_charges"])
    expect(await failureOf(engine, name)).toBe("opened")
  })

  refuses(engine, [
    [
      "a column",
      ["ALTER TABLE till_charges DROP COLUMN attempts"],
      "column till_charges.attempts is missing"
    ],
    [
      "a primary key",
      [
        "DROP TABLE till_refund_attempts",
        `CREATE TABLE till_refund_attempts (charge_key TEXT, refund_number BIGINT, sequence BIGINT, wallet TEXT,
          amount TEXT, nonce TEXT, not_before BIGINT, valid_before BIGINT, at BIGINT)`,
        "CREATE INDEX own_attempts ON till_refund_attempts (charge_key, refund_number, sequence)"
      ],
      "unique key till_refund_attempts.(charge_key,refund_number,sequence) is missing"
    ],
    [
      "the uniqueness of some rows",
      [
        "DROP TABLE till_vault_downloads",
        "CREATE TABLE till_vault_downloads (item_id TEXT, downloads BIGINT)",
        "CREATE UNIQUE INDEX own_downloads ON till_vault_downloads (item_id) WHERE downloads > 0"
      ],
      "unique key till_vault_downloads.(item_id) is missing"
    ],
    ["a table", ["DROP TABLE till_refund_stop"], "table till_refund_stop is missing"]
  ])

  it("is left alone where a newer version has migrated it", async () => {
    const name = await inUse(engine)
    await engine.withClient(name, migrate(withSecond))
    const error = await failureOf(engine, name)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toMatch(/a newer version .*\(2_second; .*Nothing was changed.*or restore a backup/)
  })

  it("is left alone where another migration has the number of a known one", async () => {
    const name = await inUse(engine)
    await engine.run(name, ["UPDATE till_migrations SET name = 'other' WHERE migration_id = 1"])
    expect(String(await failureOf(engine, name))).toMatch("1_other")
  })
}
