import { storeTests } from "@till402/testing"
import { sharedPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll, describe, it } from "vitest"
import { connect } from "../src/storage/database.ts"
import { type TestDatabase, testDatabase } from "./databases.ts"
import { patient } from "./races.ts"

/** Seeds of random operations beyond the first of each kind. */
const moreSeeds = /\(seed (?:[2-9]|1[2-9])\)$/

/**
 * Tests with very many rows or rounds. What they race for is raced for in races.deep.test.ts, too; and a shorter run of random
 * operations remains.
 */
const long = [
  "a thousand voided charges are released at once",
  "freed exposure is taken by exactly one",
  "a freed place is taken by exactly one",
  "800 random operations match the model",
  "cursors page through 250 items once each",
  "a payer's latest 200 settlements count, with exact sums"
]

/**
 * Whether `npm test` has a test of the contract: those of charges, refunds and the ledger, one run of random operations of
 * each kind, and what crosses a restart. contract.deep.test.ts has the others: core's own stores have them before every
 * change.
 */
export const isOfMoney = (name: string): boolean =>
  /^(?:Charges|All stores): |restart/.test(name) &&
  !moreSeeds.test(name) &&
  !long.some((part) => name.includes(part))

/** What PostgreSQL may not use where it joins by nested loops, as it may for small tables. */
export const otherPlans = ["hashagg", "sort", "material", "hashjoin", "mergejoin"]

/** The tests of the contract whose names are chosen, on a real PostgreSQL that doesn't use some plans. */
export const contractTests = (
  isChosen: (name: string) => boolean,
  unusedPlans: ReadonlyArray<string> = []
): void => {
  let database: TestDatabase
  beforeAll(async () => {
    const postgres = await sharedPostgres()
    const url = await postgres.createDatabase()
    const sql = connect(url, { connections: 1 })
    for (const plan of unusedPlans)
      await sql.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET enable_${plan} = off`)
    await sql.end()
    database = await testDatabase(url, patient)
  })
  afterAll(() => database?.close())

  describe(`the example's own stores${unusedPlans.map((plan) => `, no ${plan}`).join("")}`, () => {
    const tests = storeTests({ empty: () => database.empty(), connect: () => database.connect() })
    for (const { name, run } of tests.filter(({ name }) => isChosen(name))) {
      it(name, { timeout: 180_000 }, run)
    }
  })
}
