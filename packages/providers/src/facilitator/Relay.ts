import { ConfigurationError } from "@till402/core"
import { Clock, Effect, Semaphore } from "effect"
import { formatEther, parseTransaction } from "viem"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import { recordRelayerBalance } from "../upstream/relayerBalance.ts"
import type { Chain, Fees } from "./Chain.ts"
import { hashOf, signer, type SigningFailed } from "./SigningAccount.ts"
import type { RelaySettings } from "./FacilitatorSettings.ts"
import { makeGasMoney } from "./GasMoney.ts"
import { OpenTransactions } from "./OpenTransactions.ts"
import type { PresentedPayment } from "./PresentedPayment.ts"
import { RevertBudget } from "./RevertBudget.ts"
import { RelayRefused } from "./RelayRefused.ts"
import type { Journal, SettlementJournalFailed, SettlementRecord } from "./SettlementJournal.ts"
import type { TransferCall } from "./TransferCall.ts"

/*
 * The relayer's account on one network: numbers, fees and replacements. Every transaction is recorded in the journal
 * before it is sent.
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
}

export type RelayFault = NodeFault | SettlementJournalFailed | SigningFailed | ConfigurationError

/** Transaction nonces that are tried before a settlement fails with `relayer_busy`. */
const maxNonces = 32
const feesLifetimeMillis = 1_000
const balanceLifetimeMillis = 2_000

/** The fees of a recorded transaction. */
const feesOf = ({ signedTransaction }: SettlementRecord): Fees => {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(signedTransaction)
  return { maxFeePerGas, maxPriorityFeePerGas }
}

const least = (left: bigint, right: bigint): bigint => (left < right ? left : right)
const most = (left: bigint, right: bigint): bigint => (left > right ? left : right)
const quarterMore = (fee: bigint): bigint => (fee * 5n) / 4n + 1n

/**
 * Fees that replace a transaction: the usual ones of now, and a quarter above what was signed. `undefined` if the
 * ceiling leaves less than an eighth, for which a node would not replace it. Pure.
 */
export const replacementFees = (now: Fees, signed: Fees, ceiling: bigint): Fees | undefined => {
  const maxFeePerGas = least(most(now.maxFeePerGas, quarterMore(signed.maxFeePerGas)), ceiling)
  if (maxFeePerGas * 8n < signed.maxFeePerGas * 9n) return undefined
  const maxPriorityFeePerGas = least(
    most(now.maxPriorityFeePerGas, quarterMore(signed.maxPriorityFeePerGas)),
    maxFeePerGas
  )
  return { maxFeePerGas, maxPriorityFeePerGas }
}

/** Fees within the ceiling: if possible, they suffice even if the base fee doubles. Pure. */
export const feesWithin = (
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
  ceiling: bigint
): Fees | undefined => {
  const base = (maxFeePerGas - maxPriorityFeePerGas) / 2n
  return base + maxPriorityFeePerGas > ceiling
    ? undefined
    : { maxFeePerGas: least(maxFeePerGas, ceiling), maxPriorityFeePerGas }
}

export const makeRelay = Effect.fnUntraced(function* (
  settings: RelaySettings,
  chain: Chain,
  journal: Journal
) {
  const { account, maxFeePerGas: ceiling, network, pollMillis, relayer, replaceAfterMillis } = settings
  const { chainId } = network
  const oneAtATime = Semaphore.makeUnsafe(1)
  let isRightChain = false
  const reverts = new RevertBudget(settings.reverts)
  let lastRead = new OpenTransactions([])

  const assertChain = Effect.gen(function* () {
    if (isRightChain) return
    if ((yield* chain.chainId) !== BigInt(chainId)) {
      const message = `facilitator: rpcUrl is not a node of ${network.caip2}`
      return yield* new ConfigurationError({ message })
    }
    isRightChain = true
  })

  /** Number of the relayer's mined transactions, and so the transaction nonce that is next on the chain. */
  const minedCount = yield* Effect.cachedWithTTL(chain.transactionCount(relayer), pollMillis)
  const cachedFees = yield* Effect.cachedWithTTL(chain.fees, feesLifetimeMillis)
  /** Gas money, and the mined transactions that are in it for certain: counted first. */
  const cachedFunds = yield* Effect.cachedWithTTL(
    Effect.gen(function* () {
      const mined = yield* chain.transactionCount(relayer)
      const balanceWei = yield* chain.nativeBalanceOf(relayer)
      yield* recordRelayerBalance(network.caip2, Number(formatEther(balanceWei)))
      return { mined, balanceWei }
    }),
    balanceLifetimeMillis
  )

  /** The recorded transactions from a nonce on. */
  const openSince = Effect.fnUntraced(function* (nonce: number) {
    lastRead = new OpenTransactions(yield* journal.since(chainId, relayer, nonce), lastRead)
    return lastRead
  })

  const signWith = signer(account)
  const signCall = Effect.fnUntraced(function* (nonce: number, call: TransferCall, gas: bigint, fees: Fees) {
    const transaction = { type: "eip1559", chainId, nonce, ...call, value: 0n, gas, ...fees } as const
    const signedTransaction = yield* signWith(transaction)
    const recordedAtMillis = yield* Clock.currentTimeMillis
    return { nonce, signedTransaction, transaction: yield* hashOf(signedTransaction), recordedAtMillis }
  })

  /** The fees of now, within the ceiling. */
  const usualFees = Effect.gen(function* () {
    const fees = feesWithin(yield* cachedFees, ceiling)
    return fees === undefined ? yield* new RelayRefused({ reason: "settlement_fees_above_limit" }) : fees
  })

  const gasMoney = makeGasMoney({ funds: cachedFunds, fees: usualFees, openSince, reverts })

  /** Fees for a simulation; `undefined` while none are within the ceiling: then nothing is sent either. */
  const simulationFees = Effect.map(cachedFees, (fees) => feesWithin(fees, ceiling))

  /** What a payer's other settlements that aren't mined may move, in atomic units. Not in a balance read before. */
  const promisedAtomic = Effect.fnUntraced(function* (key: string) {
    const open = yield* openSince(yield* minedCount)
    if (open.promisedAtomic(0, key) === 0n) return 0n
    // Counted anew: a settlement that was just mined is in the balance already.
    return open.promisedAtomic(yield* chain.transactionCount(relayer), key)
  })

  /** Signs the transaction of a settlement, as its record. */
  const sign = (
    { attempt, call, caller, gas, payment: { digest, key } }: SettlementDraft,
    nonce: number,
    fees: Fees
  ) =>
    Effect.map(signCall(nonce, call, gas, fees), (signed): SettlementRecord => ({
      ...signed,
      key,
      digest,
      caller,
      attempt,
      replacement: 0,
      chainId,
      relayer
    }))

  /**
   * Records a settlement with the next free transaction nonce. Returns its record, or the existing record of its attempt.
   *
   * All lower nonces were looked at before: so neither the relayer's money nor the payer's is promised twice, in any
   * number of processes. Of two that take the same nonce, one looks again.
   */
  const record = Effect.fnUntraced(function* (wanted: SettlementDraft) {
    yield* assertChain
    const fees = yield* usualFees
    const { attempt, balanceAtomic, gas, minedBefore, payment } = wanted
    const { authorization, key } = payment
    for (let tries = 0; tries < maxNonces; tries++) {
      // Counted before the records are read: one that is recorded and mined meanwhile has a nonce from here on.
      const mined = yield* minedCount
      const open = yield* openSince(Math.min((yield* cachedFunds).mined, minedBefore))
      // A transaction that the node refuses would hold up all later nonces.
      if (!(yield* gasMoney.covers(gas * fees.maxFeePerGas, key, open))) {
        return yield* new RelayRefused({ reason: "relayer_out_of_funds" })
      }
      if (balanceAtomic < open.promisedAtomic(minedBefore, key) + BigInt(authorization.value)) {
        return yield* new RelayRefused({ reason: "payer_settlements_open" })
      }
      const signed = yield* sign(wanted, Math.max((open.lastNonce ?? -1) + 1, mined), fees)
      const other = yield* journal.insert(signed)
      if (other === undefined) {
        gasMoney.release(key)
        return signed
      }
      // Digest and caller are compared later. With another key, another process has this nonce.
      if (other.key === key && other.attempt === attempt) return other
    }
    return yield* new RelayRefused({ reason: "relayer_busy" })
  }, oneAtATime.withPermit)

  const send = ({ signedTransaction }: SettlementRecord) => chain.send(signedTransaction)

  /** Replaces a transaction that isn't mined by one with the same nonce and higher fees. */
  const replace = Effect.fnUntraced(function* (last: SettlementRecord) {
    const fees = replacementFees(yield* cachedFees, feesOf(last), ceiling)
    const { data = "0x", gas = 0n, to } = parseTransaction(last.signedTransaction)
    if (fees === undefined || to === null || to === undefined) return yield* send(last)
    const { balanceWei, mined } = yield* cachedFunds
    const othersWei = (yield* openSince(mined)).costWei(mined, last.nonce)
    // A node would refuse it, and the recorded one could not be sent any more.
    if (balanceWei < othersWei + gas * fees.maxFeePerGas) return yield* send(last)
    const signed = yield* signCall(last.nonce, { to, data }, gas, fees)
    const replaced: SettlementRecord = { ...last, replacement: last.replacement + 1, ...signed }
    return yield* send((yield* journal.insert(replaced)) ?? replaced)
  })

  /**
   * Brings the nonce that is next on the chain forward: sends its transaction again, or replaces it if it is too old.
   * All later nonces wait for it, also if the process that recorded it is gone.
   */
  const unblock = Effect.gen(function* () {
    const records = yield* journal.at(chainId, relayer, yield* minedCount)
    const last = records.at(-1)
    if (last === undefined) return
    const age = (yield* Clock.currentTimeMillis) - last.recordedAtMillis
    if (age < replaceAfterMillis / 3) return
    yield* age < replaceAfterMillis ? send(last) : replace(last)
  })

  return {
    settings,
    chain,
    minedCount,
    simulationFees,
    assertAffordable: gasMoney.assertAffordable,
    reserve: gasMoney.reserve,
    reverts,
    promisedAtomic,
    record,
    send,
    unblock: yield* Effect.cachedWithTTL(unblock, 2 * pollMillis)
  }
})

export type Relay = Effect.Success<ReturnType<typeof makeRelay>>
