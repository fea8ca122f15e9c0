import type { Authorization } from "../../../domain/PaymentPayload.ts"
import { readBase64Transaction } from "../../../domain/SolanaTransaction.ts"
import { readTransfer, transferIndex } from "../../exact/Solana.ts"
import { type ChainEvidence, unavailable, usedOtherwise } from "../ChainEvidence.ts"
import type { LandedTransaction, SolanaClock, TokenBalance } from "./SolanaNode.ts"

/*
 * What a transaction on the chain proves about a payment. Pure.
 *
 * The payment is a signed message, and the chain accepts a message once, whoever pays its fee and however it is
 * encoded. So the one transaction with that very message decides, and no other transaction proves anything: not one
 * with the same amount, payer and payee, and not one that changed the same balances.
 */

/** What one transaction did about a payment. `Absent`: it has another message. */
export type MessageUse = "Absent" | "Paid" | "PaidOtherwise" | "Failed"

const amountOf = (
  balances: ReadonlyArray<TokenBalance> | null | undefined,
  accountIndex: number,
  { mint, owner }: { readonly mint: string; readonly owner: string }
): bigint | undefined => {
  const found = balances?.find((balance) => balance.accountIndex === accountIndex)
  return found === undefined || found.mint !== mint || (found.owner ?? owner) !== owner
    ? undefined
    : BigInt(found.uiTokenAmount.amount)
}

/**
 * Compares a transaction with a payment: the digest of its message, its status, and by how much the payee's balance
 * grew in it. A token may withhold a fee of its transfers, so the status alone is not enough.
 */
export const messageUse = (
  landed: LandedTransaction,
  { to, value }: Authorization,
  expected: { readonly digest: string; readonly mint: string }
): MessageUse => {
  const reading = readBase64Transaction(landed.transaction[0])
  if (reading._tag === "Malformed" || reading.transaction.digest !== expected.digest) return "Absent"
  const { meta } = landed
  if (meta.err !== null) return "Failed"
  const { accounts, instructions } = reading.transaction
  const instruction = instructions[transferIndex]
  const transfer = instruction === undefined ? undefined : readTransfer(instruction)
  if (transfer === undefined) return "PaidOtherwise"
  const account = accounts.indexOf(transfer.destination)
  const payee = { mint: expected.mint, owner: to }
  const after = amountOf(meta.postTokenBalances, account, payee)
  const before = amountOf(meta.preTokenBalances, account, payee)
  return after !== undefined && before !== undefined && after - before === BigInt(value)
    ? "Paid"
    : "PaidOtherwise"
}

/** Judges the transaction with a payment's message by the finality of its block. */
export const solanaEvidenceOf = (
  use: Exclude<MessageUse, "Absent">,
  signature: string,
  { blockTime, slot }: Pick<LandedTransaction, "blockTime" | "slot">,
  clock: SolanaClock
): ChainEvidence => {
  const isFinal = slot <= clock.slot
  switch (use) {
    case "Paid":
      return typeof blockTime !== "number"
        ? unavailable
        : { _tag: "Moved", transaction: signature, logIndex: transferIndex, atSeconds: blockTime, isFinal }
    case "PaidOtherwise":
      return isFinal ? usedOtherwise : unavailable
    case "Failed":
      // The chain remembers the message while its blockhash is valid: it can't be included again.
      return isFinal ? { _tag: "NotPaid", reason: "failed" } : unavailable
  }
}

/**
 * The evidence for a message that is in no block. The payment has expired once the end of its validity has passed by
 * the chain's final time *and* by our clock, and neither the newest nor the newest final block accepts its blockhash.
 *
 * Until then it may still move, and the time that is returned is not past that end. Each condition covers a fault of
 * the others: a chain that stands still ages no blockhash, a node that lags behind doesn't know a new one, and by a
 * clock of ours that is slow, the chain's time is past that end from the beginning.
 */
export const notMoved = (
  { validBefore }: Pick<Authorization, "validBefore">,
  clock: SolanaClock,
  { acceptsBlockhash, nowSeconds }: { readonly acceptsBlockhash: boolean; readonly nowSeconds: number }
): Extract<ChainEvidence, { readonly _tag: "NotMoved" }> => {
  const passed = Math.min(clock.seconds, Math.floor(nowSeconds))
  return {
    _tag: "NotMoved",
    chainTimeSeconds: acceptsBlockhash ? Math.min(passed, Number(validBefore)) : passed
  }
}
