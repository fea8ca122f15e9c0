import { DatabaseSync, StatementSync } from "node:sqlite"
import { expect, it, vi } from "vitest"
import { control, openSession, pragmas, type Request } from "../../../src/stores/sqlite/SqliteSession.ts"
import { temporaryFiles } from "../sql/folder.ts"

const nextFile = temporaryFiles()

interface Statement {
  readonly text: string
  readonly mayBeLost: boolean
}

/** Runs groups of statements, each as if it had arrived at once; returns what SQLite ran. */
const ranFor = (...groups: ReadonlyArray<ReadonlyArray<Statement>>) => {
  const session = openSession(nextFile())
  const run = (statements: ReadonlyArray<Statement>) => {
    const { replies } = session.run(
      statements.map(({ mayBeLost, text }, id): Request => ({
        id,
        job: { ...control(text), mayBeLost },
        inTransaction: false
      }))
    )
    expect(replies.map((reply) => "failure" in reply)).toEqual(statements.map(() => false))
  }
  for (const pragma of pragmas) run([{ text: `PRAGMA ${pragma}`, mayBeLost: false }])
  run([{ text: "CREATE TABLE sold (id INTEGER)", mayBeLost: false }])
  const ran: Array<string> = []
  const { all } = StatementSync.prototype
  vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, text) {
    ran.push(text)
    this.prepare(text).run()
  })
  vi.spyOn(StatementSync.prototype, "all").mockImplementation(function (this: StatementSync, ...inputs) {
    ran.push(this.sourceSQL)
    return all.apply(this, inputs)
  })
  for (const group of groups) run(group)
  vi.restoreAllMocks()
  session.close()
  return ran
}

const insert = (id: number, mayBeLost: boolean) => ({ text: `INSERT INTO sold VALUES (${id})`, mayBeLost })
const read = { text: "SELECT id FROM sold", mayBeLost: false }

it("doesn't flush a write that may be lost, and flushes the next one again", () => {
  expect(ranFor([insert(1, true)], [insert(2, true)], [insert(3, false)], [read])).toEqual([
    "PRAGMA synchronous = NORMAL",
    "INSERT INTO sold VALUES (1)",
    "INSERT INTO sold VALUES (2)",
    "PRAGMA synchronous = FULL",
    "INSERT INTO sold VALUES (3)",
    "SELECT id FROM sold"
  ])
})

it("flushes a group with a write that must not be lost", () => {
  expect(ranFor([insert(1, true), insert(2, false), read])).toEqual([
    "BEGIN IMMEDIATE",
    "INSERT INTO sold VALUES (1)",
    "INSERT INTO sold VALUES (2)",
    "SELECT id FROM sold",
    "COMMIT"
  ])
})

it("doesn't flush a group whose writes may all be lost", () => {
  expect(ranFor([insert(1, true), read, insert(2, true)], [insert(3, true), insert(4, false)])).toEqual([
    "PRAGMA synchronous = NORMAL",
    "BEGIN IMMEDIATE",
    "INSERT INTO sold VALUES (1)",
    "SELECT id FROM sold",
    "INSERT INTO sold VALUES (2)",
    "COMMIT",
    "PRAGMA synchronous = FULL",
    "BEGIN IMMEDIATE",
    "INSERT INTO sold VALUES (3)",
    "INSERT INTO sold VALUES (4)",
    "COMMIT"
  ])
})
