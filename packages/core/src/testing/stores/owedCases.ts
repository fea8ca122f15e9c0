import { Effect } from "effect"
import { asReady, asSettled, chargesWith, isCompleted, key, order, outcome, paid } from "./chargeRecords.ts"
import { sampleAnswer } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase, wins } from "./StoreCase.ts"

/** What `deliver` promises, and the settlement before it. */
export const owedCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "Charges: a charge that settles first is ready and settled before it has a response",
    function* () {
      const charges = yield* chargesWith("claimed", { settlesFirst: true })
      equal(yield* charges.advance(key, "me", { answer: undefined, subject: order }), true, "advance")
      const ready = { ...asReady, settlesFirst: true, answer: undefined, subject: order }
      equal(yield* charges.find(key), ready, "the ready charge")
      equal(yield* charges.deliver(key, "me", outcome.answer), false, "a response before the settlement")
      const first = { ...paid, responseOwedUntilMillis: 6_000 }
      equal((yield* charges.complete(key, first, 1_500))._tag, "Completed", "complete")
      const settled = {
        ...asSettled,
        settlesFirst: true,
        answer: undefined,
        subject: order,
        effectPending: true,
        responseOwedUntilMillis: 6_000,
        checkAfterMillis: 6_000
      }
      equal(yield* charges.find(key), settled, "the settled charge")
      equal(yield* charges.deliver(key, "you", outcome.answer), false, "a response by another")
      equal(yield* charges.deliver("unknown", "me", outcome.answer), false, "a response of an unknown key")
      equal(yield* charges.deliver(key, "me", outcome.answer), true, "a response by the owner")
      const delivered = { ...settled, ...outcome, subject: order, responseOwedUntilMillis: undefined }
      equal(yield* charges.find(key), delivered, "the charge with its response")
      equal(yield* charges.deliver(key, "me", sampleAnswer("second")), false, "a second response")
      equal(yield* charges.find(key), delivered, "the charge after that")
    }
  ),
  storeCase("Charges: a settled charge is looked at again at the earlier of its times", function* () {
    const times = [
      [undefined, undefined, 0],
      [5_000, undefined, 5_000],
      [undefined, 6_000, 6_000],
      [5_000, 6_000, 5_000],
      [6_000, 5_000, 5_000]
    ] as const
    for (const [finalAfterMillis, responseOwedUntilMillis, checkAfterMillis] of times) {
      const own = `${finalAfterMillis} ${responseOwedUntilMillis}`
      const charges = yield* chargesWith("ready", { key: own })
      yield* charges.defer(own, "me", 9_000)
      yield* charges.complete(own, { ...paid, finalAfterMillis, responseOwedUntilMillis }, 1_500)
      const charge = yield* charges.find(own)
      const seen = [charge?.checkAfterMillis, charge?.responseOwedUntilMillis, charge?.awaitsFinality]
      const expected = [checkAfterMillis, responseOwedUntilMillis, finalAfterMillis !== undefined]
      equal(seen, expected, `the times of ${own}`)
    }
  }),
  storeCase("Charges: a response is owed or its refund is due, never both", function* () {
    const charges = yield* chargesWith(
      "settled",
      { settlesFirst: true },
      { settlement: { ...paid, responseOwedUntilMillis: 6_000 } }
    )
    equal(yield* charges.oweRefund(key, 6_000), true, "a refund of what was not delivered")
    equal((yield* charges.find(key))?.responseOwedUntilMillis, undefined, "until when the response is owed")
    equal(yield* charges.deliver(key, "me", outcome.answer), false, "a response after that")
    equal((yield* charges.find(key))?.answer, undefined, "the response")
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        const rest = { settlement: { ...paid, responseOwedUntilMillis: 6_000 } }
        yield* chargesWith("settled", { key: own, settlesFirst: true }, rest)
        const [delivered, refunded] = yield* Effect.all(
          [charges.deliver(own, "me", outcome.answer), charges.oweRefund(own, 6_000)],
          { concurrency: "unbounded" }
        )
        const charge = yield* charges.find(own)
        // A refund may be owed of what was delivered, a response is not delivered of what is refunded.
        return refunded && (charge?.answer !== undefined) === delivered
      })
    )
    equal(wins(outcomes), racers, "charges whose refund is due, with the response that was delivered")
  }),
  storeCase(`Charges: of ${racers} racers one delivers, one transfer settles`, function* () {
    const charges = yield* chargesWith("ready", { settlesFirst: true })
    const first = { ...paid, transferLogIndex: 1, responseOwedUntilMillis: 6_000 }
    const completions = yield* race(() => charges.complete(key, first, 1_500))
    equal(completions.filter(isCompleted).length, 1, "settlements")
    const delivered = yield* race((racer) => charges.deliver(key, "me", sampleAnswer(`by ${racer}`)))
    equal(wins(delivered), 1, "responses")
    const { answer } = (yield* charges.find(key))!
    equal(answer, sampleAnswer(`by ${delivered.indexOf(true)}`), "the response")
  })
]
