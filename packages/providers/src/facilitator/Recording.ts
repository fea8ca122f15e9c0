import { Effect } from "effect"
import type { Chain } from "../treasury/Chain.ts"
import type { Hex } from "../treasury/Hex.ts"
import type { OpenTransactions } from "./OpenTransactions.ts"
import type { PresentedPayment } from "./PresentedPayment.ts"
import { accountOf, type SettlementRecord } from "./SettlementJournal.ts"
import { batchSuccesses, batchTransfer, type TransferCall, transfersIn } from "./TransferCall.ts"

/*
 * Which settlements go into one transaction.
 */

/** A payment to record, with the call that submits it. */
export interface SettlementDraft {
  readonly payment: PresentedPayment
  readonly caller: string
  readonly attempt: number
  readonly call: TransferCall
  readonly gas: bigint
  /** What the payer had, in atomic units. */
  readonly balanceAtomic: bigint
  /** Number of the relayer's mined transactions when that was read, or earlier. */
  readonly minedBefore: number
  /** Whether it gets its own transaction, where others are settled in batches. */
  readonly isAlone: boolean
}

export const keyOf = ({ payment }: SettlementDraft): string => payment.key

/** The limit of one transaction for all of them: none needs more than its own limit. */
export const gasOf = (drafts: ReadonlyArray<SettlementDraft>): bigint =>
  drafts.reduce((sum, { gas }) => sum + gas, 0n)

/** The call that submits all of them. */
export const callOf = (drafts: ReadonlyArray<SettlementDraft>): TransferCall => {
  const [first] = drafts
  return drafts.length === 1 && first !== undefined
    ? first.call
    : batchTransfer(drafts.map(({ call }) => call))
}

/** The settlements whose payers can pay them beside all that are open and those before them. Pure. */
export const payableAmong = (
  drafts: ReadonlyArray<SettlementDraft>,
  open: OpenTransactions
): ReadonlyArray<SettlementDraft> => {
  const takenAtomic = new Map<string, bigint>()
  return drafts.filter(({ balanceAtomic, minedBefore, payment: { authorization, key } }) => {
    const account = accountOf(key)
    const taken = (takenAtomic.get(account) ?? 0n) + BigInt(authorization.value)
    if (balanceAtomic < open.promisedAtomic(minedBefore, key) + taken) return false
    takenAtomic.set(account, taken)
    return true
  })
}

/** The settlements that succeed together on the latest block. If the node doesn't say, all of them. */
export const passingAmong = Effect.fnUntraced(function* (
  chain: Chain,
  relayer: Hex,
  drafts: ReadonlyArray<SettlementDraft>
) {
  if (drafts.length < 2) return drafts
  const simulated = yield* Effect.orElseSucceed(
    chain.simulate({ from: relayer, ...callOf(drafts) }),
    () => undefined
  )
  const successes = simulated === undefined ? undefined : batchSuccesses(simulated)
  return successes === undefined ? drafts : drafts.filter((_, index) => successes[index] !== false)
})

/** How many authorizations the transaction of a record with `item` 0 settles. */
export const itemsOf = ({ signedTransaction }: SettlementRecord): number =>
  transfersIn(signedTransaction).length
