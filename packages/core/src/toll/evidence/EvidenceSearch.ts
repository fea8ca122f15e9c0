import { Effect } from "effect"
import { isHex } from "../../domain/Hex.ts"
import type { Hex } from "viem"
import type { Authorization } from "../../domain/PaymentPayload.ts"
import { blocksBetween, bracketTime } from "./BlockSearch.ts"
import {
  type ChainEvidence,
  evidenceOf,
  type Finality,
  type LocatedUse,
  precedingClaim,
  unavailable,
  usedOtherwise,
  useNotFound
} from "./ChainEvidence.ts"
import type { ChainHead } from "./ChainHead.ts"
import type { EvidenceHints } from "./EvidenceHints.ts"
import type { Block, BlockRange, ChainNode, LogFilter, NodeFailed } from "./ChainNode.ts"
import { blocksPerQuery, searchLogs } from "./LogSearch.ts"
import { addressTopic, authorizationCanceled, authorizationUsed, pairedTransfer } from "./TransferProof.ts"

/*
 * Finds out whether and how an authorization's nonce was used.
 *
 * A charge may be declared unpaid only if nothing can have paid it, and every charge must end. For a used nonce there
 * are two cases:
 *
 * 1. The call that used it is found. The contract accepts a nonce once, so this call decides, wherever it is. If it did
 *    not pay, that counts once its block is final.
 * 2. The call isn't found. The authorization itself can only have been used inside its validity window. Another message
 *    with the same nonce, or a cancellation, can be anywhere before or after it, and may be too far away to be found.
 *    When the whole window is final, was searched completely and contains no use, the use is outside: it isn't this
 *    authorization, which can no longer move. It did not pay.
 *
 * The second case relies on missing logs, and a node may have indexed its logs incompletely. So the contract's state at
 * both ends of the window is read too: a nonce that changed from unused to used inside the window contradicts the
 * missing log, and the outcome stays unknown. If the node has pruned that state, the complete search decides.
 */

/** Everything one search needs. */
export interface EvidenceQuery {
  readonly node: ChainNode
  readonly finality: Finality
  readonly asset: Hex
  readonly authorization: Authorization
  readonly claimedAfter?: ChainHead | undefined
  /** Whether the chain has no block of a number, though a node may lag. */
  readonly isNotReached: (number: bigint) => Effect.Effect<boolean>
}

/**
 * Length of the relevant part of a validity window, at its end. A payment that is still valid for more than 600 s (plus
 * 30 s of clock skew) when first presented is refused; the rest allows for a chain whose clock differs. A transfer from
 * before the first presentation buys nothing here.
 */
const windowSeconds = 700n
/** Maximum number of blocks by which a window may start too early: a looser search saves reads. */
const windowSlack = 500n
/** Enough for nodes that allow only a few blocks per query. */
const windowQueries = 200
/** Queries on each side of the window, to find a use by another message or a cancellation. */
const outsideQueries = 20
const outsideBlocks = blocksPerQuery * BigInt(outsideQueries)
/** Seconds by which our clock may be ahead of the chain's. */
const clockSlackSeconds = 600n
/** For refunds, which may have been sent long ago. */
const sinceQueries = 500
/** One log uses a nonce. More are a fault of the node, so only a few are read. */
const maxReceipts = 3

/** The use of the nonce in a successful transaction of the canonical chain. */
const useIn = Effect.fnUntraced(function* (
  { asset, authorization, node }: EvidenceQuery,
  transaction: string
): Effect.fn.Return<LocatedUse | undefined, NodeFailed> {
  const receipt = yield* node.receipt(transaction)
  if (receipt?.status !== "success") return undefined
  const use = pairedTransfer(receipt.logs, asset, authorization)
  if (use._tag === "Absent") return undefined
  const block = yield* node.block(receipt.blockNumber)
  // During a reorganization a node can still serve the receipt of a block that it dropped.
  return block !== undefined && block.hash !== receipt.blockHash
    ? undefined
    : { use, transaction: transaction.toLowerCase(), block }
})

/**
 * Judges a use of the nonce, also by whether its block precedes the claim. Not by the number alone: if a reorganization
 * replaced the block that was the newest one at the claim, lower numbers may be those of later blocks. Only blocks that
 * were final by then are still earlier ones: no reorganization replaces them.
 */
const judged = Effect.fnUntraced(function* (
  { claimedAfter, finality, isNotReached, node }: EvidenceQuery,
  located: LocatedUse,
  latest: Block
): Effect.fn.Return<ChainEvidence, NodeFailed> {
  const evidence = evidenceOf(located, latest, finality)
  const { block } = located
  if (evidence._tag !== "Moved" || claimedAfter === undefined) return evidence
  if (block === undefined || block.number > claimedAfter.number) return evidence
  const now = block.number === claimedAfter.number ? block : yield* node.block(claimedAfter.number)
  // A node that lags, a shorter chain, or a block that never was of this one: the chain will show which of them.
  if (now === undefined) return (yield* isNotReached(claimedAfter.number)) ? evidence : unavailable
  const wasFinal =
    claimedAfter.timeSeconds !== undefined &&
    block.timestamp + BigInt(finality.finalitySeconds) < claimedAfter.timeSeconds
  return wasFinal || now.hash.toLowerCase() === claimedAfter.hash ? precedingClaim(evidence) : evidence
})

interface RangeResult {
  readonly found: LocatedUse | undefined
  /** The whole range was read and contains no use. Decides only for the window, and only if nothing was found. */
  readonly isEmpty: boolean
}

const searchRange = Effect.fnUntraced(function* (
  query: EvidenceQuery,
  range: BlockRange,
  maxQueries: number
): Effect.fn.Return<RangeResult, NodeFailed> {
  const { from, nonce } = query.authorization
  const filter: LogFilter = {
    address: query.asset,
    topics: [[authorizationUsed, authorizationCanceled], addressTopic(from), nonce as Hex]
  }
  const { isComplete, logs } = yield* searchLogs(query.node, filter, range, { maxQueries, untilFound: true })
  for (const { transaction } of logs.slice(0, maxReceipts)) {
    const found = yield* useIn(query, transaction)
    if (found !== undefined) return { found, isEmpty: false }
  }
  return { found: undefined, isEmpty: isComplete && logs.length === 0 }
})

/** Like {@link searchRange}, for a range whose emptiness decides nothing: the node may have pruned its logs. */
const searchOutside = (query: EvidenceQuery, range: BlockRange) =>
  Effect.catch(searchRange(query, range, outsideQueries), (failure) =>
    failure.isRefusal
      ? Effect.succeed<RangeResult>({ found: undefined, isEmpty: false })
      : Effect.fail(failure)
  )

/** Whether a nonce is used as of a block; `undefined` if the node no longer has that state. */
const isUsedAt = ({ asset, authorization, node }: EvidenceQuery, blockNumber: bigint) =>
  Effect.catch(node.isUsed(asset, authorization, blockNumber), (failure) =>
    failure.isRefusal ? Effect.succeed(undefined) : Effect.fail(failure)
  )

/** Whether the contract's state changed inside a window whose logs don't show it. */
const contradictsLogs = Effect.fnUntraced(function* (query: EvidenceQuery, { from, to }: BlockRange) {
  if (to < from) return false
  const before = from === 0n ? false : yield* isUsedAt(query, from - 1n)
  if (before !== false) return false
  return (yield* isUsedAt(query, to)) !== false
})

const searchWindow = Effect.fnUntraced(function* (
  query: EvidenceQuery,
  latest: Block
): Effect.fn.Return<ChainEvidence, NodeFailed> {
  const { finality, node } = query
  const validBefore = BigInt(query.authorization.validBefore)
  const end = validBefore < latest.timestamp ? validBefore : latest.timestamp + 1n
  const window = yield* blocksBetween(
    node,
    latest,
    { fromSeconds: end - windowSeconds, beforeSeconds: end },
    windowSlack
  )
  const inside = yield* searchRange(query, window, windowQueries)
  if (inside.found !== undefined) return yield* judged(query, inside.found, latest)
  // A log without its receipt: the chain is being reorganized.
  if (!inside.isEmpty) return unavailable
  const sides: ReadonlyArray<BlockRange> = [
    { from: window.to + 1n, to: least(latest.number, window.to + outsideBlocks) },
    { from: most(0n, window.from - outsideBlocks), to: window.from - 1n }
  ]
  for (const side of sides) {
    const { found } = yield* searchOutside(query, side)
    if (found !== undefined) return yield* judged(query, found, latest)
  }
  if (latest.timestamp < validBefore + BigInt(finality.finalitySeconds)) return unavailable
  return (yield* contradictsLogs(query, window)) ? unavailable : usedOtherwise
})

/**
 * Whether a nonce was used only since the newest final block. Logs may lag behind the state for a moment: a node can even
 * read the state of a block that it has not published yet.
 */
const isRecentlyUsed = Effect.fnUntraced(function* (query: EvidenceQuery, latest: Block) {
  const finalSeconds = latest.timestamp - BigInt(query.finality.finalitySeconds)
  const { before } = yield* bracketTime(query.node, latest, finalSeconds)
  return (yield* isUsedAt(query, most(0n, before))) === false
})

const searchSince = Effect.fnUntraced(function* (
  query: EvidenceQuery,
  latest: Block,
  sinceSeconds: number
): Effect.fn.Return<ChainEvidence, NodeFailed> {
  const since = BigInt(sinceSeconds) - clockSlackSeconds
  const { before } = yield* bracketTime(query.node, latest, since, windowSlack)
  const { found } = yield* searchRange(query, { from: before + 1n, to: latest.number }, sinceQueries)
  if (found !== undefined) return yield* judged(query, found, latest)
  return (yield* isRecentlyUsed(query, latest)) ? unavailable : useNotFound
})

/** Searches for the transfer of an authorization: in the named transaction, then by the nonce's state and its logs. */
export const searchEvidence = Effect.fnUntraced(function* (
  query: EvidenceQuery,
  { sinceSeconds, transaction }: EvidenceHints
): Effect.fn.Return<ChainEvidence, NodeFailed> {
  const { asset, authorization, node } = query
  // The facilitator names the transaction: a wrong one must not hide the real one.
  const hinted =
    transaction !== undefined && isHex(transaction, 32)
      ? Effect.catch(useIn(query, transaction), () => Effect.succeed(undefined))
      : Effect.succeed(undefined)
  const [latest, use] = yield* Effect.all([node.latest, hinted], { concurrency: 2 })
  if (use !== undefined) return yield* judged(query, use, latest)
  // As of the block whose time is returned: a later block could have used the nonce.
  const isUsed = yield* node.isUsed(asset, authorization, latest.number)
  if (!isUsed) return { _tag: "NotMoved", chainTimeSeconds: Number(latest.timestamp) }
  return sinceSeconds === undefined
    ? yield* searchWindow(query, latest)
    : yield* searchSince(query, latest, sinceSeconds)
})

const least = (left: bigint, right: bigint): bigint => (left < right ? left : right)
const most = (left: bigint, right: bigint): bigint => (left > right ? left : right)
