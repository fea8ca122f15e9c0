import { DatabaseSync } from "node:sqlite"
import { expect, it } from "vitest"
import { control, openSession, pragmas } from "../../src/sql/SqliteSession.ts"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()
const insert = "INSERT INTO sold VALUES (1)"
const read = "SELECT id FROM sold"

/** A database whose lock another connection holds; `run` runs statements that arrive at once. */
const lockedSession = () => {
  const filename = nextFile()
  const session = openSession(filename)
  const run = (texts: ReadonlyArray<string>) => {
    const [first, ...others] = texts.map((text, id) => ({ id, job: control(text), inTransaction: false }))
    return session.run(first!, () => others.shift()).replies
  }
  for (const pragma of pragmas) run([`PRAGMA ${pragma}`])
  run(["CREATE TABLE sold (id INTEGER)"])
  const other = new DatabaseSync(filename)
  other.exec("BEGIN IMMEDIATE")
  return {
    run,
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
