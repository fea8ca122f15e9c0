import { getBase64Encoder, getTransactionDecoder } from "@solana/kit"
import type { FacilitatorClient } from "@till402/core"

export const remembersFailures = "a hand-rolled server that remembers whose payments failed"

/** What a payment on Solana has to meet, in the form of version 2. */
export type SolanaRequirements = Readonly<Record<string, unknown>>

/** Both documents that a facilitator gets, of a payment in base64. */
export const forFacilitator = (transaction: string, accepted: SolanaRequirements) =>
  [{ x402Version: 2, accepted, payload: { transaction } }, accepted] as const

/** The wallet that signs besides the fee payer. */
const payerOf = (transaction: string): string =>
  Object.keys(getTransactionDecoder().decode(getBase64Encoder().encode(transaction)).signatures)[1]!

/** A former rule of Till402: after a payment whose simulation failed, its payer is refused. Whether one is served. */
export const openRemembersFailures = (facilitator: FacilitatorClient, requirements: SolanaRequirements) => {
  const failed = new Set<string>()
  return async (transaction: string): Promise<boolean> => {
    const payer = payerOf(transaction)
    if (failed.has(payer)) return false
    const documents = forFacilitator(transaction, requirements)
    if (!(await facilitator.verify(...documents)).isValid) {
      failed.add(payer)
      return false
    }
    return (await facilitator.settle(...documents)).success
  }
}

export const limitedPayers = "a hand-rolled server with a limit per payer"

/** Serves a payer's payments while fewer than so many others of theirs are in progress. */
export const openLimitedPayers = (
  facilitator: FacilitatorClient,
  requirements: SolanaRequirements,
  limit: number
) => {
  const open = new Map<string, number>()
  return async (transaction: string): Promise<boolean> => {
    const payer = payerOf(transaction)
    const others = open.get(payer) ?? 0
    if (others >= limit) return false
    open.set(payer, others + 1)
    const documents = forFacilitator(transaction, requirements)
    try {
      if (!(await facilitator.verify(...documents)).isValid) return false
      return (await facilitator.settle(...documents)).success
    } finally {
      open.set(payer, open.get(payer)! - 1)
    }
  }
}
