import { Effect } from "effect"
import { Charges, type NewCharge, type RefundLimit } from "../../ports/Charges.ts"
import { asSettled, chargesWith, key, paid, paidBack } from "./chargeRecords.ts"
import { equal, race, racers, type StoreCase, storeCase, wins } from "./StoreCase.ts"

const limitOf = (maxAtomic: string, sinceMillis = 0): RefundLimit => ({ sinceMillis, maxAtomic })
const plenty = limitOf("1000000000")

/** A settled charge whose refund is due. */
const owedBack = (own: string, overrides: Partial<NewCharge> = {}) =>
  chargesWith("settled", { key: own, ...overrides }, { settlement: paidBack })

const startOf = Effect.fnUntraced(function* (own: string, limit: RefundLimit, nowMillis = 2_000) {
  const charges = yield* Charges
  return (yield* charges.startRefund(own, limit, nowMillis))._tag
})

const starting: ReadonlyArray<StoreCase> = [
  storeCase("Charges: a refund that is due is started, and says since when", function* () {
    const charges = yield* chargesWith("settled")
    equal(yield* startOf("unknown", plenty), "NotDue", "of an unknown key")
    equal(yield* startOf(key, plenty), "NotDue", "where none is due")
    yield* charges.oweRefund(key, 1_600)
    equal(yield* startOf(key, plenty), "Started", "where one is due")
    const started = { ...asSettled, refund: { _tag: "Due", startedAtMillis: 2_000 } }
    equal(yield* charges.find(key), started, "the charge")
    equal(yield* charges.list({ limit: 1, isOwed: true }), [started], "what is owed")
    equal(yield* charges.oweRefund(key, 2_100), false, "owing it once more")
    equal(yield* charges.recordRefund(key, "0xback", 2_200), true, "sending it")
    equal(yield* startOf(key, plenty), "NotDue", "once it is sent")
    const kinds = (yield* charges.entries({ limit: 10 })).map(({ kind }) => kind)
    equal(kinds, ["refunded", "refund_due", "settled"], "the ledger")
  }),
  storeCase("Charges: a refund that was started starts again, whatever the limit", function* () {
    const charges = yield* owedBack(key)
    equal(yield* startOf(key, plenty, 2_000), "Started", "first")
    equal(yield* startOf(key, limitOf("0"), 3_000), "Started", "second, with no room left")
    const due = { _tag: "Due", startedAtMillis: 2_000 }
    equal((yield* charges.find(key))?.refund, due, "since when it is started")
  }),
  storeCase("Charges: no refund is started of a charge that is not settled", function* () {
    for (const state of ["claimed", "ready", "voided"] as const) {
      const charges = yield* chargesWith(state, { key: state })
      const before = yield* charges.find(state)
      equal(yield* startOf(state, plenty), "NotDue", `of a ${state} charge`)
      equal(yield* charges.find(state), before, `the ${state} charge`)
    }
  })
]

const limits: ReadonlyArray<StoreCase> = [
  storeCase("Charges: refunds of a payer end at their limit, to the atomic unit", function* () {
    yield* owedBack("first", { amountAtomic: "60" })
    const charges = yield* owedBack("second", { amountAtomic: "40" })
    yield* owedBack("third", { amountAtomic: "1" })
    equal(yield* startOf("first", limitOf("59")), "OverLimit", "60 of 59")
    equal((yield* charges.find("first"))?.refund, { _tag: "Due" }, "the refund that was refused")
    equal(yield* startOf("first", limitOf("60")), "Started", "60 of 60")
    equal(yield* startOf("second", limitOf("99")), "OverLimit", "100 of 99")
    equal(yield* startOf("second", limitOf("100")), "Started", "100 of 100")
    equal(yield* startOf("third", limitOf("100")), "OverLimit", "101 of 100")
    yield* charges.recordRefund("first", "0xback", 2_500)
    equal(yield* startOf("third", limitOf("100")), "OverLimit", "101 of 100, once one of them was sent")
    equal(yield* startOf("third", limitOf("101")), "Started", "101 of 101")
  }),
  storeCase("Charges: refunds count that were started at or after a time", function* () {
    for (const number of [1, 2, 3, 4]) yield* owedBack(`key-${number}`, { amountAtomic: "50" })
    equal(yield* startOf("key-1", limitOf("100", 0), 2_000), "Started", "first, at 2000")
    equal(yield* startOf("key-2", limitOf("100", 1_000), 3_000), "Started", "second, at 3000")
    equal(yield* startOf("key-3", limitOf("100", 2_000), 4_000), "OverLimit", "third, since 2000")
    equal(yield* startOf("key-3", limitOf("100", 2_001), 4_000), "Started", "third, since 2001")
    equal(yield* startOf("key-4", limitOf("100", 3_001), 5_000), "Started", "fourth, since 3001")
  }),
  storeCase("Charges: a refund that was sent without a start counts in no window", function* () {
    const charges = yield* owedBack("sent", { amountAtomic: "60" })
    yield* charges.recordRefund("sent", "0xback", 2_000)
    yield* owedBack("next", { amountAtomic: "60" })
    equal(yield* startOf("next", limitOf("60")), "Started", "the next")
  }),
  storeCase("Charges: refunds of one payer leave those of another alone", function* () {
    yield* owedBack("mine", { amountAtomic: "60" })
    yield* owedBack("theirs", { amountAtomic: "60", payer: "0xother" })
    yield* owedBack("mine elsewhere", { amountAtomic: "60", network: "eip155:1", asset: "0xasset" })
    equal(yield* startOf("mine", limitOf("60")), "Started", "mine")
    equal(yield* startOf("theirs", limitOf("60")), "Started", "theirs")
    equal(yield* startOf("mine elsewhere", limitOf("60")), "OverLimit", "mine on another network")
    equal(yield* startOf("mine elsewhere", limitOf("120")), "Started", "mine, where there is room")
  }),
  storeCase("Charges: sums of refunds are exact for tokens of 18 decimals", function* () {
    const amountAtomic = "98765432109876543210987"
    const charges = yield* owedBack("first", { amountAtomic })
    yield* owedBack("second", { amountAtomic })
    yield* startOf("first", limitOf(amountAtomic))
    const both = BigInt(amountAtomic) * 2n
    equal(yield* startOf("second", limitOf(String(both - 1n))), "OverLimit", "one unit too many")
    equal(yield* startOf("second", limitOf(String(both))), "Started", "at the limit")
    equal((yield* charges.list({ limit: 9, isOwed: true })).length, 2, "refunds that are due")
  }),
  storeCase("Charges: a refund of what settled, was undone and settled again is started", function* () {
    const settlement = { ...paid, finalAfterMillis: 5_000 }
    const charges = yield* chargesWith("settled", {}, { settlement })
    yield* charges.reopen(key, "me", 1_600)
    yield* charges.complete(key, paidBack, 1_700)
    equal(yield* startOf(key, limitOf("10000")), "Started", "the refund of the second settlement")
  }),
  storeCase(`Charges: of ${racers} refunds of one payer as many start as the limit allows`, function* () {
    const [charges] = yield* Effect.forEach(
      Array.from({ length: racers }, (_, racer) => racer),
      (racer) => owedBack(`key-${racer}`, { amountAtomic: "10" })
    )
    const started = yield* race((racer) => startOf(`key-${racer}`, limitOf("75")))
    equal(wins(started.map((tag) => tag === "Started")), 7, "refunds that were started")
    equal(wins(started.map((tag) => tag === "OverLimit")), racers - 7, "refunds that were refused")
    const due = yield* charges!.list({ limit: racers, isOwed: true })
    const running = due.filter(({ refund }) => refund?._tag === "Due" && refund.startedAtMillis !== undefined)
    equal(running.length, 7, "refunds that stand as started")
  }),
  storeCase(`Charges: ${racers} starts of one refund count once`, function* () {
    yield* owedBack(key)
    const started = yield* race(() => startOf(key, limitOf("10000")))
    equal(wins(started.map((tag) => tag === "Started")), racers, "starts")
    yield* owedBack("next")
    equal(yield* startOf("next", limitOf("20000")), "Started", "the next refund")
  })
]

const stops: ReadonlyArray<StoreCase> = [
  storeCase("Charges: refunds are stopped until they are resumed, the first reason stays", function* () {
    const charges = yield* Charges
    equal(yield* charges.refundStop(), undefined, "before")
    equal(yield* charges.resumeRefunds(), false, "resuming what is not stopped")
    equal(yield* charges.stopRefunds("the ledger's wrong", 1_000), true, "stopping")
    equal(yield* charges.stopRefunds("another reason", 2_000), false, "stopping once more")
    const stop = { reason: "the ledger's wrong", atMillis: 1_000 }
    equal(yield* charges.refundStop(), stop, "the stop")
    equal(yield* charges.resumeRefunds(), true, "resuming")
    equal(yield* charges.resumeRefunds(), false, "resuming once more")
    equal(yield* charges.refundStop(), undefined, "after")
    equal(yield* charges.stopRefunds("again", 3_000), true, "stopping after that")
    equal((yield* charges.refundStop())?.reason, "again", "the reason")
  }),
  storeCase(`Charges: of ${racers} racers one stops refunds, one resumes them`, function* () {
    const charges = yield* Charges
    const stopped = yield* race((racer) => charges.stopRefunds(`reason ${racer}`, racer))
    equal(wins(stopped), 1, "racers that stopped them")
    const racer = stopped.indexOf(true)
    equal(yield* charges.refundStop(), { reason: `reason ${racer}`, atMillis: racer }, "the stop")
    equal(wins(yield* race(() => charges.resumeRefunds())), 1, "racers that resumed them")
  })
]

/** What `startRefund` promises, and the stop of refunds. */
export const refundCases: ReadonlyArray<StoreCase> = [...starting, ...limits, ...stops]
