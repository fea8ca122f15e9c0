import { Clock, Effect } from "effect"
import type { Authorization } from "../../../domain/PaymentPayload.ts"
import { isSolanaTransactionId } from "../../../domain/SolanaAddress.ts"
import { blockhashSeconds, readSolanaNonce } from "../../exact/SignedPayment.ts"
import { type ChainEvidence, unavailable } from "../ChainEvidence.ts"
import type { EvidenceHints } from "../EvidenceHints.ts"
import { messageUse, notMoved, solanaEvidenceOf } from "./SolanaEvidence.ts"
import { listSince } from "./SolanaListing.ts"
import type { SolanaClock, SolanaNode, SolanaNodeFailed } from "./SolanaNode.ts"

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
/** Of a payer's transactions: more can't be told apart from a flood. */
const limits = { pages: 3, signatures: 100 }
const readsAtOnce = 4

/** The evidence of one transaction. `Other`: it has another message. `Unread`: the node doesn't have it. */
const evidenceIn = Effect.fnUntraced(function* (
  { authorization, mint, node }: SolanaQuery,
  digest: string,
  signature: string,
  clock: SolanaClock
): Effect.fn.Return<ChainEvidence | "Other" | "Unread", SolanaNodeFailed> {
  const landed = yield* node.transaction(signature)
  if (landed === undefined) return "Unread"
  const use = messageUse(landed, authorization, { digest, mint })
  return use === "Absent" ? "Other" : solanaEvidenceOf(use, signature, landed, clock)
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
  const acceptance = yield* readAcceptance(node, blockhash, clock.slot)
  const since = sinceSeconds ?? Number(authorization.validBefore) - 2 * blockhashSeconds
  const { isComplete, signatures } = yield* listSince(
    node,
    authorization.from,
    { clock, slot: acceptance.slot, sinceSeconds: since - clockSlackSeconds },
    limits
  )
  let isRead = isComplete
  for (let index = 0; index < signatures.length; index += readsAtOnce) {
    const read = yield* Effect.forEach(
      signatures.slice(index, index + readsAtOnce),
      (signature) => evidenceIn(query, digest, signature, clock),
      { concurrency: readsAtOnce }
    )
    const evidence = read.find(isEvidence)
    if (evidence !== undefined) return evidence
    // A listed transaction that the node doesn't have may be the payment.
    if (read.includes("Unread")) isRead = false
  }
  if (!isRead) return unavailable
  const nowSeconds = (yield* Clock.currentTimeMillis) / 1000
  return notMoved(authorization, clock, { acceptsBlockhash: acceptance.isValid, nowSeconds })
})
