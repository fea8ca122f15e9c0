import { Effect } from "effect"
import type { Hex } from "viem"
import { blocksBetween } from "./BlockSearch.ts"
import type { Finality } from "./ChainEvidence.ts"
import type { Network } from "../../domain/Network.ts"
import type { Authorization } from "../../domain/PaymentPayload.ts"
import type { BlockRange, ChainNode, FoundLog, LogFilter, NodeFailed } from "./ChainNode.ts"
import { searchLogs } from "./LogSearch.ts"
import { addressTopic, authorizationUsed, pairedTransfer, transfer } from "./TransferProof.ts"

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

/** Authorizations of a network, and the span in which they may have paid. */
export type PaidQuery = [network: Network, authorizations: ReadonlyArray<Authorization>, span: TimeSpan]

export type IncomingTransfers = FoundTransfers<IncomingTransfer>
export type OutgoingTransfers = FoundTransfers<OutgoingTransfer>

/** 10 million blocks at 2,000 per query. */
const maxTransferQueries = 5_000
/** Of one read of many authorizations, whose span is short. */
const maxPaidQueries = 50

const addressIn = (topic: string | undefined): string => `0x${topic!.slice(-40).toLowerCase()}`

const transferOf = ({ atSeconds, data, logIndex, transaction }: FoundLog) => ({
  transaction,
  logIndex,
  valueAtomic: BigInt(data).toString(),
  ...(atSeconds === undefined ? {} : { atSeconds })
})

interface FoundLogs extends BlockRange {
  readonly logs: ReadonlyArray<FoundLog>
  /** The node has a block after the span. */
  readonly isOver: boolean
}

/** Finds every confirmed log of a span of time; `undefined` if that takes too many queries. */
const searchSpan = Effect.fnUntraced(function* (
  node: ChainNode,
  filter: LogFilter,
  span: TimeSpan,
  { confirmations }: Finality,
  maxQueries = maxTransferQueries
): Effect.fn.Return<FoundLogs | undefined, NodeFailed> {
  const latest = yield* node.latest
  const { from, to: last } = yield* blocksBetween(node, latest, {
    fromSeconds: BigInt(span.fromSeconds),
    beforeSeconds: BigInt(span.beforeSeconds)
  })
  const confirmed = latest.number - BigInt(confirmations) + 1n
  const range = { from, to: last < confirmed ? last : confirmed }
  const { isComplete, logs } = yield* searchLogs(node, filter, range, { maxQueries, untilFound: false })
  return isComplete ? { ...range, logs, isOver: latest.timestamp >= BigInt(span.beforeSeconds) } : undefined
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

const nameOf = (payer: string | undefined, nonce: string | undefined): string =>
  `${payer} ${nonce}`.toLowerCase()

const distinct = (topics: ReadonlyArray<string>): ReadonlyArray<Hex> =>
  Array.from(new Set(topics.map((topic) => topic.toLowerCase() as Hex)))

/**
 * Finds which authorizations paid in a span of time, by one search for the uses of their nonces and for their payers'
 * transfers to their recipients; `undefined` if that takes too many queries, or the node has no block after the span yet.
 */
export const searchPaid = Effect.fnUntraced(function* (
  node: ChainNode,
  asset: Hex,
  authorizations: ReadonlyArray<Authorization>,
  { finality, span }: { readonly finality: Finality; readonly span: TimeSpan }
): Effect.fn.Return<ReadonlyArray<string | undefined> | undefined, NodeFailed> {
  const filter: LogFilter = {
    address: asset,
    topics: [
      [authorizationUsed, transfer],
      distinct(authorizations.map(({ from }) => addressTopic(from))),
      distinct(authorizations.flatMap(({ nonce, to }) => [nonce, addressTopic(to)]))
    ]
  }
  const found = yield* searchSpan(node, filter, span, finality, maxPaidQueries)
  if (found?.isOver !== true) return undefined
  const logs = found.logs.map((log) => ({ ...log, address: asset }))
  const byTransaction = Map.groupBy(logs, ({ transaction }) => transaction)
  const used = new Map(
    logs
      .filter(({ topics: [event] }) => event === authorizationUsed)
      .map(({ topics: [, payer, nonce], transaction }) => [nameOf(payer, nonce), transaction])
  )
  return authorizations.map((authorization) => {
    const transaction = used.get(nameOf(addressTopic(authorization.from), authorization.nonce))
    const isPaid =
      transaction !== undefined &&
      pairedTransfer(byTransaction.get(transaction)!, asset, authorization)._tag === "Paid"
    return isPaid ? transaction : undefined
  })
})
