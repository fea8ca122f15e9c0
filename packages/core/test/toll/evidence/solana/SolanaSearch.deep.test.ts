import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { presentedSlot } from "./BusyNode.ts"
import { dust, findAmid, nodeWith, outcome, payment, searchAt } from "./searches.ts"

describe("the search for a payment", () => {
  it.effect("finds it among 5,000 dust transfers within 15 minutes, and reads each of them once", () =>
    findAmid(5_000, 15 * 60)
  )

  it.effect("reads the later ones as well where the node doesn't list blocks", () =>
    Effect.gen(function* () {
      const node = nodeWith([payment(presentedSlot + 12), ...dust(1_200, presentedSlot + 20_000)])
      node.without.add("getBlocksWithLimit")
      assert.deepInclude(yield* searchAt(yield* node.chain, 86_400), outcome)
      assert.strictEqual(node.count("getTransaction"), 1_201)
    })
  )

  it.effect("goes on after a failed read where it has come to", () =>
    Effect.gen(function* () {
      const node = nodeWith([payment(presentedSlot + 12), ...dust(1_500, presentedSlot + 13)])
      const chain = yield* node.chain
      node.failsAfter = 1_200
      assert.deepStrictEqual(yield* searchAt(chain, 3_000), { _tag: "Unavailable" })
      node.failsAfter = Infinity
      const reads = node.count("getTransaction")
      assert.deepInclude(yield* searchAt(chain, 3_000), outcome)
      assert.isAtMost(node.count("getTransaction") - reads, 320)
      // The page that was read completely isn't listed again.
      assert.strictEqual(node.count("getSignaturesForAddress"), 2 + 1)
    })
  )
})
