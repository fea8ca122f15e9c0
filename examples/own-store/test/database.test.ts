import { sharedPostgres } from "@till402/test-postgres"
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { connect, type Database, migrate } from "../src/storage/database.ts"
import { postgresStores } from "../src/storage/storage.ts"
import { newCharge, type OwnStores, type Race, races } from "./races.ts"

/*
 * What the database itself enforces, regardless of the code above it.
 */

let postgres: Awaited<ReturnType<typeof sharedPostgres>>
let stores: OwnStores
let sql: Database
beforeAll(async () => {
  postgres = await sharedPostgres()
})
beforeEach(async () => {
  const url = await postgres.createDatabase()
  stores = postgresStores(url)
  sql = connect(url, { connections: 2 })
})
afterEach(async () => {
  await sql.end()
  await stores.close()
})

const key = "key-1"
/** A charge whose refund is due: two ledger entries. */
const refundDue = async (): Promise<void> => {
  await stores.open()
  const { prepare }: Race = races["record a refund"]
  await prepare!(stores, key)
}

it("returns its time", async () => {
  const before = Date.now()
  const nowMillis = await stores.nowMillis()
  expect(nowMillis).toBeGreaterThanOrEqual(before - 1)
  expect(nowMillis).toBeLessThanOrEqual(Date.now() + 1)
})

describe("the schema", () => {
  it("is created by many at once, and again without a loss", async () => {
    await Promise.all([migrate(sql), migrate(sql), stores.open()])
    await refundDue()
    await migrate(sql)
    expect(await stores.charges.find(key)).toMatchObject({ state: "settled", refund: { _tag: "Due" } })
  })

  it("rejects changes of the ledger, and deletion of its charges", async () => {
    await refundDue()
    const entries = await stores.charges.entries({ limit: 10 })
    expect(entries.map(({ kind }) => kind)).toEqual(["settled", "refund_due"])
    await expect(sql`UPDATE till.ledger SET amount_atomic = 0`).rejects.toThrow("only ever appended to")
    await expect(sql`DELETE FROM till.ledger`).rejects.toThrow("only ever appended to")
    await expect(sql`DELETE FROM till.charges`).rejects.toThrow("a settled charge stays")
    expect(await stores.charges.entries({ limit: 10 })).toEqual(entries)
  })

  it("writes no entry twice", async () => {
    await refundDue()
    await expect(sql`INSERT INTO till.ledger SELECT * FROM till.ledger`).rejects.toThrow("duplicate key")
  })

  it("rejects a settled charge without a receipt, and a refund of an unsettled one", async () => {
    await refundDue()
    await expect(sql`UPDATE till.charges SET receipt = NULL`).rejects.toThrow("violates check constraint")
    const unsettle = sql`UPDATE till.charges SET state = 'ready', receipt = NULL, settled_at_millis = NULL`
    await expect(unsettle).rejects.toThrow("violates check constraint")
  })

  it("starts no refund beyond what the ledger records as paid", async () => {
    await refundDue()
    const [settled] = await stores.charges.entries({ limit: 10 })
    // Simulates tampering with the ledger.
    await sql`ALTER TABLE till.ledger DISABLE TRIGGER ledger_is_append_only`
    await sql`UPDATE till.ledger SET amount_atomic = amount_atomic - 1 WHERE kind = 'settled'`
    const limit = { sinceMillis: 0, maxAtomic: "1000000" }
    expect(await stores.charges.startRefund(key, limit, 2_000)).toEqual({ _tag: "ExceedsReceived" })
    expect(await stores.charges.find(key)).toMatchObject({ refund: { _tag: "Due" } })
    await sql`UPDATE till.ledger SET amount_atomic = ${settled!.amountAtomic} WHERE kind = 'settled'`
    expect(await stores.charges.startRefund(key, limit, 2_000)).toEqual({ _tag: "Started" })
  })
})

describe("the connection", () => {
  it("undoes a statement before its function times out", async () => {
    const [setting] = await sql`SHOW statement_timeout`
    expect(setting).toEqual({ statementTimeout: "4s" })
  })

  it("reconnects after a lost connection", async () => {
    await refundDue()
    await sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    // Each lost connection fails one statement at most.
    const found = await vi.waitFor(() => stores.charges.find(key))
    expect(found).toMatchObject({ key })
  })

  it("stores values unchanged: the biggest amount, missing values, and text that JSONB refuses", async () => {
    await stores.open()
    const text = 'a zero \u0000, half a pair \ud83d, a pair 👟, "quotes" and \\u0041'
    const amountAtomic = (2n ** 256n - 1n).toString()
    await stores.charges.claim({ ...newCharge(key), amountAtomic }, { owner: "me", untilMillis: 9 }, 1, {
      maxUnsettled: 9,
      maxExposureAtomic: "0"
    })
    const body = { _tag: "Plain", text } as const
    const response = { status: 200, contentType: "text/plain", body }
    await stores.charges.advance(key, "me", { response, subject: undefined })
    const found = await stores.charges.find(key)
    expect(found).toMatchObject({ amountAtomic, response })
    expect(found).toHaveProperty("subject", undefined)
  })
})
