import { Cause, Effect } from "effect"
import type { ApiFailure } from "../ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import { clientOf, groupOf } from "../orders/QuoteBudget.ts"
import { Charges, type Claim, type NewCharge } from "../ports/Charges.ts"
import type { Call } from "./Call.ts"
import { Chain } from "./Chain.ts"
import { judgeSignature } from "./exact/Evm.ts"
import { Facilitator, type Verification } from "./Facilitator.ts"
import { FairPool } from "./FairPool.ts"
import { LossBudget } from "./LossBudget.ts"
import { PayerAccounts, type PayerAccountsConfig } from "./PayerAccounts.ts"
import { PayerMemory } from "./PayerMemory.ts"
import { makeSignatureChecks } from "./SignatureChecks.ts"
import type { Event } from "./Steps.ts"
import { unverifiable } from "./TollFailures.ts"
import type { Refusal } from "./Verdict.ts"
import { Waiting } from "./Waiting.ts"

export interface AdmissionConfig extends PayerAccountsConfig {
  /** Unsettled charges that one payer may have, and that this process takes on in all. */
  readonly maxUnsettledPerPayer: number
  readonly maxUnsettled: number
  /** Payments of strangers that are verified at a time. */
  readonly maxUnverified: number
  /** Unsettled and lost work for payers who have not paid for as much here; atomic units an hour. */
  readonly lossPerHourAtomic: bigint
  /** For how long a payer who could not pay is remembered. */
  readonly payerMemoryMillis: number
  /** How long a claim is held; longer than work and settlement together. */
  readonly leaseMillis: number
}

type Performing<A> = Effect.fn.Return<A, ApiFailure | StoreError>

const dayMillis = 86_400_000
/** Share of `maxUnsettled` that payments of strangers may take: the rest is for payers who have settled here. */
const strangersShare = 0.75
const poolQueue = { maxQueued: 2_000, minWaitMillis: 4_000, maxWaitMillis: 8_000 }
const roomLimits = { perKey: 64, inAll: 2_000 }

const foreignSignature: Refusal = {
  code: "invalid_exact_evm_payload_signature",
  message: "the signature is not by the payer, over this authorization, in this token's EIP-712 domain"
}

/** A payer on one network: what they are short of there, they may have elsewhere. */
const walletOf = ({ network, payer }: Call): string => `${network.caip2} ${payer}`

const couldNotPay = "the payer could not pay a moment ago; top up and try again in a few seconds"

/**
 * Decides which payments get work done before they settle, and how much: signatures, verification, exposure, losses.
 * Nothing is written before a payment is verified, and strangers never use up the capacity of payers.
 */
export const makeAdmission = Effect.fnUntraced(function* (config: AdmissionConfig) {
  const charges = yield* Charges
  const chain = yield* Chain
  const facilitator = yield* Facilitator
  const accounts = new PayerAccounts(config)
  const losses = new LossBudget({ perHourAtomic: config.lossPerHourAtomic })
  /** Places for verifications: of strangers, by client address, and of payers who have settled here, by payer. */
  const strangers = new FairPool({ capacity: config.maxUnverified, ...poolQueue })
  const payers = new FairPool({ capacity: config.maxUnsettled, ...poolQueue })
  const shortPayers = new PayerMemory(config.payerMemoryMillis)
  const signatures = makeSignatureChecks(chain)
  /** Calls that wait until other calls of their payer have ended. */
  const room = new Waiting(roomLimits)
  /** Keys of payments that a call of this process verifies. */
  const verifying = new Set<string>()
  let unsettled = 0

  /** Checks a signature as far as possible; one that only the facilitator can judge stays unproven. */
  const checkSignature = function* (call: Call): Performing<Refusal | undefined> {
    const { authorization, signature } = call.request.payment.payload.payload
    const judging = judgeSignature(call.network.separator, authorization, signature)
    const verdict = typeof judging === "string" ? judging : yield* Effect.promise(() => judging)
    if (verdict === "Ordinary") {
      call.proven = true
      return undefined
    }
    if (verdict === "Malformed") return foreignSignature
    if (!chain.canRead(call.network.caip2)) return verdict === "Contract" ? undefined : foreignSignature
    const isAccepted = yield* signatures.check(call)
    call.proven = isAccepted === true
    return isAccepted === false ? foreignSignature : undefined
  }

  const recallShort = (call: Call): Refusal | undefined =>
    call.proven ? shortPayers.recall(walletOf(call), call.held.nowMillis()) : undefined

  const noteShort = (call: Call, code: string): void => {
    if (call.proven) shortPayers.note(walletOf(call), { code, message: couldNotPay }, call.held.nowMillis())
  }

  const standingOf = (call: Call, createdAtMillis: number, sinceMillis: number) =>
    charges.payerStanding(
      {
        payer: call.payer,
        network: call.network.caip2,
        asset: call.network.asset,
        key: call.held.key,
        createdAtMillis
      },
      sinceMillis,
      call.held.nowMillis()
    )

  /** Whether the payer has settled here within a day; `undefined`: the store has to be read. */
  const recallKnown = (call: Call): boolean | undefined =>
    call.proven ? (accounts.isKnown(call.payer, call.held.nowMillis()) ?? call.isKnown) : false

  /** The same, by this process or another. Reads the store once in a call. */
  const isKnown = function* (call: Call): Performing<boolean> {
    const recalled = recallKnown(call)
    if (recalled !== undefined) return recalled
    const nowMillis = call.held.nowMillis()
    const { settledAtomic } = yield* standingOf(call, nowMillis, nowMillis - dayMillis)
    call.isKnown = settledAtomic !== "0"
    if (call.isKnown) accounts.learnKnown(call.payer, nowMillis)
    return call.isKnown
  }

  /**
   * Takes a place for a verification. Strangers don't keep payers who have settled here waiting, and a payer can't take
   * the places of the others.
   */
  const enterPool = function* (call: Call): Performing<boolean> {
    const client = groupOf(clientOf(call.request.clientAddress() ?? ""))
    if (recallKnown(call) !== true && strangers.tryEnter(client)) {
      call.place = { pool: strangers, name: client }
      return true
    }
    const place = (yield* isKnown(call))
      ? { pool: payers, name: call.payer }
      : { pool: strangers, name: client }
    if (!place.pool.tryEnter(place.name) && !(yield* place.pool.enter(place.name))) return false
    call.place = place
    return true
  }

  const leavePool = (call: Call): void => {
    call.place?.pool.leave(call.place.name)
    call.place = undefined
  }

  const ask = function* (call: Call): Performing<Verification> {
    const verification = yield* facilitator.verify(call.task!.request!)
    if (verification._tag !== "Valid" || call.proven || !chain.canRead(call.network.caip2))
      return verification
    // The payment takes a place of this wallet from here on: only if the chain says that it is the wallet's own.
    const isAccepted = yield* signatures.confirm(call)
    call.proven = isAccepted === true
    if (isAccepted === false) return { _tag: "Invalid", reason: foreignSignature.code }
    return isAccepted === true ? verification : { _tag: "Unreachable", reason: "chain" }
  }

  const verify = function* (call: Call): Performing<Event> {
    const { held, payer, request } = call
    const { exposureAtomic } = request
    if (
      call.proven &&
      !request.alwaysVerified &&
      accounts.takeCredit(payer, exposureAtomic, held.nowMillis())
    ) {
      call.onCredit = true
      return { _tag: "Verified", verification: { _tag: "Valid", payer } }
    }
    if (verifying.has(held.key)) return { _tag: "Busy", patient: held.nowMillis() < call.untilMillis }
    verifying.add(held.key)
    call.verifying = true
    call.hasGuarded = true
    if (!(yield* enterPool(call))) return { _tag: "Limited", patient: false }
    call.verifiedAtMillis = held.nowMillis()
    const verification = yield* ask(call)
    leavePool(call)
    if (verification._tag === "Unreachable") call.failure = Cause.fail(unverifiable)
    else if (verification._tag === "Invalid") noteShort(call, verification.reason)
    return { _tag: "Verified", verification }
  }

  /** Takes what a call could cost the host from what bounds it; `false`: it has to wait. */
  const takeStake = (call: Call): boolean => {
    const { exposureAtomic } = call.request
    if (call.stake !== undefined || exposureAtomic === 0n) return true
    if (call.proven && accounts.takeCover(call.payer, exposureAtomic)) {
      call.stake = "cover"
      return true
    }
    if (!losses.take(exposureAtomic, call.held.nowMillis())) return false
    call.stake = "loss"
    return true
  }

  const takePlace = function* (call: Call): Performing<boolean> {
    if (call.counted) return true
    if (unsettled >= config.maxUnsettled) return false
    if (unsettled >= config.maxUnsettled * strangersShare && !(yield* isKnown(call))) return false
    unsettled++
    call.counted = true
    return true
  }

  /** Returns what `takePlace` and `takeStake` took. */
  const giveBack = (call: Call, isLost: boolean): void => {
    const { exposureAtomic } = call.request
    if (call.counted) unsettled--
    call.counted = false
    if (call.stake === "cover") accounts.returnCover(call.payer, exposureAtomic)
    if (call.stake === "loss" && !isLost) losses.giveBack(exposureAtomic)
    call.stake = undefined
  }

  /** Claims a verified payment, within the limits of its payer, of strangers, and of this process. */
  const claim = function* (call: Call, charge: NewCharge): Performing<Claim> {
    const hasRoom = (yield* takePlace(call)) && takeStake(call)
    const claimed: Claim = hasRoom ? yield* claimInStore(call, charge) : { _tag: "Limited", by: "charges" }
    // A call that waits keeps nothing that another could use.
    if (claimed._tag === "Limited") giveBack(call, false)
    else stopGuarding(call)
    return claimed
  }

  const claimInStore = function* (call: Call, charge: NewCharge): Performing<Claim> {
    const { held, payer } = call
    const nowMillis = held.nowMillis()
    const lease = { owner: held.owner, untilMillis: nowMillis + config.leaseMillis }
    const limitedTo = (exposure: bigint) =>
      charges.claim(charge, lease, nowMillis, {
        maxUnsettled: config.maxUnsettledPerPayer,
        maxExposureAtomic: exposure.toString()
      })
    const exposure = accounts.maxExposure(payer, nowMillis)
    const claimed = yield* limitedTo(exposure)
    if (claimed._tag !== "Limited" || claimed.by !== "exposure") return claimed
    // Other processes may have settled more for this payer.
    const { settledAtomic } = yield* standingOf(call, nowMillis, nowMillis - config.recentMillis)
    accounts.learnRecent(payer, BigInt(settledAtomic), nowMillis)
    const wider = accounts.maxExposure(payer, nowMillis)
    return wider === exposure ? claimed : yield* limitedTo(wider)
  }

  /** From here on the store knows the payment, and keeps copies of it away. */
  const stopGuarding = (call: Call): void => {
    if (call.verifying) verifying.delete(call.held.key)
    call.verifying = false
  }

  const patience = (call: Call): boolean =>
    call.held.nowMillis() < call.untilMillis && room.hasRoom(call.payer)

  /** Waits until the payer's balance covers their open payments up to this one; bounded. */
  const checkFunds = function* (call: Call, createdAtMillis: number): Performing<Event> {
    if (call.onCredit || !chain.canRead(call.network.caip2)) return { _tag: "Funded", isCovered: true }
    const { amount } = call.held.task!.request!.requirements
    for (let isFirst = true; ; isFirst = false) {
      const { openAtomic, settledAtomic } = yield* standingOf(call, createdAtMillis, call.verifiedAtMillis)
      // The facilitator has seen the balance for this payment alone, and none of the payer's has left it since.
      const isSeen = isFirst && openAtomic === amount && settledAtomic === "0"
      if (isSeen) return { _tag: "Funded", isCovered: true }
      const balance = yield* chain.balanceOf(call.network, call.payer)
      if (balance === undefined || balance >= BigInt(openAtomic)) return { _tag: "Funded", isCovered: true }
      if (!patience(call)) {
        noteShort(call, "insufficient_funds")
        return { _tag: "Funded", isCovered: false }
      }
      // One that settles right now has left the balance, and not yet the open payments.
      yield* room.wait(call.payer)
    }
  }

  /** A payment of the call settled, by the facilitator's response or the chain. */
  const settled = (call: Call): void => {
    call.settled = true
    if (!call.proven) return
    // What settles before its work may be refunded: it is worth nothing for later calls.
    const isEarned = call.request.exposureAtomic > 0n
    const earned = isEarned ? BigInt(call.held.task!.authorization.value) : 0n
    accounts.earn(call.payer, earned, call.held.nowMillis())
  }

  /** Ends a call: returns what it took, unless work was done that nobody paid for. */
  const end = (call: Call): void => {
    const { exposureAtomic } = call.request
    leavePool(call)
    stopGuarding(call)
    const hadPlace = call.counted
    if (call.onCredit) accounts.returnCredit(call.payer, exposureAtomic)
    // Work that failed may have cost as much as work that succeeded.
    const isLost = (call.answer !== undefined || call.hasFailed) && !call.settled && exposureAtomic > 0n
    if (isLost && call.stake === "cover") accounts.lose(call.payer, exposureAtomic)
    if (isLost && !call.hasFailed) accounts.endCredit(call.payer)
    giveBack(call, isLost)
    if (hadPlace) room.wake(call.payer)
  }

  return {
    checkSignature,
    recallShort,
    noteShort,
    verify,
    claim,
    patience,
    checkFunds,
    settled,
    end,
    waitForRoom: (call: Call) => room.wait(call.payer)
  }
})
