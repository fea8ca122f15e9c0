import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type OpenJournals, sqliteJournals } from "@till402/providers/journals"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { keepThreads } from "../../../core/test/stores/sqlite/keptThreads.ts"
import { journalCases } from "./contract.ts"
import { settlement, settlementCases } from "./settlementCases.ts"

keepThreads()

let folder: string
let files = 0
const opened: Array<OpenJournals> = []
const newFile = () => join(folder, `${++files}.sqlite`)
const open = (filename: string): OpenJournals => {
  const journals = sqliteJournals(filename)
  opened.push(journals)
  return journals
}
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "till402-journals-"))
})
afterEach(() => Promise.all(opened.splice(0).map((journals) => journals.close())))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const failureOf = async (call: Promise<unknown>): Promise<{ _tag: string; [field: string]: unknown }> =>
  call.then(
    () => assert.fail("the call should have failed"),
    (error: unknown) => error as { _tag: string }
  )

describe("sqliteJournals()", () => {
  it.each(journalCases)("$name", async ({ run }) => {
    const filename = newFile()
    await run(open(filename), open(filename))
  })

  it.each(settlementCases)("$name", async ({ run }) => {
    const filename = newFile()
    await run(open(filename).settlements, open(filename).settlements)
  })

  it("keeps everything over a restart", async () => {
    const filename = newFile()
    const before = open(filename)
    await before.placements.record("order-1", { reference: "ci_1", atMillis: 5 })
    const settled = settlement()
    await before.settlements.insert(settled)
    await before.close()
    const after = open(filename)
    assert.deepStrictEqual(await after.placements.find("order-1"), { reference: "ci_1", atMillis: 5 })
    assert.deepStrictEqual(await after.settlements.find(settled.key), [settled])
    assert.deepStrictEqual(await after.settlements.insert({ ...settled, nonce: 8 }), settled)
  })

  it("has resolved writes on disk, visible to other readers of the file", async () => {
    const filename = newFile()
    const settled = settlement()
    await open(filename).settlements.insert(settled)
    const beside = new DatabaseSync(filename, { readOnly: true })
    const rows = beside.prepare("SELECT key FROM till_settlements").all()
    beside.close()
    assert.deepStrictEqual(
      rows.map(({ key }) => key),
      [settled.key]
    )
  })

  it("lives beside other tables, and adds its own", async () => {
    const filename = newFile()
    const beside = new DatabaseSync(filename)
    beside.exec("CREATE TABLE till_orders (id text)")
    await open(filename).placements.find("order-1")
    const names = beside.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
    beside.close()
    assert.deepStrictEqual(
      names.map(({ name }) => name),
      [
        "till_buyers",
        "till_journal_migrations",
        "till_orders",
        "till_placements",
        "till_settlements",
        "till_solana_transfers"
      ]
    )
  })

  it("refuses a table without one of its unique keys", async () => {
    const filename = newFile()
    const before = open(filename)
    await before.placements.find("order-1")
    await before.close()
    const beside = new DatabaseSync(filename)
    const [row] = beside.prepare("SELECT sql FROM sqlite_master WHERE name = 'till_settlements'").all()
    beside.exec("DROP TABLE till_settlements")
    beside.exec(String(row!["sql"]).replace(/,\s+UNIQUE \(chain_id[^)]*\)/, ""))
    beside.close()
    const refused = await failureOf(open(filename).placements.find("order-1"))
    assert.include(
      String(refused["cause"]),
      "unique key till_settlements.(chain_id,nonce,relayer,replacement) is missing"
    )
  })

  it("refuses a file of another version with what is missing, and changes nothing in it", async () => {
    const filename = newFile()
    const before = open(filename)
    await before.placements.record("order-1", { reference: "ci_1", atMillis: 5 })
    await before.close()
    const beside = new DatabaseSync(filename)
    const state = () => [
      beside.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all(),
      beside.prepare("SELECT * FROM till_placements").all()
    ]
    beside.exec("ALTER TABLE till_solana_transfers DROP COLUMN caller")
    const altered = state()
    const older = await failureOf(open(filename).placements.find("order-1"))
    assert.match(String(older["cause"]), /column till_solana_transfers\.caller is missing/)
    assert.deepStrictEqual(state(), altered)
    beside.exec("ALTER TABLE till_solana_transfers ADD COLUMN caller TEXT NOT NULL DEFAULT ''")
    beside.exec("INSERT INTO till_journal_migrations (migration_id, name) VALUES (2, 'later')")
    const newer = await failureOf(open(filename).placements.find("order-1"))
    assert.match(String(newer["cause"]), /a newer version of Till402 has migrated this database \(2_later/)
    beside.exec("DELETE FROM till_journal_migrations WHERE migration_id = 2")
    assert.deepStrictEqual(await open(filename).placements.find("order-1"), {
      reference: "ci_1",
      atMillis: 5
    })
    beside.close()
  })

  it("waits for another process's lock without blocking the event loop", async () => {
    const filename = newFile()
    const journals = open(filename)
    await journals.placements.find("order-1")
    const holder = new DatabaseSync(filename)
    holder.exec("BEGIN IMMEDIATE")
    const inserting = journals.settlements.insert(settlement())
    setTimeout(() => holder.exec("COMMIT"), 100)
    assert.isUndefined(await inserting)
    holder.close()
  })

  it("stops waiting with an error that names the operation", async () => {
    const filename = newFile()
    const journals = open(filename)
    await journals.placements.find("order-1")
    const holder = new DatabaseSync(filename)
    holder.exec("BEGIN IMMEDIATE")
    const settled = settlement()
    const { _tag, operation } = await failureOf(journals.settlements.insert(settled))
    holder.exec("COMMIT")
    holder.close()
    assert.deepStrictEqual([_tag, operation], ["StoreError", "settlements.insert"])
    assert.deepStrictEqual(await journals.settlements.find(settled.key), [])
  })

  it("is done once it is closed, and may be closed again", async () => {
    const journals = open(newFile())
    await journals.placements.record("order-1", { reference: "ci_1", atMillis: 1 })
    await journals.close()
    await journals.close()
    assert.strictEqual((await failureOf(journals.placements.find("order-1")))._tag, "StoreError")
  })

  it.each([[""], ["  "], ["/nowhere/at/all/journal.sqlite"]])("can't be opened at %j", (filename) => {
    assert.throws(() => sqliteJournals(filename), /^journals: /)
  })
})
