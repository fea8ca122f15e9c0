import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { blocksBetween, bracketTime } from "../../../src/toll/evidence/BlockSearch.ts"
import { ChainNode } from "../../../src/toll/evidence/ChainNode.ts"
import { FakeNode } from "./FakeNode.ts"

/** A chain whose blocks come unevenly: several in one second, then none for a day. */
class UnevenNode extends FakeNode {
  override timeOf(block: bigint): number {
    const number = Number(block)
    const pauses = Math.floor(number / 700) * 86_400
    return 1_600_000_000 + Math.floor(number / 5) + pauses + (number > 3_000 ? 40_000_000 : 0)
  }
}

const open = Effect.fnUntraced(function* (height: bigint) {
  const node = new UnevenNode({ genesisSeconds: 0, blockSeconds: 1, height })
  const reader = new ChainNode(node.transport)
  return { node, reader, latest: yield* reader.latest }
})

describe("bracketTime", () => {
  it.effect("finds the first block at or after any time, in few reads", () =>
    Effect.gen(function* () {
      for (const height of [0n, 1n, 999n, 1_000n, 5_431n]) {
        const { latest, node, reader } = yield* open(height)
        const times = new Set<number>([0, node.timeOf(0n) - 1, node.nowSeconds + 1])
        for (let block = 0n; block <= height; block += 37n) {
          times.add(node.timeOf(block))
          times.add(node.timeOf(block) + 1)
        }
        for (const seconds of times) {
          const reads = node.requests.length
          const { before, from } = yield* bracketTime(reader, latest, BigInt(seconds))
          assert.strictEqual(from, before + 1n)
          assert.isTrue(before === -1n || node.timeOf(before) < seconds)
          assert.isTrue(from === height + 1n || node.timeOf(from) >= seconds)
          assert.isAtMost(node.requests.length - reads, 30)
        }
      }
    })
  )

  it.effect("stops early where neighbors are not needed, and never leaves a block out", () =>
    Effect.gen(function* () {
      const { latest, node, reader } = yield* open(5_431n)
      for (let block = 0n; block <= 5_431n; block += 91n) {
        const seconds = node.timeOf(block)
        const reads = node.requests.length
        const { before, from } = yield* bracketTime(reader, latest, BigInt(seconds), 100n)
        assert.isAtMost(node.requests.length - reads, 16)
        assert.isTrue(before === -1n || node.timeOf(before) < seconds)
        assert.isTrue(node.timeOf(from) >= seconds)
        assert.isTrue(from - before <= 101n)
      }
    })
  )

  it.effect("fails where the node lacks a block of the past", () =>
    Effect.gen(function* () {
      const { latest, node, reader } = yield* open(5_000n)
      node.height = 10n
      assert.strictEqual(
        (yield* Effect.flip(bracketTime(reader, latest, BigInt(node.timeOf(4_000n)))))._tag,
        "NodeFailed"
      )
    })
  )
})

describe("blocksBetween", () => {
  it.effect("is all blocks from one time to before another", () =>
    Effect.gen(function* () {
      const { latest, node, reader } = yield* open(5_431n)
      const seconds = (block: bigint) => BigInt(node.timeOf(block))
      const between = (fromSeconds: bigint, beforeSeconds: bigint) =>
        blocksBetween(reader, latest, { fromSeconds, beforeSeconds })
      // Five blocks a second: 1,000 to 1,004 share one.
      assert.deepStrictEqual(yield* between(seconds(1_000n), seconds(2_000n)), { from: 1_000n, to: 1_999n })
      assert.deepStrictEqual(yield* between(seconds(1_000n) + 1n, seconds(2_000n) + 1n), {
        from: 1_005n,
        to: 2_004n
      })
      assert.deepStrictEqual(yield* between(seconds(1_000n), seconds(1_000n)), { from: 1_000n, to: 999n })
      assert.deepStrictEqual(yield* between(0n, seconds(5_431n) + 1n), { from: 0n, to: 5_431n })
    })
  )
})
