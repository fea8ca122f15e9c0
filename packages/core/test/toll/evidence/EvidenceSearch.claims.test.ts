import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import type { ChainHead } from "../../../src/toll/evidence/ChainHead.ts"
import { network, open, unavailable } from "./EvidenceWorld.ts"

/*
 * Whether a transfer was on the chain before the claim of its payment.
 */

/** The newest block of a fake chain, as another reader of it sees it. */
const headOf = Effect.fnUntraced(function* (node: ReturnType<typeof open>["node"]) {
  const head = yield* makeChain([network], () => node.transport).head(network.caip2)
  node.requests.length = 0
  return head!
})

describe("a transfer", () => {
  it.effect("in the newest block at the claim, or before it, precedes the claim", () =>
    Effect.gen(function* () {
      for (const blocks of [0, 1, 50]) {
        const { evidence, node, paid } = open()
        const transaction = node.transact(paid)
        node.mine(blocks)
        const claimedAfter = yield* headOf(node)
        node.mine(2)
        for (const hints of [{ transaction, claimedAfter }, { claimedAfter }])
          assert.include(yield* evidence(hints), { _tag: "Moved", transaction, precedesClaim: true })
      }
    })
  )

  it.effect("in a later block doesn't, nor without a known block", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const claimedAfter = yield* headOf(node)
      const transaction = node.transact(paid)
      for (const hints of [{ transaction, claimedAfter }, { claimedAfter }, { transaction }])
        assert.doesNotHaveAnyKeys(yield* evidence(hints), ["precedesClaim"])
      // Its receipt, the latest block, and the block that it stands in: no read more.
      node.requests.length = 0
      yield* evidence({ transaction, claimedAfter })
      assert.strictEqual(node.requests.length, 3)
    })
  )

  it.effect("in a block of a lower number doesn't, if a reorganization has replaced the newest one", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const claimedAfter = yield* headOf(node)
      node.reorganize(2)
      for (const block of [node.height, node.height - 1n]) {
        const transaction = node.transact(paid, { block })
        const moved = yield* evidence({ transaction, claimedAfter })
        assert.include(moved, { _tag: "Moved" })
        assert.doesNotHaveAnyKeys(moved, ["precedesClaim"])
      }
    })
  )

  it.effect(
    "in a block that was final at the claim precedes it, though a reorganization has replaced the newest",
    () =>
      Effect.gen(function* () {
        const { evidence, node, paid } = open()
        const transaction = node.transact(paid)
        node.mine(2_000)
        const claimedAfter = yield* headOf(node)
        node.reorganize(1)
        node.mine(2)
        assert.include(yield* evidence({ transaction, claimedAfter }), { _tag: "Moved", precedesClaim: true })
        // A head without a time proves nothing.
        const { timeSeconds: _, ...untimed } = claimedAfter
        assert.doesNotHaveAnyKeys(yield* evidence({ transaction, claimedAfter: untimed }), ["precedesClaim"])
      })
  )

  it.effect("is unknown while the chain has no block of that number: a node may lag", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const transaction = node.transact(paid)
      const claimedAfter: ChainHead = { number: node.height + 2n, hash: `0x${"ee".repeat(32)}` }
      assert.deepStrictEqual(yield* evidence({ transaction, claimedAfter }), unavailable)
      node.mine(2)
      assert.include(yield* evidence({ transaction, claimedAfter }), { _tag: "Moved" })
    })
  )

  it.effect(
    "counts if a node showed a block far above the chain at the claim: for a minute, it is unknown",
    () =>
      Effect.gen(function* () {
        const { evidence, node, paid } = open()
        const claimedAfter: ChainHead = { number: node.height + 9_000_000n, hash: `0x${"ee".repeat(32)}` }
        const transaction = node.transact(paid)
        assert.deepStrictEqual(yield* evidence({ transaction, claimedAfter }), unavailable)
        yield* TestClock.adjust("61 seconds")
        assert.deepStrictEqual(yield* evidence({ transaction, claimedAfter }), unavailable)
        node.height++
        yield* TestClock.adjust("2 seconds")
        const moved = yield* evidence({ transaction, claimedAfter })
        assert.include(moved, { _tag: "Moved", transaction })
        assert.doesNotHaveAnyKeys(moved, ["precedesClaim"])
      })
  )
})
