import { StoreContractViolation, storeTests } from "@till402/testing"
import { sharedPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type TestDatabase, testDatabase } from "./databases.ts"
import { allFaults, type Fault, faultyStores } from "./mutants.ts"

/*
 * Tests the contract itself: it must report every store that breaks a promise.
 */

let database: TestDatabase
beforeAll(async () => {
  const postgres = await sharedPostgres()
  database = await testDatabase(await postgres.createDatabase())
})
afterAll(() => database?.close())

/** Tests that report some faults. They run first, because those before them take long. */
const reportedBy: Readonly<Record<string, string>> = {
  "lets a transfer settle what was open when it was looked at": "a transfer settles one charge",
  "takes a charge whose transfer is taken for a closed one": "a transfer settles one charge",
  "reopens a charge whose refund was started": "whose refund is under way is not reopened",
  "forgets a refund that was sent when it reopens its charge": "whose refund was sent is reopened",
  "delivers what is paid back": "a response is due or its refund is due, never both",
  "releases in bulk what was voided when it was looked at": "that is reopened without a response stays",
  "adds up refunds before it takes its turn": "a started refund can be started again",
  "stops refunds for the last reason": "refunds stay stopped until resumed",
  "takes over a charge whose lease holds": "the expired lease of an unfinished charge is taken over"
}

/** The tests of one store: their names start with its name. */
const testsOf = (fault: Fault) => {
  const [store, description] = fault
  const isFirst = (name: string) => name.includes(reportedBy[description] ?? name)
  return storeTests({ empty: () => database.empty(), connect: () => faultyStores(database, fault) })
    .filter(({ name }) => name.toLowerCase().startsWith(`${store.toLowerCase()}:`))
    .toSorted((left, right) => Number(isFirst(right.name)) - Number(isFirst(left.name)))
}

describe("the contract catches a fault in", () => {
  it.each(allFaults)("%s: %s", async (...fault) => {
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
