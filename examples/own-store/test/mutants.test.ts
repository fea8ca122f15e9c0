import { StoreContractViolation, storeTests } from "@till402/core/testing"
import { type Postgres, startPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { empty } from "./databases.ts"
import { allFaults, type Fault, faultyStores } from "./mutants.ts"

/*
 * Tests the contract itself: it must report every store that breaks a promise.
 */

let postgres: Postgres
let url: string
beforeAll(async () => {
  postgres = await startPostgres()
  url = await postgres.createDatabase()
})
afterAll(() => postgres?.stop())

/** The tests of one store: their names start with its name. */
const testsOf = (fault: Fault) =>
  storeTests({ empty: () => empty(url), connect: () => faultyStores(url, fault) }).filter(({ name }) =>
    name.toLowerCase().startsWith(`${fault[0].toLowerCase()}:`)
  )

describe("the contract catches a fault in", () => {
  it.each(allFaults)("%s: %s", { timeout: 60_000 }, async (...fault) => {
    for (const { run } of testsOf(fault)) {
      const broken: unknown = await run().then(
        () => undefined,
        (error: unknown) => error
      )
      if (broken instanceof StoreContractViolation) return
      expect(broken, "other failures").toBeUndefined()
    }
    expect.fail("no test failed")
  })
})
