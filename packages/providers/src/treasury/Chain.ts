import { Data, Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { ResponseMalformed, readJson, type Upstream, type UpstreamFault } from "../upstream/index.ts"
import { toHex } from "viem"
import type { Hex } from "./Hex.ts"

/*
 * An EVM chain, through a node's JSON-RPC: https://ethereum.org/en/developers/docs/apis/json-rpc/
 */

/** What a node says about a call that it could not execute. */
export type CallFailure = "reverted" | "out_of_gas"

/** The node refused the call. `code`: the number of its error. */
export class NodeRefused extends Data.TaggedError("NodeRefused")<{
  readonly upstream: string
  readonly code: string
  /** How the call itself failed; `undefined` if that says nothing about the call, such as a block that is missing. */
  readonly failure?: CallFailure | undefined
}> {
  override get message(): string {
    return `${this.upstream} refused the call: ${this.code}`
  }
}

export type ChainFault = UpstreamFault | NodeRefused

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

/** The chain, as a treasury uses it. */
export interface Chain {
  readonly chainId: Effect.Effect<bigint, ChainFault>
  readonly blockNumber: Effect.Effect<bigint, ChainFault>
  /** Number of an account's mined transactions, as of a block; default the latest. */
  readonly transactionCount: (account: Hex, block?: bigint) => Effect.Effect<number, ChainFault>
  /** An account's balance of a token, in atomic units. */
  readonly balanceOf: (token: Hex, account: Hex) => Effect.Effect<bigint, ChainFault>
  /** An account's native coin at the latest block, in wei. */
  readonly nativeBalanceOf: (account: Hex) => Effect.Effect<bigint, ChainFault>
  /** Whether an address has code: a contract, or an account that delegates to one. */
  readonly hasCode: (address: Hex) => Effect.Effect<boolean, ChainFault>
  /** The gas that a call takes. With fees, as a transaction that pays them, from an account that can. */
  readonly estimateGas: (call: GasCall) => Effect.Effect<bigint, ChainFault>
  /** What a call returns on the latest block. */
  readonly simulate: (call: Omit<GasCall, "fees" | "block">) => Effect.Effect<Hex, ChainFault>
  /** Fees that are sufficient even if the base fee doubles. */
  readonly fees: Effect.Effect<Fees, ChainFault>
  /** Base fees of this many latest blocks, and of the next one, in wei; fewer if the chain is younger. */
  readonly baseFees: (blocks: number) => Effect.Effect<ReadonlyArray<bigint>, ChainFault>
  /** `false` if the node refused it, perhaps because it already has it. */
  readonly send: (signedTransaction: Hex) => Effect.Effect<boolean, UpstreamFault>
  readonly mined: (transaction: Hex) => Effect.Effect<MinedTransaction | undefined, ChainFault>
}

const Reply = Schema.Struct({
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        code: Schema.optionalKey(Schema.Unknown),
        message: Schema.optionalKey(Schema.Unknown),
        data: Schema.optionalKey(Schema.Unknown)
      })
    )
  )
})
const readReply = readJson(Reply)

/** The code that is only for calls that reverted. Nodes use others, such as -32000, for their own troubles too. */
const revertCode = 3

/** Whether an error of a node is one of the call. Pure. */
export const callFailureOf = (code: unknown, message: unknown, data: unknown): CallFailure | undefined => {
  const text = typeof message === "string" ? message : ""
  if (/gas required exceeds allowance|out of gas/i.test(text)) return "out_of_gas"
  if (code === revertCode || /execution reverted|invalid opcode/i.test(text)) return "reverted"
  // What the call returned when it reverted; some nodes put a word before it.
  return typeof data === "string" && /^(Reverted )?0x[0-9a-fA-F]*$/.test(data) ? "reverted" : undefined
}

const isQuantity = (value: unknown): value is string =>
  typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)

const isData = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value)

const balanceOfSelector = "0x70a08231"

export const makeChain = (upstream: Upstream, rpcUrl: string): Chain => {
  const { name } = upstream
  const malformed = (method: string): ResponseMalformed =>
    new ResponseMalformed({ upstream: name, detail: `the result of ${method}` })

  const call = Effect.fnUntraced(function* (
    method: string,
    params: ReadonlyArray<unknown>
  ): Effect.fn.Return<unknown, ChainFault> {
    const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(rpcUrl), {
      jsonrpc: "2.0",
      id: 1,
      method,
      params
    })
    // Every method may be repeated, including sending the same signed transaction.
    const { error, result } = yield* Effect.flatMap(upstream.call(request, { idempotent: true }), readReply)
    if (error !== undefined && error !== null) {
      const code = typeof error.code === "number" ? `RPC_${error.code}` : "RPC"
      const failure = callFailureOf(error.code, error.message, error.data)
      return yield* new NodeRefused({ upstream: name, code, failure })
    }
    return result
  })

  const quantity = (method: string, params: ReadonlyArray<unknown>): Effect.Effect<bigint, ChainFault> =>
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
    balanceOf: (token, account) =>
      quantity("eth_call", [
        { to: token, data: `${balanceOfSelector}${account.slice(2).padStart(64, "0")}` },
        // Includes pending payments, whose money counts as spent.
        "pending"
      ]),
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
    simulate: (wanted) =>
      Effect.flatMap(call("eth_call", [wanted, "latest"]), (result) =>
        isData(result) ? Effect.succeed(result) : Effect.fail(malformed("eth_call"))
      ),
    fees: Effect.map(
      Effect.all([baseFee, quantity("eth_maxPriorityFeePerGas", [])]),
      ([base, maxPriorityFeePerGas]) => ({
        maxPriorityFeePerGas,
        maxFeePerGas: 2n * base + maxPriorityFeePerGas
      })
    ),
    baseFees: (blocks) =>
      Effect.flatMap(call("eth_feeHistory", [toHex(blocks), "latest", []]), (history) => {
        const listed =
          typeof history === "object" && history !== null && "baseFeePerGas" in history
            ? history.baseFeePerGas
            : undefined
        return Array.isArray(listed) && listed.every(isQuantity)
          ? Effect.succeed(listed.map(BigInt))
          : Effect.fail(malformed("eth_feeHistory"))
      }),
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
