import { StatementSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Schedule, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { afterEach, describe, expect, it, vi } from "vitest"
import { eventLogger, type TillEvent } from "../../../src/runtime/events.ts"
import * as SqliteClient from "../../../src/stores/sqlite/SqliteClient.ts"
import { temporaryFiles } from "../sql/folder.ts"

const nextFile = temporaryFiles()
afterEach(() => {
  vi.restoreAllMocks()
})

const withClient = <A, E>(
  filename: string,
  use: Effect.Effect<A, E, SqlClient.SqlClient>,
  logger: Layer.Layer<never> = Layer.empty
) => Effect.runPromise(Effect.provide(use, Layer.provide(SqliteClient.layer({ filename }), logger)))

const table = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE things (id TEXT PRIMARY KEY, size INTEGER UNIQUE, CHECK (size <> 13))`
  return sql
})

it("keeps nothing of the statements that it compiled", () =>
  withClient(
    ":memory:",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statement = sql`SELECT ${"a parameter"}`
      expect(statement.compile()).toEqual(["SELECT ?", ["a parameter"]])
      expect(statement.compile()).not.toBe(statement.compile())
    })
  ))

describe.each([
  ["a file", () => nextFile()],
  ["memory", () => ":memory:"]
])("the client of a database in %s", (_, filename) => {
  const inDatabase = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>) => withClient(filename(), use)

  it("names what broke", () =>
    inDatabase(
      Effect.gen(function* () {
        const sql = yield* table
        yield* sql`INSERT INTO things (id, size) VALUES ('a', 1)`
        const reasonOf = (text: string) =>
          Effect.map(Effect.flip(sql.unsafe(text)), ({ reason }) => reason._tag)
        expect(yield* reasonOf("INSERT INTO things (id, size) VALUES ('a', 2)")).toBe("UniqueViolation")
        expect(yield* reasonOf("INSERT INTO things (id, size) VALUES ('b', 1)")).toBe("UniqueViolation")
        expect(yield* reasonOf("INSERT INTO things (id, size) VALUES ('b', 13)")).toBe("ConstraintError")
        expect(yield* reasonOf("INSERT INTO nothing VALUES (1)")).toBe("UnknownError")
      })
    ))

  it("reads integers as bigint on request, and never rounds them", () =>
    inDatabase(
      Effect.gen(function* () {
        const sql = yield* table
        yield* sql`INSERT INTO things (id, size) VALUES ('a', ${2n ** 53n + 1n})`
        const read = sql`SELECT size FROM things`
        const exact = yield* Effect.provideService(read, SqlClient.SafeIntegers, true)
        expect(exact).toEqual([{ size: 2n ** 53n + 1n }])
        expect((yield* Effect.flip(read)).message).toMatch(/too large/i)
        expect(yield* sql`SELECT 1 AS one`.values).toEqual([[1]])
        expect(yield* Stream.runCollect(sql`SELECT 1 AS one UNION SELECT 2`.stream)).toEqual([
          { one: 1 },
          { one: 2 }
        ])
      })
    ))

  it("undoes a transaction that fails, and a nested one alone", () =>
    inDatabase(
      Effect.gen(function* () {
        const sql = yield* table
        const add = (id: string) => sql`INSERT INTO things (id) VALUES (${id})`
        const failing = sql.withTransaction(Effect.andThen(add("gone"), Effect.fail("no" as const)))
        expect(yield* Effect.flip(failing)).toBe("no")
        yield* sql.withTransaction(Effect.andThen(add("kept"), Effect.flip(failing)))
        expect(yield* sql`SELECT id FROM things`).toEqual([{ id: "kept" }])
      })
    ))

  it("keeps the statements of others out of an open transaction", () =>
    inDatabase(
      Effect.gen(function* () {
        const sql = yield* table
        const undone = sql.withTransaction(
          Effect.andThen(
            sql`INSERT INTO things (id) VALUES ('gone')`,
            Effect.andThen(Effect.sleep(20), Effect.fail("no" as const))
          )
        )
        const fiber = yield* Effect.forkChild(Effect.flip(undone))
        yield* Effect.sleep(5)
        const seen = yield* Effect.all(
          [sql`SELECT id FROM things`, sql`INSERT INTO things (id) VALUES ('kept') RETURNING id`],
          { concurrency: "unbounded" }
        )
        yield* Fiber.join(fiber)
        expect(seen[0].filter(({ id }) => id === "gone")).toEqual([])
        expect(yield* sql`SELECT id FROM things`).toEqual([{ id: "kept" }])
      })
    ))

  it("commits concurrent writes together; one that fails undoes itself alone", () =>
    inDatabase(
      Effect.gen(function* () {
        const sql = yield* table
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 1_000 }, (_, index) => index),
          (index) =>
            Effect.result(sql`INSERT INTO things (id) VALUES (${`thing-${index % 900}`}) RETURNING id`),
          { concurrency: "unbounded" }
        )
        expect(outcomes.filter(({ _tag }) => _tag === "Failure")).toHaveLength(100)
        expect(yield* sql`SELECT count(*) AS count FROM things`).toEqual([{ count: 900 }])
      })
    ))

  it("fails what waits for a transaction when it closes", async () => {
    const scope = Scope.makeUnsafe()
    const sql = await Effect.runPromise(Scope.provide(SqliteClient.connect({ filename: filename() }), scope))
    await Effect.runPromise(sql`CREATE TABLE things (id TEXT PRIMARY KEY)`)
    const closed = Effect.andThen(Scope.close(scope, Exit.void), Effect.sleep(20))
    const [begun, goingOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const goOn = Effect.promise(() => (begun.resolve(), goingOn.promise))
    const open = Effect.runFork(
      sql.withTransaction(Effect.andThen(sql`INSERT INTO things (id) VALUES ('open')`, goOn))
    )
    await begun.promise
    const waiting = Effect.runFork(Effect.flip(sql`INSERT INTO things (id) VALUES ('waiting')`))
    await Effect.runPromise(Effect.andThen(Effect.sleep(5), closed))
    goingOn.resolve()
    expect((await Effect.runPromise(Fiber.join(waiting))).message).toMatch(/closed/)
    expect(Exit.isFailure(await Effect.runPromise(Fiber.await(open)))).toBe(true)
    // What the event loop does late would fail the test.
    await Effect.runPromise(Effect.sleep(20))
  })

  it("fails what waits for a transaction that goes on after the database has closed", async () => {
    const scope = Scope.makeUnsafe()
    const sql = await Effect.runPromise(Scope.provide(SqliteClient.connect({ filename: filename() }), scope))
    const started = Promise.withResolvers<void>()
    const open = Effect.runFork(
      sql.withTransaction(Effect.andThen(Effect.sync(started.resolve), Effect.never))
    )
    await started.promise
    const waiting = Effect.runFork(Effect.flip(sql`SELECT 1`))
    await Effect.runPromise(Effect.andThen(Effect.sleep(5), Scope.close(scope, Exit.void)))
    expect((await Effect.runPromise(Fiber.join(waiting))).message).toMatch(/closed/)
    await Effect.runPromise(Fiber.interrupt(open))
  })

  it("fails a parameter that SQLite can't take, and goes on", () =>
    inDatabase(
      Effect.gen(function* () {
        const sql = yield* table
        const held = yield* Effect.forkChild(sql.withTransaction(Effect.sleep(20)))
        yield* Effect.sleep(5)
        const wrong: ReadonlyArray<unknown> = [Symbol("thing"), 2n ** 64n]
        const failed = yield* Effect.all(
          wrong.map((parameter) => Effect.flip(sql.unsafe("SELECT ?", [parameter]))),
          { concurrency: "unbounded" }
        )
        expect(failed.map(({ reason }) => reason._tag)).toEqual(wrong.map(() => "UnknownError"))
        yield* Fiber.join(held)
        expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
      })
    ))

  it("does not run a write that nobody waits for any more", () =>
    inDatabase(
      Effect.gen(function* () {
        const sql = yield* table
        const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const held = yield* Effect.forkChild(
          sql.withTransaction(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)))
        )
        yield* Deferred.await(begun)
        const given = yield* Effect.forkChild(sql`INSERT INTO things (id) VALUES ('given up')`, {
          startImmediately: true
        })
        yield* Fiber.interrupt(given)
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(held)
        yield* sql`INSERT INTO things (id) VALUES ('kept')`
        expect(yield* sql`SELECT id FROM things`).toEqual([{ id: "kept" }])
      })
    ))
})

describe("the client of a file", () => {
  it("commits pending writes before it closes, and fails later ones as closed", async () => {
    const filename = nextFile()
    const escaped = await withClient(
      filename,
      Effect.gen(function* () {
        const sql = yield* table
        yield* Effect.forkDetach(sql`INSERT INTO things (id) VALUES ('last')`, { startImmediately: true })
        return sql
      })
    )
    const rows = await withClient(
      filename,
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT id FROM things`)
    )
    expect(rows).toEqual([{ id: "last" }])
    const late = await Effect.runPromise(Effect.flip(escaped`INSERT INTO things (id) VALUES ('late')`))
    expect(late.message).toMatch(/closed/)
  })

  const countToMillions =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT sum(i) FROM n"

  /** Turns of the event loop during a slow statement. */
  const turnsBeside = (filename: string): Promise<number> =>
    withClient(
      filename,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const slow = yield* Effect.forkChild(sql.unsafe(countToMillions), { startImmediately: true })
        let turns = 0
        while (slow.pollUnsafe() === undefined) {
          yield* Effect.sleep(1)
          turns++
        }
        return turns
      })
    )

  it("does not block the event loop, as one in memory does", async () => {
    expect(await turnsBeside(nextFile())).toBeGreaterThan(20)
    expect(await turnsBeside(":memory:")).toBeLessThan(5)
  })

  const threadIn = (posted: { readonly mock: { readonly contexts: ReadonlyArray<unknown> } }): Worker => {
    const thread = posted.mock.contexts.at(-1)
    if (!(thread instanceof Worker)) throw new Error("no thread runs")
    return thread
  }

  it("fails what runs when its thread ends, reports it, and starts the thread again", () => {
    const events: Array<TillEvent> = []
    return withClient(
      nextFile(),
      Effect.gen(function* () {
        const posted = vi.spyOn(Worker.prototype, "postMessage")
        const sql = yield* table
        yield* sql`INSERT INTO things (id) VALUES ('before')`
        for (const _ of [1, 2]) {
          const running = yield* Effect.forkChild(Effect.flip(sql.unsafe(countToMillions)), {
            startImmediately: true
          })
          const thread = threadIn(posted)
          yield* Effect.promise(() => thread.terminate())
          expect((yield* Fiber.join(running)).message).toMatch(/thread ended/)
          expect((yield* Effect.flip(sql`SELECT 1`)).message).toMatch(/thread ended/)
          const rows = yield* Effect.retry(sql`SELECT id FROM things`, Schedule.spaced(20))
          expect(rows).toEqual([{ id: "before" }])
          expect(threadIn(posted)).not.toBe(thread)
          expect(yield* sql`PRAGMA synchronous`).toEqual([{ synchronous: 2 }])
          expect(yield* sql`PRAGMA wal_autocheckpoint`).toEqual([{ wal_autocheckpoint: 8000 }])
        }
        expect(events.map(({ code, level }) => [code, level])).toEqual([
          ["storage_thread_ended", "error"],
          ["storage_thread_ended", "error"]
        ])
      }),
      Logger.layer([eventLogger((event) => events.push(event))])
    )
  })

  it("runs nothing of a transaction in another thread than the one in which it began", () =>
    withClient(
      nextFile(),
      Effect.gen(function* () {
        const posted = vi.spyOn(Worker.prototype, "postMessage")
        const sql = yield* table
        const insert = sql`INSERT INTO things (id) VALUES ('second')`
        const work = Effect.gen(function* () {
          yield* sql`INSERT INTO things (id) VALUES ('first')`
          yield* Effect.promise(() => threadIn(posted).terminate())
          // Goes on after the error, once another thread runs.
          return yield* Effect.flip(insert).pipe(
            Effect.repeat({ schedule: Schedule.spaced(20), until: ({ message }) => /within/.test(message) })
          )
        })
        const outcome = yield* Effect.exit(sql.withTransaction(work))
        expect(Exit.isFailure(outcome)).toBe(true)
        expect(yield* sql`SELECT id FROM things`).toEqual([])
        yield* sql.withTransaction(insert)
        expect(yield* sql`SELECT id FROM things`).toEqual([{ id: "second" }])
      })
    ))
})

describe("without threads", () => {
  it("a database that can neither commit nor roll back fails its callers, not the process", () =>
    withClient(
      ":memory:",
      Effect.gen(function* () {
        const sql = yield* table
        const { all } = StatementSync.prototype
        vi.spyOn(StatementSync.prototype, "all").mockImplementation(function (
          this: StatementSync,
          ...values
        ) {
          if (/COMMIT|ROLLBACK/.test(this.sourceSQL)) throw new Error("disk I/O error")
          return all.apply(this, values)
        })
        const write = Effect.flip(sql`INSERT INTO things (id) VALUES ('a')`)
        const errors = yield* Effect.all([write, write], { concurrency: "unbounded" })
        const later = yield* write
        for (const { message } of [...errors, later]) expect(message).toMatch(/disk I\/O error/)
      })
    ))
})
