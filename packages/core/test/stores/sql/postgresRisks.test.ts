import { Cause, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { isPublic, postgresRisks, risksOf } from "../../../src/stores/sql/postgresRisks.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { openEngines } from "./engines.ts"

/*
 * Settings of PostgreSQL with which everything is sold, and what was sold is lost or shown.
 */

const { postgresEngine } = openEngines()

/** The server of the tests has it off. */
const withCommit = (url: string, value: string): string =>
  `${url}?options=${encodeURIComponent(`-c synchronous_commit=${value}`)}`

/** Neon's servers have it, and write to disks of other machines: their `fsync` is off. */
const onNeon = "SET LOCAL neon.timeline_id = 'a'"

/** The risks of a database that these statements have changed; they are taken back. The server of the tests has `fsync` off. */
const reportedWith = async (
  statements: ReadonlyArray<string>,
  { commit = "on", server = [onNeon] }: { commit?: string; server?: ReadonlyArray<string> } = {}
): Promise<ReadonlyArray<string>> => {
  const url = await postgresEngine.create()
  await postgresEngine.open(url, Effect.asVoid(Charges))
  const exit = await postgresEngine.withClient(
    withCommit(url, commit),
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.flip(
        sql.withTransaction(
          Effect.forEach([...server, ...statements], (text) => sql.unsafe(text)).pipe(
            Effect.andThen(postgresRisks),
            Effect.exit,
            Effect.flatMap(Effect.fail)
          )
        )
      )
    )
  )
  if (!Exit.isExit(exit)) throw exit
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value.map(({ problem }) => problem)
}

const role = "DO $$ BEGIN CREATE ROLE anon; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
const exposed = [
  role,
  "GRANT USAGE ON SCHEMA public TO anon",
  "GRANT SELECT ON ALL TABLES IN SCHEMA public TO anon"
]
const secured = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
  END LOOP; END $$`

describe("a till on PostgreSQL", () => {
  it("reports nothing of a server as it comes, nor of other roles", async () => {
    expect(
      await reportedWith([
        role,
        "CREATE ROLE reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"
      ])
    ).toEqual([])
  })

  it("reports a server that may lose what it has confirmed", async () => {
    expect(await reportedWith([], { commit: "off" })).toEqual([
      expect.stringMatching(/^PostgreSQL has synchronous_commit = off: if it crashes, it forgets/)
    ])
    expect(await reportedWith([], { commit: "local" })).toEqual([])
    expect(await reportedWith([], { server: [] })).toEqual([
      expect.stringMatching(/^PostgreSQL has fsync = off: if it crashes, it forgets/)
    ])
  })

  it("reports a server that ends transactions within a second", async () => {
    const endingAfter = (time: string) => reportedWith([`SET LOCAL transaction_timeout = '${time}'`])
    // It may end this one, too.
    await expect
      .poll(() => endingAfter("999ms").catch(() => []), { timeout: 60_000 })
      .toEqual([expect.stringMatching(/^PostgreSQL ends transactions after 999 ms, and their connections/)])
    expect(await endingAfter("10s")).toEqual([])
  })

  it("reports tables that the role of a web API may read, and none behind row-level security", async () => {
    expect(await reportedWith(exposed)).toEqual([
      expect.stringMatching(/^The roles anon may read or change the till's tables: /)
    ])
    expect(await reportedWith([...exposed, secured])).toEqual([])
  })

  it("reports tables that everybody may change", async () => {
    expect(
      await reportedWith(["GRANT USAGE ON SCHEMA public TO PUBLIC", "GRANT UPDATE ON till_charges TO PUBLIC"])
    ).toEqual([expect.stringContaining("The roles public may read or change")])
  })
})

let empty: Promise<string> | undefined
/** One empty database: nothing is written. */
const database = (): Promise<string> => (empty ??= postgresEngine.create())

describe("an address of a client", () => {
  it.each([
    ["203.0.113.9", true],
    ["2606:4700::1", true],
    ["172.32.0.1", true],
    ["10.1.2.3", false],
    ["172.31.255.255", false],
    ["192.168.1.1", false],
    ["127.0.0.1", false],
    ["100.64.0.7", false],
    ["fdaa::3", false],
    ["::1", false]
  ])("%s comes over the Internet: %s", async (address, expected) => {
    const read = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) =>
        sql<{
          readonly found: boolean
        }>`SELECT ${sql.literal(isPublic(`CAST('${address}' AS inet)`))} AS found`
    )
    expect(await postgresEngine.withClient(await database(), read)).toEqual([{ found: expected }])
  })

  it("without TLS is reported with its cure", () => {
    const facts = { setting: null, transactionMillis: null, unlogged: null, webRoles: null }
    expect(risksOf({ ...facts, isOpen: true })).toMatchObject([
      { cure: "Add sslmode=verify-full to its url" }
    ])
    expect(risksOf({ ...facts, isOpen: false })).toEqual([])
  })
})
