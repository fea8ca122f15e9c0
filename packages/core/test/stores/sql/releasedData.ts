import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { Orders } from "../../../src/shop/ports/Orders.ts"
import { Quotes } from "../../../src/shop/ports/Quotes.ts"
import { VaultItems } from "../../../src/shop/ports/VaultItems.ts"
import { VaultPurchases } from "../../../src/shop/ports/VaultPurchases.ts"
import { migrations, schemaSql } from "../../../src/stores/schema/migrations.ts"
import { order, paid, provisional, unlimited } from "../../../src/testing/stores/chargeRecords.ts"
import {
  sampleCharge,
  sampleOrder,
  sampleQuote,
  sampleReceipt,
  sampleResponse,
  sampleVaultItem,
  uuidOf
} from "../../../src/testing/stores/records.ts"
import { engines } from "./engines.ts"

/** Released schemas from which every change migrates: the first and the newest. `migrations.deep.test.ts` has the others. */
export const isQuick = ({ id }: { readonly id: number }): boolean => id === 1 || id >= migrations.length - 1

export const claimOf = (key: string) =>
  Charges.use((charges) =>
    charges.claim(sampleCharge({ key }), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
  )

export const released = (file: string): string =>
  readFileSync(join(import.meta.dirname, "released", file), "utf8")
export const statementsOf = (text: string): ReadonlyArray<string> =>
  text === "" ? [] : text.replace(/;\n$/, "").split(";\n\n")

/** Tests that what each of these schemas had is read and written. */
export const testReleasedData = (chosen: typeof migrations): void =>
  describe.each(engines)("a database with data from a released schema, in %s", (dialect, engine) => {
    /** The database as that version left it: its migrations, and the records of `<label>.data.sql`. */
    const madeBy = async (id: number): Promise<string> => {
      const name = await engine.create()
      const until = migrations.filter((migration) => migration.id <= id)
      const [record] = schemaSql[dialect].split(";\n\n")
      await engine.run(name, [
        record!,
        ...until.flatMap((migration) => [
          ...statementsOf(released(`${migration.id}_${migration.name}.${dialect}.sql`)),
          `INSERT INTO till_migrations (migration_id, name) VALUES (${migration.id}, '${migration.name}')`
        ]),
        ...statementsOf(released(`${id}_${until.at(-1)!.name}.data.sql`))
      ])
      return name
    }

    it.each(chosen)("is read and written: $name", async ({ id }) => {
      const name = await madeBy(id)
      const use = Effect.gen(function* () {
        const charges = yield* Charges
        const found = {
          ready: yield* charges.find("ready"),
          settled: yield* charges.find("settled"),
          refunded: yield* charges.find("refunded"),
          entries: yield* charges.entries({ limit: 100 }),
          stop: yield* charges.refundStop(),
          order: yield* (yield* Orders).find(sampleOrder().id),
          placed: yield* (yield* Orders).findByReference("upstream-1", undefined),
          quote: yield* (yield* Quotes).consume(sampleQuote().id, "a charge", 2_000),
          item: yield* (yield* VaultItems).findBySlug("item-1"),
          page: yield* (yield* VaultItems).search({
            limit: 5,
            q: "notes writ",
            category: "development",
            maxPrice: 10
          }),
          reserved: yield* (yield* VaultPurchases).find(uuidOf(1)),
          granted: yield* (yield* VaultPurchases).find(uuidOf(2)),
          sales: yield* (yield* VaultPurchases).countSales("item-1"),
          versions: yield* (yield* VaultItems).versions("item-1", 5)
        }
        const written = {
          completed: yield* charges.complete("ready", { ...paid, receipt: sampleReceipt(9) }, 4_000),
          // The transfer of the charge `settled` proves no other.
          taken: yield* charges.complete(
            "voided",
            { ...provisional, receipt: sampleReceipt(2), refundDue: true },
            4_000
          ),
          refunded: yield* charges.recordRefund("due", "0xrefund-2", 4_000),
          claimed: yield* claimOf("new"),
          replaced: yield* (yield* Orders).replace(sampleOrder({ status: "placed" })),
          granted: yield* (yield* VaultPurchases).grant(uuidOf(1), undefined)
        }
        const totals = yield* charges.totals(0, 86_400_000)
        return { found, written, totals, entries: yield* charges.entries({ limit: 100, fromMillis: 4_000 }) }
      })
      const { entries, found, totals, written } = await engine.open(name, use)
      expect(found.ready).toMatchObject({ state: "ready", response: sampleResponse(), subject: order })
      expect(found.settled).toMatchObject({ state: "settled", transferLogIndex: 3, awaitsFinality: true })
      expect(found.refunded).toMatchObject({ refund: { transaction: "0xrefund" } })
      expect(found.entries.map(({ chargeKey, kind }) => `${chargeKey} ${kind}`).sort()).toEqual([
        "due refund_due",
        "due settled",
        "refunded refund_due",
        "refunded refunded",
        "refunded settled",
        "settled settled"
      ])
      expect(found.stop).toMatchObject({ reason: "an operator's reason" })
      expect(found.order).toEqual(sampleOrder())
      expect(found.placed).toMatchObject({ id: uuidOf(2), status: "placed" })
      expect(found.quote).toBe(true)
      const item = sampleVaultItem(1, { downloads: id < 4 ? 0 : 7 })
      expect(found.item).toEqual(item)
      expect(found.page).toEqual({ items: [item], nextCursor: null })
      const version = { version: 1, digest: "a".repeat(64), size: 100, publishedAtMillis: 1_000 }
      expect(found.versions).toEqual(id < 5 ? [] : [version])
      expect(found.sales).toBe(1)
      expect([found.reserved?.status, found.granted?.status]).toEqual(["reserved", "granted"])
      expect(written).toEqual({
        completed: { _tag: "Completed" },
        taken: { _tag: "TransferTaken" },
        refunded: expect.anything(),
        claimed: { _tag: "Claimed" },
        replaced: true,
        granted: true
      })
      expect(entries.map(({ chargeKey, kind }) => `${chargeKey} ${kind}`).sort()).toEqual([
        "due refunded",
        "ready settled"
      ])
      expect(totals.map(({ amountAtomic, count, kind }) => [kind, count, amountAtomic])).toEqual([
        ["refund_due", 2, "20000"],
        ["refunded", 2, "20000"],
        ["settled", 4, "40000"]
      ])
    })
  })
