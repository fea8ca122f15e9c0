import { Clock, Effect } from "effect"
import { parseTransaction } from "viem"
import type { Chain, ChainFault, Fees } from "./Chain.ts"
import type { Journal, PaymentVariant, RecordedPayment } from "./PaymentJournal.ts"
import type { Hex } from "./Hex.ts"
import {
  expiryMarginMillis,
  hashOf,
  type SigningSettings,
  type TreasuryTransaction
} from "./SigningAccount.ts"
import type { FeesTooHigh, SigningFailed } from "./TreasuryErrors.ts"

/*
 * Replaces recorded payments that the chain doesn't mine: an underpriced one by the same transfer with higher fees,
 * an expired one by an empty transaction. Each has the number of the one that it replaces.
 */

/** A payment is underpriced if its fee was below the base fee of this many latest blocks, and is below the next. */
const underpricedBlocks = 10
/** Replacements of a payment. Each covers at least a doubling of the base fee. */
const maxReplacements = 8

/** All transactions signed for a payment, oldest first. */
export const variantsOf = (record: RecordedPayment): ReadonlyArray<PaymentVariant> => [
  record,
  ...record.replacements
]

/** The transaction to send: the one with the highest fees. */
export const latestOf = (record: RecordedPayment): PaymentVariant => record.replacements.at(-1) ?? record

/** What a payment's latest transaction was signed with; `undefined` if it can't be read. */
const readLatest = (record: RecordedPayment) => {
  try {
    const parsed = parseTransaction(latestOf(record).signedTransaction)
    const { data, gas, maxFeePerGas, maxPriorityFeePerGas = 0n, to, value = 0n } = parsed
    return data === undefined || gas === undefined || maxFeePerGas === undefined || !to
      ? undefined
      : { call: { to, data, value, gas }, fees: { maxFeePerGas, maxPriorityFeePerGas } }
  } catch {
    return undefined
  }
}

/** A quarter above what was signed: nodes replace a transaction for ten percent more. */
const raised = (signed: bigint): bigint => (signed * 5n) / 4n + 1n

const higher = (left: bigint, right: bigint): bigint => (left > right ? left : right)
const lower = (left: bigint, right: bigint): bigint => (left < right ? left : right)

/** Fees that replace the signed ones, up to a ceiling; `undefined` if nodes would refuse them. */
export const feesAbove = (usual: Fees, signed: Fees, ceiling: bigint): Fees | undefined => {
  const maxFeePerGas = lower(higher(usual.maxFeePerGas, raised(signed.maxFeePerGas)), ceiling)
  const wanted = higher(usual.maxPriorityFeePerGas, raised(signed.maxPriorityFeePerGas))
  const maxPriorityFeePerGas = lower(wanted, maxFeePerGas)
  const isEnough = (now: bigint, before: bigint): boolean => now * 10n >= before * 11n && now > before
  return isEnough(maxFeePerGas, signed.maxFeePerGas) &&
    isEnough(maxPriorityFeePerGas, signed.maxPriorityFeePerGas)
    ? { maxFeePerGas, maxPriorityFeePerGas }
    : undefined
}

export interface ReplacingTools {
  readonly sign: (transaction: TreasuryTransaction) => Effect.Effect<Hex, SigningFailed>
  /** The usual fees, unless they are above the host's limit. */
  readonly feesWithin: Effect.Effect<Fees, ChainFault | FeesTooHigh>
}

export const makeReplacing = (
  { maxFeePerGas: ceiling, network, payer }: SigningSettings,
  { feesWithin, sign }: ReplacingTools,
  chain: Chain,
  journal: Journal
) => {
  const { chainId } = network

  /**
   * Clears the number of a recorded payment that has expired, so that later numbers can be mined. Sends an empty
   * transaction to ourselves. If the expired payment is mined instead, its record still counts.
   */
  const clear = Effect.fnUntraced(function* (record: RecordedPayment) {
    const usual = yield* feesWithin
    const signed = readLatest(record)?.fees ?? usual
    const above = (field: keyof Fees): bigint => raised(higher(usual[field], signed[field]))
    const transaction = yield* sign({
      type: "eip1559",
      chainId,
      nonce: record.nonce,
      to: payer,
      data: "0x",
      value: 0n,
      gas: 21_000n,
      maxFeePerGas: above("maxFeePerGas"),
      maxPriorityFeePerGas: above("maxPriorityFeePerGas")
    })
    yield* chain.send(transaction)
  })

  /** The next base fee if a payment is underpriced. With a node that doesn't list base fees, no payment is. */
  const baseFeeAbove = Effect.fnUntraced(function* ({ maxFeePerGas }: Fees) {
    const baseFees = yield* Effect.orElseSucceed(chain.baseFees(underpricedBlocks), () => [])
    const isUnderpriced = baseFees.length > underpricedBlocks && baseFees.every((fee) => fee > maxFeePerGas)
    return isUnderpriced ? baseFees.at(-1) : undefined
  })

  const isOurs = (record: RecordedPayment): boolean => record.payer === payer && record.chainId === chainId

  /**
   * Signs an underpriced payment again with higher fees and records that, if its quote is open and its number is next.
   * Returns the payment to send: if another process has recorded a replacement first, with that one.
   */
  const raise = Effect.fnUntraced(function* (
    record: RecordedPayment
  ): Effect.fn.Return<RecordedPayment, ChainFault> {
    const position = record.replacements.length
    const isOpen = (yield* Clock.currentTimeMillis) + expiryMarginMillis < record.expiresAtMillis
    const signed = readLatest(record)
    if (!isOpen || position >= maxReplacements || signed === undefined || !isOurs(record)) return record
    const baseFee = yield* baseFeeAbove(signed.fees)
    if (baseFee === undefined || (yield* chain.transactionCount(payer)) !== record.nonce) return record
    const fees = feesAbove(yield* chain.fees, signed.fees, ceiling)
    if (fees === undefined || fees.maxFeePerGas <= baseFee) return record
    const replacement = Effect.gen(function* () {
      const call = { ...signed.call, chainId, nonce: record.nonce }
      const signedTransaction = yield* sign({ type: "eip1559", ...call, ...fees })
      const variant = { transaction: yield* hashOf(signedTransaction), signedTransaction }
      return yield* journal.replace(record.key, position, variant)
    })
    // The payment was sent before: an error that says otherwise would let its order be placed again.
    return yield* Effect.catchTag(replacement, ["SigningFailed", "JournalFailed"], () =>
      Effect.succeed(record)
    )
  })

  return { clear, raise }
}
