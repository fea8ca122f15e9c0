import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { ConfigurationError, StoreError } from "../../src/domain/Errors.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { Orders } from "../../src/ports/Orders.ts"
import { VaultItems } from "../../src/ports/VaultItems.ts"
import { migrate, schemaSql } from "../../src/sql/migrations.ts"
import { sqlite } from "../../src/sql/sqlite.ts"
import * as SqliteClient from "../../src/sql/SqliteClient.ts"
import {
  sampleAnswer,
  sampleCharge,
  sampleOrder,
  sampleReceipt,
  sampleVaultItem
} from "../../src/testing/stores/records.ts"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()
const { key } = sampleCharge()

const withClient = <A, E>(filename: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.runPromise(Effect.provide(use, SqliteClient.layer({ filename })))

const openingOf = (filename: string) =>
  Effect.runPromise(Effect.flip(Effect.provide(Charges, sqlite({ filename }))))

describe("a file", () => {
  it("keeps everything when it is closed and opened again", async () => {
    const filename = nextFile()
    const write = Effect.gen(function* () {
      const charges = yield* Charges
      yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, 9)
      yield* charges.advance(key, "me", { answer: sampleAnswer(), subject: undefined })
      yield* charges.complete(key, { receipt: sampleReceipt(), refundDue: false }, 1_500)
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
    expect(found.charge).toMatchObject({ state: "settled", answer: sampleAnswer(), receipt: sampleReceipt() })
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
      })
    ))

  it("is seen by another connection as soon as a verb has answered", async () => {
    const filename = nextFile()
    const claim = Effect.gen(function* () {
      const charges = yield* Charges
      yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, 9)
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
      yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, 9)
      const other = new DatabaseSync(filename)
      other.exec("UPDATE till_charges SET answer = '{'")
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
    ["an empty name", () => "", /must not be empty/]
  ])("is refused in readable words: %s", async (_, filename, words) => {
    const error = await openingOf(filename())
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as ConfigurationError).message).toMatch(words)
  })
})

describe("migrations", () => {
  it("run once, whoever opens the file how often", async () => {
    const filename = nextFile()
    expect(await withClient(filename, migrate)).toEqual([[1, "initial"]])
    expect(await withClient(filename, migrate)).toEqual([])
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
      charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, 9)
    )
    expect(await Effect.runPromise(Effect.provide(claim, sqlite({ filename })))).toEqual({ _tag: "Claimed" })
  })
})

describe("the schema", () => {
  const settled = Effect.gen(function* () {
    const charges = yield* Charges
    yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, 9)
    yield* charges.advance(key, "me", { answer: sampleAnswer(), subject: undefined })
    yield* charges.complete(key, { receipt: sampleReceipt(), refundDue: true }, 1_500)
  })

  it.each(["UPDATE till_ledger SET amount = '1'", "DELETE FROM till_ledger WHERE kind = 'settled'"])(
    "refuses to change the ledger: %s",
    async (text) => {
      const filename = nextFile()
      await Effect.runPromise(Effect.provide(settled, sqlite({ filename })))
      const other = new DatabaseSync(filename)
      expect(() => other.exec(text)).toThrow("append-only")
      expect(other.prepare("SELECT count(*) AS count FROM till_ledger").get()).toEqual({ count: 2 })
      other.close()
    }
  )

  it("undoes a settlement that can't be entered", async () => {
    const filename = nextFile()
    const failing = Effect.gen(function* () {
      const charges = yield* Charges
      yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, 9)
      yield* charges.advance(key, "me", { answer: sampleAnswer(), subject: undefined })
      const other = new DatabaseSync(filename)
      other.exec("CREATE TRIGGER broken BEFORE INSERT ON till_ledger BEGIN SELECT RAISE(ABORT, 'no'); END")
      other.close()
      const error = yield* Effect.flip(
        charges.complete(key, { receipt: sampleReceipt(), refundDue: false }, 1_500)
      )
      return { error, charge: yield* charges.find(key), entries: yield* charges.entries({ limit: 9 }) }
    })
    const { charge, entries, error } = await Effect.runPromise(Effect.provide(failing, sqlite({ filename })))
    expect(error.operation).toBe("charges.complete")
    expect(charge).toMatchObject({ state: "ready", receipt: undefined })
    expect(entries).toEqual([])
  })

  it.each([
    ["unsettled charges of a payer", "till_charges_payer", "payer = 'p' AND state IN ('claimed', 'ready')"],
    [
      "unfinished ones",
      "till_charges_unfinished",
      "(state <> 'settled' OR effect_pending = 1) AND check_after <= 9 ORDER BY check_after, created_at, key"
    ],
    ["a page", "till_charges_created", "(created_at, key) < (9, 'k') ORDER BY created_at DESC, key DESC"],
    [
      "a page of the few that are not settled",
      "till_charges_open",
      "state = 'ready' AND state <> 'settled' AND 1 = 1 ORDER BY created_at DESC, key DESC"
    ],
    [
      "answers that are old",
      "till_charges_answered",
      "answer IS NOT NULL AND settled_at IS NOT NULL AND settled_at < 9 ORDER BY settled_at"
    ],
    [
      "those settled in a span",
      "till_charges_settled",
      "1 = 1 AND state = 'settled' AND settled_at >= 8 AND settled_at < 9"
    ]
  ])("finds %s by an index, in order", (_, index, condition) =>
    withClient(
      nextFile(),
      Effect.gen(function* () {
        yield* migrate
        const sql = yield* SqlClient.SqlClient
        const plan = yield* sql.unsafe<{ readonly detail: string }>(
          `EXPLAIN QUERY PLAN SELECT * FROM till_charges WHERE ${condition} LIMIT 5`
        )
        expect(plan.map(({ detail }) => detail)).toEqual([
          expect.stringContaining(`till_charges USING INDEX ${index}`)
        ])
      })
    )
  )
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
          (own) => charges.claim(sampleCharge({ key: own }), { owner: "me", untilMillis: 2_000 }, 1_000, 9),
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
      charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, 9)
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
      charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, 9)
    )
    const both = Layer.provideMerge(Layer.effectDiscard(claim).pipe(Layer.provide(storage)), storage)
    const found = Charges.use((charges) => charges.find(key))
    expect(await Effect.runPromise(Effect.provide(found, both))).toMatchObject({ state: "claimed" })
  })
})
