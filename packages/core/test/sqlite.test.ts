import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ConfigurationError, StoreError } from "../src/domain/Errors.ts"
import { Charges } from "../src/ports/Charges.ts"
import { Orders } from "../src/shop/ports/Orders.ts"
import { VaultItems } from "../src/shop/ports/VaultItems.ts"
import { migrate, migrations, schemaSql } from "../src/stores/schema/migrations.ts"
import { eventLogger, type TillEvent } from "../src/runtime/events.ts"
import { sqlite } from "../src/sqlite.ts"
import * as SqliteClient from "../src/stores/sqlite/SqliteClient.ts"
import { paid, unlimited } from "../../testing/src/stores/chargeRecords.ts"
import {
  sampleResponse,
  sampleCharge,
  sampleOrder,
  sampleReceipt,
  sampleVaultItem
} from "../../testing/src/stores/records.ts"
import { claimOf } from "./stores/sql/claimOf.ts"
import { temporaryFiles } from "./stores/sql/folder.ts"
import { rehearsing } from "./stores/sql/rehearsing.ts"

const nextFile = temporaryFiles()
const { key } = sampleCharge()

const withClient = <A, E>(filename: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.runPromise(Effect.provide(use, SqliteClient.layer({ filename })))

const openingOf = (filename: string) =>
  Effect.runPromise(Effect.flip(Effect.provide(Charges, sqlite({ filename }))))

describe("a URI of a file", () => {
  const keptIn = (filename: string) =>
    Effect.runPromise(
      Effect.provide(
        Charges.use(({ find }) => find("key")),
        sqlite({ filename })
      )
    )

  it("opens the file that it names, and not another one with its text as name", async () => {
    const filename = nextFile()
    await Effect.runPromise(Effect.provide(claimOf("key"), sqlite({ filename: `file:${filename}?mode=rwc` })))
    expect((await keptIn(filename))?.key).toBe("key")
    expect((await keptIn(pathToFileURL(filename).href))?.key).toBe("key")
    expect((await keptIn(`file:${filename}?nolock=0&immutable=false`))?.key).toBe("key")
  })

  it.each(["nolock=1", "mode=rw&immutable=true", "vfs=unix-none"])("is refused with %s", async (settings) => {
    const error = await openingOf(`file:${nextFile()}?${settings}`)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toContain("turns SQLite's locks off: two processes would break the database")
  })
})

describe("a file", () => {
  it("isn't opened with an option that there isn't", async () => {
    const filename = nextFile()
    const opening = Charges.pipe(Effect.provide(sqlite({ filename, readonly: true } as never)))
    const { message } = await Effect.runPromise(Effect.flip(opening))
    expect(message).toBe("storage: sqlite has no readonly; it has filename")
    expect(existsSync(filename)).toBe(false)
  })

  it("is reported when it is created, by its path, and not when it is opened again", async () => {
    const filename = nextFile()
    const opened = async (name: string) => {
      const events: Array<TillEvent> = []
      const logger = Logger.layer([eventLogger((event) => void events.push(event))])
      await Effect.runPromise(
        Charges.pipe(Effect.provide(sqlite({ filename: name })), Effect.provide(logger))
      )
      return events
    }
    expect(await opened(filename)).toEqual([
      {
        level: "info",
        code: "storage_created",
        message: expect.stringContaining(`The database ${filename} was empty`)
      }
    ])
    expect(await opened(filename)).toEqual([])
    // A copy of the file alone, without the WAL, has no tables.
    writeFileSync(`${filename}.backup`, "")
    expect(await opened(`${filename}.backup`)).toHaveLength(1)
    expect(await opened(":memory:")).toEqual([])
  })

  it("is reported when it is deleted or replaced while it is in use, once", async () => {
    const watched = (change: (filename: string) => void) => {
      const filename = nextFile()
      const events: Array<TillEvent> = []
      const logger = Logger.layer([
        eventLogger((event) => {
          // The test's clock warns of waits.
          if (event.code !== "log") events.push(event)
        })
      ])
      return Effect.gen(function* () {
        yield* Charges
        // The file's own state is read in real time.
        const pass = Effect.andThen(
          TestClock.adjust("15 seconds"),
          Effect.promise(() => setTimeout(50))
        )
        yield* pass
        const before = events.map(({ code }) => code)
        change(filename)
        yield* pass
        yield* pass
        return [...before, ...events.slice(before.length).map(({ message }) => message)]
      }).pipe(
        Effect.provide(sqlite({ filename })),
        Effect.provide([logger, TestClock.layer()]),
        Effect.runPromise
      )
    }
    expect(await watched(() => undefined)).toEqual(["storage_created"])
    expect(await watched((filename) => rmSync(filename))).toEqual([
      "storage_created",
      expect.stringMatching(/was deleted while it is in use: .* Stop the till/)
    ])
    const replaced = await watched((filename) => {
      writeFileSync(`${filename}.other`, "")
      renameSync(`${filename}.other`, filename)
    })
    expect(replaced).toEqual(["storage_created", expect.stringContaining("was replaced while it is in use")])
  })

  it("that its process may only read, as one of root, is refused with what to give", async () => {
    const filename = nextFile()
    await Effect.runPromise(Effect.provide(claimOf("key"), sqlite({ filename })))
    const readOnly = sqlite({ filename: `file:${filename}?mode=ro` })
    const { message } = await Effect.runPromise(Effect.flip(Effect.provide(rehearsing(), readOnly)))
    expect(message).toMatch(
      /may not write to its database: attempt to write a readonly database\. Give the user/
    )
  })

  it("over which a backup was copied, while the log of the other one stays, is refused with what to delete", async () => {
    const filename = nextFile()
    const backup = `${filename}.backup`
    await Effect.runPromise(Effect.provide(claimOf("key"), sqlite({ filename })))
    const file = new DatabaseSync(filename)
    file.exec(`VACUUM INTO '${backup}'`)
    // As a process that was killed leaves it.
    file.exec(
      "CREATE TABLE own (id INTEGER PRIMARY KEY, note TEXT); INSERT INTO own (note) VALUES ('a'), ('b')"
    )
    for (let rows = 0; rows < 10; rows++)
      file.exec("INSERT INTO own (note) SELECT hex(randomblob(200)) FROM own")
    copyFileSync(`${filename}-wal`, `${filename}.log`)
    file.close()
    copyFileSync(backup, filename)
    copyFileSync(`${filename}.log`, `${filename}-wal`)
    const { message } = await openingOf(filename)
    expect(message).toMatch(
      /malformed\b.*\. If a backup was copied over it: stop every process, delete its -wal and -shm/
    )
    rmSync(`${filename}-wal`, { force: true })
    rmSync(`${filename}-shm`, { force: true })
    copyFileSync(backup, filename)
    expect(await Effect.runPromise(Effect.provide(claimOf("key-2"), sqlite({ filename })))).toEqual({
      _tag: "Claimed"
    })
  })

  it("keeps everything when it is closed and opened again", async () => {
    const filename = nextFile()
    const write = Effect.gen(function* () {
      const charges = yield* Charges
      yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
      yield* charges.advance(key, "me", { response: sampleResponse(), subject: undefined })
      yield* charges.complete(key, paid, 1_500)
      yield* (yield* Orders).create(sampleOrder())
      yield* (yield* VaultItems).put(sampleVaultItem())
    })
    const read = Effect.gen(function* () {
      const charge = yield* (yield* Charges).find(key)
      const order = yield* (yield* Orders).find(sampleOrder().id)
      return { charge, order, item: yield* (yield* VaultItems).findBySlug("item-1") }
    })
    await Effect.runPromise(Effect.provide(write, sqlite({ filename })))
    const found = await Effect.runPromise(Effect.provide(read, sqlite({ filename })))
    expect(found.charge).toMatchObject({
      state: "settled",
      response: sampleResponse(),
      receipt: sampleReceipt()
    })
    expect(found.order).toEqual(sampleOrder())
    expect(found.item).toEqual(sampleVaultItem())
  })

  it("commits to the disk, with readers beside the writer", () =>
    withClient(
      nextFile(),
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`PRAGMA journal_mode`).toEqual([{ journal_mode: "wal" }])
        expect(yield* sql`PRAGMA synchronous`).toEqual([{ synchronous: 2 }])
        expect(yield* sql`PRAGMA foreign_keys`).toEqual([{ foreign_keys: 1 }])
        expect(yield* sql`PRAGMA cache_size`).toEqual([{ cache_size: -65_536 }])
        expect(yield* sql`PRAGMA wal_autocheckpoint`).toEqual([{ wal_autocheckpoint: 8_000 }])
      })
    ))

  it("is seen by another connection as soon as a method has returned", async () => {
    const filename = nextFile()
    const claim = Effect.gen(function* () {
      const charges = yield* Charges
      yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
      const other = new DatabaseSync(filename, { readOnly: true })
      const rows = other.prepare("SELECT state FROM till_charges").all()
      other.close()
      return rows.map(({ state }) => state)
    })
    expect(await Effect.runPromise(Effect.provide(claim, sqlite({ filename })))).toEqual(["claimed"])
  })

  it("reports a row that is not what was written as a failure of the store", async () => {
    const filename = nextFile()
    const spoiled = Effect.gen(function* () {
      const charges = yield* Charges
      yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
      const other = new DatabaseSync(filename)
      other.exec("UPDATE till_charges SET response = '{'")
      other.close()
      return yield* Effect.flip(charges.find(key))
    })
    const error = await Effect.runPromise(Effect.provide(spoiled, sqlite({ filename })))
    expect(error).toBeInstanceOf(StoreError)
    expect(error.operation).toBe("charges.find")
  })
})

describe("a name that is wrong", () => {
  it.each([
    ["a folder that does not exist", () => join(nextFile(), "till.sqlite"), /folder .* does not exist/],
    [
      "a folder",
      () => {
        const folder = nextFile()
        mkdirSync(folder)
        return folder
      },
      /it is a folder/
    ],
    [
      "a file that is no database",
      () => {
        const file = nextFile()
        writeFileSync(file, "a diary, not a database\n".repeat(100))
        return file
      },
      /not a database/
    ],
    ["an empty name", () => "", /must not be empty/],
    [
      "the address of another database",
      () => "postgres://till:secret-word@db/till",
      /to postgres\(\{ url \}\)/
    ]
  ])("is refused in readable words: %s", async (_, filename, words) => {
    const error = await openingOf(filename())
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as ConfigurationError).message).toMatch(words)
    expect((error as ConfigurationError).message).not.toContain("secret-word")
  })
})

describe("migrations", () => {
  it("run once, whoever opens the file how often", async () => {
    const filename = nextFile()
    expect(await withClient(filename, migrate(migrations))).toEqual(["1_initial"])
    expect(await withClient(filename, migrate(migrations))).toEqual([])
    const recorded = await withClient(
      filename,
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT name FROM till_migrations`)
    )
    expect(recorded).toEqual([{ name: "initial" }])
  })

  it("leave a schema alone that the host made from schemaSql", async () => {
    const filename = nextFile()
    const host = new DatabaseSync(filename)
    host.exec(schemaSql.sqlite)
    host.close()
    const claim = Charges.use((charges) =>
      charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
    )
    expect(await Effect.runPromise(Effect.provide(claim, sqlite({ filename })))).toEqual({ _tag: "Claimed" })
  })
})

describe("connections to one file", () => {
  it("wait for each other's lock without standing in the way of the event loop", async () => {
    const filename = nextFile()
    const waiting = Effect.gen(function* () {
      const charges = yield* Charges
      const other = new DatabaseSync(filename)
      other.exec("BEGIN IMMEDIATE")
      const claims = yield* Effect.forkChild(
        Effect.forEach(
          ["key-1", "key-2"],
          (own) =>
            charges.claim(sampleCharge({ key: own }), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited),
          { concurrency: "unbounded" }
        )
      )
      let turns = 0
      for (; turns < 20; turns++) yield* Effect.sleep(5)
      const before = other.prepare("SELECT count(*) AS count FROM till_charges").get()?.["count"]
      other.exec("ROLLBACK")
      other.close()
      return { before, after: yield* Fiber.join(claims) }
    })
    const { after, before } = await Effect.runPromise(Effect.provide(waiting, sqlite({ filename })))
    expect(before).toBe(0)
    expect(after).toEqual([{ _tag: "Claimed" }, { _tag: "Claimed" }])
  })
})

describe("two storages in one process", () => {
  it("are two, also in one layer", async () => {
    const claim = Charges.use((charges) =>
      charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
    )
    const inEach = Effect.all([
      Effect.provide(claim, sqlite({ filename: ":memory:" })),
      Effect.provide(claim, sqlite({ filename: ":memory:" }))
    ])
    expect(await Effect.runPromise(inEach)).toEqual([{ _tag: "Claimed" }, { _tag: "Claimed" }])
  })

  it("one storage provided twice is one", async () => {
    const storage = sqlite({ filename: ":memory:" })
    const claim = Charges.use((charges) =>
      charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
    )
    const both = Layer.provideMerge(Layer.effectDiscard(claim).pipe(Layer.provide(storage)), storage)
    const found = Charges.use((charges) => charges.find(key))
    expect(await Effect.runPromise(Effect.provide(found, both))).toMatchObject({ state: "claimed" })
  })
})
