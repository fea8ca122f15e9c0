import { Effect } from "effect"
import {
  asReady,
  asSettled,
  chargesWithOne,
  isCompleted,
  key,
  lease,
  order,
  outcome,
  paid
} from "./chargeRecords.ts"
import { sampleResponse } from "./records.ts"
import { expectEqual, race, racers, type ChargeCase, storeCase, countTrue } from "./StoreCase.ts"

/** Contract of `deliver`, and of the settlement before it. */
export const owedResponseCases: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: a settle-first charge is ready and settled before it has a response", function* () {
    const charges = yield* chargesWithOne("claimed", { settlesFirst: true })
    expectEqual(yield* charges.advance(key, "me", { response: undefined, subject: order }), true, "advance")
    const ready = { ...asReady, settlesFirst: true, response: undefined, subject: order }
    expectEqual(yield* charges.find(key), ready, "the ready charge")
    expectEqual(
      yield* charges.deliver(key, "me", outcome.response),
      false,
      "a response before the settlement"
    )
    const first = { ...paid, responseOwedUntilMillis: 6_000 }
    expectEqual((yield* charges.complete(key, first, 1_500))._tag, "Completed", "complete")
    const settled = {
      ...asSettled,
      settlesFirst: true,
      response: undefined,
      subject: order,
      effectPending: true,
      responseOwedUntilMillis: 6_000,
      checkAfterMillis: 6_000
    }
    expectEqual(yield* charges.find(key), settled, "the settled charge")
    expectEqual(yield* charges.deliver(key, "you", outcome.response), false, "a response by another")
    expectEqual(
      yield* charges.deliver("unknown", "me", outcome.response),
      false,
      "a response of an unknown key"
    )
    expectEqual(yield* charges.deliver(key, "me", outcome.response), true, "a response by the owner")
    const delivered = { ...settled, ...outcome, subject: order, responseOwedUntilMillis: undefined }
    expectEqual(yield* charges.find(key), delivered, "the charge with its response")
    expectEqual(yield* charges.deliver(key, "me", sampleResponse("second")), false, "a second response")
    expectEqual(yield* charges.find(key), delivered, "the charge after that")
  }),
  storeCase("Charges: a settled charge is due at the earlier of its times", function* () {
    const times = [
      [undefined, undefined, 0],
      [5_000, undefined, 5_000],
      [undefined, 6_000, 6_000],
      [5_000, 6_000, 5_000],
      [6_000, 5_000, 5_000]
    ] as const
    for (const [finalAfterMillis, responseOwedUntilMillis, checkAfterMillis] of times) {
      const own = `${finalAfterMillis} ${responseOwedUntilMillis}`
      const charges = yield* chargesWithOne("ready", { key: own })
      yield* charges.defer(own, "me", 9_000)
      yield* charges.complete(own, { ...paid, finalAfterMillis, responseOwedUntilMillis }, 1_500)
      const charge = yield* charges.find(own)
      const seen = [charge?.checkAfterMillis, charge?.responseOwedUntilMillis, charge?.awaitsFinality]
      const expected = [checkAfterMillis, responseOwedUntilMillis, finalAfterMillis !== undefined]
      expectEqual(seen, expected, `the times of ${own}`)
    }
  }),
  storeCase("Charges: a response is due or its refund is due, never both", function* () {
    const charges = yield* chargesWithOne(
      "settled",
      { settlesFirst: true },
      { settlement: { ...paid, responseOwedUntilMillis: 6_000 } }
    )
    expectEqual(
      yield* charges.markRefundDue(key, 6_000, undefined),
      true,
      "a refund of what was not delivered"
    )
    expectEqual(
      (yield* charges.find(key))?.responseOwedUntilMillis,
      undefined,
      "the deadline of the response"
    )
    expectEqual(yield* charges.deliver(key, "me", outcome.response), false, "a response after that")
    expectEqual((yield* charges.find(key))?.response, undefined, "the response")
    const outcomes = yield* race((racer) =>
      Effect.gen(function* () {
        const own = `key-${racer}`
        const rest = { settlement: { ...paid, responseOwedUntilMillis: 6_000 } }
        yield* chargesWithOne("settled", { key: own, settlesFirst: true }, rest)
        const [delivered, refunded] = yield* Effect.all(
          [charges.deliver(own, "me", outcome.response), charges.markRefundDue(own, 6_000, undefined)],
          { concurrency: "unbounded" }
        )
        const charge = yield* charges.find(own)
        // A delivered response can still be refunded, but no response is delivered after a refund.
        return refunded && (charge?.response !== undefined) === delivered
      })
    )
    expectEqual(
      countTrue(outcomes),
      racers,
      "charges whose refund is due, with the response that was delivered"
    )
  }),
  storeCase("Charges: a refund of a charge that another owner has taken over is not due", function* () {
    const charges = yield* chargesWithOne(
      "settled",
      { settlesFirst: true },
      { settlement: { ...paid, responseOwedUntilMillis: 6_000 } }
    )
    expectEqual(yield* charges.takeOver(key, lease("you", 9_000), 6_000), true, "the takeover")
    const taken = yield* charges.find(key)
    expectEqual(yield* charges.markRefundDue(key, 6_100, "me"), false, "a refund by the owner before")
    expectEqual(yield* charges.find(key), taken, "the charge after that")
    expectEqual((yield* charges.entries({ limit: 10 })).length, 1, "ledger entries")
    expectEqual(yield* charges.deliver(key, "you", outcome.response), true, "its response")
    expectEqual(yield* charges.markRefundDue(key, 6_200, "me"), false, "a refund after the response")
    yield* chargesWithOne("settled", { key: "held" })
    expectEqual(yield* charges.markRefundDue("held", 6_300, "me"), true, "a refund by the owner")
  }),
  storeCase(`Charges: of ${racers} racers one delivers and one settles`, function* () {
    const charges = yield* chargesWithOne("ready", { settlesFirst: true })
    const first = { ...paid, transferLogIndex: 1, responseOwedUntilMillis: 6_000 }
    const completions = yield* race(() => charges.complete(key, first, 1_500))
    expectEqual(completions.filter(isCompleted).length, 1, "settlements")
    const delivered = yield* race((racer) => charges.deliver(key, "me", sampleResponse(`by ${racer}`)))
    expectEqual(countTrue(delivered), 1, "responses")
    const { response } = (yield* charges.find(key))!
    expectEqual(response, sampleResponse(`by ${delivered.indexOf(true)}`), "the response")
  })
]
