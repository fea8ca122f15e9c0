import { sharedPostgres } from "@till402/test-postgres"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { ConfigurationError } from "../../../src/domain/Errors.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { schemaSql } from "../../../src/stores/schema/migrations.ts"
import { paid } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleResponse } from "../../../../testing/src/stores/records.ts"
import { openEngines } from "../sql/engines.ts"
import { claimOf } from "../sql/claimOf.ts"
import {
  failureOf,
  inUse,
  otherSchemaTests,
  otherSecondTests,
  schemaTests,
  secondTests
} from "./migrationTests.ts"

const { engines, postgresEngine } = openEngines()

describe.each(engines)("a second migration, in %s", (dialect, engine) => {
  secondTests(engine)
  if (dialect === "sqlite") otherSecondTests(engine)
})

describe.each(engines)("the schema found, in %s", (dialect, engine) => {
  schemaTests(dialect, engine)
  if (dialect === "sqlite") otherSchemaTests(engine)
})

describe("a trigger of PostgreSQL", () => {
  it("is disabled, as imports do: the error has the statement that enables it, after which the till starts", async () => {
    const name = await inUse(postgresEngine)
    await postgresEngine.run(name, ["ALTER TABLE till_ledger DISABLE TRIGGER ALL"])
    const { message } = (await failureOf(postgresEngine, name)) as ConfigurationError
    expect(message).toContain("trigger till_ledger.till_ledger_kept is disabled. Nothing else is wrong.")
    await postgresEngine.run(name, message.split("\n").slice(1))
    expect(await failureOf(postgresEngine, name)).toBe("opened")
  })
})

describe("an index of PostgreSQL", () => {
  it("could not be finished: the error has the statements that create it again", async () => {
    const name = await inUse(postgresEngine)
    await postgresEngine.run(name, [
      "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = CAST('till_charges_owed' AS REGCLASS)"
    ])
    const { message } = (await failureOf(postgresEngine, name)) as ConfigurationError
    expect(message).toContain("index till_charges.till_charges_owed is missing. Nothing else is wrong.")
    await postgresEngine.run(name, message.split("\n").slice(1))
    expect(await failureOf(postgresEngine, name)).toBe("opened")
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
