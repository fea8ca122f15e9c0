import { DatabaseSync, StatementSync } from "node:sqlite"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, it, vi } from "vitest"
import * as SqliteClient from "../../../src/stores/sqlite/SqliteClient.ts"
import { control, openSession, pragmas } from "../../../src/stores/sqlite/SqliteSession.ts"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()
const insert = "INSERT INTO sold VALUES (1)"
const read = "SELECT id FROM sold"

/** A database whose lock another connection holds; `run` runs statements that arrive at once. */
const lockedSession = () => {
  const filename = nextFile()
  const session = openSession(filename)
  const run = (texts: ReadonlyArray<string>) =>
    session.run(texts.map((text, id) => ({ id, job: control(text), inTransaction: false }))).replies
  for (const pragma of pragmas) run([`PRAGMA ${pragma}`])
  run(["CREATE TABLE sold (id INTEGER)"])
  const other = new DatabaseSync(filename)
  other.exec("BEGIN IMMEDIATE")
  return {
    run,
    session,
    close: () => {
      other.close()
      session.close()
    }
  }
}

it("replies to every statement, though the group of the first can't be committed", () => {
  const { close, run } = lockedSession()
  const replies = run([insert, insert, insert, read, insert])
  close()
  expect(replies.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4])
})

it("waits for the lock once, and lets reads pass", () => {
  const { close, run } = lockedSession()
  const ran: Array<string> = []
  const { all } = StatementSync.prototype
  vi.spyOn(StatementSync.prototype, "all").mockImplementation(function (this: StatementSync, ...values) {
    ran.push(this.sourceSQL)
    return all.apply(this, values)
  })
  const replies = run([insert, read, insert, insert, read, insert])
  vi.restoreAllMocks()
  close()
  expect(ran).toEqual(["BEGIN IMMEDIATE", read, read])
  expect(replies.map((reply) => ("failure" in reply ? reply.failure.errcode : reply.value))).toEqual([
    5,
    [],
    5,
    5,
    [],
    5
  ])
})

it("does not wait for the lock again after a statement of a transaction", () => {
  const { close, session } = lockedSession()
  const requests = [insert, read, insert].map((text, id) => ({
    id,
    job: control(text),
    inTransaction: text === read
  }))
  const ran: Array<string> = []
  const { all } = StatementSync.prototype
  vi.spyOn(StatementSync.prototype, "all").mockImplementation(function (this: StatementSync, ...values) {
    ran.push(this.sourceSQL)
    return all.apply(this, values)
  })
  session.run(requests)
  vi.restoreAllMocks()
  close()
  expect(ran).toEqual([insert, read])
})

it("fails a hundred writes that wait for a lock after 5 seconds", async () => {
  const filename = nextFile()
  const waiting = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE sold (id INTEGER)`
    const other = new DatabaseSync(filename)
    other.exec("BEGIN IMMEDIATE")
    const write = Effect.flip(sql.unsafe(insert))
    const [duration, errors] = yield* Effect.timed(
      Effect.all(
        Array.from({ length: 100 }, () => write),
        { concurrency: "unbounded" }
      )
    )
    other.close()
    expect(errors.map(({ reason }) => reason._tag)).toEqual(errors.map(() => "LockTimeoutError"))
    return Duration.toMillis(duration)
  })
  const millis = await Effect.runPromise(Effect.provide(waiting, SqliteClient.layer({ filename })))
  expect(millis).toBeGreaterThan(4_500)
  // One after the other, they would wait for minutes.
  expect(millis).toBeLessThan(60_000)
})
