import { Clock, Effect } from "effect"
import type { Authorization } from "../../../domain/PaymentPayload.ts"
import { isSolanaTransactionId } from "../../../domain/SolanaAddress.ts"
import { blockhashSeconds, readSolanaNonce } from "../../exact/SignedPayment.ts"
import { type ChainEvidence, unavailable } from "../ChainEvidence.ts"
import type { EvidenceHints } from "../EvidenceHints.ts"
import { messageUse, notMoved, solanaEvidenceOf } from "./SolanaEvidence.ts"
import {
  type SignatureEntry,
  signaturesPerPage,
  type SolanaClock,
  type SolanaNode,
  type SolanaNodeFailed
} from "./SolanaNode.ts"

/*
 * Finds the transaction with a payment's message. Its ID is the fee payer's signature, which only the facilitator
 * knows; without it, the payer's transactions of that time are compared.
 */

/** Everything one search needs. */
export interface SolanaQuery {
  readonly node: SolanaNode
  readonly mint: string
  readonly authorization: Authorization
}

/** Seconds by which our clock may differ from the chain's. */
const clockSlackSeconds = 120
/** Pages of a payer's transactions; more can't be told apart from a flood. */
const maxPages = 3
/** Transactions that are compared. */
const maxCompared = 100
const readsAtOnce = 4

interface Listing {
  readonly signatures: ReadonlyArray<string>
  /** Nothing in the span of time was left out. */
  readonly isComplete: boolean
}

/** Lists a payer's transactions since a time, newest first. */
const listSince = Effect.fnUntraced(function* (
  node: SolanaNode,
  address: string,
  slot: number,
  sinceSeconds: number
): Effect.fn.Return<Listing, SolanaNodeFailed> {
  const isSince = ({ blockTime }: SignatureEntry): boolean =>
    blockTime === null || blockTime === undefined || blockTime >= sinceSeconds
  const signatures: Array<string> = []
  let before: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const entries = yield* node.signatures(address, { before, slot })
    for (const entry of entries) if (isSince(entry)) signatures.push(entry.signature)
    const last = entries.at(-1)
    if (entries.length < signaturesPerPage || last === undefined || !isSince(last))
      return { signatures: signatures.slice(0, maxCompared), isComplete: signatures.length <= maxCompared }
    before = last.signature
  }
  return { signatures: signatures.slice(0, maxCompared), isComplete: false }
})

/** The evidence of one transaction; `undefined`: it has another message, or the node doesn't have it. */
const evidenceIn = Effect.fnUntraced(function* (
  { authorization, mint, node }: SolanaQuery,
  digest: string,
  signature: string,
  clock: SolanaClock
): Effect.fn.Return<ChainEvidence | undefined, SolanaNodeFailed> {
  const landed = yield* node.transaction(signature)
  if (landed === undefined) return undefined
  const use = messageUse(landed, authorization, { digest, mint })
  return use === "Absent" ? undefined : solanaEvidenceOf(use, signature, landed, clock)
})

/** Whether a block may still include a transaction with this blockhash. */
const isAccepted = (node: SolanaNode, blockhash: string, slot: number) =>
  Effect.flatMap(node.isBlockhashValid(blockhash, { commitment: "processed", slot }), (isValid) =>
    isValid ? Effect.succeed(true) : node.isBlockhashValid(blockhash, { commitment: "finalized", slot })
  )

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
    const named = yield* Effect.orElseSucceed(evidenceIn(query, digest, transaction, clock), () => undefined)
    if (named !== undefined) return named
  }
  // Read before the list: once no block accepts the blockhash, nothing can be added to the list.
  const acceptsBlockhash = yield* isAccepted(node, blockhash, clock.slot)
  const since = sinceSeconds ?? Number(authorization.validBefore) - 2 * blockhashSeconds
  const { isComplete, signatures } = yield* listSince(
    node,
    authorization.from,
    clock.slot,
    since - clockSlackSeconds
  )
  for (let index = 0; index < signatures.length; index += readsAtOnce) {
    const found = yield* Effect.forEach(
      signatures.slice(index, index + readsAtOnce),
      (signature) => evidenceIn(query, digest, signature, clock),
      { concurrency: readsAtOnce }
    )
    const evidence = found.find((each) => each !== undefined)
    if (evidence !== undefined) return evidence
  }
  if (!isComplete) return unavailable
  const nowSeconds = (yield* Clock.currentTimeMillis) / 1000
  return notMoved(authorization, clock, { acceptsBlockhash, nowSeconds })
})
