import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { custom } from "viem"
import type { ChainEvidence } from "../../../src/toll/evidence/ChainEvidence.ts"
import { makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import { finalitySeconds, network, open, stranger, token, unavailable } from "./EvidenceWorld.ts"

describe("a transfer of the authorization", () => {
  it.effect("is proven by the transaction that is named", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      node.transact([token.transfer({ from: stranger, to: stranger, value: "1" })])
      const transaction = node.transact(paid, { block: node.height })
      assert.deepStrictEqual(yield* evidence({ transaction }), {
        _tag: "Moved",
        transaction,
        logIndex: 2,
        atSeconds: node.nowSeconds,
        isFinal: false
      })
      // Its receipt, the latest block, and the block that it stands in.
      assert.strictEqual(node.requests.length, 3)
    })
  )

  it.effect("is found where no transaction is named, and however it is spelled", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const transaction = node.transact(paid)
      const atSeconds = node.nowSeconds
      node.mine(9)
      const moved: ChainEvidence = { _tag: "Moved", transaction, logIndex: 1, atSeconds, isFinal: false }
      assert.deepStrictEqual(yield* evidence(), moved)
      assert.strictEqual(node.count("eth_getLogs"), 1)
      assert.deepStrictEqual(
        yield* evidence({ transaction: transaction.toUpperCase().replace("0X", "0x") }),
        moved
      )
    })
  )

  it.effect("is final once its block is old enough, in chain time", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const transaction = node.transact(paid)
      node.mine(finalitySeconds / 2 - 1)
      assert.include(yield* evidence({ transaction }), { _tag: "Moved", isFinal: false })
      node.mine(1)
      assert.include(yield* evidence({ transaction }), { _tag: "Moved", isFinal: true })
    })
  )

  it.effect("counts once it has enough confirmations", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open({ confirmations: 3, finalitySeconds: 0 })
      const transaction = node.transact(paid)
      const confirming: ChainEvidence = { _tag: "Confirming", transaction }
      for (const _ of [1, 2]) {
        assert.deepStrictEqual(yield* evidence({ transaction }), confirming)
        assert.deepStrictEqual(yield* evidence(), confirming)
        node.mine(1)
      }
      assert.include(yield* evidence({ transaction }), { _tag: "Moved", isFinal: true })
      assert.include(yield* evidence(), { _tag: "Moved", isFinal: true })
    })
  )

  it.effect("counts in a block that is made while the node is read", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const transaction = node.transact(paid, { block: node.height + 1n })
      node.fault = ({ method }) => {
        if (method === "eth_getTransactionReceipt") node.mine(1)
      }
      assert.include(yield* evidence({ transaction }), { _tag: "Moved", isFinal: false })
    })
  )

  it.effect("is confirming while the node has its receipt but not its block", () =>
    Effect.gen(function* () {
      const { evidence, node, paid, toSelf } = open()
      const transaction = node.transact(paid, { block: node.height + 1n })
      assert.deepStrictEqual(yield* evidence({ transaction }), { _tag: "Confirming", transaction })
      const other = open()
      const early = other.node.transact(toSelf, { block: other.node.height + 1n })
      assert.deepStrictEqual(yield* other.evidence({ transaction: early }), unavailable)
    })
  )

  it.effect("disappears with its block", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const transaction = node.transact(paid)
      node.mine(2)
      assert.include(yield* evidence({ transaction }), { _tag: "Moved" })
      node.reorganize(3)
      const notMoved: ChainEvidence = { _tag: "NotMoved", chainTimeSeconds: node.nowSeconds }
      assert.deepStrictEqual(yield* evidence({ transaction }), notMoved)
      node.servesStale = true
      assert.deepStrictEqual(yield* evidence({ transaction }), notMoved)
      const again = node.transact(paid)
      assert.include(yield* evidence({ transaction }), { _tag: "Moved", transaction: again })
    })
  )

  it.effect("is the same by another message of the nonce, outside of this one's window", () =>
    Effect.gen(function* () {
      const { authorization, evidence, node, paid } = open()
      const transaction = node.transact(paid, { block: node.height - 10_000n })
      assert.deepStrictEqual(yield* evidence(), {
        _tag: "Moved",
        transaction,
        logIndex: 1,
        atSeconds: node.timeOf(node.height - 10_000n),
        isFinal: true
      })
      const later = open()
      later.node.mineUntil(Number(authorization.validBefore) + 3_600)
      const late = later.node.transact(later.paid)
      later.node.mine(20_000)
      assert.include(yield* later.evidence(), { _tag: "Moved", transaction: late })
    })
  )
})

describe("a transaction that is named", () => {
  it.effect("never hides the real one, whatever is wrong with it", () =>
    Effect.gen(function* () {
      const { authorization, evidence, node, paid, unrelated } = open()
      const real = node.transact(paid)
      const wrong = [
        "no hash at all",
        `0x${"12".repeat(32)}`,
        node.transact(paid, { succeeded: false }),
        node.transact(unrelated),
        node.transact([token.transfer(authorization)]),
        node.transact([])
      ]
      for (const transaction of wrong)
        assert.include(yield* evidence({ transaction }), { _tag: "Moved", transaction: real })
      node.fault = ({ method, params }) => {
        if (method === "eth_getTransactionReceipt" && params[0] === wrong[1]) throw new Error("no receipt")
      }
      assert.include(yield* evidence({ transaction: wrong[1]! }), { _tag: "Moved", transaction: real })
    })
  )

  it.effect("never proves anything by itself", () =>
    Effect.gen(function* () {
      const { authorization, evidence, node, paid, unrelated } = open()
      const wrong = [
        "no hash at all",
        node.transact(paid, { succeeded: false }),
        node.transact(unrelated),
        node.transact([token.transfer(authorization)])
      ]
      for (const transaction of wrong)
        assert.deepStrictEqual(yield* evidence({ transaction }), {
          _tag: "NotMoved",
          chainTimeSeconds: node.nowSeconds
        })
      // Text that is no hash isn't sent to the node.
      assert.strictEqual(node.count("eth_getTransactionReceipt"), wrong.length - 1)
    })
  )
})

describe("a node that can't be read", () => {
  it.effect("leaves the outcome unknown", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const transaction = node.transact(paid)
      node.fault = () => {
        throw new Error("connection refused")
      }
      assert.deepStrictEqual(yield* evidence({ transaction }), unavailable)
    })
  )

  it.effect("is not waited for longer than five seconds", () =>
    Effect.gen(function* () {
      const { authorization } = open()
      const silent = custom({ request: () => new Promise(() => undefined) }, { retryCount: 0 })
      const chain = makeChain([network], () => silent)
      const reading = yield* Effect.forkChild(chain.evidence(network, authorization))
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(reading.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(reading), unavailable)
    })
  )

  it.effect("is missing for a network without an endpoint", () =>
    Effect.gen(function* () {
      const { authorization } = open()
      const chain = makeChain([], () => assert.fail("no transport is needed"))
      assert.isFalse(chain.canRead(network.caip2))
      assert.deepStrictEqual(yield* chain.evidence(network, authorization), unavailable)
    })
  )
})
