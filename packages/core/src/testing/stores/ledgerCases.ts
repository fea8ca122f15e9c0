import { Effect } from "effect"
import { Charges, type EntriesQuery, type LedgerEntry, type LedgerTotal } from "../../ports/Charges.ts"
import { summed } from "./LedgerModel.ts"
import {
  asSettled,
  chargesWith,
  key,
  order,
  paid,
  paidBack,
  unlimited,
  lease,
  outcome
} from "./chargeRecords.ts"
import { sampleCharge, sampleReceipt } from "./records.ts"
import { equal, race, racers, show, type StoreCase, storeCase, wins } from "./StoreCase.ts"

const entryOf = (entry: Pick<LedgerEntry, "kind" | "atMillis" | "transaction">): LedgerEntry => {
  const { amountAtomic, asset, network, operation, payTo, payer } = sampleCharge()
  const money = { operation, network, asset, payer, payTo, amountAtomic }
  return { chargeKey: key, ...money, transferLogIndex: undefined, round: 0, ...entry }
}

const settledEntry = entryOf({
  kind: "settled",
  atMillis: 1_500,
  transaction: sampleReceipt().transaction
})

const refunds: ReadonlyArray<StoreCase> = [
  storeCase("Charges: a settled charge is owed back once, and sent back once", function* () {
    const charges = yield* chargesWith("settled")
    equal(yield* charges.recordRefund(key, "0xback", 1_600), false, "a refund sent that is not due")
    equal(yield* charges.oweRefund(key, 1_600), true, "a refund that is due")
    equal(yield* charges.find(key), { ...asSettled, refund: { _tag: "Due" } }, "the charge owed back")
    equal(yield* charges.oweRefund(key, 1_700), false, "a refund due once more")
    equal(yield* charges.recordRefund(key, "0xback", 1_800), true, "a refund that is sent")
    const sent = { ...asSettled, refund: { _tag: "Sent", transaction: "0xback" } }
    equal(yield* charges.find(key), sent, "the charge sent back")
    equal(yield* charges.recordRefund(key, "0xagain", 1_900), false, "a refund sent once more")
    equal(yield* charges.oweRefund(key, 1_900), false, "a refund due after it was sent")
    equal(yield* charges.find(key), sent, "the charge after all that")
    const entries = [
      entryOf({ kind: "refunded", atMillis: 1_800, transaction: "0xback" }),
      entryOf({ kind: "refund_due", atMillis: 1_600, transaction: undefined }),
      settledEntry
    ]
    equal(yield* charges.entries({ limit: 10 }), entries, "the ledger")
  }),
  storeCase("Charges: nothing is owed back of a charge that is not settled", function* () {
    const charges = yield* Charges
    for (const state of ["claimed", "ready", "voided"] as const) {
      yield* chargesWith(state, { key: state })
      const before = yield* charges.find(state)
      equal(yield* charges.oweRefund(state, 1_600), false, `of a ${state} charge`)
      equal(yield* charges.recordRefund(state, "0xback", 1_600), false, `sent, of a ${state} charge`)
      equal(yield* charges.find(state), before, `the ${state} charge`)
    }
    equal(yield* charges.oweRefund("unknown", 1_600), false, "of an unknown key")
    equal(yield* charges.recordRefund("unknown", "0xback", 1_600), false, "sent, of an unknown key")
    equal(yield* charges.entries({ limit: 10 }), [], "the ledger")
  }),
  storeCase("Charges: a settlement without an answer is entered with its refund", function* () {
    const charges = yield* chargesWith("ready", {}, { subject: order })
    yield* charges.complete(key, paidBack, 1_500)
    equal((yield* charges.find(key))?.refund, { _tag: "Due" }, "the refund")
    equal(yield* charges.oweRefund(key, 1_600), false, "a refund due once more")
    const due = entryOf({ kind: "refund_due", atMillis: 1_500, transaction: undefined })
    equal(yield* charges.entries({ limit: 10 }), [settledEntry, due], "the ledger")
  }),
  storeCase(
    `Charges: of ${racers} racers one owes and one sends back, and each is entered once`,
    function* () {
      const charges = yield* chargesWith("settled")
      const owed = yield* race((racer) => charges.oweRefund(key, 2_000 + racer))
      equal(wins(owed), 1, "racers that owed it")
      const sent = yield* race((racer) => charges.recordRefund(key, `0xback${racer}`, 3_000 + racer))
      equal(wins(sent), 1, "racers that sent it")
      const winner = sent.indexOf(true)
      const refund = (yield* charges.find(key))?.refund
      equal(refund, { _tag: "Sent", transaction: `0xback${winner}` }, "the refund")
      const entries = [
        entryOf({ kind: "refunded", atMillis: 3_000 + winner, transaction: `0xback${winner}` }),
        entryOf({ kind: "refund_due", atMillis: 2_000 + owed.indexOf(true), transaction: undefined }),
        settledEntry
      ]
      equal(yield* charges.entries({ limit: 10 }), entries, "the ledger")
    }
  )
]

const operations = ["search", "assistant", "buy"]
const day = 86_400_000
/** 2026-11-21, half a second before midnight. */
const beforeMidnight = Date.UTC(2026, 10, 22) - 500

/** Twelve settled charges around a midnight, two at each moment, some refunded: 24 entries. */
const books = Effect.gen(function* () {
  const charges = yield* Charges
  for (let number = 0; number < 12; number++) {
    const own = `key-${number % 10}${number}`
    const atMillis = beforeMidnight + Math.floor(number / 2) * 200
    const charge = sampleCharge({
      key: own,
      operation: operations[number % 3]!,
      network: number % 4 === 0 ? "eip155:8453" : "eip155:84532",
      // More than 64 bits hold, as tokens of 18 decimals have it.
      amountAtomic: number === 2 || number === 5 ? "98765432109876543210987" : String(1_000 + number)
    })
    yield* charges.claim(charge, lease("me"), 1_000, unlimited)
    yield* charges.advance(own, "me", outcome)
    yield* charges.complete(own, { ...paid, refundDue: number % 3 === 0 }, atMillis)
    if (number % 3 === 1) yield* charges.oweRefund(own, atMillis + 100)
    if (number % 3 !== 2 && number % 2 === 0)
      yield* charges.recordRefund(own, `0xback${number}`, atMillis + day)
  }
  return charges
})

/** All pages of the ledger. */
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

/** In some order: which one, nobody promises. */
const sorted = (totals: ReadonlyArray<LedgerTotal>): ReadonlyArray<string> => totals.map(show).toSorted()

const reading: ReadonlyArray<StoreCase> = [
  storeCase("Charges: the ledger reads newest first, by time, key and kind", function* () {
    const charges = yield* books
    const entries = yield* charges.entries({ limit: 100 })
    equal(entries.length, 24, "entries")
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
    equal(entries.map(placeOf), ordered.map(placeOf), "the order")
    equal(yield* charges.entries({ limit: 5 }), entries.slice(0, 5), "the first five")
  }),
  storeCase("Charges: pages of the ledger have no gaps and no repeats, whatever their size", function* () {
    const charges = yield* books
    const entries = yield* charges.entries({ limit: 100 })
    for (const limit of [1, 2, 3, 7, 24])
      equal((yield* pagesOf({ limit })).map(placeOf), entries.map(placeOf), `pages of ${limit}`)
  }),
  storeCase("Charges: what is entered while the ledger is read disturbs no page", function* () {
    const charges = yield* books
    const entries = yield* charges.entries({ limit: 100 })
    const first = yield* charges.entries({ limit: 10 })
    yield* chargesWith("settled", { key: "new" }, { settledAtMillis: beforeMidnight + 2 * day })
    const second = yield* charges.entries({ limit: 100, before: first.at(-1)! })
    equal([...first, ...second].map(placeOf), entries.map(placeOf), "the pages")
  }),
  storeCase("Charges: the ledger is read by time and by charge", function* () {
    const charges = yield* books
    const all = yield* charges.entries({ limit: 100 })
    const fromMillis = beforeMidnight + 200
    const beforeMillis = beforeMidnight + 800
    const within = all.filter(({ atMillis }) => atMillis >= fromMillis && atMillis < beforeMillis)
    equal(yield* charges.entries({ limit: 100, fromMillis, beforeMillis }), within, "of a span")
    const since = all.filter(({ atMillis }) => atMillis >= fromMillis)
    equal(yield* charges.entries({ limit: 100, fromMillis }), since, "from a time on")
    const until = all.filter(({ atMillis }) => atMillis < beforeMillis)
    equal(yield* charges.entries({ limit: 100, beforeMillis }), until, "before a time")
    const chargeKeys = [all[0]!.chargeKey, all[20]!.chargeKey, "unknown"]
    const theirs = all.filter(({ chargeKey }) => chargeKeys.includes(chargeKey))
    equal(yield* charges.entries({ limit: 100, chargeKeys }), theirs, "of some charges")
    equal(yield* pagesOf({ limit: 1, chargeKeys }), theirs, "of some charges, one by one")
    equal(yield* charges.entries({ limit: 100, chargeKeys: [] }), [], "of no charges")
    const both = within.filter(({ chargeKey }) => chargeKey === within[0]!.chargeKey)
    const narrowed = { limit: 100, fromMillis, beforeMillis, chargeKeys: [within[0]!.chargeKey] }
    equal(yield* charges.entries(narrowed), both, "of one charge in a span")
  }),
  storeCase("Charges: the ledger is read by network and by payer", function* () {
    const charges = yield* books
    const other = { key: "key-other", payer: "0xother", network: "eip155:8453" }
    yield* chargesWith("settled", other, { settledAtMillis: beforeMidnight + 300 })
    const all = yield* charges.entries({ limit: 100 })
    for (const network of ["eip155:8453", "eip155:84532"]) {
      const theirs = all.filter((entry) => entry.network === network)
      equal(yield* charges.entries({ limit: 100, network }), theirs, `of ${network}`)
      equal(yield* pagesOf({ limit: 2, network }), theirs, `of ${network}, two by two`)
    }
    const { payer } = sampleCharge()
    const theirs = all.filter((entry) => entry.payer === payer)
    equal(theirs.length, 24, "entries of the payer")
    equal(yield* charges.entries({ limit: 100, payer }), theirs, "of a payer")
    equal(yield* pagesOf({ limit: 5, payer }), theirs, "of a payer, five by five")
    const query = { payer: "0xother", network: "eip155:8453", fromMillis: beforeMidnight + 300 }
    const theirOne = all.filter((entry) => entry.payer === "0xother")
    equal(yield* charges.entries({ limit: 100, ...query }), theirOne, "of a payer on a network since a time")
    const later = { ...query, fromMillis: beforeMidnight + 301 }
    equal(yield* charges.entries({ limit: 100, ...later }), [], "since a later time")
    equal(yield* charges.entries({ limit: 100, payer: "0xnobody" }), [], "of nobody")
  }),
  storeCase(
    "Charges: entries of one charge and moment are in the order of their kind and round",
    function* () {
      const settlement = { ...paid, finalAfterMillis: 1_500 }
      const charges = yield* chargesWith("settled", {}, { settlement })
      for (const round of [1, 2, 3]) {
        equal(yield* charges.reopen(key, "me", 1_500), true, `reversal ${round}`)
        yield* charges.complete(key, settlement, 1_500)
      }
      const entries = yield* charges.entries({ limit: 10 })
      const places = [3, 2, 1, 0].map((round) => `settled ${round}`)
      equal(
        entries.map(({ kind, round }) => `${kind} ${round}`),
        [...places, ...[2, 1, 0].map((round) => `reversed ${round}`)],
        "the order"
      )
      for (const limit of [1, 2, 3]) equal(yield* pagesOf({ limit }), entries, `pages of ${limit}`)
      const totals = yield* charges.totals(0, 2_000)
      equal(
        totals.map(({ amountAtomic, count, kind }) => `${kind} ${count} ${amountAtomic}`).toSorted(),
        ["reversed 3 30000", "settled 4 40000"],
        "the totals"
      )
    }
  ),
  storeCase("Charges: totals are the entries summed, by UTC day", function* () {
    const charges = yield* books
    const spans = [
      [0, 1e15],
      [beforeMidnight, beforeMidnight + 500],
      [beforeMidnight + 200, beforeMidnight + 800],
      [beforeMidnight + day, 1e15],
      [0, beforeMidnight]
    ] as const
    for (const [fromMillis, beforeMillis] of spans) {
      const entries = yield* charges.entries({ limit: 100, fromMillis, beforeMillis })
      const totals = yield* charges.totals(fromMillis, beforeMillis)
      equal(sorted(totals), sorted(summed(entries)), `totals from ${fromMillis} to ${beforeMillis}`)
    }
    const days = new Set((yield* charges.totals(0, 1e15)).map(({ day: name }) => name))
    equal([...days].toSorted(), ["2026-11-21", "2026-11-22", "2026-11-23"], "the days")
  }),
  storeCase(`Charges: what ${racers} racers settle is in the books to the last unit`, function* () {
    const charges = yield* Charges
    yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        yield* chargesWith("ready", { key: own, amountAtomic: String(10 ** 6 + racer) })
        yield* Effect.all(
          [
            charges.complete(own, paid, 1_500),
            charges.complete(own, paid, 1_500),
            charges.oweRefund(own, 1_500)
          ],
          { concurrency: "unbounded" }
        )
        yield* charges.oweRefund(own, 1_500)
      })
    )
    const amountAtomic = String(racers * 10 ** 6 + (racers * (racers - 1)) / 2)
    const totals = yield* charges.totals(0, 2_000)
    equal(
      totals.map((total) => `${total.kind} ${total.count} ${total.amountAtomic}`).toSorted(),
      [`refund_due ${racers} ${amountAtomic}`, `settled ${racers} ${amountAtomic}`],
      "the totals"
    )
  }),
  storeCase("Charges: nothing takes a line out of the ledger", function* () {
    const charges = yield* chargesWith("settled", { key: "settled" })
    const before = yield* charges.entries({ limit: 10 })
    yield* charges.release("settled", "me")
    yield* charges.void("settled", "me", { keepExposure: false, checkAfterMillis: 0 })
    yield* charges.releaseVoided(["settled"], 1e12)
    yield* charges.finalize("settled", "me")
    yield* charges.reopen("settled", "me", 1_600)
    yield* charges.deliver("settled", "me", outcome.answer)
    yield* charges.complete("settled", { ...paid, transferLogIndex: 1 }, 1_600)
    yield* charges.claim(sampleCharge({ key: "settled" }), lease("me", 1e12), 1e11, unlimited)
    yield* charges.expire(1e12, 10)
    yield* charges.markApplied("settled")
    yield* charges.defer("settled", "me", 0)
    equal(yield* charges.entries({ limit: 10 }), before, "the ledger")
  })
]

/** What the ledger promises. */
export const ledgerCases: ReadonlyArray<StoreCase> = [...refunds, ...reading]
