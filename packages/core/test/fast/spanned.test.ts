import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spanned } from "../../src/fast/spanned.ts"
import { testTracer } from "../till/hosted.ts"

const seen = (span: { readonly name: string; readonly attributes: ReadonlyMap<string, unknown> }) => ({
  name: span.name,
  attributes: [...span.attributes]
})

describe("spanned", () => {
  for (const [ending, effect] of [
    ["succeeds", Effect.succeed(1)],
    ["fails", Effect.fail("no")],
    ["dies", Effect.die("bug")]
  ] as const) {
    it.effect(`is as withSpan for an effect that ${ending}, within a tracer and without`, () =>
      Effect.gen(function* () {
        const attributes = { source: "a" }
        const fast = Effect.exit(spanned<number, string>(effect, "search", attributes))
        const plain = Effect.exit(Effect.withSpan<number, string, never>(effect, "search", { attributes }))
        assert.deepStrictEqual((yield* fast)._tag, (yield* plain)._tag)
        const ofFast = testTracer()
        const ofPlain = testTracer()
        const within = [
          yield* Effect.provide(Effect.withSpan(fast, "caller"), ofFast.layer),
          yield* Effect.provide(Effect.withSpan(plain, "caller"), ofPlain.layer)
        ]
        assert.strictEqual(within[0]!._tag, within[1]!._tag)
        assert.deepStrictEqual(ofFast.spans.map(seen), ofPlain.spans.map(seen))
        const [caller, own] = ofFast.spans
        assert.strictEqual(own!.traceId, caller!.traceId)
        assert.strictEqual(own!.status._tag, "Ended")
      })
    )
  }
})
