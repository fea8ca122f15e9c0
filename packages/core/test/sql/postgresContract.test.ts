import { PgClient } from "@effect/sql-pg"
import { type Postgres, startPostgres } from "@till402/test-postgres"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, it } from "vitest"
import type { Stores } from "../../src/ports/Stores.ts"
import { postgres } from "../../src/postgres.ts"
import { restartCases, storeCases } from "../../src/testing/storeContract.ts"

let cluster: Postgres
beforeAll(async () => {
  cluster = await startPostgres()
})
afterAll(() => cluster.stop())

/** Queries a database directly, beside the stores. */
const withClient = <A, E>(url: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.runPromise(
    Effect.provide(use, PgClient.layer({ url: Redacted.make(url), maxConnections: 1, multiplex: false }))
  )

const run = (text: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text))

const empty = run(
  "TRUNCATE till_charges, till_ledger, till_ledger_days, till_refund_stop, till_quotes, till_orders, till_vault_items, till_vault_archives, till_vault_downloads, till_vault_purchases, till_purchase_downloads"
)

describe("postgres()", () => {
  let url: string
  let stores: ManagedRuntime.ManagedRuntime<Stores, unknown>
  beforeAll(async () => {
    // A database whose language has an order of its own, where the stores promise that of code points.
    await withClient(
      cluster.url,
      run("CREATE DATABASE collated TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
    )
    url = cluster.url.replace(/postgres$/, "collated")
    stores = ManagedRuntime.make(postgres({ url }))
    await stores.context()
  })
  afterAll(() => stores.dispose())

  it.each(storeCases)("$name", async (storeCase) => {
    await withClient(url, empty)
    await stores.runPromise(storeCase.run)
  })
})

describe("postgres(), closed and opened again", () => {
  it.each(restartCases)("$name", async ({ run }) => {
    const url = await cluster.createDatabase()
    await Effect.runPromise(run((use) => Effect.provide(use, postgres({ url }))))
  })
})
