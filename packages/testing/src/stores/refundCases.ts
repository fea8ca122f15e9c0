import { Effect } from "effect"
import { Charges, type NewCharge, type RefundLimit } from "@till402/core/effect"
import { asSettled, chargesWithOne, key, paid, paidRefundDue } from "./chargeRecords.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase, countTrue } from "./StoreCase.ts"

const limitOf = (maxAtomic: string, sinceMillis = 0): RefundLimit => ({ sinceMillis, maxAtomic })
const plenty = limitOf("1000000000")

/** A settled charge whose refund is due. */
const owedBack = (own: string, overrides: Partial<NewCharge> = {}) =>
  chargesWithOne("settled", { key: own, ...overrides }, { settlement: paidRefundDue })

const startOf = Effect.fnUntraced(function* (own: string, limit: RefundLimit, nowMillis = 2_000) {
  const charges = yield* Charges
  return (yield* charges.startRefund(own, limit, nowMillis))._tag
})

const starting: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: a due refund can be started and records when", function* () {
    const charges = yield* chargesWithOne("settled")
    expectEqual(yield* startOf("unknown", plenty), "NotDue", "of an unknown key")
    expectEqual(yield* startOf(key, plenty), "NotDue", "where none is due")
    yield* charges.markRefundDue(key, 1_600, undefined)
    expectEqual(yield* startOf(key, plenty), "Started", "where one is due")
    const started = { ...asSettled, refund: { _tag: "Due", startedAtMillis: 2_000 } }
    expectEqual(yield* charges.find(key), started, "the charge")
    expectEqual(yield* charges.list({ limit: 1, isRefundDue: true }), [started], "the due refund")
    expectEqual(yield* charges.markRefundDue(key, 2_100, undefined), false, "marking it due again")
    expectEqual(yield* charges.recordRefund(key, "0xback", 2_200), true, "sending it")
    expectEqual(yield* startOf(key, plenty), "NotDue", "once it is sent")
    const kinds = (yield* charges.entries({ limit: 10 })).map(({ kind }) => kind)
    expectEqual(kinds, ["refunded", "refund_due", "settled"], "the ledger")
  }),
  storeCase("Charges: a started refund can be started again, regardless of the limit", function* () {
    const charges = yield* owedBack(key)
    expectEqual(yield* startOf(key, plenty, 2_000), "Started", "first")
    expectEqual(yield* startOf(key, limitOf("0"), 3_000), "Started", "second, with no room left")
    const due = { _tag: "Due", startedAtMillis: 2_000 }
    expectEqual((yield* charges.find(key))?.refund, due, "its start time")
  }),
  storeCase("Charges: refunds start only for settled charges", function* () {
    for (const state of ["claimed", "ready", "voided"] as const) {
      const charges = yield* chargesWithOne(state, { key: state })
      const before = yield* charges.find(state)
      expectEqual(yield* startOf(state, plenty), "NotDue", `of a ${state} charge`)
      expectEqual(yield* charges.find(state), before, `the ${state} charge`)
    }
  })
]

const manual: ReadonlyArray<ChargeCase> = [
  storeCase(
    "Charges: a refund sent by other means is recorded unless the wallet may be sending it",
    function* () {
      const charges = yield* chargesWithOne("settled")
      const record = (transaction: string, stoppedBeforeMillis = 0) =>
        charges.recordManualRefund(key, transaction, stoppedBeforeMillis, 3_000)
      expectEqual(yield* record("0xmine"), false, "where none is due")
      yield* charges.markRefundDue(key, 1_600, undefined)
      yield* startOf(key, plenty)
      expectEqual(yield* record("0xmine", 9_000), false, "of a started one")
      yield* charges.stopRefunds("by an operator", 2_500)
      expectEqual(yield* record("0xmine", 2_499), false, "of a started one, stopped for too short a time")
      const due = { _tag: "Due", startedAtMillis: 2_000 }
      expectEqual((yield* charges.find(key))?.refund, due, "the refund that stays due")
      expectEqual(yield* record("0xmine", 2_500), true, "of a started one, stopped for long")
      expectEqual((yield* charges.find(key))?.refund, { _tag: "Sent", transaction: "0xmine" }, "the refund")
      expectEqual(yield* record("0xagain", 2_500), false, "recording it again")
      const other = yield* owedBack("never started")
      expectEqual(
        yield* other.recordManualRefund("never started", "0xmine", 0, 3_000),
        true,
        "of another one"
      )
      const entries = yield* charges.entries({ limit: 10, chargeKeys: [key] })
      expectEqual(
        entries.map(({ kind, transaction }) => [kind, transaction]),
        [
          ["refunded", "0xmine"],
          ["refund_due", undefined],
          ["settled", entries.at(-1)?.transaction]
        ],
        "the ledger"
      )
    }
  ),
  storeCase("Charges: a refund recorded by other means counts for its payer", function* () {
    const charges = yield* owedBack("first", { amountAtomic: "60" })
    yield* charges.recordManualRefund("first", "0xmine", 0, 2_000)
    expectEqual(yield* startOf("first", plenty), "NotDue", "starting it")
    yield* owedBack("second", { amountAtomic: "60" })
    expectEqual(yield* startOf("second", limitOf("60")), "Started", "the next one")
  }),
  storeCase(`Charges: of ${racers} racers that start a refund or record it, one side wins`, function* () {
    const charges = yield* owedBack(key)
    const won = yield* race((racer) =>
      racer % 2 === 0
        ? Effect.map(startOf(key, plenty), (tag) => tag === "Started")
        : charges.recordManualRefund(key, `0xmine${racer}`, 0, 3_000)
    )
    const started = countTrue(won.filter((_, racer) => racer % 2 === 0))
    const recorded = countTrue(won.filter((_, racer) => racer % 2 === 1))
    const refund = (yield* charges.find(key))?.refund
    expectEqual(recorded, refund?._tag === "Sent" ? 1 : 0, "racers that recorded it")
    expectEqual(started > 0, refund?._tag === "Due", "racers that started it")
  }),
  storeCase("Charges: a second transaction of a refund has an entry of its own", function* () {
    const charges = yield* owedBack(key)
    expectEqual(yield* charges.recordFurtherRefund(key, "0xback", 1_900), false, "before the first")
    expectEqual(yield* charges.recordFurtherRefund("unknown", "0xback", 1_900), false, "of an unknown key")
    yield* charges.recordRefund(key, "0xmine", 2_000)
    expectEqual(yield* charges.recordFurtherRefund(key, "0xmine", 2_100), false, "the first once more")
    expectEqual(yield* charges.recordFurtherRefund(key, "0xback", 2_200), true, "a second")
    expectEqual(yield* charges.recordFurtherRefund(key, "0xback", 2_300), false, "the second once more")
    expectEqual((yield* charges.find(key))?.refund, { _tag: "Sent", transaction: "0xmine" }, "the refund")
    const entries = (yield* charges.entries({ limit: 10 })).filter(({ kind }) => kind === "refunded")
    expectEqual(
      entries.map(({ atMillis, round, transaction }) => [transaction, round, atMillis]),
      [
        ["0xback", 1, 2_200],
        ["0xmine", 0, 2_000]
      ],
      "the ledger"
    )
    const { atMillis: _at, round: _round, transaction: _transaction, ...second } = entries[0]!
    const { atMillis: _at0, round: _round0, transaction: _transaction0, ...first } = entries[1]!
    expectEqual(second, first, "the rest of both entries")
    const totals = (yield* charges.totals(0, 86_400_000)).filter(({ kind }) => kind === "refunded")
    expectEqual(
      totals.map(({ amountAtomic, count }) => [count, amountAtomic]),
      [[2, String(2n * BigInt(first.amountAtomic))]],
      "their sum"
    )
  }),
  storeCase(`Charges: ${racers} further transactions of a refund get an entry each`, function* () {
    const charges = yield* owedBack(key)
    yield* charges.recordRefund(key, "0xmine", 2_000)
    const entered = yield* race((racer) =>
      charges.recordFurtherRefund(key, `0xback${racer % 2}`, 3_000 + racer)
    )
    expectEqual(countTrue(entered), 2, "racers that entered one")
    const entries = (yield* charges.entries({ limit: 10 })).filter(({ kind }) => kind === "refunded")
    expectEqual(entries.map(({ round }) => round).toSorted(), [0, 1, 2], "the rounds")
  })
]

const limits: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: refunds of a payer end at their limit, to the atomic unit", function* () {
    yield* owedBack("first", { amountAtomic: "60" })
    const charges = yield* owedBack("second", { amountAtomic: "40" })
    yield* owedBack("third", { amountAtomic: "1" })
    expectEqual(yield* startOf("first", limitOf("59")), "OverLimit", "60 of 59")
    expectEqual((yield* charges.find("first"))?.refund, { _tag: "Due" }, "the refund that was refused")
    expectEqual(yield* startOf("first", limitOf("60")), "Started", "60 of 60")
    expectEqual(yield* startOf("second", limitOf("99")), "OverLimit", "100 of 99")
    expectEqual(yield* startOf("second", limitOf("100")), "Started", "100 of 100")
    expectEqual(yield* startOf("third", limitOf("100")), "OverLimit", "101 of 100")
    yield* charges.recordRefund("first", "0xback", 2_500)
    expectEqual(yield* startOf("third", limitOf("100")), "OverLimit", "101 of 100, once one of them was sent")
    expectEqual(yield* startOf("third", limitOf("101")), "Started", "101 of 101")
  }),
  storeCase("Charges: only refunds started at or after the window's start count", function* () {
    for (const number of [1, 2, 3, 4]) yield* owedBack(`key-${number}`, { amountAtomic: "50" })
    expectEqual(yield* startOf("key-1", limitOf("100", 0), 2_000), "Started", "first, at 2000")
    expectEqual(yield* startOf("key-2", limitOf("100", 1_000), 3_000), "Started", "second, at 3000")
    expectEqual(yield* startOf("key-3", limitOf("100", 2_000), 4_000), "OverLimit", "third, since 2000")
    expectEqual(yield* startOf("key-3", limitOf("100", 2_001), 4_000), "Started", "third, since 2001")
    expectEqual(yield* startOf("key-4", limitOf("100", 3_001), 5_000), "Started", "fourth, since 3001")
  }),
  storeCase("Charges: a refund recorded without a start counts in no window", function* () {
    const charges = yield* owedBack("sent", { amountAtomic: "60" })
    yield* charges.recordRefund("sent", "0xback", 2_000)
    yield* owedBack("next", { amountAtomic: "60" })
    expectEqual(yield* startOf("next", limitOf("60")), "Started", "the next")
  }),
  storeCase("Charges: refund limits are per payer", function* () {
    yield* owedBack("mine", { amountAtomic: "60" })
    yield* owedBack("theirs", { amountAtomic: "60", payer: "0xother" })
    yield* owedBack("mine elsewhere", { amountAtomic: "60", network: "eip155:1", asset: "0xasset" })
    expectEqual(yield* startOf("mine", limitOf("60")), "Started", "mine")
    expectEqual(yield* startOf("theirs", limitOf("60")), "Started", "theirs")
    expectEqual(yield* startOf("mine elsewhere", limitOf("60")), "OverLimit", "mine on another network")
    expectEqual(yield* startOf("mine elsewhere", limitOf("120")), "Started", "mine, where there is room")
  }),
  storeCase("Charges: sums of refunds are exact for tokens of 18 decimals", function* () {
    const amountAtomic = "98765432109876543210987"
    const charges = yield* owedBack("first", { amountAtomic })
    yield* owedBack("second", { amountAtomic })
    yield* startOf("first", limitOf(amountAtomic))
    const both = BigInt(amountAtomic) * 2n
    expectEqual(yield* startOf("second", limitOf(String(both - 1n))), "OverLimit", "one unit too many")
    expectEqual(yield* startOf("second", limitOf(String(both))), "Started", "at the limit")
    expectEqual((yield* charges.list({ limit: 9, isRefundDue: true })).length, 2, "refunds that are due")
  }),
  storeCase("Charges: a refund can start after a settlement was undone and repeated", function* () {
    const settlement = { ...paid, finalAfterMillis: 5_000 }
    const charges = yield* chargesWithOne("settled", {}, { settlement })
    yield* charges.reopen(key, "me", 1_600)
    yield* charges.complete(key, paidRefundDue, 1_700)
    expectEqual(yield* startOf(key, limitOf("10000")), "Started", "the refund of the second settlement")
  }),
  storeCase(
    `Charges: of ${racers} refunds of one payer only as many start as the limit allows`,
    function* () {
      const [charges] = yield* Effect.forEach(
        Array.from({ length: racers }, (_, racer) => racer),
        (racer) => owedBack(`key-${racer}`, { amountAtomic: "10" })
      )
      const started = yield* race((racer) => startOf(`key-${racer}`, limitOf("75")))
      expectEqual(countTrue(started.map((tag) => tag === "Started")), 7, "refunds that were started")
      expectEqual(
        countTrue(started.map((tag) => tag === "OverLimit")),
        racers - 7,
        "refunds that were refused"
      )
      const due = yield* charges!.list({ limit: racers, isRefundDue: true })
      const running = due.filter(
        ({ refund }) => refund?._tag === "Due" && refund.startedAtMillis !== undefined
      )
      expectEqual(running.length, 7, "refunds that stand as started")
    }
  ),
  storeCase(`Charges: ${racers} concurrent starts of one refund count once`, function* () {
    yield* owedBack(key)
    const started = yield* race(() => startOf(key, limitOf("10000")))
    expectEqual(countTrue(started.map((tag) => tag === "Started")), racers, "starts")
    yield* owedBack("next")
    expectEqual(yield* startOf("next", limitOf("20000")), "Started", "the next refund")
  })
]

const stops: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: refunds stay stopped until resumed, with the first reason", function* () {
    const charges = yield* Charges
    expectEqual(yield* charges.refundStop(), undefined, "before")
    expectEqual(yield* charges.resumeRefunds(), false, "resuming what is not stopped")
    expectEqual(yield* charges.stopRefunds("the ledger's wrong", 1_000), true, "stopping")
    expectEqual(yield* charges.stopRefunds("another reason", 2_000), false, "stopping again")
    const stop = { reason: "the ledger's wrong", atMillis: 1_000 }
    expectEqual(yield* charges.refundStop(), stop, "the stop")
    expectEqual(yield* charges.resumeRefunds(), true, "resuming")
    expectEqual(yield* charges.resumeRefunds(), false, "resuming again")
    expectEqual(yield* charges.refundStop(), undefined, "after")
    expectEqual(yield* charges.stopRefunds("again", 3_000), true, "stopping after that")
    expectEqual((yield* charges.refundStop())?.reason, "again", "the reason")
  }),
  storeCase(`Charges: of ${racers} racers one stops refunds and one resumes them`, function* () {
    const charges = yield* Charges
    const stopped = yield* race((racer) => charges.stopRefunds(`reason ${racer}`, racer))
    expectEqual(countTrue(stopped), 1, "racers that stopped them")
    const racer = stopped.indexOf(true)
    expectEqual(yield* charges.refundStop(), { reason: `reason ${racer}`, atMillis: racer }, "the stop")
    expectEqual(countTrue(yield* race(() => charges.resumeRefunds())), 1, "racers that resumed them")
  })
]

/** Contract of `startRefund`, `recordManualRefund`, `recordFurtherRefund`, `stopRefunds` and `resumeRefunds`. */
export const refundCases: ReadonlyArray<ChargeCase> = [...starting, ...manual, ...limits, ...stops]
