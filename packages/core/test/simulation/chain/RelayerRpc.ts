import { type Hex, numberToHex } from "viem"
import { Reverted } from "./FiatToken.ts"
import { RpcFailure } from "./RpcFailure.ts"
import type { BlockTag, RpcRequest } from "./RpcNode.ts"
import { callsOf, gasFor, readSigned } from "./SignedTransaction.ts"
import type { SimulatedChain } from "./SimulatedChain.ts"
import { type TransactionPool, usualTip } from "./TransactionPool.ts"

interface NodeView {
  readonly pool: TransactionPool
  readonly chain: SimulatedChain
  /** The latest block that the node has seen. */
  readonly latest: number
  readonly numberOf: (tag: BlockTag) => number
}

interface CallRequest {
  readonly from: string
  readonly to: string
  readonly data: Hex
  readonly maxFeePerGas?: Hex
}

/** The requests of a sender of transactions: its account, fees, gas, and sending. */
export const respondForRelayer = ({ method, params }: RpcRequest, view: NodeView): unknown => {
  const { latest, numberOf, pool } = view
  const parameters = params as ReadonlyArray<unknown>
  const blockOf = (tag: unknown): number => {
    const block = numberOf(tag as BlockTag)
    if (block > latest) throw new RpcFailure(-32_000, "header not found")
    return block
  }
  switch (method) {
    case "eth_getTransactionCount":
      return numberToHex(pool.nonceAt(blockOf(parameters[1])))
    case "eth_getBalance":
      return numberToHex(pool.balanceAt(blockOf(parameters[1])))
    case "eth_maxPriorityFeePerGas":
      return numberToHex(usualTip)
    case "eth_estimateGas":
      return numberToHex(estimate(parameters[0] as CallRequest, view))
    case "eth_sendRawTransaction": {
      const transaction = readSigned(parameters[0] as Hex)
      if (transaction === undefined) throw new RpcFailure(-32_000, "invalid sender")
      pool.submit(transaction, latest)
      return transaction.hash
    }
    default:
      throw new RpcFailure(-32_601, `the method ${method} does not exist`)
  }
}

/** The gas of a call on the latest block. */
const estimate = (
  { data, from, maxFeePerGas, to }: CallRequest,
  { chain, latest, pool }: NodeView
): bigint => {
  const calls = callsOf(from, to, data)
  const gas = gasFor(calls)
  if (maxFeePerGas !== undefined) {
    if (BigInt(maxFeePerGas) < pool.baseFeeOf(latest))
      throw new RpcFailure(-32_000, "max fee per gas less than block base fee")
    const allowance = pool.balanceAt(latest) / BigInt(maxFeePerGas)
    if (allowance < gas) throw new RpcFailure(-32_000, `gas required exceeds allowance (${allowance})`)
  }
  const at = { block: latest, atSeconds: chain.millisOf(latest) / 1000, transaction: "0x" }
  try {
    chain.token.asOf(latest).execute(calls, at)
  } catch (error) {
    if (error instanceof Reverted) throw new RpcFailure(3, `execution reverted: ${error.message}`)
    throw error
  }
  return gas
}
