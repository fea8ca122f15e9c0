import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { nonceOf } from "../../../../src/toll/exact/SignedPayment.ts"
import { devnet, solanaPayTo, solanaV1 } from "../../solana.ts"
import { BusyNode, type Listed, presentedSlot } from "./BusyNode.ts"
import { authorization, dust, findAmid, nodeWith, outcome, payment, searchAt } from "./searches.ts"

/*
 * Searches for a payment of a wallet that has many transactions. SolanaSearch.deep.test.ts has more of them.
 */

describe("the search for a payment", () => {
  it.effect("finds it among 1,000 dust transfers within 5 minutes, and reads each of them once", () =>
    findAmid(1_000, 5 * 60)
  )

  it.effect("reads none of 5,000 transactions that came later", () =>
    Effect.gen(function* () {
      const later = dust(5_000, presentedSlot + 20_000)
      const node = nodeWith([...dust(3, presentedSlot - 10), payment(presentedSlot + 12), ...later])
      const evidence = yield* searchAt(yield* node.chain, 86_400)
      assert.deepInclude(evidence, outcome)
      assert.isAtMost(node.count("getTransaction"), 10)
      assert.strictEqual(node.count("getSignaturesForAddress"), 6)
      assert.isAtMost(node.count("getBlockTime") + node.count("getBlocksWithLimit"), 60)
    })
  )

  it.effect(
    "doesn't take a node's word that nothing is behind a transaction which that node doesn't know",
    () =>
      Effect.gen(function* () {
        const newest = presentedSlot + 2_500
        // More than a page within the latest slots.
        const burst = Array.from({ length: 1_200 }, (_, index): Listed => ({
          signature: `burst ${index}`,
          slot: newest - Math.floor(index / 60),
          message: "other"
        }))
        const node = nodeWith([payment(presentedSlot + 34), ...burst])
        node.lateSlots = 25
        const chain = yield* node.chain
        assert.deepStrictEqual(yield* searchAt(chain, 1_000), { _tag: "Unavailable" })
        node.lateSlots = 0
        assert.deepInclude(yield* searchAt(chain, 1_000), outcome)
      })
  )

  it.effect("shares what it has read with those for other payments of the wallet", () =>
    Effect.gen(function* () {
      const node = nodeWith(dust(500, presentedSlot))
      const chain = yield* node.chain
      yield* searchAt(chain, 1_000)
      const nonce = nonceOf(solanaV1({ blockhash: solanaPayTo }))
      assert.strictEqual((yield* chain.evidence(devnet, { ...authorization, nonce }))._tag, "NotMoved")
      assert.strictEqual(node.count("getTransaction"), 500)
    })
  )

  it.effect(
    "says that an expired payment has not moved once all of the span is read, and compares all again then",
    () =>
      Effect.gen(function* () {
        const node = nodeWith(dust(1_500, presentedSlot - 500))
        const chain = yield* node.chain
        node.failsAfter = 1_200
        assert.deepStrictEqual(yield* searchAt(chain, 600), { _tag: "Unavailable" })
        node.failsAfter = Infinity
        assert.strictEqual((yield* searchAt(chain, 600))._tag, "NotMoved")
        // Another node has indexed the payment by now.
        node.listed = [...node.listed, payment(presentedSlot + 34)]
        node.latencyMillis = 0
        assert.strictEqual((yield* chain.evidence(devnet, authorization))._tag, "Moved")
      })
  )

  it.effect("finds what is listed above it later, while the payment could still land", () =>
    Effect.gen(function* () {
      const node = nodeWith(dust(300, presentedSlot - 100))
      const chain = yield* node.chain
      // A node that lags behind doesn't know the blockhash yet.
      node.isExpired = true
      assert.strictEqual((yield* searchAt(chain, 20))._tag, "NotMoved")
      node.without.add("getTransaction")
      node.listed = [...node.listed, ...dust(10, presentedSlot + 60)]
      assert.strictEqual((yield* searchAt(chain, 60))._tag, "Unavailable")
      node.without.clear()
      node.isExpired = undefined
      node.listed = [...node.listed, payment(presentedSlot + 140)]
      assert.deepInclude(yield* searchAt(chain, 200), outcome)
    })
  )

  it.effect("finds a payment that landed after the chain had stood still for hours", () =>
    Effect.gen(function* () {
      const node = new BusyNode()
      node.halt = { fromSlot: presentedSlot + 20, seconds: 10_000 }
      node.listed = [payment(presentedSlot + 120), ...dust(5_000, presentedSlot + 5_000)]
      assert.deepInclude(yield* searchAt(yield* node.chain, 40_000), outcome)
      assert.isAtMost(node.count("getTransaction"), 10)
    })
  )

  it.effect("finds it with a clock five minutes off in either direction", () =>
    Effect.gen(function* () {
      for (const aheadSeconds of [-300, 300]) {
        const node = nodeWith([payment(presentedSlot + 5), ...dust(2_000, presentedSlot + 5_000)])
        assert.deepInclude(yield* searchAt(yield* node.chain, 5_000, aheadSeconds), outcome)
        assert.isAtMost(node.count("getTransaction"), 10)
      }
    })
  )

  it.effect("finds it whatever a slot takes", () =>
    Effect.gen(function* () {
      for (const slotSeconds of [0.05, 0.2, 1]) {
        const node = nodeWith([payment(presentedSlot + 5), ...dust(2_000, presentedSlot + 100_000)])
        node.slotSeconds = slotSeconds
        assert.deepInclude(yield* searchAt(yield* node.chain, 200_000), outcome)
        assert.isAtMost(node.count("getTransaction"), 10)
      }
    })
  )
})
