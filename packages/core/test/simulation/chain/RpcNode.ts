import { encodeAbiParameters, type Hex, numberToHex } from "viem"
import { imitationAddress, multicallAddress } from "./Calls.ts"
import { ContractReader } from "./ContractReader.ts"
import { respondForRelayer } from "./RelayerRpc.ts"
import { intrinsicGas } from "./SignedTransaction.ts"
import { RpcFailure } from "./RpcFailure.ts"
import type { ChainLog, MinedTransaction, SimulatedChain } from "./SimulatedChain.ts"
import type { TransactionPool } from "./TransactionPool.ts"

/** The condition of the node that the till reads. */
export interface NodeCondition {
  /** How far its view lags behind the chain. */
  readonly lagMillis: number
  /** Periods in which it fails every request. */
  readonly down: ReadonlyArray<readonly [fromMillis: number, untilMillis: number]>
}

/** A JSON-RPC request as viem's `custom` transport passes it on (EIP-1193). */
export interface RpcRequest {
  readonly method: string
  readonly params?: unknown
}

/** Maximum number of blocks per log query. */
const maxBlocksPerQuery = 10_000

/** Event topics: `keccak256` of each event's signature. */
const topicOf = {
  AuthorizationUsed: "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5",
  AuthorizationCanceled: "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81",
  Transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
} as const

export type BlockTag = string | undefined

interface LogFilter {
  readonly address?: string | ReadonlyArray<string>
  readonly topics?: ReadonlyArray<string | ReadonlyArray<string> | null>
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
}

const quantity = (value: number | bigint): Hex => numberToHex(value)
const word = (hex: string): Hex => `0x${hex.slice(2).toLowerCase().padStart(64, "0")}`
const zeros = (bytes: number): Hex => `0x${"00".repeat(bytes)}`

/** A JSON-RPC node of the simulated chain. It may lag behind or be down. */
export class RpcNode {
  condition: NodeCondition
  private readonly pool: TransactionPool | undefined
  private readonly chain: SimulatedChain
  private readonly now: () => number
  private readonly asset: string
  private readonly chainId: number
  private readonly contracts: ContractReader

  constructor(options: {
    readonly chain: SimulatedChain
    readonly now: () => number
    readonly condition: NodeCondition
    readonly asset: string
    readonly chainId: number
    /** Whether the contract wallet at an address accepts a signature over a hash. */
    readonly acceptsSignature: (address: string, hash: string, signature: string) => boolean
    /** The transactions of the relayer, if there is one. */
    readonly pool?: TransactionPool | undefined
  }) {
    this.pool = options.pool
    this.chain = options.chain
    this.now = options.now
    this.condition = options.condition
    this.asset = options.asset.toLowerCase()
    this.chainId = options.chainId
    this.contracts = new ContractReader(options.chain.token, this.asset, options.acceptsSignature)
  }

  /** Returns the result of a request; throws the error a node would respond with. */
  respond({ method, params }: RpcRequest): unknown {
    const nowMillis = this.now()
    if (this.condition.down.some(([from, until]) => from <= nowMillis && nowMillis < until))
      throw new RpcFailure(-32_603, "503 Service Unavailable")
    const parameters = (params ?? []) as ReadonlyArray<unknown>
    switch (method) {
      case "eth_chainId":
        return quantity(this.chainId)
      case "net_version":
        return String(this.chainId)
      case "eth_blockNumber":
        return quantity(this.latest)
      case "eth_getBlockByNumber":
        return this.block(this.numberOf(parameters[0] as BlockTag))
      case "eth_getBlockByHash": {
        const block = this.chain.blockOf(parameters[0] as string)
        return block === undefined ? null : this.block(block)
      }
      case "eth_getTransactionReceipt":
        return this.receipt(parameters[0] as string)
      case "eth_getLogs":
        return this.logs(parameters[0] as LogFilter)
      case "eth_call":
        return this.call(parameters[0] as { to?: string; data?: Hex }, parameters[1])
      case "eth_getCode":
        // Every simulated account is a contract wallet, like its signatures.
        return "0x60806040"
      default:
        if (this.pool === undefined) throw new RpcFailure(-32_601, `the method ${method} does not exist`)
        return respondForRelayer(
          { method, params: parameters },
          { pool: this.pool, chain: this.chain, latest: this.latest, numberOf: (tag) => this.numberOf(tag) }
        )
    }
  }

  /** The latest block that the node has seen. */
  get latest(): number {
    return this.chain.blockAt(this.now() - this.condition.lagMillis)
  }

  private numberOf(tag: BlockTag): number {
    switch (tag) {
      case undefined:
      case "latest":
      case "pending":
        return this.latest
      case "earliest":
        return 0
      case "safe":
        return Math.max(0, this.latest - 32)
      case "finalized":
        return Math.max(0, this.latest - 64)
      default:
        return Number(BigInt(tag))
    }
  }

  private block(number: number): unknown {
    if (number > this.latest) return null
    const { chain } = this
    return {
      number: quantity(number),
      hash: chain.hashOf(number),
      parentHash: number === 0 ? zeros(32) : chain.hashOf(number - 1),
      timestamp: quantity(chain.millisOf(number) / 1000),
      transactions: chain.transactionsOf(number).map(({ hash }) => hash),
      nonce: zeros(8),
      sha3Uncles: zeros(32),
      logsBloom: "0x",
      transactionsRoot: zeros(32),
      stateRoot: zeros(32),
      receiptsRoot: zeros(32),
      miner: zeros(20),
      difficulty: "0x0",
      totalDifficulty: "0x0",
      extraData: "0x",
      size: "0x400",
      gasLimit: "0x1c9c380",
      gasUsed: "0x0",
      baseFeePerGas: quantity(this.pool?.baseFeeOf(number) ?? 1),
      uncles: []
    }
  }

  private receipt(hash: string): unknown {
    const transaction = this.chain.transactionOf(hash)
    if (transaction === undefined || transaction.block > this.latest) return null
    const { block, index, logs, revertReason } = transaction
    return {
      transactionHash: hash.toLowerCase(),
      transactionIndex: quantity(index),
      blockHash: this.chain.hashOf(block),
      blockNumber: quantity(block),
      from: zeros(20),
      to: toOf(transaction, this.asset),
      status: revertReason === undefined ? "0x1" : "0x0",
      logs: logs.map((log) => this.log(log)),
      logsBloom: "0x",
      type: "0x2",
      contractAddress: null,
      cumulativeGasUsed: "0x5208",
      gasUsed: quantity(this.pool?.gasUsedBy(transaction) ?? intrinsicGas),
      effectiveGasPrice: "0x1"
    }
  }

  private log(log: ChainLog): {
    readonly address: string
    readonly topics: ReadonlyArray<string>
    readonly [field: string]: unknown
  } {
    const { block, event, index, isImitation, transaction, transactionIndex } = log
    const [second, data] =
      event._tag === "Transfer"
        ? [word(event.to), encodeAbiParameters([{ type: "uint256" }], [event.value])]
        : [word(event.nonce), "0x"]
    return {
      address: isImitation ? imitationAddress : this.asset,
      topics: [topicOf[event._tag], word(event.from), second],
      data,
      blockNumber: quantity(block),
      blockHash: this.chain.hashOf(block),
      transactionHash: transaction,
      transactionIndex: quantity(transactionIndex),
      logIndex: quantity(index),
      removed: false
    }
  }

  private logs({ address, blockHash, fromBlock, toBlock, topics = [] }: LogFilter): unknown {
    const hashed = blockHash === undefined ? undefined : this.chain.blockOf(blockHash)
    if (blockHash !== undefined && hashed === undefined) throw new RpcFailure(-32_000, "unknown block")
    const first = hashed ?? this.numberOf(fromBlock)
    const last = Math.min(this.latest, hashed ?? this.numberOf(toBlock))
    if (last - first >= maxBlocksPerQuery) throw new RpcFailure(-32_005, "query exceeds the block range")
    const addresses = (typeof address === "string" ? [address] : (address ?? [])).map(lower)
    return this.chain
      .logsBetween(first, last)
      .map((log) => this.log(log))
      .filter(
        (log) =>
          (addresses.length === 0 || addresses.includes(log.address)) &&
          topics.every(
            (topic, index) => topic === null || [topic].flat().map(lower).includes(log.topics[index]!)
          )
      )
  }

  private call({ data = "0x", to }: { readonly to?: string; readonly data?: Hex }, at: unknown): Hex {
    const tag = typeof at === "object" && at !== null && "blockNumber" in at ? at.blockNumber : at
    const block = this.numberOf(tag as BlockTag)
    if (block > this.latest) throw new RpcFailure(-32_000, "header not found")
    return this.contracts.read(to?.toLowerCase(), data, block)
  }
}

const lower = (text: string): string => text.toLowerCase()

const toOf = ({ calls }: MinedTransaction, asset: string): string =>
  calls.length === 1 ? asset : multicallAddress
