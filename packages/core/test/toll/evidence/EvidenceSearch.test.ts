import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import {
  callBlock,
  finalitySeconds,
  fromBlock,
  network,
  open,
  pruned,
  toBlock,
  token,
  unavailable,
  useNotFound,
  usedOtherwise,
  width
} from "./EvidenceWorld.ts"
import { RpcFailure } from "./FakeNode.ts"

describe("the search", () => {
  it.effect("requests fewer blocks from a node that limits ranges", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const transaction = node.transact(paid)
      node.mine(300)
      node.fault = (request) => {
        if (request.method === "eth_getLogs" && width(request) > 10n)
          throw new RpcFailure(-32_602, "range is too wide")
      }
      assert.include(yield* evidence(), { _tag: "Moved", transaction })
      assert.isBelow(node.count("eth_getLogs"), 100)
    })
  )

  it.effect("is bounded", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, toSelf } = open()
      node.transact(toSelf, { block: 1_000n })
      expire()
      node.mine(500_000)
      assert.deepStrictEqual(yield* evidence(), usedOtherwise)
      assert.isBelow(node.count("eth_getLogs"), 45)
      assert.isBelow(node.count("eth_getBlockByNumber"), 40)
    })
  )

  it.effect("is unknown where a log has no receipt, as during a reorganization", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, paid } = open()
      const transaction = node.transact(paid)
      expire()
      node.fault = ({ method }) => {
        if (method === "eth_getTransactionReceipt") throw new RpcFailure(-32_000, "not found")
      }
      assert.deepStrictEqual(yield* evidence({ transaction }), unavailable)
    })
  )

  it.effect("is unknown where a log's receipt is missing", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, paid } = open()
      node.transact(paid)
      expire()
      node.losesReceipts = true
      node.fault = (request) => {
        if (request.method === "eth_call" && callBlock(request) < node.height) throw pruned
      }
      assert.deepStrictEqual(yield* evidence(), unavailable)
    })
  )

  it.effect("gives up at once where the node is unreachable, soon where it refuses every range", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      node.transact(paid)
      const failWith = (error: Error) => {
        node.fault = ({ method }) => {
          if (method === "eth_getLogs") throw error
        }
      }
      failWith(new Error("connection refused"))
      assert.deepStrictEqual(yield* evidence(), unavailable)
      assert.strictEqual(node.count("eth_getLogs"), 1)
      failWith(pruned)
      assert.deepStrictEqual(yield* evidence(), unavailable)
      assert.isAtMost(node.count("eth_getLogs"), 13)
    })
  )

  it.effect("takes few reads for a recent use", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      node.transact(paid)
      node.mine(20)
      yield* evidence()
      assert.isAtMost(node.requests.length, 8)
    })
  )

  it.effect("works on a chain that is younger than the window", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, paid } = open({}, 3n)
      const transaction = node.transact(paid)
      assert.include(yield* evidence(), { _tag: "Moved", transaction })
      expire()
      assert.include(yield* evidence(), { _tag: "Moved", transaction, isFinal: true })
    })
  )

  it.effect("covers the time since a refund was due", () =>
    Effect.gen(function* () {
      const { authorization, evidence, node, paid } = open()
      const sinceSeconds = node.nowSeconds
      const hints = { sinceSeconds }
      assert.deepStrictEqual(yield* evidence(hints), {
        _tag: "NotMoved",
        chainTimeSeconds: sinceSeconds
      })
      node.mine(1_000)
      const transaction = node.transact(paid)
      node.mine(200_000)
      assert.include(yield* evidence(hints), { _tag: "Moved", transaction })
      const canceled = open()
      canceled.node.transact([token.canceled(authorization)], { block: canceled.node.height - 1_000n })
      canceled.node.mine(10)
      assert.deepStrictEqual(
        yield* canceled.evidence({ sinceSeconds: canceled.node.timeOf(canceled.node.height - 2_000n) }),
        { _tag: "NotPaid", reason: "canceled" }
      )
      assert.deepStrictEqual(
        yield* canceled.evidence({ sinceSeconds: canceled.node.nowSeconds }),
        useNotFound
      )
    })
  )

  it.effect("allows for a clock that is ten minutes ahead of the chain's", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const transaction = node.transact(paid)
      const sinceSeconds = node.nowSeconds + 600
      assert.include(yield* evidence({ sinceSeconds }), { _tag: "Moved", transaction })
      assert.deepStrictEqual(yield* evidence({ sinceSeconds: sinceSeconds + 1 }), unavailable)
    })
  )

  it.effect("reports a use that is missing from the logs only once the logs had time to show it", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const hints = { sinceSeconds: node.nowSeconds }
      node.mine(10)
      const transaction = node.transact(paid)
      node.losesLogs = true
      assert.deepStrictEqual(yield* evidence(hints), unavailable)
      node.mineUntil(node.nowSeconds + finalitySeconds)
      assert.deepStrictEqual(yield* evidence(hints), unavailable)
      node.mine(1)
      assert.deepStrictEqual(yield* evidence(hints), useNotFound)
      node.losesLogs = false
      assert.include(yield* evidence(hints), { _tag: "Moved", transaction, isFinal: true })
    })
  )

  it.effect("reports a use on a chain that is younger than its finality as not found yet", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open({}, 3n)
      node.transact(paid)
      node.losesLogs = true
      assert.deepStrictEqual(yield* evidence({ sinceSeconds: node.timeOf(0n) }), unavailable)
    })
  )

  it.effect("reports a use that is missing from the logs where the node has pruned the state before it", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open()
      const sinceSeconds = node.nowSeconds
      node.transact(paid)
      node.losesLogs = true
      node.fault = (request) => {
        if (request.method === "eth_call" && callBlock(request) < node.height) throw pruned
      }
      assert.deepStrictEqual(yield* evidence({ sinceSeconds }), useNotFound)
    })
  )
})

describe("the window of validity", () => {
  /** An expired authorization, and the blocks that are searched as its window. */
  const openExpired = Effect.fnUntraced(function* () {
    const world = open()
    const { authorization, evidence, expire, node, toSelf } = world
    expire()
    node.mine(2_000)
    // Used up too far away to be found: the first search is the window's.
    node.transact(toSelf, { block: 1_000n })
    yield* evidence()
    const search = node.requests.find(({ method }) => method === "eth_getLogs")!
    const window = { from: fromBlock(search), to: toBlock(search) }
    const useIn = (block: bigint) => {
      const fresh = open()
      fresh.node.height = node.height
      return {
        ...fresh,
        cancel: () => fresh.node.transact([token.canceled(authorization)], { block }),
        pay: () => fresh.node.transact(fresh.paid, { block })
      }
    }
    return { authorization, node, window, useIn }
  })

  it.effect("holds every block in which the till can have taken the authorization", () =>
    Effect.gen(function* () {
      const { authorization, node, window } = yield* openExpired()
      const validBefore = Number(authorization.validBefore)
      // Payments are refused that are valid for longer than 600 s and 30 s of clock skew.
      assert.isAtMost(node.timeOf(window.from), validBefore - 630)
      assert.isAtLeast(node.timeOf(window.to + 1n), validBefore)
      assert.isAtMost(Number(window.to - window.from), 350 + 1_000)
    })
  )

  it.effect("joins the blocks around it without a gap", () =>
    Effect.gen(function* () {
      const { useIn, window } = yield* openExpired()
      for (const block of [window.from - 1n, window.from, window.to, window.to + 1n]) {
        const { cancel, evidence } = useIn(block)
        cancel()
        assert.deepStrictEqual(yield* evidence(), { _tag: "NotPaid", reason: "canceled" })
      }
    })
  )

  it.effect("is compared with the contract's state at both ends", () =>
    Effect.gen(function* () {
      const { useIn, window } = yield* openExpired()
      const expected = [
        [window.from - 1n, usedOtherwise],
        [window.from, unavailable],
        [window.to, unavailable],
        [window.to + 1n, usedOtherwise]
      ] as const
      for (const [block, verdict] of expected) {
        const { evidence, node, pay } = useIn(block)
        pay()
        node.losesLogs = true
        assert.deepStrictEqual(yield* evidence(), verdict)
      }
      const { evidence, node, pay } = useIn(window.to)
      pay()
      node.losesLogs = true
      node.fault = (request) => {
        if (request.method === "eth_call" && callBlock(request) === window.to) throw pruned
      }
      assert.deepStrictEqual(yield* evidence(), unavailable)
    })
  )

  it.effect("may precede the chain", () =>
    Effect.gen(function* () {
      const { authorization, node, toSelf } = open({}, 100_000n)
      node.transact(toSelf, { block: 50_000n })
      const chain = makeChain([network], () => node.transport)
      const early = { ...authorization, validBefore: String(node.timeOf(0n) - 10_000) }
      assert.deepStrictEqual(yield* chain.evidence(network, early), usedOtherwise)
    })
  )
})
