import { storeTests } from "@till402/core/testing"
import { sharedPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type TestDatabase, testDatabase } from "./databases.ts"

/** Seeds of random operations beyond the first of each kind: core's own stores run all of them for every change. */
const moreSeeds = /\(seed (?:[2-9]|1[2-9])\)$/

/** Whether a test of the contract only repeats another with other random operations. */
export const isRepetition = (name: string): boolean => moreSeeds.test(name)

/** The tests of the contract whose names are chosen, on a real PostgreSQL. */
export const contractTests = (isChosen: (name: string) => boolean): void => {
  let database: TestDatabase
  beforeAll(async () => {
    const postgres = await sharedPostgres()
    database = await testDatabase(await postgres.createDatabase())
  })
  afterAll(() => database?.close())

  describe("the example's own stores", () => {
    const tests = storeTests({ empty: () => database.empty(), connect: () => database.connect() })
    for (const { name, run } of tests.filter(({ name }) => isChosen(name))) {
      it(name, { timeout: 180_000 }, run)
    }
  })
}
