import { ConfigurationError } from "@till402/core"
import { Cache, Clock, Effect, Semaphore } from "effect"
import { parseTransaction } from "viem"
import type { Chain, ChainFault, Fees } from "../treasury/Chain.ts"
import type { Hex } from "../treasury/Hex.ts"
import { hashOf, signer } from "../treasury/SigningAccount.ts"
import type { SigningFailed } from "../treasury/TreasuryErrors.ts"
import { makeBatches } from "./Batches.ts"
import type { RelaySettings } from "./FacilitatorSettings.ts"
import { makeGasMoney } from "./GasMoney.ts"
import { OpenTransactions } from "./OpenTransactions.ts"
import { callOf, gasOf, keyOf, passingAmong, payableAmong, type SettlementDraft } from "./Recording.ts"
import { RevertBudget } from "./RevertBudget.ts"
import { RelayRefused } from "./RelayRefused.ts"
import type { Journal, SettlementJournalFailed, SettlementRecord } from "./SettlementJournal.ts"
import { multicall3, type TransferCall } from "./TransferCall.ts"

/*
 * The relayer's account on one network: numbers, fees and replacements. Every transaction is recorded in the journal
 * before it is sent.
 */

export type RelayFault = ChainFault | SettlementJournalFailed | SigningFailed | ConfigurationError

/** Transaction numbers that are tried before a settlement fails with `relayer_busy`. */
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
  let multicallExists: boolean | undefined
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

  /** Number of the relayer's mined transactions, and so the number that is next on the chain. */
  const minedCount = yield* Effect.cachedWithTTL(chain.transactionCount(relayer), pollMillis)
  const cachedFees = yield* Effect.cachedWithTTL(chain.fees, feesLifetimeMillis)
  /** Gas money, and the mined transactions that are in it for certain: counted first. */
  const cachedFunds = yield* Effect.cachedWithTTL(
    Effect.gen(function* () {
      const mined = yield* chain.transactionCount(relayer)
      return { mined, balanceWei: yield* chain.nativeBalanceOf(relayer) }
    }),
    balanceLifetimeMillis
  )

  /** The recorded transactions from a number on. */
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

  /** Stores the records of one transaction; returns those that prevent it. */
  const insert = Effect.fnUntraced(function* (records: ReadonlyArray<SettlementRecord>) {
    const [first] = records
    if (first === undefined || records.length > 1) return yield* journal.insertBatch(records)
    const other = yield* journal.insert(first)
    return other === undefined ? [] : [other]
  })

  /** Read once for all items of a batch. */
  const receipts = yield* Cache.make({ capacity: 256, timeToLive: pollMillis, lookup: chain.mined })

  /** Whether batches are possible on this network. */
  const hasMulticall = Effect.orElseSucceed(
    Effect.gen(function* () {
      multicallExists ??= yield* chain.hasCode(multicall3)
      return multicallExists
    }),
    () => false
  )

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

  /** The settlements whose gas the relayer can pay together: the first ones. */
  const fundedAmong = Effect.fnUntraced(function* (
    drafts: ReadonlyArray<SettlementDraft>,
    feePerGas: bigint,
    open: OpenTransactions
  ) {
    for (let count = drafts.length; count > 0; count--) {
      const funded = drafts.slice(0, count)
      if (yield* gasMoney.covers(gasOf(funded) * feePerGas, funded.map(keyOf), open)) return funded
    }
    return []
  })

  /** Signs one transaction for all settlements, and makes a record of each. */
  const sign = Effect.fnUntraced(function* (
    drafts: ReadonlyArray<SettlementDraft>,
    nonce: number,
    fees: Fees
  ) {
    const signed = yield* signCall(nonce, callOf(drafts), gasOf(drafts), fees)
    return drafts.map(({ attempt, caller, payment: { digest, key } }, item): SettlementRecord => ({
      ...signed,
      key,
      digest,
      caller,
      attempt,
      replacement: 0,
      item,
      chainId,
      relayer,
      signedTransaction: item === 0 ? signed.signedTransaction : "0x"
    }))
  })

  /**
   * Records settlements with the next free number, in one transaction. Returns a record or a refusal for each; of those
   * that are recorded already, the existing record of the attempt.
   *
   * All lower numbers were looked at before: so neither the relayer's money nor the payer's is promised twice, in any
   * number of processes. Of two that take the same number, one looks again.
   */
  const recordAll = Effect.fnUntraced(function* (wanted: ReadonlyArray<SettlementDraft>) {
    yield* assertChain
    const fees = yield* usualFees
    const results = new Map<string, SettlementRecord | RelayRefused>()
    const refuse = (
      drafts: ReadonlyArray<SettlementDraft>,
      among: ReadonlyArray<SettlementDraft>,
      reason: RelayRefused["reason"]
    ) => {
      for (const draft of drafts) {
        if (!among.includes(draft)) results.set(keyOf(draft), new RelayRefused({ reason }))
      }
      return among
    }
    // Two calls may present one payment. Its digest and caller are compared later, with its record.
    const distinct = [...new Map(wanted.toReversed().map((draft) => [keyOf(draft), draft])).values()]
    for (let tries = 0; tries < maxNonces; tries++) {
      const left = distinct.filter((draft) => !results.has(keyOf(draft))).toReversed()
      if (left.length === 0) break
      // Counted before the records are read: one that is recorded and mined meanwhile has a number from here on.
      const mined = yield* minedCount
      const since = Math.min((yield* cachedFunds).mined, ...left.map(({ minedBefore }) => minedBefore))
      const open = yield* openSince(since)
      // A transaction that the node refuses would hold up all later numbers.
      const funded = yield* fundedAmong(left, fees.maxFeePerGas, open)
      const payable = refuse(
        refuse(left, funded, "relayer_out_of_funds"),
        payableAmong(funded, open),
        "payer_settlements_open"
      )
      const passing = refuse(payable, yield* passingAmong(chain, relayer, payable), "excluded_from_batch")
      if (passing.length === 0) break
      const nonce = Math.max((open.lastNonce ?? -1) + 1, mined)
      const records = yield* sign(passing, nonce, fees)
      const others = yield* insert(records)
      if (others.length === 0) {
        for (const record of records) {
          gasMoney.release(record.key)
          results.set(record.key, record)
        }
      }
      for (const other of others) {
        // Otherwise, another process has this number.
        const { attempt } = passing.find((draft) => keyOf(draft) === other.key) ?? {}
        if (other.attempt === attempt) results.set(other.key, other)
      }
    }
    return wanted.map((draft) => {
      const result = results.get(keyOf(draft)) ?? new RelayRefused({ reason: "relayer_busy" })
      return "_tag" in result ? Effect.fail(result) : Effect.succeed(result)
    })
  }, oneAtATime.withPermit)

  const recordAlone = (wanted: SettlementDraft) =>
    Effect.flatMap(recordAll([wanted]), ([result]) => result ?? new RelayRefused({ reason: "relayer_busy" }))

  const recordInBatch = settings.batch === undefined ? undefined : makeBatches(settings.batch, recordAll)

  /** Records a settlement, in its own transaction or with others. */
  const record = Effect.fnUntraced(function* (wanted: SettlementDraft) {
    if (recordInBatch === undefined || wanted.isAlone) return yield* recordAlone(wanted)
    if (!reverts.allowsBatches(yield* Clock.currentTimeMillis)) return yield* recordAlone(wanted)
    return yield* (yield* hasMulticall) ? recordInBatch(wanted) : recordAlone(wanted)
  })

  /** Sends the transaction of a record: that of a batch is in the record of its first item. */
  const send = Effect.fnUntraced(function* (record: SettlementRecord) {
    if (record.item === 0) return yield* chain.send(record.signedTransaction)
    const last = (yield* journal.at(chainId, record.relayer, record.nonce)).at(-1)
    return last !== undefined && (yield* chain.send(last.signedTransaction))
  })

  /** Replaces a transaction that isn't mined by one with the same number and higher fees. */
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
   * Brings the number that is next on the chain forward: sends its transaction again, or replaces it if it is too old.
   * All later numbers wait for it, also if the process that recorded it is gone.
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
    mined: (transaction: Hex) => Cache.get(receipts, transaction),
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
