import { Effect } from "effect"
import { type Charge, Charges, type ChargesQuery } from "@till402/core/effect"
import {
  chargesWithOne,
  key,
  keysOf,
  lease,
  outcome,
  paid,
  paidRefundDue,
  unlimited
} from "./chargeRecords.ts"
import { sampleCharge, sampleReceipt } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase } from "./StoreCase.ts"

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

const responses: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: recorded responses are returned byte for byte", function* () {
    const charges = yield* Charges
    const bodies = [
      ...exactTexts.map((text) => ({ _tag: "Plain", text }) as const),
      { _tag: "Encrypted", keyId: "k1", base64: "AAECAw==" } as const,
      { _tag: "Encrypted", keyId: "k1", base64: "AAECAw==", withHeaders: true } as const,
      { _tag: "Reference", reference: "item-1" } as const
    ]
    for (const [index, body] of bodies.entries()) {
      const own = `key-${index}`
      const response = { status: 200 + index, contentType: 'text/plain; charset="utf-8"', body }
      yield* charges.claim(sampleCharge({ key: own }), lease("me"), 1_000, unlimited)
      yield* charges.advance(own, "me", { response, subject: { kind: "purchase", id: "p-1" } })
      yield* charges.complete(own, paid, 1_500)
      const charge = yield* charges.find(own)
      expectEqual(charge?.response, response, `response ${index}`)
      expectEqual(charge?.subject, { kind: "purchase", id: "p-1" }, `subject ${index}`)
    }
  }),
  storeCase("Charges: responses expire, but ledger entries and keys remain", function* () {
    const charges = yield* chargesWithOne("settled", { key: "old" }, { settledAtMillis: 4_999 })
    yield* chargesWithOne("settled", { key: "young" }, { settledAtMillis: 5_000 })
    for (const state of ["ready", "claimed", "voided"] as const) yield* chargesWithOne(state, { key: state })
    const whole = yield* charges.find("old")
    expectEqual(yield* charges.expire(5_000, 10), 1, "number of expired responses")
    const tombstone = yield* charges.find("old")
    expectEqual(typeof tombstone?.responseExpiredAtMillis, "number", "the type of the expiry time")
    const responseExpiredAtMillis = tombstone?.responseExpiredAtMillis
    expectEqual(tombstone, { ...whole, response: undefined, responseExpiredAtMillis }, "the tombstone")
    const claim = yield* charges.claim(sampleCharge({ key: "old" }), lease("you", 1e12), 1e11, unlimited)
    expectEqual(claim, { _tag: "Existing", charge: tombstone }, "a claim of the tombstone's key")
    for (const kept of ["young", "ready"])
      expectEqual((yield* charges.find(kept))?.response, outcome.response, `the response of the ${kept} one`)
    expectEqual(
      (yield* charges.find("young"))?.responseExpiredAtMillis,
      undefined,
      "the response of the young one is kept"
    )
    expectEqual((yield* charges.find("claimed"))?.state, "claimed", "the claim")
    expectEqual(yield* charges.expire(5_000, 10), 0, "number of expired responses again")
    expectEqual(
      (yield* charges.find("old"))?.responseExpiredAtMillis,
      responseExpiredAtMillis,
      "when the first expired"
    )
    expectEqual(yield* charges.expire(1e12, 10), 1, "number of expired responses once all of it is old")
    const left = ["claimed", "old", "ready", "voided", "young"]
    expectEqual(keysOf(yield* charges.list({ limit: 10 })).toSorted(), left, "remaining charges")
    expectEqual((yield* charges.entries({ limit: 10 })).length, 2, "ledger entries")
  }),
  storeCase("Charges: a charge settled without a response has none to expire", function* () {
    const charges = yield* chargesWithOne("ready")
    yield* charges.void(key, "me", { keepExposure: false, checkAfterMillis: 0 })
    yield* charges.complete(key, paidRefundDue, 1_500)
    expectEqual(yield* charges.expire(9_000, 10), 0, "number of expired responses")
    expectEqual((yield* charges.find(key))?.responseExpiredAtMillis, undefined, "when its response expired")
  }),
  storeCase("Charges: expire respects its limit and eventually expires all responses", function* () {
    const charges = yield* Charges
    for (let number = 0; number < 7; number++)
      yield* chargesWithOne("settled", { key: `key-${number}` }, { settledAtMillis: 2_000 + number })
    const received = Effect.map(
      charges.list({ limit: 10 }),
      (found) => found.filter(({ response }) => response !== undefined).length
    )
    expectEqual(yield* charges.expire(9_000, 0), 0, "none of seven")
    expectEqual(yield* charges.expire(9_000, 3), 3, "three of seven")
    expectEqual(yield* received, 4, "responses left after three")
    expectEqual(yield* charges.expire(9_000, 3), 3, "three of four")
    expectEqual(yield* charges.expire(9_000, 3), 1, "the last")
    expectEqual(yield* received, 0, "responses left finally")
  }),
  storeCase(`Charges: ${racers} racers expiring responses count each once`, function* () {
    const charges = yield* Charges
    for (let number = 0; number < 20; number++) yield* chargesWithOne("settled", { key: `key-${number}` })
    const touched = yield* race(() => charges.expire(9_000, 20))
    expectEqual(
      touched.reduce((sum, count) => sum + count, 0),
      20,
      "number of expired responses by all of them"
    )
  })
]

/** Reads all pages of charges. */
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

/** Twelve charges, three per state, three per time; the settled ones at 5000, 5010 and 5020. */
export const dozen = Effect.gen(function* () {
  const charges = yield* Charges
  for (const number of [7, 2, 11, 4, 0, 9, 1, 8, 3, 10, 5, 6])
    yield* chargesWithOne(
      states[number % 4]!,
      { key: `key-${String.fromCharCode(109 - number)}`, createdAtMillis: 1_000 + Math.floor(number / 3) },
      { settledAtMillis: 5_000 + Math.floor(number / 4) * 10 }
    )
  return charges
})

const listing: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: list returns the newest first, by time and key, up to the limit", function* () {
    const charges = yield* Charges
    expectEqual(yield* charges.list({ limit: 10 }), [], "of none")
    yield* dozen
    const listed = yield* charges.list({ limit: 100 })
    expectEqual(
      keysOf(listed),
      ["d", "c", "b", "g", "f", "e", "j", "i", "h", "m", "l", "k"].map((letter) => `key-${letter}`),
      "all"
    )
    expectEqual(yield* charges.list({ limit: 5 }), listed.slice(0, 5), "the first five")
    for (const charge of listed)
      expectEqual(charge, yield* charges.find(charge.key), `the charge ${charge.key}`)
  }),
  storeCase("Charges: pages have no gaps and no repeats, whatever their size", function* () {
    const charges = yield* dozen
    const all = keysOf(yield* charges.list({ limit: 100 }))
    for (const limit of [1, 2, 3, 5, 12]) expectEqual(yield* pagesOf({ limit }), all, `pages of ${limit}`)
  }),
  storeCase("Charges: charges claimed while listing don't shift pages", function* () {
    const charges = yield* dozen
    const all = keysOf(yield* charges.list({ limit: 100 }))
    const first = yield* charges.list({ limit: 5 })
    yield* chargesWithOne("claimed", { key: "new", createdAtMillis: 9_000 })
    // A cursor is a position, so it works even after its charge is gone.
    expectEqual(yield* charges.release(first.at(-1)!.key, "me"), true, "the release of the last one listed")
    const second = yield* charges.list({ limit: 100, before: first.at(-1)! })
    expectEqual([...keysOf(first), ...keysOf(second)], all, "the pages")
  }),
  storeCase("Charges: list filters by state", function* () {
    const charges = yield* dozen
    const all = yield* charges.list({ limit: 100 })
    for (const state of states) {
      const theirs = all.filter((charge) => charge.state === state)
      expectEqual(theirs.length, 3, `${state} charges`)
      expectEqual(yield* charges.list({ limit: 100, state }), theirs, `the ${state} ones`)
      expectEqual(yield* pagesOf({ limit: 1, state }), keysOf(theirs), `the ${state} ones, one by one`)
    }
  }),
  storeCase("Charges: list filters by the kind of what was bought", function* () {
    const bought = (name: string, kind: string | undefined, payer = "0xone") =>
      chargesWithOne(
        "settled",
        { key: name, payer, createdAtMillis: 1_000 },
        {
          settlement: { ...paid, transferLogIndex: Number(name) },
          ...(kind === undefined ? {} : { subject: { kind, id: `${kind}-${name}` } })
        }
      )
    const charges = yield* bought("1", "order")
    yield* bought("2", undefined)
    yield* bought("3", "purchase")
    yield* bought("4", "order")
    yield* bought("5", "order", "0xtwo")
    const ofKind = { limit: 9, subjectKind: "order" }
    expectEqual(keysOf(yield* charges.list(ofKind)), ["5", "4", "1"], "orders")
    expectEqual(keysOf(yield* charges.list({ ...ofKind, payer: "0xone" })), ["4", "1"], "a payer's orders")
    const before = { createdAtMillis: 1_000, key: "4" }
    expectEqual(
      keysOf(yield* charges.list({ ...ofKind, payer: "0xone", before })),
      ["1"],
      "the next page of them"
    )
    expectEqual(keysOf(yield* charges.list({ limit: 9, subjectKind: "purchase" })), ["3"], "purchases")
  }),
  storeCase("Charges: a receipt is stored unchanged", function* () {
    const charges = yield* chargesWithOne("ready")
    const receipt = { ...sampleReceipt(), transaction: "0xAbC" }
    yield* charges.complete(key, { ...paid, receipt }, 1_500)
    expectEqual((yield* charges.find(key))?.receipt, receipt, "the receipt")
    expectEqual(
      (yield* charges.entries({ limit: 1 }))[0]?.transaction,
      "0xAbC",
      "the transaction of its entry"
    )
  })
]

/** Contract of `list` and `expire`, and of the data that remains. */
export const retentionCases: ReadonlyArray<ChargeCase> = [...responses, ...listing]
