import { Effect } from "effect"
import type { Hex } from "viem"
import { blocksBetween } from "./BlockSearch.ts"
import type { Finality } from "./ChainEvidence.ts"
import type { BlockRange, ChainNode, FoundLog, LogFilter, NodeFailed } from "./ChainNode.ts"
import { searchLogs } from "./LogSearch.ts"
import { addressTopic, transfer } from "./TransferProof.ts"

/** A `Transfer` of the token, by any call. */
export interface IncomingTransfer {
  readonly transaction: string
  /** Position in its block. */
  readonly logIndex: number
  /** In lower case. */
  readonly from: string
  readonly valueAtomic: string
  /** Time of its block, if the node reports it with the log. */
  readonly atSeconds?: number
}

/** The same, of an account that paid. */
export interface OutgoingTransfer extends Omit<IncomingTransfer, "from"> {
  /** In lower case. */
  readonly to: string
}

/** A span of time: at or after the first second, before the second. */
export interface TimeSpan {
  readonly fromSeconds: number
  readonly beforeSeconds: number
}

/** The transfers of a block range, oldest first. The range is empty if `toBlock` precedes `fromBlock`. */
export interface FoundTransfers<A> {
  readonly fromBlock: bigint
  readonly toBlock: bigint
  readonly transfers: ReadonlyArray<A>
}

export type IncomingTransfers = FoundTransfers<IncomingTransfer>
export type OutgoingTransfers = FoundTransfers<OutgoingTransfer>

/** 10 million blocks at 2,000 per query. */
const maxQueries = 5_000

const addressIn = (topic: string | undefined): string => `0x${topic!.slice(-40).toLowerCase()}`

const transferOf = ({ atSeconds, data, logIndex, transaction }: FoundLog) => ({
  transaction,
  logIndex,
  valueAtomic: BigInt(data).toString(),
  ...(atSeconds === undefined ? {} : { atSeconds })
})

/** Finds every confirmed log of a span of time; `undefined` if that takes too many queries. */
const searchSpan = Effect.fnUntraced(function* (
  node: ChainNode,
  filter: LogFilter,
  span: TimeSpan,
  { confirmations }: Finality
): Effect.fn.Return<(BlockRange & { readonly logs: ReadonlyArray<FoundLog> }) | undefined, NodeFailed> {
  const latest = yield* node.latest
  const { from, to: last } = yield* blocksBetween(node, latest, {
    fromSeconds: BigInt(span.fromSeconds),
    beforeSeconds: BigInt(span.beforeSeconds)
  })
  const confirmed = latest.number - BigInt(confirmations) + 1n
  const range = { from, to: last < confirmed ? last : confirmed }
  const { isComplete, logs } = yield* searchLogs(node, filter, range, { maxQueries, untilFound: false })
  return isComplete ? { ...range, logs } : undefined
})

/** Finds every confirmed transfer to an account in a span of time; `undefined` if that takes too many queries. */
export const searchTransfers = Effect.fnUntraced(function* (
  node: ChainNode,
  asset: Hex,
  to: string,
  span: TimeSpan,
  finality: Finality
): Effect.fn.Return<IncomingTransfers | undefined, NodeFailed> {
  const filter = { address: asset, topics: [transfer, null, addressTopic(to)] }
  const found = yield* searchSpan(node, filter, span, finality)
  if (found === undefined) return undefined
  const transfers = found.logs.map((log) => ({ ...transferOf(log), from: addressIn(log.topics[1]) }))
  return { fromBlock: found.from, toBlock: found.to, transfers }
})

/** The same, of transfers from an account. Anyone can make some of 0. */
export const searchOutgoing = Effect.fnUntraced(function* (
  node: ChainNode,
  asset: Hex,
  from: string,
  span: TimeSpan,
  finality: Finality
): Effect.fn.Return<OutgoingTransfers | undefined, NodeFailed> {
  const filter = { address: asset, topics: [transfer, addressTopic(from)] }
  const found = yield* searchSpan(node, filter, span, finality)
  if (found === undefined) return undefined
  const transfers = found.logs.map((log) => ({ ...transferOf(log), to: addressIn(log.topics[2]) }))
  return { fromBlock: found.from, toBlock: found.to, transfers }
})
