import { DatabaseSync } from "node:sqlite"
import { Effect, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { Charges } from "../src/ports/Charges.ts"
import { Orders } from "../src/shop/ports/Orders.ts"
import { eventLogger } from "../src/runtime/events.ts"
import type { ShopEvent } from "../src/shop/ports/ShopEvents.ts"
import { sqlite } from "../src/sqlite.ts"
import { chargesWithOne, paid, paidRefundDue, unlimited } from "../../testing/src/stores/chargeRecords.ts"
import { sampleResponse, sampleCharge, sampleOrder } from "../../testing/src/stores/records.ts"
import { temporaryFiles } from "./stores/sql/folder.ts"

const nextFile = temporaryFiles()
const { key } = sampleCharge()

describe("the schema", () => {
  const settled = Effect.gen(function* () {
    const charges = yield* Charges
    yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
    yield* charges.advance(key, "me", { response: sampleResponse(), subject: undefined })
    yield* charges.complete(key, paidRefundDue, 1_500)
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

  it("starts no refund beyond the payments in its ledger", async () => {
    const filename = nextFile()
    const starting = Effect.gen(function* () {
      const charges = yield* Charges
      const start = (own: string) => charges.startRefund(own, { sinceMillis: 0, maxAtomic: "0" }, 2_000)
      for (const own of ["first", "second"])
        yield* chargesWithOne("settled", { key: own }, { settlement: paidRefundDue })
      const before = yield* start("first")
      const other = new DatabaseSync(filename)
      other.exec(
        "DROP TRIGGER till_ledger_no_update; UPDATE till_ledger SET amount = '0' WHERE charge_key = 'second'"
      )
      const limit = { sinceMillis: 0, maxAtomic: "20000" }
      const first = yield* charges.startRefund("first", limit, 2_000)
      const second = yield* charges.startRefund("second", limit, 2_000)
      other.exec("UPDATE till_ledger SET amount = '10000' WHERE charge_key = 'second'")
      other.close()
      return [before, first, second, yield* charges.startRefund("second", limit, 2_000)]
    })
    const tags = await Effect.runPromise(Effect.provide(starting, sqlite({ filename })))
    const expected = ["OverLimit", "Started", "ExceedsReceived", "Started"]
    expect(tags.map(({ _tag }) => _tag)).toEqual(expected)
  })

  it("reports an entry that exists already as a failure, not as a transfer that is taken", async () => {
    const filename = nextFile()
    const failing = Effect.gen(function* () {
      const charges = yield* chargesWithOne("ready", { key })
      yield* chargesWithOne("settled", { key: "other" })
      const other = new DatabaseSync(filename)
      other.exec(`
        CREATE TEMP TABLE copy AS SELECT * FROM till_ledger;
        UPDATE copy SET charge_key = '${key}';
        INSERT INTO till_ledger SELECT * FROM copy`)
      other.close()
      const error = yield* Effect.flip(charges.complete(key, { ...paid, transferLogIndex: 1 }, 1_500))
      return { error, state: (yield* charges.find(key))?.state }
    })
    const { error, state } = await Effect.runPromise(Effect.provide(failing, sqlite({ filename })))
    expect(error.operation).toBe("charges.complete")
    expect(state).toBe("ready")
  })

  it("undoes a settlement that can't be entered", async () => {
    const filename = nextFile()
    const failing = Effect.gen(function* () {
      const charges = yield* Charges
      yield* charges.claim(sampleCharge(), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
      yield* charges.advance(key, "me", { response: sampleResponse(), subject: undefined })
      const other = new DatabaseSync(filename)
      other.exec("CREATE TRIGGER broken BEFORE INSERT ON till_ledger BEGIN SELECT RAISE(ABORT, 'no'); END")
      other.close()
      const error = yield* Effect.flip(charges.complete(key, paid, 1_500))
      return { error, charge: yield* charges.find(key), entries: yield* charges.entries({ limit: 9 }) }
    })
    const { charge, entries, error } = await Effect.runPromise(Effect.provide(failing, sqlite({ filename })))
    expect(error.operation).toBe("charges.complete")
    expect(charge).toMatchObject({ state: "ready", receipt: undefined })
    expect(entries).toEqual([])
  })
})

describe("an order whose row can't be read", () => {
  it("is skipped and reported, and holds up no other", async () => {
    const filename = nextFile()
    const events: Array<ShopEvent> = []
    const ids = Array.from({ length: 5 }, (_, index) => `order-${index}`)
    const result = await Effect.gen(function* () {
      const orders = yield* Orders
      for (const [index, id] of ids.entries())
        yield* orders.create(sampleOrder({ id, createdAtMillis: 1_000 + index, dueAtMillis: 2_000 + index }))
      damage(filename, "order-2", "order-3")
      const listed = yield* orders.list({ limit: 2 })
      const rest = yield* orders.list({ limit: 2, before: listed.at(-1)!.id })
      const taken = yield* orders.take(9_000, 99_000, 10)
      return [listed, rest, taken].map((found) => found.map(({ id }) => id))
    }).pipe(
      Effect.provide(sqlite({ filename })),
      Effect.provide(Logger.layer([eventLogger((event) => events.push(event))])),
      Effect.runPromise
    )
    expect(result).toEqual([["order-4", "order-1"], ["order-0"], ["order-0", "order-1", "order-4"]])
    expect(new Set(events.map(({ code, orderId }) => `${code} ${orderId}`))).toEqual(
      new Set(["storage_created undefined", "order_unreadable order-2", "order_unreadable order-3"])
    )
  })
})

/** Damages the rows of two orders: the progress of one is no JSON, the other's price is no number. */
const damage = (filename: string, one: string, other: string): void => {
  const database = new DatabaseSync(filename)
  database.prepare("UPDATE till_orders SET progress = '{' WHERE id = ?").run(one)
  database
    .prepare("UPDATE till_orders SET document = replace(document, '15270000', 'x') WHERE id = ?")
    .run(other)
  database.close()
}
