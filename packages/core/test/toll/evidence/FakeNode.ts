import {
  custom,
  decodeAbiParameters,
  decodeFunctionData,
  deploylessCallViaBytecodeBytecode,
  encodeFunctionResult,
  type Hex,
  keccak256,
  multicall3Abi,
  numberToHex,
  pad,
  parseAbi,
  stringToHex,
  toEventSelector,
  type Transport
} from "viem"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"

/*
 * A node of a chain at the level of blocks, logs and JSON-RPC. It knows nothing about payments: a test composes the logs
 * of each transaction.
 */

export interface FakeLog {
  readonly address: string
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
}

interface FakeTransaction {
  readonly hash: Hex
  readonly block: bigint
  readonly blockHash: Hex
  /** Position of its first log in the block. */
  readonly firstLog: number
  readonly logs: ReadonlyArray<FakeLog>
  readonly succeeded: boolean
}

export interface RpcRequest {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Thrown by a node, as its JSON-RPC error. */
export class RpcFailure extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const used = toEventSelector("AuthorizationUsed(address,bytes32)")
const canceled = toEventSelector("AuthorizationCanceled(address,bytes32)")
const transferred = toEventSelector("Transfer(address,address,uint256)")
const word = (text: string): Hex => pad(text.toLowerCase() as Hex, { size: 32 })

/** Logs as the token emits them. */
export const logsOf = (address: string) => ({
  used: ({ from, nonce }: Pick<Authorization, "from" | "nonce">): FakeLog => ({
    address,
    topics: [used, word(from), word(nonce)],
    data: "0x"
  }),
  canceled: ({ from, nonce }: Pick<Authorization, "from" | "nonce">): FakeLog => ({
    address,
    topics: [canceled, word(from), word(nonce)],
    data: "0x"
  }),
  transfer: ({ from, to, value }: Pick<Authorization, "from" | "to" | "value">): FakeLog => ({
    address,
    topics: [transferred, word(from), word(to)],
    data: numberToHex(BigInt(value), { size: 32 })
  })
})

const calls = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function balanceOf(address account) view returns (uint256)"
])

let transactions = 0

export class FakeNode {
  /** Number of the latest block. */
  height: bigint
  readonly requests: Array<RpcRequest> = []
  /** Throws in place of a response. */
  fault: ((request: RpcRequest) => void) | undefined
  /** Serves receipts and removed logs of blocks that were reorganized away, as a node may for a moment. */
  servesStale = false
  /** Has no receipts, as a node that lags behind the one that served the logs. */
  losesReceipts = false
  /** Leaves logs out of `eth_getLogs`, as a node does that has not indexed them. */
  losesLogs = false
  /** Reports the block's time with each log, as newer nodes do. */
  reportsLogTimes = false
  /** Response of a contract that is run without being deployed, other than Multicall3: EIP-6492's validator. */
  deployless: () => Hex = () => "0x"
  balance = 0n
  private readonly genesisSeconds: number
  private readonly blockSeconds: number
  /** How often each block was replaced. */
  private readonly forks = new Map<bigint, number>()
  private mined: ReadonlyArray<FakeTransaction> = []
  private dropped: ReadonlyArray<FakeTransaction> = []

  constructor(options: {
    readonly genesisSeconds: number
    readonly blockSeconds: number
    readonly height: bigint
  }) {
    this.genesisSeconds = options.genesisSeconds
    this.blockSeconds = options.blockSeconds
    this.height = options.height
  }

  get transport(): Transport {
    return custom({ request: async (request: RpcRequest) => this.respond(request) }, { retryCount: 0 })
  }

  timeOf(block: bigint): number {
    return this.genesisSeconds + Math.floor(Number(block) * this.blockSeconds)
  }

  get nowSeconds(): number {
    return this.timeOf(this.height)
  }

  /** Mines empty blocks. */
  mine(blocks: number | bigint): void {
    this.height += BigInt(blocks)
  }

  /** Mines empty blocks until the chain's time is at least this. */
  mineUntil(seconds: number): void {
    const blocks = Math.ceil((seconds - this.nowSeconds) / this.blockSeconds)
    if (blocks > 0) this.mine(blocks)
  }

  /** Puts a transaction into a new block, or at the end of another. */
  transact(
    logs: ReadonlyArray<FakeLog>,
    options: { readonly block?: bigint; readonly succeeded?: boolean } = {}
  ): Hex {
    if (options.block === undefined) this.mine(1)
    const block = options.block ?? this.height
    const hash = keccak256(stringToHex(`transaction ${transactions++}`))
    const firstLog = this.mined
      .filter((other) => other.block === block)
      .reduce((count, other) => count + other.logs.length, 0)
    const succeeded = options.succeeded ?? true
    this.mined = [...this.mined, { hash, block, blockHash: this.hashOf(block), firstLog, logs, succeeded }]
    return hash
  }

  /** Replaces the latest blocks by as many empty ones. */
  reorganize(depth: number): void {
    const first = this.height - BigInt(depth) + 1n
    for (let block = first; block <= this.height; block++)
      this.forks.set(block, (this.forks.get(block) ?? 0) + 1)
    this.dropped = [...this.dropped, ...this.mined.filter(({ block }) => block >= first)]
    this.mined = this.mined.filter(({ block }) => block < first)
  }

  count(method: string): number {
    return this.requests.filter((request) => request.method === method).length
  }

  private hashOf(block: bigint): Hex {
    return keccak256(stringToHex(`block ${block} ${this.forks.get(block) ?? 0}`))
  }

  private respond(request: RpcRequest): unknown {
    this.requests.push(request)
    this.fault?.(request)
    const [first, second] = request.params
    switch (request.method) {
      case "eth_getBlockByNumber":
        return this.block(first as string)
      case "eth_getTransactionReceipt":
        return this.receipt(first as Hex)
      case "eth_getLogs":
        return this.logs(first as LogsRequest)
      case "eth_call": {
        const { data, to } = first as { readonly data: Hex; readonly to?: Hex }
        if (to !== undefined) return this.call(data, this.numberOf(second as string))
        return data.startsWith(deploylessCallViaBytecodeBytecode)
          ? this.call(innerCall(data), this.numberOf(second as string))
          : this.deployless()
      }
      default:
        throw new RpcFailure(-32_601, `the method ${request.method} does not exist`)
    }
  }

  private numberOf(tag: string | undefined): bigint {
    return tag === undefined || tag === "latest" ? this.height : BigInt(tag)
  }

  private block(tag: string): unknown {
    const number = this.numberOf(tag)
    if (number > this.height) return null
    return {
      number: numberToHex(number),
      hash: this.hashOf(number),
      timestamp: numberToHex(this.timeOf(number)),
      transactions: []
    }
  }

  private receipt(hash: Hex): unknown {
    if (this.losesReceipts) return null
    const candidates = this.servesStale ? [...this.mined, ...this.dropped] : this.mined
    const found = candidates.find((transaction) => transaction.hash === hash.toLowerCase())
    if (found === undefined) return null
    return {
      transactionHash: found.hash,
      blockNumber: numberToHex(found.block),
      blockHash: found.blockHash,
      status: found.succeeded ? "0x1" : "0x0",
      logs: this.rpcLogs(found)
    }
  }

  private rpcLogs(transaction: FakeTransaction): ReadonlyArray<RpcLogRecord> {
    return transaction.logs.map((log, index) => ({
      ...log,
      transactionHash: transaction.hash,
      blockNumber: numberToHex(transaction.block),
      blockHash: transaction.blockHash,
      logIndex: numberToHex(transaction.firstLog + index),
      removed: !this.mined.includes(transaction),
      ...(this.reportsLogTimes ? { blockTimestamp: numberToHex(this.timeOf(transaction.block)) } : {})
    }))
  }

  private logs({ address, fromBlock, toBlock, topics }: LogsRequest): ReadonlyArray<RpcLogRecord> {
    if (this.losesLogs) return []
    const [from, to] = [BigInt(fromBlock), BigInt(toBlock)]
    return [...this.mined, ...(this.servesStale ? this.dropped : [])]
      .filter(({ block, succeeded }) => succeeded && from <= block && block <= to)
      .sort((left, right) => Number(left.block - right.block))
      .flatMap((transaction) => this.rpcLogs(transaction))
      .filter(
        (log) =>
          log.address.toLowerCase() === address.toLowerCase() &&
          topics.every((wanted, index) => matches(wanted, log.topics[index]))
      )
  }

  private isUsed(from: string, nonce: string, block: bigint): boolean {
    return this.mined.some(
      (transaction) =>
        transaction.succeeded &&
        transaction.block <= block &&
        transaction.logs.some(
          ({ topics }) =>
            (topics[0] === used || topics[0] === canceled) &&
            topics[1] === word(from) &&
            topics[2] === word(nonce)
        )
    )
  }

  private call(data: Hex, block: bigint): Hex {
    if (data.startsWith("0x82ad56cb")) {
      const { args } = decodeFunctionData({ abi: multicall3Abi, data })
      const [entries] = args as unknown as [ReadonlyArray<{ readonly callData: Hex }>]
      return encodeFunctionResult({
        abi: multicall3Abi,
        functionName: "aggregate3",
        result: entries.map(({ callData }) => ({ success: true, returnData: this.call(callData, block) }))
      })
    }
    const { args, functionName } = decodeFunctionData({ abi: calls, data })
    return functionName === "authorizationState"
      ? encodeFunctionResult({ abi: calls, functionName, result: this.isUsed(args[0], args[1], block) })
      : encodeFunctionResult({ abi: calls, functionName, result: this.balance })
  }
}

/** The call made to a contract that is run without being deployed. */
const innerCall = (data: Hex): Hex => {
  const given: Hex = `0x${data.slice(deploylessCallViaBytecodeBytecode.length)}`
  return decodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], given)[1]
}

interface LogsRequest {
  readonly address: string
  readonly fromBlock: Hex
  readonly toBlock: Hex
  readonly topics: ReadonlyArray<null | Hex | ReadonlyArray<Hex>>
}

type RpcLogRecord = FakeLog & { readonly [key: string]: unknown }

const matches = (wanted: null | Hex | ReadonlyArray<Hex>, topic: Hex | undefined): boolean => {
  if (wanted === null) return true
  const options = typeof wanted === "string" ? [wanted] : wanted
  return options.some((option) => option.toLowerCase() === topic?.toLowerCase())
}

/** Result of a contract that returns whether a signature was accepted. */
export const wordOf = (value: 0 | 1): Hex => numberToHex(value, { size: 32 })
