import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { track } from "../toll/openTill.ts"
import { payer } from "../toll/wallet.ts"
import { fakes, payFor, send, started, testTracer, trackingTill } from "./hosted.ts"

/** Runs calls of a till that tracks shipments: its own spans, all spans, and its counts of calls. */
const observed = Effect.fnUntraced(function* <A, E>(
  calls: Effect.Effect<A, E, Effect.Services<ReturnType<typeof send>>>,
  fake = fakes()
) {
  const { layer, spans } = testTracer()
  const watched = Effect.gen(function* () {
    const result = yield* calls
    const metrics = yield* Metric.snapshot
    const counts = metrics
      .filter(({ id }) => id === "till402_calls_total")
      .map(({ attributes, state }) => ({ ...attributes, ...state }))
    return { result, counts }
  })
  const { counts, result } = yield* Effect.andThen(started, Effect.provide(watched, trackingTill(fake))).pipe(
    Effect.provide(layer),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
  const own = spans.filter(({ name }) => name.startsWith("till402."))
  return { result, counts, spans, own, names: own.map(({ name }) => name) }
})

const paidCall = Effect.gen(function* () {
  const payment = yield* payFor(track)
  const response = yield* send(track, { "payment-signature": payment })
  return { payment, status: response.status }
})

describe("what a host observes", () => {
  it.effect("of a paid call: a span of each step that takes time", () =>
    Effect.gen(function* () {
      const { counts, names, own, result, spans } = yield* observed(paidCall)
      assert.strictEqual(result.status, 200)
      assert.deepStrictEqual(names, [
        "till402.charge",
        "till402.verify",
        "till402.claim",
        "till402.work",
        "till402.settle"
      ])
      const [call, ...steps] = own
      for (const { parent, status } of steps) {
        assert.strictEqual(parent._tag === "Some" ? parent.value.spanId : undefined, call!.spanId)
        assert.strictEqual(status._tag, "Ended")
      }
      const labels = { operation: "track", outcome: "paid" }
      assert.deepStrictEqual(Object.fromEntries(call!.attributes), { ...labels, network: "eip155:84532" })
      assert.deepStrictEqual(counts, [{ ...labels, count: 1, incremental: true }])
      // Neither the payer nor the payment, by any spelling.
      const written = JSON.stringify(spans.map(({ attributes, events }) => [[...attributes], events]))
      const { signature } = JSON.parse(Buffer.from(result.payment, "base64").toString("utf8")).payload
      for (const secret of [payer.address.slice(2), String(signature).slice(2), result.payment])
        assert.notInclude(written.toLowerCase(), secret.toLowerCase())
    })
  )

  it.effect("of a refused call: nothing after the verification", () =>
    Effect.gen(function* () {
      const fake = fakes()
      fake.facilitator.verify.returns(async () => ({ isValid: false, invalidReason: "no" }))
      const { counts, names, own, result } = yield* observed(paidCall, fake)
      assert.strictEqual(result.status, 402)
      assert.deepStrictEqual(names, ["till402.charge", "till402.verify"])
      const labels = { operation: "track", outcome: "refused" }
      assert.deepStrictEqual(Object.fromEntries(own[0]!.attributes), { ...labels, network: "eip155:84532" })
      assert.deepStrictEqual(counts, [{ ...labels, count: 1, incremental: true }])
    })
  )

  it.effect("of a replay, and of a request without payment: the first is counted alone", () =>
    Effect.gen(function* () {
      const { counts, names } = yield* observed(
        Effect.gen(function* () {
          const { payment } = yield* paidCall
          yield* send(track, { "payment-signature": payment })
          yield* send(track)
        })
      )
      assert.deepStrictEqual(names.slice(5), ["till402.charge"])
      const once = (outcome: string) => ({ operation: "track", outcome, count: 1, incremental: true })
      assert.sameDeepMembers<unknown>(counts, [once("paid"), once("replayed")])
    })
  )
})
