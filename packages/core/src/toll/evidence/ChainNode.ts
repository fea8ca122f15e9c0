import { Data, type Effect } from "effect"
import {
  BaseError,
  BlockNotFoundError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createClient,
  custom,
  type Client,
  type Hex,
  numberToHex,
  parseAbi,
  type RpcLog,
  TransactionReceiptNotFoundError,
  type Transport
} from "viem"
import {
  getBlock,
  getChainId,
  getCode,
  getTransactionReceipt,
  multicall,
  readContract,
  verifyHash
} from "viem/actions"
import type { Authorization } from "../../domain/PaymentPayload.ts"
import { tryWithTimeout } from "../../runtime/Deadline.ts"

/** A read that failed: no response in time, or an error. */
export class NodeFailed extends Data.TaggedError("NodeFailed")<{
  readonly cause: unknown
  /** The node is reachable and refuses this read: a range is too wide, or it has pruned the state. */
  readonly isRefusal: boolean
}> {}

export interface Block {
  readonly number: bigint
  readonly hash: string
  /** Seconds since the epoch, by the chain. */
  readonly timestamp: bigint
}

/** Blocks from the first to the last, inclusive. Empty if the last precedes the first. */
export interface BlockRange {
  readonly from: bigint
  readonly to: bigint
}

export interface LogFilter {
  readonly address: Hex
  readonly topics: ReadonlyArray<Hex | ReadonlyArray<Hex> | null>
}

export interface FoundLog {
  readonly transaction: string
  readonly blockNumber: bigint
  readonly logIndex: number
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
  /** If the node reports it. */
  readonly atSeconds: number | undefined
}

export type NonceOwner = Pick<Authorization, "from" | "nonce">

type Read<A> = Effect.Effect<A, NodeFailed>

/** Deadline of one read, including its retry. */
const readMillis = 5_000

const token = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function balanceOf(address account) view returns (uint256)"
])

const tokenFacts = parseAbi([
  "function decimals() view returns (uint8)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function name() view returns (string)",
  "function version() view returns (string)"
])

/** A token, as its contract describes it. */
export interface TokenContract {
  readonly decimals: number | undefined
  /** Hash of its EIP-712 domain. */
  readonly separator: Hex | undefined
  readonly name: string | undefined
  /** Not always that of its EIP-712 domain. */
  readonly version: string | undefined
  /** Whether it has the states of EIP-3009's nonces. */
  readonly hasAuthorizations: boolean
}

/** Whether a read failed because the contract doesn't have the function, or isn't one. */
const isNoContract = (error: BaseError): boolean =>
  error.walk(
    (cause) =>
      cause instanceof ContractFunctionZeroDataError || cause instanceof ContractFunctionRevertedError
  ) !== null

/** JSON-RPC codes of a contract that reverted: `execution reverted`, with and without data. */
const revertCodes: ReadonlyArray<unknown> = [3, -32_000, -32_015]
/** JSON-RPC codes of rate limits and of faults of the node: https://eips.ethereum.org/EIPS/eip-1474 */
const transientCodes: ReadonlyArray<unknown> = [429, -32_007, -32_005, -32_603, -32_002]

const hasCode = (error: unknown): error is { readonly code: number } => {
  const code: unknown = (error as { readonly code?: unknown } | null | undefined)?.code
  // viem uses -1 for unknown error codes, with the original error as the cause.
  return typeof code === "number" && code !== -1
}

/** The code of a JSON-RPC error; `undefined` for any other failure. */
const rpcCode = (error: unknown): number | undefined => {
  const coded: unknown = error instanceof BaseError ? error.walk(hasCode) : undefined
  return hasCode(coded) ? coded.code : undefined
}

const isRefusal = (error: unknown): boolean => {
  const code = rpcCode(error)
  return code !== undefined && !transientCodes.includes(code)
}

/** A node that doesn't respond is named like one that can't be reached. */
const timeoutAt = (url: unknown): Error =>
  Object.assign(new Error("no response in time"), { name: "TimeoutError", url })

/** Reads one chain by JSON-RPC. Every read has a deadline; the transport retries. */
export class ChainNode {
  private readonly client: Client

  constructor(transport: Transport) {
    // No CCIP reads: a contract must not make this process fetch a URL.
    this.client = createClient({ transport, ccipRead: false, cacheTime: 0 })
  }

  private read<A>(request: () => Promise<A>): Read<A> {
    return tryWithTimeout({
      timeoutMillis: readMillis,
      call: request,
      catch: (cause) => new NodeFailed({ cause, isRefusal: isRefusal(cause) }),
      onTimeout: () => new NodeFailed({ cause: timeoutAt(this.client.transport["url"]), isRefusal: false })
    })
  }

  get latest(): Read<Block> {
    return this.read(() => getBlock(this.client, { blockTag: "latest" }))
  }

  get chainId(): Read<number> {
    return this.read(() => getChainId(this.client))
  }

  /** The code at an address; `undefined`: there is none, or it only delegates to a wallet's code (EIP-7702). */
  code(address: Hex): Read<Hex | undefined> {
    return this.read(async () => {
      const code = await getCode(this.client, { address })
      return code?.startsWith("0xef0100") === true ? undefined : code
    })
  }

  /** The canonical block of a number; `undefined` if the node doesn't have it yet. */
  block(blockNumber: bigint): Read<Block | undefined> {
    return this.read(() => getBlock(this.client, { blockNumber }).catch(undefinedIf(BlockNotFoundError)))
  }

  /** A batch has one receipt for many payments: viem reads one that is needed several times at once only once. */
  receipt(hash: string) {
    return this.read(() =>
      getTransactionReceipt(this.client, { hash: hash as Hex }).catch(
        undefinedIf(TransactionReceiptNotFoundError)
      )
    )
  }

  /** Whether a nonce is used or canceled, as of a block. */
  isUsed(address: Hex, { from, nonce }: NonceOwner, blockNumber: bigint): Read<boolean> {
    return this.read(() =>
      readContract(this.client, {
        address,
        abi: token,
        functionName: "authorizationState",
        args: [from as Hex, nonce as Hex],
        blockNumber
      })
    )
  }

  /**
   * Reads the state of up to 150 nonces in one call, as of a block. The call's data counts as creation code, which
   * chains limit to 48 KiB.
   */
  areUsed(
    address: Hex,
    owners: ReadonlyArray<NonceOwner>,
    blockNumber: bigint
  ): Read<ReadonlyArray<boolean>> {
    return this.read(() =>
      multicall(this.client, {
        contracts: owners.map(({ from, nonce }) => ({
          address,
          abi: token,
          functionName: "authorizationState" as const,
          args: [from as Hex, nonce as Hex] as const
        })),
        // Runs Multicall3 without a deployment: not every chain has one.
        deployless: true,
        allowFailure: false,
        batchSize: 0,
        blockNumber
      })
    )
  }

  /** The decimals of a token; `undefined` for a contract that isn't one. */
  decimals(address: Hex): Read<number | undefined> {
    return this.read(() =>
      unlessMissing(() => readContract(this.client, { address, abi: tokenFacts, functionName: "decimals" }))
    )
  }

  /** What a contract says about itself as a token; `undefined` for each function that it lacks. */
  token(address: Hex): Read<TokenContract> {
    return this.read(async () => {
      const contract = { address, abi: tokenFacts }
      const nothing = `0x${"0".repeat(64)}` as const
      const [decimals, separator, name, version, isUsed] = await Promise.all([
        unlessMissing(() => readContract(this.client, { ...contract, functionName: "decimals" })),
        unlessMissing(() => readContract(this.client, { ...contract, functionName: "DOMAIN_SEPARATOR" })),
        unlessMissing(() => readContract(this.client, { ...contract, functionName: "name" })),
        unlessMissing(() => readContract(this.client, { ...contract, functionName: "version" })),
        unlessMissing(() =>
          readContract(this.client, {
            address,
            abi: token,
            functionName: "authorizationState",
            args: [address, nothing]
          })
        )
      ])
      return { decimals, separator, name, version, hasAuthorizations: isUsed !== undefined }
    })
  }

  balanceOf(address: Hex, account: string): Read<bigint> {
    return this.read(() =>
      readContract(this.client, { address, abi: token, functionName: "balanceOf", args: [account as Hex] })
    )
  }

  logs({ address, topics }: LogFilter, { from, to }: BlockRange): Read<ReadonlyArray<FoundLog>> {
    return this.read(async () => {
      const logs = await this.client.request({
        method: "eth_getLogs",
        params: [
          {
            address,
            topics: topics.map((topic) => (typeof topic === "object" && topic !== null ? [...topic] : topic)),
            fromBlock: numberToHex(from),
            toBlock: numberToHex(to)
          }
        ]
      })
      return logs.filter(({ removed }) => !removed).map(foundLog)
    })
  }

  /** Whether an account accepts a signature over a hash, by EIP-1271 or EIP-6492. */
  acceptsSignature(address: string, hash: Hex, signature: Hex): Read<boolean> {
    return this.read(async () => {
      let failure: { readonly error: unknown } | undefined
      // viem reports every failed call as an invalid signature; this records failures that the contract didn't cause.
      const noting = custom(
        {
          request: async (request: never) => {
            try {
              return await this.client.request(request)
            } catch (error) {
              if (!revertCodes.includes(rpcCode(error))) failure = { error }
              throw error
            }
          }
        },
        { retryCount: 0 }
      )
      // viem follows a contract to a URL only from calls with an address, which this is not; a later version may.
      const client = createClient({ transport: noting, ccipRead: false, cacheTime: 0 })
      const accepts = await verifyHash(client, { address: address as Hex, hash, signature })
      if (!accepts && failure !== undefined) throw failure.error
      return accepts
    })
  }
}

/** What a contract's function returns; `undefined`: it lacks the function. */
const unlessMissing = async <A>(request: () => Promise<A>): Promise<A | undefined> => {
  try {
    return await request()
  } catch (error) {
    if (isRefusal(error) || !(error instanceof BaseError) || isNoContract(error)) return undefined
    throw error
  }
}

const foundLog = (log: RpcLog): FoundLog => ({
  transaction: log.transactionHash!.toLowerCase(),
  blockNumber: BigInt(log.blockNumber!),
  logIndex: Number(log.logIndex!),
  topics: log.topics,
  data: log.data,
  atSeconds: log.blockTimestamp == null ? undefined : Number(log.blockTimestamp)
})

const undefinedIf =
  (kind: abstract new (...args: never) => Error) =>
  (error: unknown): undefined => {
    if (error instanceof kind) return undefined
    throw error
  }
