import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { custom } from "viem"
import { bracketTime } from "../../../src/toll/evidence/BlockSearch.ts"
import { ChainNode } from "../../../src/toll/evidence/ChainNode.ts"
import { searchLogs } from "../../../src/toll/evidence/LogSearch.ts"
import { makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import { network, open, toBlock, token, unavailable, usedOtherwise } from "./EvidenceWorld.ts"
import { FakeNode, type RpcRequest, RpcFailure } from "./FakeNode.ts"

/*
 * The search for evidence where its numbers meet: the first block, the latest one, one block alone, one query too many.
 */

const canceled = { _tag: "NotPaid", reason: "canceled" } as const

/** A chain of few blocks, far apart, the authorization used in one of them and expired for good. */
const openSparse = (height: bigint, usedIn: bigint) => {
  const world = open()
  const node = new FakeNode({ genesisSeconds: 1_700_000_000, blockSeconds: 100_000, height })
  node.transact(world.paid, { block: usedIn })
  const chain = makeChain([network], () => node.transport)
  const validBefore = String(node.timeOf(usedIn) + 120)
  return { node, evidence: () => chain.evidence(network, { ...world.authorization, validBefore }) }
}

describe("a window that begins with the chain", () => {
  it.effect("contradicts logs that are missing, be it one block", () =>
    Effect.gen(function* () {
      for (const height of [1n, 2n]) {
        const { evidence, node } = openSparse(height, 0n)
        assert.include(yield* evidence(), { _tag: "Moved", isFinal: true })
        node.losesLogs = true
        assert.deepStrictEqual(yield* evidence(), unavailable)
      }
    })
  )

  it.effect("does not read the state before it", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, toSelf } = open({}, 100n)
      expire()
      node.mine(100_000)
      node.transact(toSelf)
      node.mine(100_000)
      assert.deepStrictEqual(yield* evidence(), usedOtherwise)
    })
  )

  it.effect("is where a search since then begins", () =>
    Effect.gen(function* () {
      const { evidence, node, paid } = open({}, 3n)
      const transaction = node.transact(paid)
      const sinceSeconds = node.timeOf(0n) - 1
      assert.include(yield* evidence({ sinceSeconds }), { _tag: "Moved", transaction })
    })
  )
})

describe("a use outside of the window", () => {
  it.effect("is found beside it, however long the chain has become since", () =>
    Effect.gen(function* () {
      const { authorization, evidence, expire, node } = open()
      expire()
      node.mine(1_000)
      node.transact([token.canceled(authorization)])
      node.mine(500_000)
      assert.deepStrictEqual(yield* evidence(), canceled)
    })
  )

  it.effect("is searched for in no block that is not there yet", () =>
    Effect.gen(function* () {
      const { evidence, expire, node, toSelf } = open()
      node.transact(toSelf, { block: 1_000n })
      expire()
      yield* evidence()
      for (const request of node.requests)
        if (request.method === "eth_getLogs") assert.isTrue(toBlock(request) <= node.height)
    })
  )
})

describe("the logs of a nonce", () => {
  it.effect("are those of the payer and the nonce alone", () =>
    Effect.gen(function* () {
      const { evidence, node, paid, unrelated } = open()
      for (let other = 0; other < 10; other++) node.transact(unrelated)
      const transaction = node.transact(paid)
      assert.include(yield* evidence(), { _tag: "Moved", transaction })
    })
  )

  it.effect("are read on where the first of them proves nothing, and not for long", () =>
    Effect.gen(function* () {
      const { authorization, evidence, node, paid } = open()
      const misleading = [token.used(authorization)]
      node.transact(misleading)
      node.transact(misleading)
      const transaction = node.transact(paid)
      assert.include(yield* evidence(), { _tag: "Moved", transaction })

      const other = open()
      for (let log = 0; log < 10; log++) other.node.transact(misleading)
      assert.deepStrictEqual(yield* other.evidence(), unavailable)
      assert.strictEqual(other.node.count("eth_getTransactionReceipt"), 3)
    })
  )
})

it.effect("a transaction that is no hash is not queried", () =>
  Effect.gen(function* () {
    const { evidence, node, paid } = open()
    const real = node.transact(paid)
    for (const transaction of [`0x${real}`, `${real}00`, `${real} `, real.slice(2)]) {
      assert.include(yield* evidence({ transaction }), { _tag: "Moved", transaction: real })
      assert.isFalse(node.requests.some(({ params }) => params[0] === transaction))
    }
  })
)

describe("a search of logs", () => {
  const address = "0x00000000000000000000000000000000000000Aa"
  const openLimited = (widest: bigint) => {
    const node = new FakeNode({ genesisSeconds: 0, blockSeconds: 1, height: 10_000n })
    node.fault = (request: RpcRequest) => {
      if (request.method !== "eth_getLogs") return
      const { fromBlock, toBlock } = request.params[0] as {
        readonly fromBlock: string
        readonly toBlock: string
      }
      if (BigInt(toBlock) - BigInt(fromBlock) >= widest) throw new RpcFailure(-32_602, "range is too wide")
    }
    const reader = new ChainNode(node.transport)
    const search = (from: bigint, to: bigint) =>
      searchLogs(reader, { address, topics: [] }, { from, to }, { maxQueries: 50, untilFound: false })
    return { node, search }
  }

  it.effect("goes down to a block at a time where a node demands it", () =>
    Effect.gen(function* () {
      for (const to of [2n, 3n, 4n, 5n]) {
        const { search } = openLimited(1n)
        assert.isTrue((yield* search(2n, to)).isComplete)
      }
    })
  )

  it.effect("fails where a node refuses one block", () =>
    Effect.gen(function* () {
      const { node, search } = openLimited(0n)
      assert.include(yield* Effect.flip(search(2n, 5n)), { _tag: "NodeFailed", isRefusal: true })
      assert.strictEqual(node.requests.length, 3)
    })
  )
})

describe("a search of a time", () => {
  const bracket = Effect.fnUntraced(function* (node: FakeNode, height: bigint, seconds: number) {
    const reader = new ChainNode(node.transport)
    const latest = yield* reader.latest
    node.height = height
    node.requests.length = 0
    return yield* bracketTime(reader, latest, BigInt(seconds))
  })

  it.effect("takes few reads where blocks come evenly", () =>
    Effect.gen(function* () {
      for (const block of [9_000_000n, 1_234_567n, 7n]) {
        const node = new FakeNode({ genesisSeconds: 0, blockSeconds: 2, height: 10_000_000n })
        const { from } = yield* bracket(node, node.height, node.timeOf(block))
        assert.strictEqual(from, block)
        assert.isAtMost(node.requests.length, 12)
      }
    })
  )

  it.effect("fails where a block is missing, which no smaller range would mend", () =>
    Effect.gen(function* () {
      const node = new FakeNode({ genesisSeconds: 0, blockSeconds: 2, height: 10_000n })
      const failure = yield* Effect.flip(bracket(node, 10n, 8_000))
      assert.isFalse(failure.isRefusal)
      assert.instanceOf(failure.cause, Error)
    })
  )
})

describe("a chain that is slow", () => {
  /** A node that responds when the test lets it. */
  const openGated = () => {
    const { authorization, expire, node, toSelf } = open()
    node.transact(toSelf, { block: 1_000n })
    expire()
    const waiting: Array<() => void> = []
    const gated = custom(
      {
        request: async (request: RpcRequest) => {
          await new Promise<void>((resolve) => waiting.push(resolve))
          return node.transport({}).request(request as never)
        }
      },
      { retryCount: 0 }
    )
    /** Lets promises settle, of which the test clock knows nothing. */
    const settle = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    const release = Effect.andThen(
      Effect.sync(() => waiting.splice(0).forEach((resolve) => resolve())),
      settle
    )
    return { authorization, chain: makeChain([network], () => gated), release, settle, waiting }
  }

  it.effect("is given up after half a minute, however many reads succeed", () =>
    Effect.gen(function* () {
      const { authorization, chain, release, settle } = openGated()
      const reading = yield* Effect.forkChild(chain.evidence(network, authorization))
      yield* settle
      for (let seconds = 0; seconds < 28; seconds += 4) {
        yield* TestClock.adjust("4 seconds")
        yield* release
      }
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(reading.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(reading), unavailable)
    })
  )

  it.effect("queries four hundred nonces at a time", () =>
    Effect.gen(function* () {
      const { authorization, chain, release, settle, waiting } = openGated()
      const owners = Array.from({ length: 950 }, () => authorization)
      const reading = yield* Effect.forkChild(chain.usedNonces(network, owners))
      yield* settle
      assert.strictEqual(waiting.length, 1)
      yield* release
      for (const reads of [4, 4, 2]) {
        assert.strictEqual(waiting.length, reads)
        yield* release
      }
      assert.strictEqual((yield* Fiber.join(reading))?.used.length, 950)
    })
  )

  it.effect("gets requests for the latest block and a receipt at once", () =>
    Effect.gen(function* () {
      const { authorization, chain, settle, waiting } = openGated()
      const transaction = `0x${"12".repeat(32)}`
      yield* Effect.forkChild(chain.evidence(network, authorization, { transaction }))
      yield* settle
      assert.strictEqual(waiting.length, 2)
    })
  )
})
