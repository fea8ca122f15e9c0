import { Effect } from "effect"
import type { Hex } from "viem"
import { blocksBetween } from "./BlockSearch.ts"
import type { Finality } from "./ChainEvidence.ts"
import type { ChainNode, FoundLog, NodeFailed } from "./ChainNode.ts"
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

/** A span of time: at or after the first second, before the second. */
export interface TimeSpan {
  readonly fromSeconds: number
  readonly beforeSeconds: number
}

/** The transfers of a block range, oldest first. The range is empty if `toBlock` precedes `fromBlock`. */
export interface IncomingTransfers {
  readonly fromBlock: bigint
  readonly toBlock: bigint
  readonly transfers: ReadonlyArray<IncomingTransfer>
}

/** 10 million blocks at 2,000 per query. */
const maxQueries = 5_000

const incoming = ({ atSeconds, data, logIndex, topics, transaction }: FoundLog): IncomingTransfer => ({
  transaction,
  logIndex,
  from: `0x${topics[1]!.slice(-40).toLowerCase()}`,
  valueAtomic: BigInt(data).toString(),
  ...(atSeconds === undefined ? {} : { atSeconds })
})

/** Finds every confirmed transfer to an account in a span of time; `undefined` if that takes too many queries. */
export const searchTransfers = Effect.fnUntraced(function* (
  node: ChainNode,
  asset: Hex,
  to: string,
  span: TimeSpan,
  { confirmations }: Finality
): Effect.fn.Return<IncomingTransfers | undefined, NodeFailed> {
  const latest = yield* node.latest
  const { from, to: last } = yield* blocksBetween(node, latest, {
    fromSeconds: BigInt(span.fromSeconds),
    beforeSeconds: BigInt(span.beforeSeconds)
  })
  const confirmed = latest.number - BigInt(confirmations) + 1n
  const range = { from, to: last < confirmed ? last : confirmed }
  const filter = { address: asset, topics: [transfer, null, addressTopic(to)] }
  const { isComplete, logs } = yield* searchLogs(node, filter, range, { maxQueries, untilFound: false })
  return isComplete ? { fromBlock: range.from, toBlock: range.to, transfers: logs.map(incoming) } : undefined
})
