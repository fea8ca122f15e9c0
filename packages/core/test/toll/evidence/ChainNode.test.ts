import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { encodeErrorResult, http, parseAbi } from "viem"
import { networkFault } from "../../../src/runtime/networkFault.ts"
import { ChainNode, type NodeFailed } from "../../../src/toll/evidence/ChainNode.ts"
import { FakeNode, RpcFailure } from "./FakeNode.ts"

/*
 * How a node's failures are classified: a refusal, which a smaller query may avoid, or a temporary fault.
 */

const address = "0x00000000000000000000000000000000000000aa"
const hash = `0x${"12".repeat(32)}` as const
const signature = `0x${"34".repeat(65)}` as const

const open = (error?: unknown) => {
  const node = new FakeNode({ genesisSeconds: 0, blockSeconds: 1, height: 100n })
  node.fault = () => {
    if (error !== undefined) throw error
  }
  return { node, reader: new ChainNode(node.transport) }
}

const logs = (reader: ChainNode) => reader.logs({ address, topics: [] }, { from: 1n, to: 2n })
const failureOf = (error: unknown): Effect.Effect<NodeFailed, unknown> =>
  Effect.flip(logs(open(error).reader))

describe("an error that a node responds with", () => {
  it.effect.each([-32_000, -32_001, -32_015, -32_600, -32_601, -32_602, -32_614, 3, 1_234])(
    "is a refusal: %d",
    (code) =>
      Effect.gen(function* () {
        const failure = yield* failureOf(new RpcFailure(code, "no"))
        assert.isTrue(failure.isRefusal)
        assert.instanceOf(failure.cause, Error)
      })
  )

  it.effect.each([429, -32_007, -32_005, -32_603, -32_002])("passes: %d", (code) =>
    Effect.gen(function* () {
      assert.isFalse((yield* failureOf(new RpcFailure(code, "busy"))).isRefusal)
    })
  )

  it.effect.each([
    ["no error of JSON-RPC", new Error("connection refused")],
    ["a code of the system", Object.assign(new Error("reset"), { code: "ECONNRESET" })],
    ["an unknown code of viem's", Object.assign(new Error("?"), { code: -1 })],
    ["nothing", null]
  ] as const)("is no refusal where it is %s", ([, error]) =>
    Effect.gen(function* () {
      assert.isFalse((yield* failureOf(error)).isRefusal)
    })
  )
})

describe("a node that doesn't respond within five seconds", () => {
  it.effect("has not refused anything, and is named by its host", () =>
    Effect.gen(function* () {
      const url = "https://node.example/key-of-mine"
      const silent = new ChainNode(
        http(url, { fetchFn: () => new Promise(() => undefined), timeout: 60_000 })
      )
      const reading = yield* Effect.forkChild(Effect.flip(logs(silent)))
      yield* TestClock.adjust("5 seconds")
      const failure = yield* Fiber.join(reading)
      assert.isFalse(failure.isRefusal)
      assert.strictEqual(networkFault(failure.cause), "TimeoutError node.example")
    })
  )
})

describe("a block or a receipt", () => {
  it.effect("is missing only where the node reports that", () =>
    Effect.gen(function* () {
      const { reader } = open()
      assert.isUndefined(yield* reader.block(101n))
      assert.isUndefined(yield* reader.receipt(hash))
      for (const error of [new Error("connection refused"), new RpcFailure(-32_000, "header not found")]) {
        const failing = open(error).reader
        assert.strictEqual((yield* Effect.flip(failing.block(1n)))._tag, "NodeFailed")
        assert.strictEqual((yield* Effect.flip(failing.receipt(hash)))._tag, "NodeFailed")
      }
    })
  )
})

describe("a receipt that several searches need at once", () => {
  it.effect("is read once, and again by the next one", () =>
    Effect.gen(function* () {
      const { node, reader } = open()
      const reads = () => node.count("eth_getTransactionReceipt")
      yield* Effect.all([reader.receipt(hash), reader.receipt(hash)], { concurrency: "unbounded" })
      assert.strictEqual(reads(), 1)
      yield* reader.receipt(hash)
      assert.strictEqual(reads(), 2)
    })
  )
})

describe("a contract", () => {
  it.live("can't make this process fetch a URL", () =>
    Effect.gen(function* () {
      let requests = 0
      const server = createServer((_, response) => {
        requests++
        response.end('{"data":"0x"}')
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const data = encodeErrorResult({
        abi: parseAbi(["error OffchainLookup(address, string[], bytes, bytes4, bytes)"]),
        args: [address, [url], "0x12", "0x12345678", "0x"]
      })
      const { reader } = open(Object.assign(new RpcFailure(3, "execution reverted"), { data }))
      assert.strictEqual((yield* Effect.flip(reader.balanceOf(address, address)))._tag, "NodeFailed")
      yield* Effect.ignore(reader.acceptsSignature(address, hash, signature))
      server.closeAllConnections()
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      assert.strictEqual(requests, 0)
    })
  )
})

describe("a signature that can't be checked", () => {
  it.live("fails if the node refuses to check a signature, and repeats no query", () =>
    Effect.gen(function* () {
      for (const [code, isRefusal] of [
        [-32_603, false],
        [-32_601, true]
      ] as const) {
        const { node, reader } = open(new RpcFailure(code, "no"))
        const failure = yield* Effect.flip(reader.acceptsSignature(address, hash, signature))
        assert.strictEqual(failure.isRefusal, isRefusal)
        assert.instanceOf(failure.cause, Error)
        const calls = node.requests.map(({ params }) => JSON.stringify(params))
        assert.strictEqual(new Set(calls).size, calls.length)
      }
    })
  )
})
