import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { custom, encodeFunctionResult, type Hex, numberToHex, parseAbi, toFunctionSelector } from "viem"
import { type EvmNetwork, findNetwork } from "../../../src/domain/Network.ts"
import { makeChain, type TokenFacts } from "../../../src/toll/evidence/ChainReader.ts"
import { payer } from "../wallet.ts"
import { FakeNode, logsOf, type RpcRequest, RpcFailure } from "./FakeNode.ts"

const asset = "0x00000000000000000000000000000000d011a500"
const network: EvmNetwork = { ...findNetwork("base-sepolia")!, asset }
const separator: Hex = `0x${"5e".repeat(32)}`
const abi = parseAbi(["function text() view returns (string)"])
const textOf = (result: string): Hex => encodeFunctionResult({ abi, functionName: "text", result })

const functions = {
  decimals: toFunctionSelector("decimals()"),
  separator: toFunctionSelector("DOMAIN_SEPARATOR()"),
  name: toFunctionSelector("name()"),
  version: toFunctionSelector("version()"),
  authorizations: toFunctionSelector("authorizationState(address,bytes32)")
}

type Responses = Partial<Record<keyof typeof functions, Hex | Error>>

const described: Responses = {
  decimals: numberToHex(6, { size: 32 }),
  separator,
  name: textOf("Test Dollar"),
  version: textOf("1"),
  authorizations: numberToHex(0, { size: 32 })
}

/** A chain with a contract that responds like this to calls; to others, as an address without code. */
const open = (responses: Responses, height = 1_000_000n) => {
  const node = new FakeNode({ genesisSeconds: 1_700_000_000, blockSeconds: 2, height })
  const bySelector = new Map(
    Object.entries(functions).map(([name, selector]) => [selector, responses[name as keyof Responses]])
  )
  const respond = async (request: RpcRequest): Promise<unknown> => {
    if (request.method !== "eth_call") return node.transport({}).request(request)
    const { data } = request.params[0] as { readonly data: string }
    const response = bySelector.get(data.slice(0, 10) as Hex) ?? "0x"
    if (response instanceof Error) throw response
    return response
  }
  return { node, chain: makeChain([network], () => custom({ request: respond }, { retryCount: 0 })) }
}

const right: TokenFacts = {
  decimals: 6,
  separator,
  name: "Test Dollar",
  version: "1",
  hasAuthorizations: true,
  pairsEvents: undefined
}

const payment = (index: number) => ({
  from: payer.address,
  to: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  value: "10000",
  nonce: numberToHex(index, { size: 32 })
})

describe("a token that is read", () => {
  it.effect("is what its contract says", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* open(described).chain.token(network), right)
    })
  )

  it.effect("lacks what its contract doesn't have, in whatever words the node says so", () =>
    Effect.gen(function* () {
      const nothing = {
        decimals: undefined,
        separator: undefined,
        name: undefined,
        version: undefined,
        hasAuthorizations: false,
        pairsEvents: undefined
      }
      assert.deepStrictEqual(yield* open({}).chain.token(network), nothing)
      for (const code of [3, -32_000, -32_015]) {
        const reverted = new RpcFailure(code, "execution reverted")
        const { chain } = open({ ...described, version: reverted, authorizations: reverted })
        assert.deepStrictEqual(yield* chain.token(network), {
          ...right,
          version: undefined,
          hasAuthorizations: false
        })
      }
    })
  )

  it.effect("is unknown if one read fails, so that a busy node refuses no token", () =>
    Effect.gen(function* () {
      for (const failure of [new RpcFailure(429, "too many requests"), new Error("connection refused")])
        assert.isUndefined(yield* open({ ...described, decimals: failure }).chain.token(network))
    })
  )

  it.effect("pairs its events if its latest payment does", () =>
    Effect.gen(function* () {
      const { chain, node } = open(described)
      const { transfer, used } = logsOf(asset)
      node.transact([transfer(payment(1)), used(payment(1))])
      assert.deepStrictEqual(yield* chain.token(network), { ...right, pairsEvents: false })
      node.transact([used(payment(2)), transfer(payment(2))])
      assert.deepStrictEqual(yield* chain.token(network), { ...right, pairsEvents: true })
      // Of another token.
      const other = logsOf(findNetwork("base-sepolia")!.asset)
      node.transact([other.transfer(payment(3)), other.used(payment(3))])
      assert.deepStrictEqual(yield* chain.token(network), { ...right, pairsEvents: true })
      node.mine(2_001)
      assert.deepStrictEqual(yield* chain.token(network), right)
    })
  )

  it.effect("is judged by a payment, not by another transfer, on a chain of few blocks, too", () =>
    Effect.gen(function* () {
      const { chain, node } = open(described, 100n)
      const { transfer, used } = logsOf(asset)
      node.transact([used(payment(1)), transfer(payment(1))])
      node.transact([transfer(payment(2))])
      assert.deepStrictEqual(yield* chain.token(network), { ...right, pairsEvents: true })
    })
  )

  it.effect("is known without the logs of its payments, which not every node has", () =>
    Effect.gen(function* () {
      const { chain, node } = open(described)
      const { transfer, used } = logsOf(asset)
      node.transact([transfer(payment(1)), used(payment(1))])
      node.losesReceipts = true
      assert.deepStrictEqual(yield* chain.token(network), right)
      node.fault = ({ method }) => {
        if (method === "eth_getLogs") throw new RpcFailure(-32_005, "range too wide")
      }
      assert.deepStrictEqual(yield* chain.token(network), right)
    })
  )
})
