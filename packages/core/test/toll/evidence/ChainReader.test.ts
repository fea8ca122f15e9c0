import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { getAddress, hashMessage, numberToHex } from "viem"
import { findNetwork } from "../../../src/domain/Network.ts"
import { type ChainNetwork, makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import { eventLogger, type TillEvent } from "../../../src/runtime/events.ts"
import { payer } from "../wallet.ts"
import { FakeNode, logsOf, type RpcRequest, RpcFailure, wordOf } from "./FakeNode.ts"

const network = findNetwork("base-sepolia")!
const token = logsOf(network.asset)
const payTo = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
const stranger = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"

const open = (settings: Partial<ChainNetwork> = {}, height = 1_000_000n) => {
  const node = new FakeNode({ genesisSeconds: 1_700_000_000, blockSeconds: 2, height })
  return { node, chain: makeChain([{ ...network, ...settings }], () => node.transport) }
}

const unreachable = () => {
  throw new Error("connection refused")
}

const ownerOf = (index: number) => ({
  from: payer.address,
  nonce: numberToHex(index + 1, { size: 32 })
})

describe("usedNonces", () => {
  it.effect("reads many in few requests, all as of one block", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      const owners = Array.from({ length: 201 }, (_, index) => ownerOf(index))
      const marked = new Set([0, 99, 100, 200])
      for (const index of marked)
        node.transact([index === 100 ? token.canceled(ownerOf(index)) : token.used(ownerOf(index))])
      const chainTimeSeconds = node.nowSeconds
      // The chain goes on while it is read.
      node.fault = ({ method }) => {
        if (method === "eth_call") node.transact([token.used(ownerOf(1))])
      }
      assert.deepStrictEqual(yield* chain.usedNonces(network, owners), {
        chainTimeSeconds,
        used: owners.map((_, index) => marked.has(index))
      })
      assert.strictEqual(node.count("eth_call"), 3)
      assert.strictEqual(node.requests.length, 4)
    })
  )

  it.effect("returns the chain's time where there is nothing to read", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      assert.deepStrictEqual(yield* chain.usedNonces(network, []), {
        chainTimeSeconds: node.nowSeconds,
        used: []
      })
    })
  )

  it.effect("is undefined where one of the reads fails", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      let calls = 0
      node.fault = ({ method }) => {
        if (method === "eth_call" && ++calls === 2) unreachable()
      }
      const owners = Array.from({ length: 101 }, (_, index) => ownerOf(index))
      assert.isUndefined(yield* chain.usedNonces(network, owners))
    })
  )
})

describe("balanceOf", () => {
  it.effect("reads the stablecoin at the latest block", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      node.balance = 2n ** 200n
      assert.strictEqual(yield* chain.balanceOf(network, payer.address), 2n ** 200n)
      const [call] = node.requests[0]!.params as [{ readonly to: string }]
      assert.strictEqual(call.to, network.asset)
      node.fault = unreachable
      assert.isUndefined(yield* chain.balanceOf(network, payer.address))
    })
  )
})

describe("acceptsSignature", () => {
  const hash = hashMessage("till")
  const junk = `0x${"12".repeat(200)}` as const

  it.effect("returns the verdict of the chain", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      node.deployless = () => wordOf(1)
      assert.isTrue(yield* chain.acceptsSignature(network, stranger, hash, junk))
      node.deployless = () => wordOf(0)
      assert.isFalse(yield* chain.acceptsSignature(network, stranger, hash, junk))
      for (const code of [3, -32_000, -32_015]) {
        node.deployless = () => {
          throw new RpcFailure(code, "execution reverted")
        }
        assert.isFalse(yield* chain.acceptsSignature(network, stranger, hash, junk))
      }
    })
  )

  it.effect("accepts an ordinary account's own signature", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      node.deployless = () => wordOf(0)
      const signature = yield* Effect.promise(() => payer.sign!({ hash }))
      assert.isTrue(yield* chain.acceptsSignature(network, payer.address, hash, signature))
      assert.isFalse(yield* chain.acceptsSignature(network, stranger, hash, signature))
      node.fault = unreachable
      assert.isTrue(yield* chain.acceptsSignature(network, payer.address, hash, signature))
    })
  )

  it.effect("is undefined where the node can't be reached, or refuses the call", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      node.fault = unreachable
      assert.isUndefined(yield* chain.acceptsSignature(network, stranger, hash, junk))
      for (const code of [-32_005, -32_603, 429]) {
        node.fault = () => {
          throw new RpcFailure(code, "too many requests")
        }
        assert.isUndefined(yield* chain.acceptsSignature(network, stranger, hash, junk))
      }
    })
  )
})

describe("transfersTo", () => {
  const transferTo = (to: string, value: string, from: string = stranger) =>
    token.transfer({ from, to, value })

  it.effect("finds every transfer of a span of time, and no other", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      const [first, last] = [node.height - 500_000n, node.height - 490_000n]
      node.transact([transferTo(payTo, "1")], { block: first - 1n })
      const one = node.transact(
        [transferTo(stranger, "2"), transferTo(payTo, "0"), transferTo(payTo, "3", payer.address)],
        { block: first }
      )
      const two = node.transact([transferTo(payTo.toLowerCase(), "4")], { block: first })
      node.transact([logsOf(stranger).transfer({ from: stranger, to: payTo, value: "5" })], { block: last })
      const three = node.transact([transferTo(payTo, "6")], { block: last })
      node.transact([transferTo(payTo, "7")], { block: last + 1n })
      node.transact([transferTo(payTo, "8")], { block: last, succeeded: false })
      const span = { fromSeconds: node.timeOf(first), beforeSeconds: node.timeOf(last) + 1 }
      const from = stranger.toLowerCase()
      const expected = [
        { transaction: one, logIndex: 1, from, valueAtomic: "0" },
        { transaction: one, logIndex: 2, from: payer.address.toLowerCase(), valueAtomic: "3" },
        { transaction: two, logIndex: 3, from, valueAtomic: "4" },
        { transaction: three, logIndex: 1, from, valueAtomic: "6" }
      ]
      assert.deepStrictEqual(yield* chain.transfersTo(network, payTo, span), {
        fromBlock: first,
        toBlock: last,
        transfers: expected
      })
      assert.strictEqual(node.count("eth_getLogs"), 6)
      node.reportsLogTimes = true
      const timed = yield* chain.transfersTo(network, getAddress(payTo.toLowerCase()), span)
      assert.deepStrictEqual(
        timed?.transfers.map(({ atSeconds }) => atSeconds),
        [first, first, first, last].map((block) => node.timeOf(block))
      )
    })
  )

  it.effect("finds every transfer from an account as well", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      const block = node.height - 100n
      const transaction = node.transact(
        [transferTo(payTo, "1"), transferTo(stranger, "2", payTo), transferTo(payTo, "3", payTo)],
        { block }
      )
      const span = { fromSeconds: node.timeOf(block), beforeSeconds: node.timeOf(block) + 1 }
      assert.deepStrictEqual(yield* chain.transfersFrom!(network, payTo, span), {
        fromBlock: block,
        toBlock: block,
        transfers: [
          { transaction, logIndex: 1, to: stranger.toLowerCase(), valueAtomic: "2" },
          { transaction, logIndex: 2, to: payTo.toLowerCase(), valueAtomic: "3" }
        ]
      })
      const long = { fromSeconds: 0, beforeSeconds: node.nowSeconds }
      const far = open({}, 10_002_001n)
      assert.isUndefined(
        yield* far.chain.transfersFrom!(network, payTo, { ...long, beforeSeconds: far.node.nowSeconds })
      )
    })
  )

  it.effect("leaves out what has too few confirmations", () =>
    Effect.gen(function* () {
      const { chain, node } = open({ confirmations: 3 })
      const transaction = node.transact([transferTo(payTo, "1")])
      const block = node.height
      const span = { fromSeconds: node.nowSeconds - 100, beforeSeconds: node.nowSeconds + 1_000 }
      node.mine(1)
      assert.deepInclude(yield* chain.transfersTo(network, payTo, span), {
        toBlock: block - 1n,
        transfers: []
      })
      node.mine(1)
      const found = yield* chain.transfersTo(network, payTo, span)
      assert.strictEqual(found?.toBlock, block)
      assert.strictEqual(found?.transfers[0]?.transaction, transaction)
    })
  )

  it.effect("leaves out what was reorganized away", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      const transaction = node.transact([transferTo(payTo, "1")])
      node.transact([transferTo(payTo, "2")])
      node.reorganize(1)
      node.servesStale = true
      const span = { fromSeconds: node.nowSeconds - 100, beforeSeconds: node.nowSeconds + 1 }
      const found = yield* chain.transfersTo(network, payTo, span)
      assert.deepStrictEqual(
        found?.transfers.map((transfer) => transfer.transaction),
        [transaction]
      )
    })
  )

  it.effect("has an empty range for a span without blocks", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      const { height, nowSeconds } = node
      assert.deepStrictEqual(
        yield* chain.transfersTo(network, payTo, {
          fromSeconds: nowSeconds + 1,
          beforeSeconds: nowSeconds + 99
        }),
        { fromBlock: height + 1n, toBlock: height, transfers: [] }
      )
      assert.deepStrictEqual(
        yield* chain.transfersTo(network, payTo, { fromSeconds: 0, beforeSeconds: 1_000 }),
        { fromBlock: 0n, toBlock: -1n, transfers: [] }
      )
    })
  )

  it.effect("gives up where the span is too long, or the node unreachable", () =>
    Effect.gen(function* () {
      const { chain, node } = open({}, 10_002_001n)
      const span = { fromSeconds: 0, beforeSeconds: node.nowSeconds }
      assert.isUndefined(yield* chain.transfersTo(network, payTo, span))
      assert.isAtMost(node.count("eth_getLogs"), 5_000)
      node.fault = ({ method }: RpcRequest) => {
        if (method === "eth_getLogs") unreachable()
      }
      const short = { fromSeconds: node.nowSeconds - 10, beforeSeconds: node.nowSeconds }
      assert.isUndefined(yield* chain.transfersTo(network, payTo, short))
    })
  )
})

describe("a read that fails", () => {
  it.effect("is reported by network and error, without the error's message", () =>
    Effect.gen(function* () {
      const { chain, node } = open()
      node.fault = unreachable
      const events: Array<TillEvent> = []
      yield* Effect.provide(
        chain.balanceOf(network, payTo),
        Logger.layer([eventLogger((event) => events.push(event))])
      )
      assert.deepStrictEqual(events, [
        {
          level: "warning",
          code: "chain_unreadable",
          message:
            "The chain could not be read (ContractFunctionExecutionError): check rpcUrl. Until it has been read once, no payment on it is accepted",
          port: "chain",
          network: network.caip2,
          error: "ContractFunctionExecutionError"
        }
      ])
    })
  )

  it.effect("is none on a network of another family: that isn't tried", () =>
    Effect.gen(function* () {
      const solana = findNetwork("solana-devnet")!
      const { chain, node } = open({ caip2: solana.caip2 })
      const events: Array<TillEvent> = []
      const balance = yield* Effect.provide(
        chain.balanceOf(solana, payTo),
        Logger.layer([eventLogger((event) => events.push(event))])
      )
      assert.isUndefined(balance)
      assert.deepStrictEqual([events, node.requests], [[], []])
    })
  )
})
