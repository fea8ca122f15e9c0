import { Clock, Effect } from "effect"
import type { Authorization } from "../../../domain/PaymentPayload.ts"
import { isSolanaTransactionId } from "../../../domain/SolanaAddress.ts"
import { readBase64Transaction } from "../../../domain/SolanaTransaction.ts"
import type { BoundedMap } from "../../../runtime/BoundedMap.ts"
import { blockhashSeconds, readSolanaNonce } from "../../exact/SignedPayment.ts"
import { type ChainEvidence, precedingClaim, unavailable } from "../ChainEvidence.ts"
import type { ChainHead } from "../ChainHead.ts"
import type { EvidenceHints } from "../EvidenceHints.ts"
import { lastSlotOf } from "./LastSlot.ts"
import { messageUse, notMoved, solanaEvidenceOf } from "./SolanaEvidence.ts"
import { type Page, type Place, walkBack } from "./SolanaListing.ts"
import type { SignatureEntry, SolanaClock, SolanaNode, SolanaNodeFailed } from "./SolanaNode.ts"

/*
 * Finds the transaction with a payment's message. Its ID is the fee payer's signature, which only the facilitator
 * knows; without it, the payer's transactions of that time are compared.
 *
 * Anybody can add transactions to that list, for a few lamports each. So each is read once, a search that doesn't get
 * through goes on where the last one ended, and those of later blocks are not read at all.
 */

/** What earlier searches on this network have found out. */
export interface SearchMemory {
  /** Digests of the messages of transactions, by signature: a signature is of one message, on every fork. */
  readonly digests: BoundedMap<string, string>
  /** How far the search for a payment has come that can't land any more, by its digest. */
  readonly positions: BoundedMap<string, SearchPosition>
}

export interface SearchPosition {
  /** A transaction of the payer: neither it nor a newer one is the payment. */
  readonly before: Place
  /** The payment is in no later slot. */
  readonly lastSlot: number | undefined
}

/** Everything one search needs. */
export interface SolanaQuery {
  readonly node: SolanaNode
  readonly mint: string
  readonly authorization: Authorization
  readonly memory: SearchMemory
  readonly claimedAfter?: ChainHead | undefined
  /** Whether the chain has not reached a slot, though a node may lag. */
  readonly isNotReached: (slot: bigint) => Effect.Effect<boolean>
}

/** Seconds by which our clock may differ from the chain's, when a payment is presented. */
const clockSlackSeconds = 600
/** Of one search: 1,000 transactions each. */
const maxPages = 100
/** Transactions that one search reads, up to the rest of a page. */
const maxReads = 10_000
const readsAtOnce = 10
/** Finding out which ones are too late to be the payment takes about as many reads. */
const fewEntries = 100

/** The evidence of one transaction. `Other`: it has another message. `Unread`: the node doesn't have it. */
const evidenceIn = Effect.fnUntraced(function* (
  { authorization, claimedAfter, isNotReached, memory, mint, node }: SolanaQuery,
  digest: string,
  signature: string,
  clock: SolanaClock
): Effect.fn.Return<ChainEvidence | "Other" | "Unread", SolanaNodeFailed> {
  const known = memory.digests.get(signature)
  if (known !== undefined && known !== digest) return "Other"
  const landed = yield* node.transaction(signature)
  if (landed === undefined) return "Unread"
  const reading = readBase64Transaction(landed.transaction[0])
  memory.digests.set(signature, reading._tag === "Malformed" ? "" : reading.transaction.digest)
  const use = messageUse(landed, authorization, { digest, mint })
  if (use === "Absent") return "Other"
  const evidence = solanaEvidenceOf(use, signature, landed, clock)
  if (claimedAfter === undefined || BigInt(landed.slot) > claimedAfter.number) return evidence
  if (claimedAfter.number <= BigInt(clock.slot)) return precedingClaim(evidence)
  // A node that lags, or a slot that was never of this chain: the chain will show which of them.
  return (yield* isNotReached(claimedAfter.number)) ? evidence : unavailable
})

const isEvidence = (read: ChainEvidence | "Other" | "Unread"): read is ChainEvidence =>
  typeof read === "object"

/** Whether a block may still include a transaction with this blockhash, and the block that shows it. */
const readAcceptance = (node: SolanaNode, blockhash: string, slot: number) =>
  Effect.flatMap(node.isBlockhashValid(blockhash, { commitment: "processed", slot }), (newest) =>
    newest.isValid
      ? Effect.succeed({ isValid: true, slot })
      : node.isBlockhashValid(blockhash, { commitment: "finalized", slot })
  )

/** The payer's transactions among which a payment is searched. */
interface Span {
  readonly digest: string
  readonly clock: SolanaClock
  /** The list must be of a node that has this block. */
  readonly slot: number
  /** The payment has expired, unless it is in a block. */
  readonly isOver: boolean
  readonly sinceSeconds: number
  /** By this time, the block was known that the payment names. */
  readonly knownSeconds: number
}

/** Compares transactions with a payment: what it finds, or whether all could be read. */
const compare = Effect.fnUntraced(function* (
  query: SolanaQuery,
  { clock, digest }: Span,
  entries: ReadonlyArray<SignatureEntry>
): Effect.fn.Return<ChainEvidence | "Other" | "Unread", SolanaNodeFailed> {
  let areRead = true
  for (let index = 0; index < entries.length; index += readsAtOnce) {
    const read = yield* Effect.forEach(
      entries.slice(index, index + readsAtOnce),
      ({ signature }) => evidenceIn(query, digest, signature, clock),
      { concurrency: readsAtOnce }
    )
    const evidence = read.find(isEvidence)
    if (evidence !== undefined) return evidence
    // A listed transaction that the node doesn't have may be the payment.
    if (read.includes("Unread")) areRead = false
  }
  return areRead ? "Other" : "Unread"
})

/** Searches the payer's transactions; `undefined`: the payment is none of them. */
const searchPayer = Effect.fnUntraced(function* (
  query: SolanaQuery,
  span: Span
): Effect.fn.Return<ChainEvidence | undefined, SolanaNodeFailed> {
  const { authorization, memory, node } = query
  const { clock, digest, isOver, sinceSeconds, slot } = span
  const position = isOver ? memory.positions.get(digest) : undefined
  let lastSlot = position?.lastSlot
  let isEndSought = !isOver || lastSlot !== undefined
  let evidence: ChainEvidence | undefined
  let areRead = true
  let reads = 0
  const onPage = Effect.fnUntraced(function* ({
    entries,
    last
  }: Page): Effect.fn.Return<boolean, SolanaNodeFailed> {
    if (!isEndSought && entries.length > fewEntries) {
      isEndSought = true
      // A node that doesn't list blocks has all transactions compared.
      lastSlot = yield* Effect.orElseSucceed(lastSlotOf(node, clock, span.knownSeconds), () => undefined)
    }
    const compared = entries.filter((entry) => entry.slot <= (lastSlot ?? Infinity))
    reads += compared.filter(({ signature }) => memory.digests.get(signature) === undefined).length
    const found = yield* compare(query, span, compared)
    if (isEvidence(found)) {
      evidence = found
      return false
    }
    if (found === "Unread") areRead = false
    // Until it has expired, it may still appear above.
    if (isOver && areRead) memory.positions.set(digest, { before: last, lastSlot })
    return reads < maxReads
  })
  const walk = { address: authorization.from, slot, sinceSeconds, before: position?.before, maxPages }
  const isComplete = yield* walkBack(node, walk, onPage)
  if (evidence !== undefined) return evidence
  if (!isComplete || !areRead) return unavailable
  // Another node may list more than this one: the next search compares all again.
  memory.positions.delete(digest)
  return undefined
})

/** Searches for the transaction of a payment: the named one first, then those of its payer. */
export const searchSolana = Effect.fnUntraced(function* (
  query: SolanaQuery,
  { sinceSeconds, transaction }: EvidenceHints
): Effect.fn.Return<ChainEvidence, SolanaNodeFailed> {
  const { authorization, node } = query
  const nonce = readSolanaNonce(authorization.nonce)
  if (nonce === undefined) return unavailable
  const { blockhash, digest } = nonce
  const clock = yield* node.clock
  if (transaction !== undefined && isSolanaTransactionId(transaction)) {
    // The facilitator names the transaction: a wrong one must not hide the real one.
    const named = yield* Effect.orElseSucceed(
      evidenceIn(query, digest, transaction, clock),
      () => "Unread" as const
    )
    if (isEvidence(named)) return named
  }
  // Read before the list: once no block accepts the blockhash, nothing can be added to the list. It has to be the list of
  // a node that has that block, of several behind one address.
  const { isValid, slot } = yield* readAcceptance(node, blockhash, clock.slot)
  const nowSeconds = (yield* Clock.currentTimeMillis) / 1000
  const unmoved = notMoved(authorization, clock, { acceptsBlockhash: isValid, nowSeconds })
  const presentedSeconds = Number(authorization.validBefore) - blockhashSeconds
  const found = yield* searchPayer(query, {
    digest,
    clock,
    slot,
    isOver: unmoved.chainTimeSeconds > Number(authorization.validBefore),
    sinceSeconds: (sinceSeconds ?? presentedSeconds - blockhashSeconds) - clockSlackSeconds,
    knownSeconds: presentedSeconds + clockSlackSeconds
  })
  return found ?? unmoved
})
