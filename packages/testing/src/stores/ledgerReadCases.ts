import { Effect } from "effect"
import { Charges, type EntriesQuery, type LedgerEntry, type LedgerTotal } from "@till402/core/effect"
import { summed } from "./LedgerModel.ts"
import { chargesWithOne, key, paid, unlimited, lease, outcome } from "./chargeRecords.ts"
import { sampleCharge } from "./records.ts"
import { expectEqual, race, racers, format, type ChargeCase, storeCase } from "./StoreCase.ts"

const operations = ["search", "assistant", "buy"]
const day = 86_400_000
/** 2026-11-21, half a second before midnight. */
const beforeMidnight = Date.UTC(2026, 10, 22) - 500

/** Twelve settled charges around midnight, two at each time, some refunded: 24 entries. */
const sampleLedger = Effect.gen(function* () {
  const charges = yield* Charges
  for (let number = 0; number < 12; number++) {
    const own = `key-${number % 10}${number}`
    const atMillis = beforeMidnight + Math.floor(number / 2) * 200
    const charge = sampleCharge({
      key: own,
      operation: operations[number % 3]!,
      network: number % 4 === 0 ? "eip155:8453" : "eip155:84532",
      // Exceeds 64 bits, as tokens of 18 decimals do.
      amountAtomic: number === 2 || number === 5 ? "98765432109876543210987" : String(1_000 + number)
    })
    yield* charges.claim(charge, lease("me"), 1_000, unlimited)
    yield* charges.advance(own, "me", outcome)
    yield* charges.complete(own, { ...paid, refundDue: number % 3 === 0 }, atMillis)
    if (number % 3 === 1) yield* charges.markRefundDue(own, atMillis + 100, undefined)
    if (number % 3 !== 2 && number % 2 === 0)
      yield* charges.recordRefund(own, `0xback${number}`, atMillis + day)
  }
  return charges
})

/** Reads all pages of the ledger. */
const pagesOf = Effect.fnUntraced(function* (query: EntriesQuery) {
  const charges = yield* Charges
  const pages: Array<LedgerEntry> = []
  let last: LedgerEntry | undefined
  do {
    const page: ReadonlyArray<LedgerEntry> = yield* charges.entries({
      ...query,
      ...(last === undefined ? {} : { before: last })
    })
    pages.push(...page)
    last = page.at(-1)
  } while (last !== undefined && pages.length < 1_000)
  return pages
})

const placeOf = ({ atMillis, chargeKey, kind, round }: LedgerEntry) =>
  `${atMillis} ${chargeKey} ${kind} ${round}`

/** Sorts totals, whose order is unspecified. */
const sorted = (totals: ReadonlyArray<LedgerTotal>): ReadonlyArray<string> => totals.map(format).toSorted()

/** Reading the ledger: order, pages, filters and totals. */
export const ledgerReadCases: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: the ledger reads newest first, by time, key and kind", function* () {
    const charges = yield* sampleLedger
    const entries = yield* charges.entries({ limit: 100 })
    expectEqual(entries.length, 24, "entries")
    const ordered = entries.toSorted(
      (left, right) =>
        right.atMillis - left.atMillis ||
        (left.chargeKey === right.chargeKey
          ? left.kind < right.kind
            ? 1
            : -1
          : left.chargeKey < right.chargeKey
            ? 1
            : -1)
    )
    expectEqual(entries.map(placeOf), ordered.map(placeOf), "the order")
    expectEqual(yield* charges.entries({ limit: 5 }), entries.slice(0, 5), "the first five")
  }),
  storeCase("Charges: pages of the ledger have no gaps and no repeats, whatever their size", function* () {
    const charges = yield* sampleLedger
    const entries = yield* charges.entries({ limit: 100 })
    for (const limit of [1, 2, 3, 7, 24])
      expectEqual((yield* pagesOf({ limit })).map(placeOf), entries.map(placeOf), `pages of ${limit}`)
  }),
  storeCase("Charges: entries added while the ledger is read don't shift its pages", function* () {
    const charges = yield* sampleLedger
    const entries = yield* charges.entries({ limit: 100 })
    const first = yield* charges.entries({ limit: 10 })
    yield* chargesWithOne("settled", { key: "new" }, { settledAtMillis: beforeMidnight + 2 * day })
    const second = yield* charges.entries({ limit: 100, before: first.at(-1)! })
    expectEqual([...first, ...second].map(placeOf), entries.map(placeOf), "the pages")
  }),
  storeCase("Charges: the ledger can be filtered by time and by charge", function* () {
    const charges = yield* sampleLedger
    const all = yield* charges.entries({ limit: 100 })
    const fromMillis = beforeMidnight + 200
    const beforeMillis = beforeMidnight + 800
    const within = all.filter(({ atMillis }) => atMillis >= fromMillis && atMillis < beforeMillis)
    expectEqual(yield* charges.entries({ limit: 100, fromMillis, beforeMillis }), within, "of a span")
    const since = all.filter(({ atMillis }) => atMillis >= fromMillis)
    expectEqual(yield* charges.entries({ limit: 100, fromMillis }), since, "from a time on")
    const until = all.filter(({ atMillis }) => atMillis < beforeMillis)
    expectEqual(yield* charges.entries({ limit: 100, beforeMillis }), until, "before a time")
    const chargeKeys = [all[0]!.chargeKey, all[20]!.chargeKey, "unknown"]
    const theirs = all.filter(({ chargeKey }) => chargeKeys.includes(chargeKey))
    expectEqual(yield* charges.entries({ limit: 100, chargeKeys }), theirs, "of some charges")
    expectEqual(yield* pagesOf({ limit: 1, chargeKeys }), theirs, "of some charges, one by one")
    expectEqual(yield* charges.entries({ limit: 100, chargeKeys: [] }), [], "of no charges")
    const both = within.filter(({ chargeKey }) => chargeKey === within[0]!.chargeKey)
    const narrowed = { limit: 100, fromMillis, beforeMillis, chargeKeys: [within[0]!.chargeKey] }
    expectEqual(yield* charges.entries(narrowed), both, "of one charge in a span")
  }),
  storeCase("Charges: the ledger can be filtered by network and by payer", function* () {
    const charges = yield* sampleLedger
    const other = { key: "key-other", payer: "0xother", network: "eip155:8453" }
    yield* chargesWithOne("settled", other, { settledAtMillis: beforeMidnight + 300 })
    const all = yield* charges.entries({ limit: 100 })
    for (const network of ["eip155:8453", "eip155:84532"]) {
      const theirs = all.filter((entry) => entry.network === network)
      expectEqual(yield* charges.entries({ limit: 100, network }), theirs, `of ${network}`)
      expectEqual(yield* pagesOf({ limit: 2, network }), theirs, `of ${network}, two by two`)
    }
    const { payer } = sampleCharge()
    const theirs = all.filter((entry) => entry.payer === payer)
    expectEqual(theirs.length, 24, "entries of the payer")
    expectEqual(yield* charges.entries({ limit: 100, payer }), theirs, "of a payer")
    expectEqual(yield* pagesOf({ limit: 5, payer }), theirs, "of a payer, five by five")
    const query = { payer: "0xother", network: "eip155:8453", fromMillis: beforeMidnight + 300 }
    const theirOne = all.filter((entry) => entry.payer === "0xother")
    expectEqual(
      yield* charges.entries({ limit: 100, ...query }),
      theirOne,
      "of a payer on a network since a time"
    )
    const later = { ...query, fromMillis: beforeMidnight + 301 }
    expectEqual(yield* charges.entries({ limit: 100, ...later }), [], "since a later time")
    expectEqual(yield* charges.entries({ limit: 100, payer: "0xnobody" }), [], "of an unknown payer")
  }),
  storeCase("Charges: entries of one charge and time are ordered by kind and round", function* () {
    const settlement = { ...paid, finalAfterMillis: 1_500 }
    const charges = yield* chargesWithOne("settled", {}, { settlement })
    for (const round of [1, 2, 3]) {
      expectEqual(yield* charges.reopen(key, "me", 1_500), true, `reversal ${round}`)
      yield* charges.complete(key, settlement, 1_500)
    }
    const entries = yield* charges.entries({ limit: 10 })
    const places = [3, 2, 1, 0].map((round) => `settled ${round}`)
    expectEqual(
      entries.map(({ kind, round }) => `${kind} ${round}`),
      [...places, ...[2, 1, 0].map((round) => `reversed ${round}`)],
      "the order"
    )
    for (const limit of [1, 2, 3]) expectEqual(yield* pagesOf({ limit }), entries, `pages of ${limit}`)
    const totals = yield* charges.totals(0, 2_000)
    expectEqual(
      totals.map(({ amountAtomic, count, kind }) => `${kind} ${count} ${amountAtomic}`).toSorted(),
      ["reversed 3 30000", "settled 4 40000"],
      "the totals"
    )
  }),
  storeCase("Charges: totals equal the summed entries, by UTC day", function* () {
    const charges = yield* sampleLedger
    const spans = [
      [0, 1e15],
      [beforeMidnight, beforeMidnight + 500],
      [beforeMidnight + 200, beforeMidnight + 800],
      [beforeMidnight + day, 1e15],
      [0, beforeMidnight],
      [beforeMidnight + 300, beforeMidnight + 500 + day],
      [beforeMidnight + 500, beforeMidnight + 500 + day],
      [beforeMidnight + 500 - day, beforeMidnight + day + 400],
      [beforeMidnight + 800, beforeMidnight + 200]
    ] as const
    for (const [fromMillis, beforeMillis] of spans) {
      const entries = yield* charges.entries({ limit: 100, fromMillis, beforeMillis })
      const totals = yield* charges.totals(fromMillis, beforeMillis)
      expectEqual(sorted(totals), sorted(summed(entries)), `totals from ${fromMillis} to ${beforeMillis}`)
    }
    const days = new Set((yield* charges.totals(0, 1e15)).map(({ day: name }) => name))
    expectEqual([...days].toSorted(), ["2026-11-21", "2026-11-22", "2026-11-23"], "the days")
  }),
  storeCase(`Charges: settlements by ${racers} racers are in the ledger to the last unit`, function* () {
    const charges = yield* Charges
    yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* chargesWithOne("ready", { key: own, amountAtomic: String(10 ** 6 + racer) })
        yield* Effect.all(
          [
            charges.complete(own, paid, 1_500),
            charges.complete(own, paid, 1_500),
            charges.markRefundDue(own, 1_500, undefined)
          ],
          { concurrency: "unbounded" }
        )
        yield* charges.markRefundDue(own, 1_500, undefined)
      })
    )
    const amountAtomic = String(racers * 10 ** 6 + (racers * (racers - 1)) / 2)
    for (const beforeMillis of [2_000, day]) {
      const totals = yield* charges.totals(0, beforeMillis)
      expectEqual(
        totals.map((total) => `${total.kind} ${total.count} ${total.amountAtomic}`).toSorted(),
        [`refund_due ${racers} ${amountAtomic}`, `settled ${racers} ${amountAtomic}`],
        `the totals before ${beforeMillis}`
      )
    }
  }),
  storeCase("Charges: no operation removes a ledger entry", function* () {
    const charges = yield* chargesWithOne("settled", { key: "settled" })
    const before = yield* charges.entries({ limit: 10 })
    yield* charges.release("settled", "me")
    yield* charges.void("settled", "me", { keepExposure: false, checkAfterMillis: 0 })
    yield* charges.releaseVoided(["settled"], 1e12)
    yield* charges.finalize("settled", "me")
    yield* charges.reopen("settled", "me", 1_600)
    yield* charges.deliver("settled", "me", outcome.response)
    yield* charges.complete("settled", { ...paid, transferLogIndex: 1 }, 1_600)
    yield* charges.claim(sampleCharge({ key: "settled" }), lease("me", 1e12), 1e11, unlimited)
    yield* charges.expire(1e12, 10)
    yield* charges.markApplied("settled")
    yield* charges.defer("settled", "me", 0)
    expectEqual(yield* charges.entries({ limit: 10 }), before, "the ledger")
  })
]
