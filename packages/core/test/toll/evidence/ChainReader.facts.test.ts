import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { custom, type Hex, numberToHex } from "viem"
import { findNetwork } from "../../../src/domain/Network.ts"
import type { ChainFacts } from "../../../src/toll/evidence/Chain.ts"
import { makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import { FakeNode, type RpcRequest, RpcFailure } from "./FakeNode.ts"

const network = findNetwork("base-sepolia")!
const payTo = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
const genesisSeconds = 1_700_000_000

interface Shown {
  readonly chainId?: Hex | Error
  readonly code?: Hex | Error
  readonly decimals?: Hex
  readonly logs?: Error
}

/** What is read of a node that shows this of its chain and of the account that is paid. */
const factsOf = ({ chainId = numberToHex(84_532), code = "0x", decimals = "0x", logs }: Shown) => {
  const node = new FakeNode({ genesisSeconds, blockSeconds: 2, height: 1_000n })
  const asked: Array<RpcRequest> = []
  const given = (value: Hex | Error): Hex => {
    if (value instanceof Error) throw value
    return value
  }
  const respond = async (request: RpcRequest): Promise<unknown> => {
    asked.push(request)
    const { method } = request
    if (method === "eth_chainId") return given(chainId)
    if (method === "eth_getCode") return given(code)
    if (method === "eth_call") return decimals
    if (method === "eth_getLogs" && logs !== undefined) throw logs
    return node.transport({}).request(request)
  }
  const chain = makeChain([network], () => custom({ request: respond }, { retryCount: 0 }))
  return Effect.map(chain.facts(network, payTo), (facts) => ({ facts, asked }))
}

const wallet: ChainFacts = {
  caip2: "eip155:84532",
  blockSeconds: genesisSeconds + 2_000,
  hasLogs: true,
  payTo: "wallet"
}
const six = numberToHex(6, { size: 32 })

describe("what a node shows of its chain", () => {
  it.effect("is its id, the time of the newest block, whether it has logs, and what is paid", () =>
    Effect.gen(function* () {
      const { asked, facts } = yield* factsOf({})
      assert.deepStrictEqual(facts, wallet)
      const logs = asked.find(({ method }) => method === "eth_getLogs")
      const [filter] = logs!.params as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(filter, { address: network.asset, fromBlock: "0x3e8", toBlock: "0x3e8" })
      assert.lengthOf(filter!["topics"] as ReadonlyArray<unknown>, 1)
    })
  )

  it.effect.each<[Shown, Partial<Record<keyof ChainFacts, unknown>>]>([
    [{ code: "0x6001" }, { payTo: "contract" }],
    [{ code: "0x6001", decimals: six }, { payTo: "token" }],
    // An account that delegates to a wallet's code.
    [{ code: `0xef0100${"11".repeat(20)}`, decimals: six }, { payTo: "wallet" }],
    [{ code: new RpcFailure(-32_000, "busy") }, { payTo: undefined }],
    [{ chainId: "0x1" }, { caip2: "eip155:1" }],
    [{ chainId: new RpcFailure(-32_601, "no such method") }, { caip2: undefined }],
    [{ logs: new RpcFailure(-32_601, "no such method") }, { hasLogs: false }],
    // One that can't be reached now may have logs.
    [{ logs: new Error("fetch failed") }, { hasLogs: undefined }]
  ])("%j is %j", ([shown, found]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* factsOf(shown)).facts, { ...wallet, ...found } as ChainFacts)
    })
  )
})
