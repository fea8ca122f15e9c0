import type { RpcError } from "@till402/core/effect"
import { Effect } from "effect"
import { toHex } from "viem"
import { type CallFailure, nodeCalls, type NodeFault } from "../upstream/NodeCalls.ts"
import { ResponseMalformed, type Upstream, type UpstreamFault } from "../upstream/index.ts"
import type { Hex } from "./SettlementJournal.ts"

/*
 * An EVM chain, through a node's JSON-RPC: https://ethereum.org/en/developers/docs/apis/json-rpc/
 */

/** A transaction on the chain. */
export interface MinedTransaction {
  readonly succeeded: boolean
  readonly blockNumber: bigint
  /** `undefined` if the node doesn't say. */
  readonly gasUsed: bigint | undefined
}

export interface Fees {
  /** Wei per unit of gas. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A call whose gas is estimated. */
export interface GasCall {
  readonly from: Hex
  readonly to: Hex
  readonly data: Hex
  readonly fees?: Fees | undefined
  /** The state that it is tried on; default that of the node. */
  readonly block?: "latest" | undefined
}

/** The chain, as the relayer uses it. */
export interface Chain {
  readonly chainId: Effect.Effect<bigint, NodeFault>
  readonly blockNumber: Effect.Effect<bigint, NodeFault>
  /** Number of an account's mined transactions, as of a block; default the latest. */
  readonly transactionCount: (account: Hex, block?: bigint) => Effect.Effect<number, NodeFault>
  /** An account's native coin at the latest block, in wei. */
  readonly nativeBalanceOf: (account: Hex) => Effect.Effect<bigint, NodeFault>
  /** Whether an address has code: a contract, or an account that delegates to one. */
  readonly hasCode: (address: Hex) => Effect.Effect<boolean, NodeFault>
  /** The gas that a call takes. With fees, as a transaction that pays them, from an account that can. */
  readonly estimateGas: (call: GasCall) => Effect.Effect<bigint, NodeFault>
  /** Fees that are sufficient even if the base fee doubles. */
  readonly fees: Effect.Effect<Fees, NodeFault>
  /** `false` if the node refused it, perhaps because it already has it. */
  readonly send: (signedTransaction: Hex) => Effect.Effect<boolean, UpstreamFault>
  readonly mined: (transaction: Hex) => Effect.Effect<MinedTransaction | undefined, NodeFault>
}

/** The code that is only for calls that reverted. Nodes use others, such as -32000, for their own troubles too. */
const revertCode = 3

/** Whether an error of a node is one of the call. Pure. */
const callFailureOf = ({ code, data, message }: RpcError): CallFailure | undefined => {
  const text = typeof message === "string" ? message : ""
  if (/gas required exceeds allowance|out of gas/i.test(text)) return "out_of_gas"
  if (code === revertCode || /execution reverted|invalid opcode/i.test(text)) return "reverted"
  // What the call returned when it reverted; some nodes put a word before it.
  return typeof data === "string" && /^(Reverted )?0x[0-9a-fA-F]*$/.test(data) ? "reverted" : undefined
}

const isQuantity = (value: unknown): value is string =>
  typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)

export const makeChain = (upstream: Upstream, rpcUrl: string): Chain => {
  const { name } = upstream
  const malformed = (method: string): ResponseMalformed =>
    new ResponseMalformed({ upstream: name, detail: `the result of ${method}` })

  const call = nodeCalls(upstream, rpcUrl, callFailureOf)

  const quantity = (method: string, params: ReadonlyArray<unknown>): Effect.Effect<bigint, NodeFault> =>
    Effect.flatMap(call(method, params), (result) =>
      isQuantity(result) ? Effect.succeed(BigInt(result)) : Effect.fail(malformed(method))
    )

  const baseFee = Effect.flatMap(call("eth_getBlockByNumber", ["latest", false]), (block) => {
    const fee = typeof block === "object" && block !== null && "baseFeePerGas" in block && block.baseFeePerGas
    return isQuantity(fee) ? Effect.succeed(BigInt(fee)) : Effect.fail(malformed("eth_getBlockByNumber"))
  })

  return {
    chainId: quantity("eth_chainId", []),
    blockNumber: quantity("eth_blockNumber", []),
    // Not `pending`: with its pool, a node counts transactions that may never be mined.
    transactionCount: (account, block) =>
      Effect.map(
        quantity("eth_getTransactionCount", [account, block === undefined ? "latest" : toHex(block)]),
        Number
      ),
    nativeBalanceOf: (account) => quantity("eth_getBalance", [account, "latest"]),
    hasCode: (address) =>
      Effect.flatMap(call("eth_getCode", [address, "latest"]), (code) =>
        typeof code === "string" && code.startsWith("0x")
          ? Effect.succeed(code.length > 2)
          : Effect.fail(malformed("eth_getCode"))
      ),
    estimateGas: ({ block, fees, ...call }) =>
      quantity("eth_estimateGas", [
        fees === undefined
          ? call
          : {
              ...call,
              maxFeePerGas: toHex(fees.maxFeePerGas),
              maxPriorityFeePerGas: toHex(fees.maxPriorityFeePerGas)
            },
        ...(block === undefined ? [] : [block])
      ]),
    fees: Effect.map(
      Effect.all([baseFee, quantity("eth_maxPriorityFeePerGas", [])]),
      ([base, maxPriorityFeePerGas]) => ({
        maxPriorityFeePerGas,
        maxFeePerGas: 2n * base + maxPriorityFeePerGas
      })
    ),
    send: (signedTransaction) =>
      call("eth_sendRawTransaction", [signedTransaction]).pipe(
        Effect.as(true),
        Effect.catchTag("NodeRefused", () => Effect.succeed(false))
      ),
    mined: (transaction) =>
      Effect.flatMap(call("eth_getTransactionReceipt", [transaction]), (receipt) => {
        if (receipt === null || receipt === undefined) return Effect.succeed(undefined)
        const { blockNumber, gasUsed, status } = receipt as {
          readonly blockNumber?: unknown
          readonly gasUsed?: unknown
          readonly status?: unknown
        }
        return isQuantity(blockNumber) && isQuantity(status)
          ? Effect.succeed({
              succeeded: BigInt(status) === 1n,
              blockNumber: BigInt(blockNumber),
              gasUsed: isQuantity(gasUsed) ? BigInt(gasUsed) : undefined
            })
          : Effect.fail(malformed("eth_getTransactionReceipt"))
      })
  }
}
