import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Charges, type EntriesQuery, type LedgerEntry } from "../../../src/ports/Charges.ts"
import {
  eachEntryPage,
  entriesOfCharges,
  isReversed,
  unreversedSettlements
} from "../../../src/toll/audit/LedgerPages.ts"

const entry = (number: number, changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
  kind: "settled",
  chargeKey: `charge-${number}`,
  operation: "search",
  network: "eip155:84532",
  asset: "0x036c",
  payer: "0xpayer",
  payTo: "0xshop",
  amountAtomic: "10000",
  transaction: `0x${number}`,
  transferLogIndex: undefined,
  round: 0,
  atMillis: 1_000_000 - number,
  ...changes
})

/** A ledger of these entries, newest first, and its queries. */
const ledgerOf = Effect.fnUntraced(function* (entries: ReadonlyArray<LedgerEntry>) {
  const queries: Array<EntriesQuery> = []
  const charges = yield* Charges
  const service: Charges["Service"] = {
    ...charges,
    entries: (query) =>
      Effect.sync(() => {
        queries.push(query)
        const found = entries.filter(({ chargeKey }) => query.chargeKeys?.includes(chargeKey) ?? true)
        const from = found.findIndex(({ chargeKey }) => chargeKey === query.before?.chargeKey) + 1
        return found.slice(from, from + query.limit)
      })
  }
  return { queries, provide: Effect.provideService(Charges, service) }
}, Effect.provide(Charges.layerMemory))

describe("the ledger, page by page", () => {
  it.effect.each([
    [0, []],
    [199, [199]],
    [200, [200]],
    [201, [200, 1]],
    [450, [200, 200, 50]]
  ] as const)("gives each of %i entries once", ([count, sizes]) =>
    Effect.gen(function* () {
      const entries = Array.from({ length: count }, (_, number) => entry(number))
      const { queries, provide } = yield* ledgerOf(entries)
      const pages: Array<ReadonlyArray<LedgerEntry>> = []
      yield* provide(eachEntryPage({ fromMillis: 7 }, (page) => Effect.sync(() => void pages.push(page))))
      assert.deepStrictEqual(
        pages.map(({ length }) => length),
        [...sizes]
      )
      assert.deepStrictEqual(pages.flat(), entries)
      assert.isTrue(queries.every(({ fromMillis, limit }) => fromMillis === 7 && limit === 200))
    })
  )

  it.effect("ends with the first failure", () =>
    Effect.gen(function* () {
      const { queries, provide } = yield* ledgerOf(
        Array.from({ length: 1_200 }, (_, number) => entry(number))
      )
      assert.strictEqual(yield* Effect.flip(provide(eachEntryPage({}, () => Effect.fail("no")))), "no")
      assert.strictEqual(queries.length, 1)
    })
  )
})

describe("the entries of charges", () => {
  it.effect("are by charge, and read once each", () =>
    Effect.gen(function* () {
      const [one, two, refund] = [entry(1), entry(2), entry(1, { kind: "refunded" })]
      const { queries, provide } = yield* ledgerOf([one, two, refund])
      const found = yield* provide(entriesOfCharges(["charge-1", "charge-2", "charge-1", "charge-3"]))
      assert.deepStrictEqual(
        [...found],
        [
          ["charge-1", [one, refund]],
          ["charge-2", [two]]
        ]
      )
      assert.deepStrictEqual(queries[0]?.chargeKeys, ["charge-1", "charge-2", "charge-3"])
    })
  )

  it.effect("are not read where there is no charge", () =>
    Effect.gen(function* () {
      const { queries, provide } = yield* ledgerOf([entry(1)])
      assert.strictEqual((yield* provide(entriesOfCharges([]))).size, 0)
      assert.strictEqual(queries.length, 0)
    })
  )
})

describe("a settlement that stands", () => {
  const reversed = (number: number, round: number) => entry(number, { kind: "reversed", round })

  it("is one that was not reversed in its own round", () => {
    assert.isFalse(isReversed(entry(1), []))
    assert.isFalse(isReversed(entry(1), [entry(1), entry(1, { kind: "refund_due" }), reversed(1, 1)]))
    assert.isTrue(isReversed(entry(1), [entry(1), reversed(1, 0)]))
    assert.isTrue(isReversed(entry(1, { round: 1 }), [reversed(1, 1)]))
  })

  it.effect("is found in a page by all entries of its charge", () =>
    Effect.gen(function* () {
      const again = entry(2, { round: 1 })
      const { provide } = yield* ledgerOf([
        entry(1),
        entry(2),
        reversed(2, 0),
        again,
        entry(3),
        reversed(3, 0)
      ])
      const page = [entry(1), entry(2), again, entry(3), entry(4, { kind: "refund_due" })]
      assert.deepStrictEqual(yield* provide(unreversedSettlements(page)), [entry(1), again])
    })
  )
})
