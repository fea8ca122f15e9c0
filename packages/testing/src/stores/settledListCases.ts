import { type SettledCharge, settledChargeOf } from "@till402/core/effect"
import { chargesWithOne, keysOf, paidRefundDue } from "./chargeRecords.ts"
import { dozen } from "./retentionCases.ts"
import { expectEqual, type ChargeCase, storeCase } from "./StoreCase.ts"

/** The list of settled charges that audits read. */
export const settledListCases: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: listSettled pages by settlement time and key, oldest first", function* () {
    const charges = yield* dozen
    for (const key of ["b", "a", "c"])
      yield* chargesWithOne("settled", { key }, { settledAtMillis: 5_010, settlement: paidRefundDue })
    const all = yield* charges.listSettled({ limit: 100 })
    const settled = (yield* charges.list({ limit: 100, state: "settled" })).toSorted(
      (left, right) => left.settledAtMillis! - right.settledAtMillis! || (left.key < right.key ? -1 : 1)
    )
    expectEqual(keysOf(all), keysOf(settled), "the order")
    for (const limit of [1, 2, 3, 6]) {
      const pages: Array<string> = []
      let after: SettledCharge | undefined
      do {
        const page: ReadonlyArray<SettledCharge> = yield* charges.listSettled({
          limit,
          ...(after === undefined ? {} : { after })
        })
        pages.push(...keysOf(page))
        after = page.at(-1)
      } while (after !== undefined && pages.length < 1_000)
      expectEqual(pages, keysOf(settled), `pages of ${limit}`)
    }
    const span = { limit: 100, fromMillis: 5_000, beforeMillis: 5_020 }
    const within = settled.filter(({ settledAtMillis }) => settledAtMillis! < 5_020)
    expectEqual(keysOf(yield* charges.listSettled(span)), keysOf(within), "those of a span")
    const since = settled.filter(({ settledAtMillis }) => settledAtMillis! >= 5_010)
    const from = { limit: 100, fromMillis: 5_010 }
    expectEqual(keysOf(yield* charges.listSettled(from)), keysOf(since), "those since a time")
    const rest = yield* charges.listSettled({ ...span, after: all[0]! })
    expectEqual(keysOf(rest), keysOf(within.slice(1)), "the rest of a span")
    const chargeKeys = ["c", "a", "unknown", "key-d"]
    expectEqual(keysOf(yield* charges.listSettled({ limit: 100, chargeKeys })), ["a", "c"], "some of them")
    expectEqual(yield* charges.listSettled({ limit: 100, chargeKeys: [] }), [], "none of them")
  }),
  storeCase("Charges: listSettled tells whether there is or was a response", function* () {
    const charges = yield* chargesWithOne("settled", { key: "expired" }, { settledAtMillis: 4_999 })
    yield* charges.expire(5_000, 10)
    yield* chargesWithOne("settled", { key: "kept" }, { settledAtMillis: 5_000 })
    yield* chargesWithOne("ready", { key: "lost" })
    yield* charges.void("lost", "me", { keepExposure: false, checkAfterMillis: 0 })
    yield* charges.complete("lost", { ...paidRefundDue, transferLogIndex: 3 }, 5_001)
    const listed = yield* charges.listSettled({ limit: 10 })
    const told = listed.map(({ hasResponse, key: own }) => [own, hasResponse])
    expectEqual(
      told,
      [
        ["expired", true],
        ["kept", true],
        ["lost", false]
      ],
      "the responses"
    )
    for (const settled of listed) {
      const charge = yield* charges.find(settled.key)
      expectEqual(settled, settledChargeOf(charge!), `the facts of ${settled.key}`)
    }
  })
]
