import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import {
  callBlock,
  finalitySeconds,
  fromBlock,
  open,
  pruned,
  token,
  unavailable,
  usedOtherwise,
  width
} from "./EvidenceWorld.ts"
import type { RpcRequest } from "./FakeNode.ts"

describe("a nonce that was used without paying", () => {
  const uses = [
    ["by a transfer elsewhere", usedOtherwise, (world: ReturnType<typeof open>) => world.toSelf],
    [
      "by a cancellation",
      { _tag: "NotPaid", reason: "canceled" } as ChainEvidence,
      (world: ReturnType<typeof open>) => [token.canceled(world.authorization)]
    ]
  ] as const

  it.effect.each(uses)("did not pay once that is final: %s", ([, expected, logsIn]) =>
    Effect.gen(function* () {
      const world = open({ confirmations: 2 })
      const { evidence, node } = world
      const transaction = node.transact(logsIn(world))
      node.mine(finalitySeconds / 2 - 1)
      assert.deepStrictEqual(yield* evidence({ transaction }), unavailable)
      assert.deepStrictEqual(yield* evidence(), unavailable)
      node.mine(1)
      assert.deepStrictEqual(yield* evidence({ transaction }), expected)
      assert.deepStrictEqual(yield* evidence(), expected)
    })
  )

  it.effect.each(uses)("needs the confirmations as well: %s", ([, expected, logsIn]) =>
    Effect.gen(function* () {
      const world = open({ confirmations: 3, finalitySeconds: 0 })
      const { evidence, node } = world
      node.transact(logsIn(world))
      assert.deepStrictEqual(yield* evidence(), unavailable)
      node.mine(2)
      assert.deepStrictEqual(yield* evidence(), expected)
    })
  )

  it.effect.each(uses)("did not pay long before the window either: %s", ([, expected, logsIn]) =>
    Effect.gen(function* () {
      const world = open()
      world.node.transact(logsIn(world), { block: world.node.height - 20_000n })
      assert.deepStrictEqual(yield* world.evidence(), expected)
    })
  )

  it.effect("did not pay where its use is too far away to be found, once nothing can move any more", () =>
    Effect.gen(function* () {
      const { authorization, evidence, expire, node, toSelf } = open()
      node.transact(toSelf, { block: 1_000n })
      assert.deepStrictEqual(yield* evidence(), unavailable)
      node.mineUntil(Number(authorization.validBefore) + finalitySeconds - 2)
      assert.deepStrictEqual(yield* evidence(), unavailable)
      expire()
      assert.deepStrictEqual(yield* evidence(), usedOtherwise)
      // The node has neither the state nor the logs of old blocks.
      const pruning = (method: string, blockOf: (request: RpcRequest) => bigint) => (request: RpcRequest) => {
        if (request.method === method && blockOf(request) < node.height - 900n) throw pruned
      }
      node.fault = (request) => {
        pruning("eth_call", callBlock)(request)
        pruning("eth_getLogs", fromBlock)(request)
      }
      assert.deepStrictEqual(yield* evidence(), usedOtherwise)
    })
  )

  it.effect("did not pay where its use came too long after the window to be found", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, toSelf } = open()
      expire()
      node.mine(100_000)
      node.transact(toSelf)
      node.mine(100_000)
      assert.deepStrictEqual(yield* evidence(), usedOtherwise)
    })
  )

  it.effect("is unknown where the node's logs contradict the contract's state", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, paid } = open()
      node.transact(paid)
      expire()
      node.losesLogs = true
      assert.deepStrictEqual(yield* evidence(), unavailable)
      node.losesLogs = false
      assert.include(yield* evidence(), { _tag: "Moved", isFinal: true })
    })
  )

  it.effect("is unknown where the window can't be searched completely", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, toSelf } = open()
      node.transact(toSelf, { block: 1_000n })
      expire()
      node.fault = ({ method }) => {
        if (method === "eth_getLogs") throw pruned
      }
      assert.deepStrictEqual(yield* evidence(), unavailable)
    })
  )

  it.effect("is unknown where the window takes too many queries", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, toSelf } = open()
      node.transact(toSelf, { block: 1_000n })
      expire()
      node.fault = (request) => {
        if (request.method === "eth_getLogs" && width(request) > 1n) throw pruned
        if (request.method === "eth_call" && callBlock(request) < node.height) throw pruned
      }
      assert.deepStrictEqual(yield* evidence(), unavailable)
      assert.isAtMost(node.count("eth_getLogs"), 200)
    })
  )

  it.effect("is unknown while the contract's state can't be read", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, toSelf } = open()
      node.transact(toSelf, { block: 1_000n })
      expire()
      node.fault = (request) => {
        if (request.method === "eth_call" && callBlock(request) < node.height) throw new Error("unreachable")
      }
      assert.deepStrictEqual(yield* evidence(), unavailable)
    })
  )
})
