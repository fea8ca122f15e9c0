import { storeTests } from "@till402/core/testing"
import { type Postgres, startPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll, describe, it } from "vitest"
import { postgresStores } from "../src/storage/storage.ts"
import { empty } from "./databases.ts"

/*
 * The whole contract of the stores, on a real PostgreSQL.
 */

let postgres: Postgres
let url: string
beforeAll(async () => {
  postgres = await startPostgres()
  url = await postgres.createDatabase()
})
afterAll(() => postgres.stop())

describe("the example's own stores", () => {
  for (const { name, run } of storeTests({ empty: () => empty(url), connect: () => postgresStores(url) })) {
    it(name, { timeout: 60_000 }, run)
  }
})
