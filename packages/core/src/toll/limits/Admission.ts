import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { hasResponse } from "../../ports/chargeRules.ts"
import { type Charge, Charges, type Claim, type NewCharge, type RepeatRule } from "../../ports/Charges.ts"
import { Chain } from "../evidence/Chain.ts"
import { isOnSolana, type SolanaPaymentPayload } from "../../domain/PaymentPayload.ts"
import { judgeSignature } from "../exact/Evm.ts"
import { foreignTransaction, isSignedByPayer } from "../exact/Solana.ts"
import { Facilitator, type FacilitatorRequest } from "../facilitator/Facilitator.ts"
import type { Refusal } from "../request/Verdict.ts"
import { PayerAccounts, type PayerAccountsConfig } from "./PayerAccounts.ts"
import { PayerHistory } from "./PayerHistory.ts"
import { PaymentReversals } from "./PaymentReversals.ts"
import { WaitingCalls } from "./WaitingCalls.ts"
import { foreignSignature, SignatureChecks } from "./SignatureChecks.ts"
import { UnsettledWork } from "./UnsettledWork.ts"
import { VerificationPools } from "./VerificationPools.ts"
import { Verifications, type Verified } from "./Verifications.ts"
import { accountOf, type PayingCall } from "../attempt/PayingCall.ts"

export interface AdmissionConfig extends PayerAccountsConfig {
  /** Limit on one payer's unsettled charges. */
  readonly unsettledPerPayer: number
  /** Limit on the unsettled charges of this process. */
  readonly unsettled: number
  /** Limit on concurrent verifications of strangers' payments. */
  readonly unverified: number
  /** Unsettled and lost work for payers who have not yet paid as much here, in atomic units per hour. */
  readonly lossPerHour: bigint
  /** How long a payer who could not pay is remembered. */
  readonly failedPayerMillis: number
  /** How long a claim is leased. See `leaseLengthMillis`. */
  readonly leaseMillis: number
}

interface Services {
  readonly charges: Charges["Service"]
  readonly chain: Chain["Service"]
  readonly facilitator: Facilitator["Service"]
}

type Deciding<A> = Effect.fn.Return<A, StoreError>

/**
 * Decides which payments get work done before they settle, and how much: signatures, verification, exposure, losses.
 *
 * Writes nothing before a payment is verified. Strangers never use up the capacity of payers who have settled here.
 */
export class Admission {
  private readonly services: Services
  private readonly config: AdmissionConfig
  private readonly accounts: PayerAccounts
  private readonly history: PayerHistory
  private readonly pools: VerificationPools
  private readonly work: UnsettledWork
  private readonly signatures: SignatureChecks
  private readonly verifications: Verifications
  /** Waiters for another call of their payer, with a verified payment. */
  private readonly waiters = new WaitingCalls()

  static readonly make = Effect.fnUntraced(function* (config: AdmissionConfig) {
    const services = { charges: yield* Charges, chain: yield* Chain, facilitator: yield* Facilitator }
    const admission = new Admission(services, config)
    const reversals = yield* PaymentReversals
    reversals.subscribe((charge) => admission.takeBack(charge))
    return admission
  })

  private constructor(services: Services, config: AdmissionConfig) {
    this.services = services
    this.config = config
    this.accounts = new PayerAccounts(config)
    this.history = new PayerHistory(services.charges, this.accounts)
    this.pools = new VerificationPools(config, this.history)
    this.work = new UnsettledWork(config, this.accounts, this.history)
    this.signatures = new SignatureChecks(services.chain)
    const { history, pools, signatures, work } = this
    this.verifications = new Verifications(services, { history, pools, signatures, work }, config)
  }

  /**
   * Whether a payment is refused before anything about it is checked: too many strangers wait already, and the payer
   * that it names is one. Cheap, so that a crowd doesn't delay those who are served.
   */
  isShed(call: PayingCall): Effect.Effect<boolean, StoreError> {
    return this.pools.isClosedToStranger(call)
      ? Effect.map(this.history.namesKnownPayer(call), (isKnown) => !isKnown)
      : Effect.succeed(false)
  }

  /** The share of the budget for losses that is used. */
  lossesUsedAt(nowMillis: number): number {
    return this.work.lossesUsedAt(nowMillis)
  }

  /** Checks a signature as far as possible; one that only the facilitator can judge stays unproven. */
  readonly checkSignature = Effect.fnUntraced({ self: this }, function* (call: PayingCall): Deciding<
    Refusal | undefined
  > {
    const { network, request } = call
    const { payload } = request.payment
    if (isOnSolana(payload)) return yield* this.checkTransaction(call, payload)
    if (network.family !== "evm") return foreignSignature
    const { authorization, signature } = payload.payload
    const judging = judgeSignature(network.separator, authorization, signature)
    const verdict = typeof judging === "string" ? judging : yield* Effect.promise(() => judging)
    if (verdict === "Ordinary") {
      call.learned.isProven = true
      return undefined
    }
    if (verdict === "Malformed") return foreignSignature
    if (!this.services.chain.canRead(network.caip2))
      return verdict === "Contract" ? undefined : foreignSignature
    const isAccepted = yield* this.signatures.check(call)
    call.learned.isProven = isAccepted === true
    return isAccepted === false ? foreignSignature : undefined
  })

  /** Checks the payer's signature of a transaction: nobody else can make one. */
  private readonly checkTransaction = Effect.fnUntraced(
    { self: this },
    function* ({ learned }: PayingCall, { payload }: SolanaPaymentPayload): Deciding<Refusal | undefined> {
      const isSigned = learned.isProven || (yield* Effect.promise(() => isSignedByPayer(payload.transaction)))
      learned.isProven = isSigned
      return isSigned ? undefined : foreignTransaction
    }
  )

  /** Whether the signature is the payer's own, and the payer has settled here within a day. */
  readonly isKnownPayer = Effect.fnUntraced({ self: this }, function* (call: PayingCall): Deciding<boolean> {
    const refusal = yield* this.checkSignature(call)
    return refusal === undefined && call.learned.isProven && (yield* this.history.isKnown(call))
  })

  /** The refusal for a payer who could not pay a moment ago. */
  recallFailure(call: PayingCall): Refusal | undefined {
    return this.verifications.recallFailure(call)
  }

  /** Remembers that the payer could not pay. */
  noteFailure(call: PayingCall, code: string): void {
    this.verifications.noteFailure(call, code)
  }

  /** Verifies a payment with the facilitator. `copies`: those that wait for a call with the same payment. */
  verify(
    call: PayingCall,
    request: FacilitatorRequest,
    copies: WaitingCalls
  ): Effect.Effect<Verified, StoreError> {
    return this.verifications.verify(call, request, copies)
  }

  /**
   * Claims a verified payment within the limits of its payer, of strangers, and of this process, unless it repeats
   * another one.
   */
  readonly claim = Effect.fnUntraced(
    { self: this },
    function* (call: PayingCall, charge: NewCharge, repeats?: RepeatRule): Deciding<Claim> {
      const claim: Claim = (yield* this.work.take(call, BigInt(charge.amountAtomic)))
        ? yield* this.claimWithinExposure(call, charge, repeats)
        : { _tag: "Limited", by: "charges" }
      // A waiting call holds nothing that another could use.
      if (claim._tag !== "Claimed") this.work.giveBack(call)
      // From its claim on, the store recognizes copies of the payment.
      else call.releases.release("guard")
      return claim
    }
  )

  /**
   * Claims a payment for which no work is done, so that it is recorded and watched: it counts against no limit, and no other
   * one repeats it. Returns the charge that has its key, if any.
   */
  readonly claimRefused = Effect.fnUntraced(
    { self: this },
    function* (call: PayingCall, charge: NewCharge): Deciding<Charge | undefined> {
      const { lease, releases } = call
      const nowMillis = lease.nowMillis()
      const unbounded = { maxUnsettled: Number.MAX_SAFE_INTEGER, maxExposureAtomic: "0" }
      const untilMillis = nowMillis + this.config.leaseMillis
      const refused = { ...charge, exposureAtomic: "0", repeatKey: "", paymentId: "" }
      const claim = yield* this.services.charges.claim(
        refused,
        { owner: lease.owner, untilMillis },
        nowMillis,
        unbounded
      )
      releases.release("guard")
      return claim._tag === "Existing" ? claim.charge : undefined
    }
  )

  private readonly claimWithinExposure = Effect.fnUntraced(
    { self: this },
    function* (call: PayingCall, charge: NewCharge, repeats: RepeatRule | undefined): Deciding<Claim> {
      const { account, lease } = call
      const nowMillis = lease.nowMillis()
      const exposure = this.accounts.maxExposure(account, nowMillis)
      const claimUpTo = (maxExposure: bigint) =>
        this.claimInStore(call, charge, { maxExposure, repeats }, nowMillis)
      const claim = yield* claimUpTo(exposure)
      if (claim._tag !== "Limited" || claim.by !== "exposure") return claim
      // Other processes may have settled more for this payer.
      yield* this.history.learnRecent(call, nowMillis)
      const wider = this.accounts.maxExposure(account, nowMillis)
      return wider === exposure ? claim : yield* claimUpTo(wider)
    }
  )

  private claimInStore(
    { lease }: PayingCall,
    charge: NewCharge,
    { maxExposure, repeats }: { readonly maxExposure: bigint; readonly repeats: RepeatRule | undefined },
    nowMillis: number
  ) {
    const untilMillis = nowMillis + this.config.leaseMillis
    return this.services.charges.claim(charge, { owner: lease.owner, untilMillis }, nowMillis, {
      maxUnsettled: this.config.unsettledPerPayer,
      maxExposureAtomic: maxExposure.toString(),
      repeats
    })
  }

  /** Whether the call can wait for another call of its payer. */
  canWait(call: PayingCall): boolean {
    const { lease, payer, untilMillis } = call
    return lease.nowMillis() < untilMillis && this.waiters.admits(payer, this.recallsPayer(call))
  }

  /** Whether the payer is known without a read of the store. */
  recallsPayer(call: PayingCall): boolean {
    return this.history.recallKnown(call) === true
  }

  /** Waits for another call of the payer to end, for a bounded time. */
  waitForPayer({ payer }: PayingCall): Effect.Effect<void> {
    return this.waiters.wait(payer)
  }

  /** Waits, for a bounded time, until the payer's balance covers their open payments up to this one: whether it does. */
  readonly isCovered = Effect.fnUntraced(
    { self: this },
    function* (
      call: PayingCall,
      { requirements }: FacilitatorRequest,
      createdAtMillis: number
    ): Deciding<boolean> {
      const { learned, network, payer } = call
      const { chain } = this.services
      if (!chain.canRead(network.caip2)) return true
      const { amount } = requirements
      /** What was open when the balance was read last: more than the balance. */
      let uncoveredAtomic: string | undefined
      for (let isFirst = true; ; isFirst = false) {
        const { openAtomic, settledAtomic } = yield* this.history.activity(
          call,
          createdAtMillis,
          learned.verifiedAtMillis
        )
        // The facilitator checked the balance for this payment only, and nothing has left it since.
        const isSeen = isFirst && openAtomic === amount && settledAtomic === "0"
        if (isSeen) return true
        const isLast = !this.canWait(call)
        // Waiting calls read it again only once a payment has ended, or for the last time: strangers may wait in crowds.
        if (isLast || openAtomic !== uncoveredAtomic) {
          const balance = yield* chain.balanceOf(network, payer)
          if (balance === undefined || balance >= BigInt(openAtomic)) return true
          uncoveredAtomic = openAtomic
        }
        if (isLast) {
          this.noteFailure(call, "insufficient_funds")
          return false
        }
        // A payment that is settling right now has left the balance but is still open.
        yield* this.waiters.wait(payer)
      }
    }
  )

  /** Records that the call's payment settled, by the facilitator's response or the chain, and isn't refunded. */
  settled(call: PayingCall, amountAtomic: string): void {
    const { account, learned, lease, request, unpaidWork } = call
    if (unpaidWork?.paidBy === "settlement") call.unpaidWork = undefined
    if (!learned.isProven) return
    if (request.exposureAtomic() > 0n) this.accounts.earn(account, BigInt(amountAtomic), lease.nowMillis())
    // A payment that settles before its work, or buys more than a response, may yet be refunded: it increases no limit.
    else this.accounts.learnKnown(account, lease.nowMillis())
  }

  /** Records that a payment that settled first has got its response, and so isn't refunded. */
  delivered(call: PayingCall, amountAtomic: string): void {
    const { account, learned, lease } = call
    call.unpaidWork = undefined
    if (learned.isProven) this.accounts.earn(account, BigInt(amountAtomic), lease.nowMillis())
  }

  /** Records that the payment had moved before it was presented here: a stranger may have copied it from the chain. */
  blameStranger(call: PayingCall): void {
    if (call.unpaidWork !== undefined) call.unpaidWork = { ...call.unpaidWork, lostBy: "stranger" }
  }

  /** Takes the stake for work that was paid first, unless the call has it; `false`: the response has to wait. */
  takePaidStake(call: PayingCall, amountAtomic: string): boolean {
    return this.work.takePaidStake(call, BigInt(amountAtomic))
  }

  /** Takes back what the payer has earned by a payment that is refunded, or whose settlement was undone. */
  private takeBack(charge: Charge): void {
    const { amountAtomic, exposureAtomic, network, payer, settlesFirst } = charge
    // A payment that settles first earns when its response is ready, others when they settle.
    const hasEarned = settlesFirst ? hasResponse(charge) : exposureAtomic !== "0"
    this.accounts.takeBack(accountOf(payer, network), hasEarned ? BigInt(amountAtomic) : 0n)
  }

  /** Ends a call: gives back what it took. A stake in lost work stays spent. */
  end(call: PayingCall): void {
    const { account, releases, payer, request, unpaidWork } = call
    const wasCounted = releases.holds("place")
    const wasOpen = releases.holds("openCall")
    if (unpaidWork?.hasFailed === false && unpaidWork.lostBy === "payer" && request.exposureAtomic() > 0n)
      this.accounts.forgetRecent(account)
    // Failed work may have cost as much as successful work.
    releases.releaseAll(unpaidWork)
    if (wasCounted) this.waiters.wake(payer)
    if (wasOpen) this.verifications.wake(call)
  }
}
