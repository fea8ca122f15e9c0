import { storeTests } from "@till402/core/testing"
import { sharedPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type TestDatabase, testDatabase } from "./databases.ts"

/*
 * The whole contract of the stores, on a real PostgreSQL.
 */

let database: TestDatabase
beforeAll(async () => {
  const postgres = await sharedPostgres()
  database = await testDatabase(await postgres.createDatabase())
})
afterAll(() => database?.close())

describe("the example's own stores", () => {
  for (const { name, run } of storeTests({
    empty: () => database.empty(),
    connect: () => database.connect()
  })) {
    it(name, { timeout: 180_000 }, run)
  }
})
