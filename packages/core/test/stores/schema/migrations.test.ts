import { createHash } from "node:crypto"
import { sharedPostgres } from "@till402/test-postgres"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { ConfigurationError } from "../../../src/domain/Errors.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { VaultItems } from "../../../src/shop/ports/VaultItems.ts"
import { migrations, schemaSql } from "../../../src/stores/schema/migrations.ts"
import { foundSchema, schemaFaults, schemaOf } from "../../../src/stores/schema/schemaCheck.ts"
import { chargesWithOne, paid, paidRefundDue } from "../../../src/testing/stores/chargeRecords.ts"
import { sampleAttempt, sampleResponse, sampleVaultItem } from "../../../src/testing/stores/records.ts"
import { type Engine, engines, postgresEngine } from "../sql/engines.ts"
import { claimOf, isQuick, released, statementsOf, testReleasedData } from "../sql/releasedData.ts"

/*
 * Databases that other versions made, or that were changed by other means. A host's records depend on each case.
 */

const failureOf = (engine: Engine, name: string): Promise<unknown> =>
  engine.open(name, Effect.asVoid(Charges)).then(
    () => "opened",
    (error: unknown) => error
  )

/** A database in which a till has one charge. */
const inUse = async (engine: Engine): Promise<string> => {
  const name = await engine.create()
  expect(await engine.open(name, claimOf("key"))).toEqual({ _tag: "Claimed" })
  return name
}

describe("a released migration", () => {
  /** SHA-256 of its statements. A released migration never changes: append another, with its line and its files. */
  const digests: Readonly<Record<string, readonly [sqlite: string, postgres: string]>> = {
    "1_initial": [
      "bc0e637e0bce9f14b59e6beff5af0fb20f23afcb937ab9d4b7340f99631c7c8a",
      "5e683554360594b2c798743ac993ffc097000763151e66c49e26d170aa4b40ad"
    ],
    "2_daily_sums": [
      "7d296a3fbc76b9569149269d6eb5e38cb08e9fa10ce844dfeb5c3c6d7ba57fb3",
      "4709a7b0f96cb14264b485d603b801e0514cfdae43d71dbec5146a75ea6d3bfe"
    ],
    "3_vault_search": [
      "9bdeb63e85c8eeeee324b448d59aba98e3dcb5de94e4a59379dc0fa6a27fa533",
      "724c1d5aa607dffaa912718787270face3f0b3ef9f6aa9bdfd8d27ddb4bd13e4"
    ],
    "4_download_counts": [
      "197693d5b6603b1176b9fc3682e80b1b15a355549440e787f919fe6bd038b373",
      "311e5ed85dd07aaebbfb17018146bc1e6df1922c5ea4da9574c5297638b412bf"
    ],
    "5_vault_archives": [
      "1745104c2047b4ef4c8f21371338a02491983c760a635fea8ce02e6f2dfa2ad5",
      "bbc583b07b1dced4c90cb063b8251bafd9c37174137a31ebca4aeedf6fe1d038"
    ],
    "6_purchase_downloads": [
      "1a83763ac6bc738a670012ecfadfe1412c830606a0bc5893b3cbd7b666b0e209",
      "37dd2bf7b11feb0232e1983b4b443516ecde5af76ee8b5592fc9329613dcdc6a"
    ],
    "7_storage_marks": [
      "5ed2808ddef019c0d0414175235d0f3f6b067b2c4886faaeff2ced78754d1d33",
      "4949f50a2f849637afbe4be82ef9e5fac8f00256934de9011ed1493fc07301f5"
    ],
    "8_free_downloads": [
      "b8815934743d264b43cd7739514b918734d82e78a15e0a1a7c29116ad60c3f19",
      "184e8476196f497205e2e86c653cd23de2eefa94518616757614505b9e60ce67"
    ],
    "9_claims": [
      "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
      "7f5b1f61a4bbe822d97136a863df5510304e30cb5d510b121ab8d531d36766e6"
    ],
    "10_claimed_after": [
      "455783c6294ebefbe81afd11006a01c4b71d0fc890e625bf74724f042345ca4b",
      "97421b7a4d85b9354ee1ae5f14f9c53a6af3ca806641e21a5d508b69d30f3b93"
    ],
    "11_refund_attempts": [
      "4b8ad1e58253afeec44ee3fbc77f193e8b389db98f8acaf8dc0d750fbc84091f",
      "ba32940b54a7a642809a74a289967d1cf29d27528b1ed8116247c5d12476cbd8"
    ],
    "12_begun_refunds": [
      "2ac1bc03f37d5beb8384f690a440b96d933620309c9c15450a3989adde1f187c",
      "2bf06f39eb530ff5ec02bf48c3ee2b836ebd51460fa320332e2c46ca4c32b689"
    ],
    "13_refused_digest": [
      "cf2f94d56b397b9d23af8612202552fe23af11c025b832ece94d06918eddebb1",
      "0058bb2ac2edb59ec64405549b9a52e21421fb4140ec774359b464d9498ec6da"
    ]
  }
  const digestOf = (statements: ReadonlyArray<string>): string =>
    createHash("sha256").update(JSON.stringify(statements)).digest("hex")

  it("is frozen", () => {
    const found = migrations.map(({ id, name, postgres, sqlite }) => [
      `${id}_${name}`,
      [digestOf(sqlite), digestOf(postgres)]
    ])
    expect(Object.fromEntries(found)).toEqual(digests)
  })

  it.each(migrations)("has its statements in the folder of what was released: $name", (migration) => {
    const label = `${migration.id}_${migration.name}`
    expect(statementsOf(released(`${label}.sqlite.sql`))).toEqual(migration.sqlite)
    expect(statementsOf(released(`${label}.postgres.sql`))).toEqual(migration.postgres)
  })
})

testReleasedData(migrations.filter(isQuick))

describe.each(engines)("a refund that a version without attempts had begun, in %s", (_, engine) => {
  it("may have been sent by an unknown wallet until two hours after the migration", async () => {
    const name = await engine.create()
    await engine.open(
      name,
      Effect.gen(function* () {
        for (const own of ["begun", "due"])
          yield* chargesWithOne("settled", { key: own }, { settlement: paidRefundDue })
        const charges = yield* Charges
        yield* charges.startRefund("begun", { sinceMillis: 0, maxAtomic: "10000" }, 2_000_900)
        yield* charges.recordRefundAttempt(sampleAttempt({ chargeKey: "begun" }))
      })
    )
    // As the version before left it.
    await engine.run(name, [
      "DROP TABLE till_refund_attempts",
      "ALTER TABLE till_charges DROP COLUMN refused_digest",
      "DELETE FROM till_migrations WHERE migration_id >= 11"
    ])
    const before = Math.floor(Date.now() / 1_000)
    const read = Charges.use((charges) => charges.refundAttempts(["begun", "due"]))
    const [attempt, ...others] = await engine.open(name, read)
    expect(others).toEqual([])
    expect(attempt).toMatchObject({ chargeKey: "begun", refundNumber: 1, sequence: 1, wallet: "", nonce: "" })
    expect(attempt).toMatchObject({ amountAtomic: "10000", notBefore: 2_000 })
    expect(attempt!.validBefore - 7_200).toBeGreaterThanOrEqual(before)
    expect(attempt!.validBefore - 7_200).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000))
    expect(await engine.open(name, read)).toEqual([attempt])
  })
})

describe.each(engines)("items that were stored before the index of terms, in %s", (dialect, engine) => {
  const item = sampleVaultItem(7, { title: "Café 東京", cardDescription: `${"x".repeat(70_000)} O'Brien` })
  const count = 1_100
  const others = Array.from({ length: count }, (_, number) => sampleVaultItem(100 + number))
  const rowOf = (stored: typeof item, position: number) =>
    [
      stored.id,
      stored.slug,
      position,
      stored.productType,
      stored.category,
      stored.price,
      0,
      [stored.title, stored.cardDescription].join(" ").toLowerCase(),
      JSON.stringify(stored)
    ]
      .map((value) => (typeof value === "number" ? value : `'${value.replaceAll("'", "''")}'`))
      .join(", ")

  it("are found by their plain words at once, and by their terms soon after the start", async () => {
    const name = await engine.create()
    const before = migrations.filter(({ id }) => id < 3)
    const columns = "id, slug, position, product_type, category, price, downloads, search, document"
    const rows = [item, ...others].map((stored, index) => `(${rowOf(stored, index + 1)})`)
    await engine.run(name, [
      schemaSql[dialect].split(";\n\n")[0]!,
      ...before.flatMap((migration) => [
        ...migration[dialect],
        `INSERT INTO till_migrations (migration_id, name) VALUES (${migration.id}, '${migration.name}')`
      ]),
      `INSERT INTO till_vault_items (${columns}) VALUES ${rows.join(", ")}`
    ])
    const slugsOf = (q: string) =>
      VaultItems.use((items) => items.search({ limit: 2, q })).pipe(
        Effect.map((page) => page?.items.map(({ slug }) => slug))
      )
    const due = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ readonly id: string }>`SELECT id FROM till_vault_items WHERE terms_version = 0`
    )
    const dueNow = Effect.promise(() => engine.withClient(name, due))
    const use = Effect.gen(function* () {
      // The start doesn't wait for them. Plain words of old rows are found at once.
      const atStart = { due: (yield* dueNow).length, found: yield* slugsOf("writer 1199") }
      yield* Effect.repeat(dueNow, {
        until: (rows) => rows.length === 0,
        schedule: Schedule.spaced("20 millis")
      })
      const later = yield* Effect.all([
        slugsOf("cafe"),
        slugsOf("京"),
        slugsOf("obrien"),
        slugsOf("brien"),
        slugsOf("writer 1199")
      ])
      return { atStart, later }
    })
    const { atStart, later } = await engine.open(name, use)
    expect(atStart.due).toBeGreaterThan(0)
    expect(atStart.found).toEqual(["item-1199"])
    expect(later).toEqual([["item-7"], ["item-7"], [], ["item-7"], ["item-1199"]])
  })
})

describe.each(engines)("the schema found, in %s", (dialect, engine) => {
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
    expect(own(found.triggers)).toEqual(own(needed.triggers))
    expect(own(found.functions)).toEqual(own(needed.functions))
    expect(needed.columns.size).toBeGreaterThan(80)
    expect(schemaFaults(needed, found)).toEqual([])
  })

  const transferIndex = "(network, transaction_hash, transfer_log_index) WHERE transfer_log_index IS NOT NULL"
  it.each<[what: string, statements: ReadonlyArray<string>, fault: string]>([
    [
      "a column",
      ["ALTER TABLE till_charges DROP COLUMN attempts"],
      "column till_charges.attempts is missing"
    ],
    ["an index", ["DROP INDEX till_charges_owed"], "index till_charges.till_charges_owed is missing"],
    [
      "the uniqueness of an index",
      [
        "DROP INDEX till_charges_transfer",
        `CREATE INDEX till_charges_transfer ON till_charges ${transferIndex}`
      ],
      "index till_charges.till_charges_transfer is not unique"
    ],
    ["a table", ["DROP TABLE till_refund_stop"], "table till_refund_stop is missing"],
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
      ? [
          ["a function", ["DROP FUNCTION till_claim"], "function till_claim is missing"] satisfies [
            string,
            Array<string>,
            string
          ]
        ]
      : []),
    [
      "nothing, but requires an unknown column",
      [
        "ALTER TABLE till_quotes RENAME TO old_quotes",
        `CREATE TABLE till_quotes (id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, offer TEXT NOT NULL,
          created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, consumed_by TEXT, price TEXT NOT NULL)`
      ],
      "column till_quotes.price is unknown and required"
    ]
  ])("is refused where it lacks %s, with what to do", async (_, statements, fault) => {
    const name = await inUse(engine)
    await engine.run(name, statements)
    const error = await failureOf(engine, name)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toContain(fault)
    expect(String(error)).toContain("Restore a backup")
  })

  it("may have more than is needed", async () => {
    const name = await inUse(engine)
    await engine.run(name, [
      "ALTER TABLE till_orders ADD COLUMN note TEXT",
      "CREATE INDEX own_notes ON till_orders (note)",
      "CREATE TABLE till_own (id TEXT PRIMARY KEY)"
    ])
    expect(await engine.open(name, claimOf("key-2"))).toEqual({ _tag: "Claimed" })
  })

  it("is left alone where a newer version has migrated it", async () => {
    const name = await inUse(engine)
    await engine.run(name, ["INSERT INTO till_migrations (migration_id, name) VALUES (402, 'later')"])
    const error = await failureOf(engine, name)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toMatch(/a newer version .*\(402_later; .*Nothing was changed.*or restore a backup/)
  })

  it("is left alone where another migration has the number of a known one", async () => {
    const name = await inUse(engine)
    await engine.run(name, ["UPDATE till_migrations SET name = 'other' WHERE migration_id = 1"])
    expect(String(await failureOf(engine, name))).toMatch("1_other")
  })
})

describe("a schema of PostgreSQL", () => {
  const inSchemas = (url: string, path: string): string =>
    `${url}?options=${encodeURIComponent(`-c search_path=${path}`)}`

  it("is the first of the search path, though a later one has the tables of another shop", async () => {
    const url = await inUse(postgresEngine)
    await postgresEngine.run(url, ["CREATE SCHEMA shop_a"])
    const shop = inSchemas(url, "shop_a,public")
    expect(await postgresEngine.open(shop, claimOf("key"))).toEqual({ _tag: "Claimed" })
    expect(await postgresEngine.open(shop, claimOf("key-of-shop"))).toEqual({ _tag: "Claimed" })
    const find = Charges.use(({ find }) => find("key-of-shop"))
    expect(await postgresEngine.open(url, find)).toBeUndefined()
    const settle = Charges.use((charges) =>
      Effect.andThen(
        charges.advance("key", "me", { response: sampleResponse(), subject: undefined }),
        charges.complete("key", paid, 1_500)
      )
    )
    expect(await postgresEngine.open(shop, settle)).toEqual({ _tag: "Completed" })
    const entries = Charges.use((charges) => charges.entries({ limit: 9 }))
    expect((await postgresEngine.open(shop, entries)).length).toBe(1)
    expect(await postgresEngine.open(url, entries)).toEqual([])
  })

  it("must exist", async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const error = await failureOf(postgresEngine, inSchemas(url, "shop_b"))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toContain("no schema of the search path exists")
  })

  it.each([["a till"], ["the host, from schemaSql"]])(
    "needs no right to create tables where %s has made them",
    async (maker) => {
      const url = await (await sharedPostgres()).createDatabase()
      if (maker === "a till") await postgresEngine.open(url, claimOf("key"))
      else await postgresEngine.run(url, schemaSql.postgres.split(";\n\n"))
      const role = maker === "a till" ? "clerk_1" : "clerk_2"
      await postgresEngine.run(url, [
        `CREATE ROLE ${role} LOGIN PASSWORD 'password'`,
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`
      ])
      const asClerk = url.replace("//postgres:", `//${role}:`)
      expect(await postgresEngine.open(asClerk, claimOf("key-2"))).toEqual({ _tag: "Claimed" })
    }
  )
})
