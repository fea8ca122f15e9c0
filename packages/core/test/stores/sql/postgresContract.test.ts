import { PgClient } from "@effect/sql-pg"
import { type Postgres, sharedPostgres } from "@till402/test-postgres"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import type { Stores } from "../../../src/stores/Stores.ts"
import { VaultItems } from "../../../src/shop/ports/VaultItems.ts"
import { postgres } from "../../../src/postgres.ts"
import { chargesWithOne } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleVaultItem } from "../../../../testing/src/stores/records.ts"
import { restartCases, storeCases } from "../../../../testing/src/storeContract.ts"
import { emptying } from "./emptyDatabase.ts"
import { isLong, isRepetition } from "./repetition.ts"

let cluster: Omit<Postgres, "stop">
beforeAll(async () => {
  cluster = await sharedPostgres()
})

/** Queries a database directly, beside the stores. */
const withClient = <A, E>(url: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.runPromise(
    Effect.provide(use, PgClient.layer({ url: Redacted.make(url), maxConnections: 1, multiplex: false }))
  )

const run = (text: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text))

/** The stores of a database, which each test of a suite finds empty. */
const useDatabase = (create: () => Promise<string>) => {
  const opened = {} as { url: string; stores: ManagedRuntime.ManagedRuntime<Stores, unknown> }
  let client: ManagedRuntime.ManagedRuntime<SqlClient.SqlClient, unknown>
  let empty: Effect.Effect<void, unknown>
  beforeAll(async () => {
    const url = await create()
    Object.assign(opened, { url, stores: ManagedRuntime.make(postgres({ url })) })
    await opened.stores.context()
    client = ManagedRuntime.make(
      PgClient.layer({ url: Redacted.make(url), maxConnections: 1, multiplex: false })
    )
    empty = await client.runPromise(emptying)
  })
  beforeEach(() => client.runPromise(empty))
  afterAll(() => Promise.all([client.dispose(), opened.stores.dispose()]))
  return opened
}

describe("postgres()", () => {
  // A database whose language has an order of its own, where the stores promise that of code points.
  const opened = useDatabase(async () => {
    await withClient(
      cluster.url,
      run("CREATE DATABASE collated TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
    )
    return cluster.url.replace(/postgres$/, "collated")
  })

  it.each(storeCases.filter((one) => !isRepetition(one) && !isLong(one)))("$name", (storeCase) =>
    opened.stores.runPromise(storeCase.run)
  )
})

describe("postgres(), closed and opened again", () => {
  const opened = useDatabase(() => cluster.createDatabase())

  it.each(restartCases.filter((one) => !isRepetition(one)))("$name", ({ run }) =>
    Effect.runPromise(run((use) => Effect.provide(use, postgres({ url: opened.url }))))
  )
})

describe("a sweep of old responses", () => {
  const opened = useDatabase(() => cluster.createDatabase())

  it("skips a row that another sweep holds: each waiting for the other's would end in a deadlock", async () => {
    const keys = ["key-0", "key-1", "key-2"]
    await opened.stores.runPromise(
      Effect.forEach(keys, (key) => chargesWithOne("settled", { key }), { discard: true })
    )
    const expire = Charges.use((charges) => charges.expire(9_000, 20))
    const swept = await withClient(
      opened.url,
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.withTransaction(
          Effect.andThen(
            sql`SELECT key FROM till_charges WHERE key = 'key-1' FOR UPDATE`,
            Effect.promise(() => opened.stores.runPromise(expire))
          )
        )
      )
    )
    expect(swept).toBe(2)
    expect(await opened.stores.runPromise(expire)).toBe(1)
  })
})

describe("several processes on one database", () => {
  it("put the same vault items at the same moment, and none of them fails", async () => {
    const url = await cluster.createDatabase()
    const processes = Array.from({ length: 4 }, () => ManagedRuntime.make(postgres({ url })))
    for (const each of processes) await each.context()
    // Without the lock of the slug, one of the first few items fails.
    for (let number = 0; number < 40; number++) {
      const put = VaultItems.use((items) => items.put(sampleVaultItem(number)))
      const ends = await Promise.all(processes.map((each) => each.runPromiseExit(put)))
      expect(ends.map(({ _tag }) => _tag)).toEqual(processes.map(() => "Success"))
    }
    const page = await processes[0]!.runPromise(VaultItems.use((items) => items.search({ limit: 1_000 })))
    expect(page?.items).toHaveLength(40)
    for (const each of processes) await each.dispose()
  })
})
