import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainNode } from "../../../src/toll/evidence/ChainNode.ts"
import { searchLogs } from "../../../src/toll/evidence/LogSearch.ts"
import { FakeNode } from "./FakeNode.ts"

const address = "0x00000000000000000000000000000000000000Aa"
const topic = `0x${"12".repeat(32)}` as const

const open = () => {
  const node = new FakeNode({ genesisSeconds: 0, blockSeconds: 1, height: 10_000n })
  const reader = new ChainNode(node.transport)
  return {
    node,
    put: (block: bigint) => node.transact([{ address, topics: [topic], data: "0x" }], { block }),
    search: (from: bigint, to: bigint, maxQueries: number, untilFound: boolean) =>
      Effect.map(
        searchLogs(reader, { address, topics: [topic] }, { from, to }, { maxQueries, untilFound }),
        ({ isComplete, logs }) => ({ isComplete, blocks: logs.map(({ blockNumber }) => blockNumber) })
      )
  }
}

describe("searchLogs", () => {
  it.effect("reads a range to both its ends, and returns the oldest first", () =>
    Effect.gen(function* () {
      const { node, put, search } = open()
      for (const block of [999n, 1_000n, 3_000n, 2_999n, 5_000n, 5_001n]) put(block)
      assert.deepStrictEqual(yield* search(1_000n, 5_000n, 3, false), {
        isComplete: true,
        blocks: [1_000n, 2_999n, 3_000n, 5_000n]
      })
      assert.strictEqual(node.count("eth_getLogs"), 3)
    })
  )

  it.effect("is incomplete where one block is left", () =>
    Effect.gen(function* () {
      const { put, search } = open()
      put(1_000n)
      assert.deepStrictEqual(yield* search(1_000n, 3_000n, 1, false), { isComplete: false, blocks: [] })
      assert.deepStrictEqual(yield* search(1_000n, 2_999n, 1, false), {
        isComplete: true,
        blocks: [1_000n]
      })
    })
  )

  it.effect("stops at the newest find where one is enough", () =>
    Effect.gen(function* () {
      const { node, put, search } = open()
      for (const block of [1n, 5_000n]) put(block)
      assert.deepStrictEqual(yield* search(0n, 10_000n, 99, true), { isComplete: false, blocks: [5_000n] })
      assert.strictEqual(node.count("eth_getLogs"), 3)
    })
  )

  it.effect("is complete for a range without blocks", () =>
    Effect.gen(function* () {
      const { node, search } = open()
      assert.deepStrictEqual(yield* search(1n, 0n, 9, false), { isComplete: true, blocks: [] })
      assert.strictEqual(node.requests.length, 0)
    })
  )
})
