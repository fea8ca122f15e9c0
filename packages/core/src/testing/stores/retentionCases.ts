import { Effect } from "effect"
import { type Charge, Charges, type ChargesQuery } from "../../ports/Charges.ts"
import { chargesWith, key, keysOf, lease, outcome, paid, paidBack, unlimited } from "./chargeRecords.ts"
import { sampleCharge, sampleReceipt } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase } from "./StoreCase.ts"

const exactTexts = [
  "",
  "plain",
  `quotes ' " \` and \\ backslashes \\' \\n`,
  "lines\r\n\ttabs",
  '{"zero":"\\u0000","unpaired":"\\ud83d"}',
  "emoji 👩‍👩‍👧 🛍️, ügly, 漢字, \u202E right to left",
  "e\u0301 is not é",
  "%s _ ; DROP TABLE till_charges; -- ?1 $1 :name",
  "x".repeat(1_000_000),
  "漢🛍".repeat(100_000)
]

const answers: ReadonlyArray<StoreCase> = [
  storeCase("Charges: recorded answers come back byte for byte", function* () {
    const charges = yield* Charges
    const bodies = [
      ...exactTexts.map((text) => ({ _tag: "Plain", text }) as const),
      { _tag: "Sealed", keyId: "k1", base64: "AAECAw==" } as const,
      { _tag: "Reopen", slug: "item-1" } as const
    ]
    for (const [index, body] of bodies.entries()) {
      const own = `key-${index}`
      const answer = { status: 200 + index, contentType: 'text/plain; charset="utf-8"', body }
      yield* charges.claim(sampleCharge({ key: own }), lease("me"), 1_000, unlimited)
      yield* charges.advance(own, "me", { answer, subject: { kind: "purchase", id: "p-1" } })
      yield* charges.complete(own, paid, 1_500)
      const charge = yield* charges.find(own)
      equal(charge?.answer, answer, `answer ${index}`)
      equal(charge?.subject, { kind: "purchase", id: "p-1" }, `subject ${index}`)
    }
  }),
  storeCase("Charges: answers expire, the books stay and their keys stay taken", function* () {
    const charges = yield* chargesWith("settled", { key: "old" }, { settledAtMillis: 4_999 })
    yield* chargesWith("settled", { key: "young" }, { settledAtMillis: 5_000 })
    for (const state of ["ready", "claimed", "voided"] as const) yield* chargesWith(state, { key: state })
    const whole = yield* charges.find("old")
    equal(yield* charges.expire(5_000, 10), 1, "how many were touched")
    const tombstone = yield* charges.find("old")
    equal(typeof tombstone?.answerExpiredAtMillis, "number", "the kind of the time at which it expired")
    const { answerExpiredAtMillis } = tombstone!
    equal(tombstone, { ...whole, answer: undefined, answerExpiredAtMillis }, "the tombstone")
    const claim = yield* charges.claim(sampleCharge({ key: "old" }), lease("you", 1e12), 1e11, unlimited)
    equal(claim, { _tag: "Existing", charge: tombstone }, "a claim of the tombstone's key")
    for (const kept of ["young", "ready"])
      equal((yield* charges.find(kept))?.answer, outcome.answer, `the answer of the ${kept} one`)
    equal((yield* charges.find("young"))?.answerExpiredAtMillis, undefined, "that the young one is whole")
    equal((yield* charges.find("claimed"))?.state, "claimed", "the claim")
    equal(yield* charges.expire(5_000, 10), 0, "how many were touched once more")
    equal(
      (yield* charges.find("old"))?.answerExpiredAtMillis,
      answerExpiredAtMillis,
      "when the first expired"
    )
    equal(yield* charges.expire(1e12, 10), 1, "how many were touched once all of it is old")
    const left = ["claimed", "old", "ready", "voided", "young"]
    equal(keysOf(yield* charges.list({ limit: 10 })).toSorted(), left, "what is left")
    equal((yield* charges.entries({ limit: 10 })).length, 2, "ledger entries")
  }),
  storeCase("Charges: a charge settled without an answer has none to expire", function* () {
    const charges = yield* chargesWith("ready")
    yield* charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
    yield* charges.complete(key, paidBack, 1_500)
    equal(yield* charges.expire(9_000, 10), 0, "how many were touched")
    equal((yield* charges.find(key))?.answerExpiredAtMillis, undefined, "when its answer expired")
  }),
  storeCase("Charges: no more answers expire than asked for, in the end all", function* () {
    const charges = yield* Charges
    for (let number = 0; number < 7; number++)
      yield* chargesWith("settled", { key: `key-${number}` }, { settledAtMillis: 2_000 + number })
    const answered = Effect.map(
      charges.list({ limit: 10 }),
      (found) => found.filter(({ answer }) => answer !== undefined).length
    )
    equal(yield* charges.expire(9_000, 0), 0, "none of seven")
    equal(yield* charges.expire(9_000, 3), 3, "three of seven")
    equal(yield* answered, 4, "answers left after three")
    equal(yield* charges.expire(9_000, 3), 3, "three of four")
    equal(yield* charges.expire(9_000, 3), 1, "the last")
    equal(yield* answered, 0, "answers left in the end")
  }),
  storeCase(`Charges: ${racers} racers that expire answers count each of them once`, function* () {
    const charges = yield* Charges
    for (let number = 0; number < 20; number++) yield* chargesWith("settled", { key: `key-${number}` })
    const touched = yield* race(() => charges.expire(9_000, 20))
    equal(
      touched.reduce((sum, count) => sum + count, 0),
      20,
      "how many were touched by all of them"
    )
  })
]

/** All pages of the charges. */
const pagesOf = Effect.fnUntraced(function* (query: ChargesQuery) {
  const charges = yield* Charges
  const pages: Array<Charge> = []
  let last: Charge | undefined
  do {
    const page: ReadonlyArray<Charge> = yield* charges.list({
      ...query,
      ...(last === undefined ? {} : { before: last })
    })
    pages.push(...page)
    last = page.at(-1)
  } while (last !== undefined && pages.length < 1_000)
  return keysOf(pages)
})

const states = ["claimed", "ready", "settled", "voided"] as const

/** Twelve charges, three in each state, three at each moment; those settled at 5000, 5010 and 5020. */
const dozen = Effect.gen(function* () {
  const charges = yield* Charges
  for (const number of [7, 2, 11, 4, 0, 9, 1, 8, 3, 10, 5, 6])
    yield* chargesWith(
      states[number % 4]!,
      { key: `key-${String.fromCharCode(109 - number)}`, createdAtMillis: 1_000 + Math.floor(number / 3) },
      { settledAtMillis: 5_000 + Math.floor(number / 4) * 10 }
    )
  return charges
})

const listing: ReadonlyArray<StoreCase> = [
  storeCase("Charges: listed newest first, by time and key, up to the limit", function* () {
    const charges = yield* Charges
    equal(yield* charges.list({ limit: 10 }), [], "of none")
    yield* dozen
    const listed = yield* charges.list({ limit: 100 })
    equal(
      keysOf(listed),
      ["d", "c", "b", "g", "f", "e", "j", "i", "h", "m", "l", "k"].map((letter) => `key-${letter}`),
      "all"
    )
    equal(yield* charges.list({ limit: 5 }), listed.slice(0, 5), "the first five")
    for (const charge of listed) equal(charge, yield* charges.find(charge.key), `the charge ${charge.key}`)
  }),
  storeCase("Charges: pages have no gaps and no repeats, whatever their size", function* () {
    const charges = yield* dozen
    const all = keysOf(yield* charges.list({ limit: 100 }))
    for (const limit of [1, 2, 3, 5, 12]) equal(yield* pagesOf({ limit }), all, `pages of ${limit}`)
  }),
  storeCase("Charges: what is claimed while charges are listed disturbs no page", function* () {
    const charges = yield* dozen
    const all = keysOf(yield* charges.list({ limit: 100 }))
    const first = yield* charges.list({ limit: 5 })
    yield* chargesWith("claimed", { key: "new", createdAtMillis: 9_000 })
    // A cursor is a place, not a charge: it serves also when its charge is gone.
    equal(yield* charges.release(first.at(-1)!.key, "me"), true, "the release of the last one listed")
    const second = yield* charges.list({ limit: 100, before: first.at(-1)! })
    equal([...keysOf(first), ...keysOf(second)], all, "the pages")
  }),
  storeCase("Charges: listed by state and by time of settlement", function* () {
    const charges = yield* dozen
    const all = yield* charges.list({ limit: 100 })
    for (const state of states) {
      const theirs = all.filter((charge) => charge.state === state)
      equal(theirs.length, 3, `${state} charges`)
      equal(yield* charges.list({ limit: 100, state }), theirs, `the ${state} ones`)
      equal(yield* pagesOf({ limit: 1, state }), keysOf(theirs), `the ${state} ones, one by one`)
    }
    const settled = all.filter(({ settledAtMillis }) => settledAtMillis !== undefined)
    const span = { settledFromMillis: 5_000, settledBeforeMillis: 5_020 }
    const within = keysOf(settled.filter(({ settledAtMillis }) => settledAtMillis! < 5_020))
    equal(within.length, 2, "charges settled in the span")
    equal(keysOf(yield* charges.list({ limit: 100, ...span })), within, "those settled in a span")
    equal(yield* pagesOf({ limit: 1, ...span, state: "settled" }), within, "the same, one by one")
    const since = keysOf(settled.filter(({ settledAtMillis }) => settledAtMillis! >= 5_010))
    equal(keysOf(yield* charges.list({ limit: 100, settledFromMillis: 5_010 })), since, "since a time")
    const before = keysOf(yield* charges.list({ limit: 100, settledBeforeMillis: 5_001 }))
    equal(before, keysOf(settled.filter(({ settledAtMillis }) => settledAtMillis === 5_000)), "before a time")
    const none = yield* charges.list({ limit: 100, ...span, state: "ready" })
    equal(none, [], "ready ones that were settled")
  }),
  storeCase("Charges: a receipt is kept as it was given", function* () {
    const charges = yield* chargesWith("ready")
    const receipt = { ...sampleReceipt(), transaction: "0xAbC" }
    yield* charges.complete(key, { ...paid, receipt }, 1_500)
    equal((yield* charges.find(key))?.receipt, receipt, "the receipt")
    equal((yield* charges.entries({ limit: 1 }))[0]?.transaction, "0xAbC", "the transaction of its entry")
  })
]

/** What `list` and `expire` promise, and what is kept. */
export const retentionCases: ReadonlyArray<StoreCase> = [...answers, ...listing]
