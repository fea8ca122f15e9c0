import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Receipt } from "../../domain/PaymentRequired.ts"
import { hasResponse } from "../../ports/chargeRules.ts"
import type { Charge, Charges } from "../../ports/Charges.ts"
import { causeName } from "../../runtime/causeName.ts"
import { report } from "../../runtime/events.ts"
import type { PaymentFeed } from "../../runtime/PaymentEvents.ts"
import type { Secrets } from "../../runtime/Secrets.ts"
import type { Chain } from "../evidence/Chain.ts"
import type { Facilitator, Settlement } from "../facilitator/Facilitator.ts"
import type { ListedResources } from "../facilitator/FacilitatorVerdicts.ts"
import { checkAgainMillis, isBeyondPatience, watchUntilMillis } from "../machine/CheckTimes.ts"
import type { ChargeEvent, SettlementStep, TakenEvent } from "../machine/ChargeStep.ts"
import { yieldLeaseEarly } from "./yieldLeaseEarly.ts"
import type { ChargeLease, HeldCharge } from "../attempt/HeldCharge.ts"
import { queryChain } from "./queryChain.ts"
import type { SettlementEffects } from "../../ports/SettlementEffects.ts"
import { readTask, type SettlementTask, taskWithoutPayment, tokenOf } from "../machine/SettlementTask.ts"
import { callStep, handedOn } from "../../runtime/span.ts"

interface Services {
  readonly charges: Charges["Service"]
  readonly chain: Chain["Service"]
  readonly facilitator: Facilitator["Service"]
  readonly secrets: Secrets["Service"]
  readonly effects: SettlementEffects["Service"]
  readonly payments: PaymentFeed
}

export interface SettlementConfig {
  /** Length of a lease. See `leaseLengthMillis`. */
  readonly leaseMillis: number
  /** How long a payment that settled first can request its response. */
  readonly owedResponseMillis: number
  /** Seconds after which the proof of a settlement is checked again, by CAIP-2 network. */
  readonly finalitySeconds: ReadonlyMap<string, number>
  readonly listedResources: ListedResources
}

/** A takeover's event, and the charge as held from then on. */
export interface Takeover {
  readonly event: TakenEvent
  readonly held: HeldCharge
}

type StepOf<Tag extends SettlementStep["_tag"]> = Extract<SettlementStep, { readonly _tag: Tag }>
type Performed = Effect.Effect<ChargeEvent, StoreError>
type Performing = Effect.fn.Return<ChargeEvent, StoreError>

/** How long this till leaves a charge to tills that sell its subject. */
const unknownKindMillis = 5 * 60_000

const done: ChargeEvent = { _tag: "Done" }

const unstoredPayment: Settlement = {
  _tag: "Unknown",
  reason: "the charge doesn't store its payment any more",
  transaction: undefined
}

/** The charge of an event. */
const fieldsOf = ({ key, task }: HeldCharge) => ({ chargeKey: key, network: task.network })

const isRefunded = ({ refund }: Charge): boolean => refund?._tag === "Sent"

const asSettlement = callStep("till402.settle")

/** Performs the steps of a settlement, for a call or the reconciler. */
export class SettlementPerformer {
  private readonly services: Services
  private readonly config: SettlementConfig
  constructor(services: Services, config: SettlementConfig) {
    this.services = services
    this.config = config
  }

  perform(step: SettlementStep, held: HeldCharge): Performed {
    switch (step._tag) {
      case "Settle":
        return asSettlement(this.settle(held))
      case "QueryChain":
        return handedOn(this.queryChain(step, held))
      case "Complete":
        return this.complete(step, held)
      case "Apply":
        return this.apply(held)
      case "Void":
        return this.void(step, held)
      case "RollBack":
        return this.rollBack(step, held)
      case "Release":
        return this.release(held)
      case "Finalize":
        return this.finalize(held)
      case "Reopen":
        return this.reopen(held)
      case "MarkRefundDue":
        return this.markRefundDue(held)
      case "YieldLease":
        return this.yieldLease(held)
      case "Defer":
        return this.defer(step, held)
    }
  }

  /** Takes a charge over; `undefined`: another process was first. */
  readonly takeOver = Effect.fnUntraced({ self: this }, function* (lease: ChargeLease): Effect.fn.Return<
    Takeover | undefined,
    StoreError
  > {
    const { charges, chain, secrets } = this.services
    const { by, key, owner } = lease
    const nowMillis = lease.nowMillis()
    const untilMillis = nowMillis + this.config.leaseMillis
    const took = yield* charges.takeOver(key, { owner, untilMillis }, nowMillis)
    // Read again: it may have changed between being found and being taken.
    const charge = took ? yield* charges.find(key) : undefined
    if (charge === undefined || charge.leaseOwner !== owner) return undefined
    const stored = yield* readTask(charge, secrets, this.config.listedResources)
    const task = { ...(stored ?? taskWithoutPayment(charge)), ...tokenOf(charge.network, charge.asset) }
    const facts = {
      by,
      canReadChain: chain.canRead(charge.network),
      proofRequired: task.proofRequired,
      workIsDue: charge.settlesFirst && !hasResponse(charge),
      validBeforeSeconds: charge.validBeforeSeconds,
      finalitySeconds: this.finalityOf(charge.network)
    }
    const { attempts, claimedAfterBlock, operation, subject } = charge
    const transaction = charge.receipt?.transaction
    const held = { ...lease, operation, facts, task, subject, claimedAfterBlock, attempts, transaction }
    const readable = stored !== undefined
    return { event: { _tag: "Taken", charge, sameRequest: true, readable, nowMillis }, held }
  })

  private settle({ task: { request } }: HeldCharge): Performed {
    const settling =
      request === undefined ? Effect.succeed(unstoredPayment) : this.services.facilitator.settle(request)
    return Effect.map(settling, (settlement) => ({ _tag: "Settled", settlement }))
  }

  private queryChain({ query }: StepOf<"QueryChain">, { claimedAfterBlock, task }: HeldCharge): Performed {
    return Effect.map(queryChain(this.services.chain, query, task, claimedAfterBlock), (evidence) => ({
      _tag: "Seen",
      evidence
    }))
  }

  private readonly complete = Effect.fnUntraced(
    { self: this },
    function* (step: StepOf<"Complete">, held: HeldCharge): Performing {
      const { charges } = this.services
      const { key } = held
      const { proof, transaction } = step
      const refundDue = step.refund !== "none"
      const { authorization, network } = held.task
      const nowMillis = held.nowMillis()
      const receipt: Receipt = { success: true, transaction, network, payer: authorization.from }
      const isOwed = held.facts.workIsDue && !refundDue
      const owedUntilMillis = isOwed ? nowMillis + this.config.owedResponseMillis : undefined
      const isProvisional = proof?.isFinal === false
      const settlement = {
        receipt,
        transferLogIndex: proof?.logIndex,
        // Checked later, by the audit of receipts.
        reportedBy: proof === undefined ? held.task.request?.route?.facilitator : undefined,
        refundDue,
        // A call that has taken the charge over meanwhile may have recorded a response.
        owner: refundDue ? held.owner : undefined,
        finalAfterMillis: isProvisional ? nowMillis + this.finalityOf(network) * 1000 : undefined,
        responseOwedUntilMillis: owedUntilMillis
      }
      const completion = yield* charges
        .complete(key, settlement, nowMillis)
        // The money has moved: the next process must not wait for the lease to expire before recording it.
        .pipe(Effect.tapError(() => yieldLeaseEarly(charges, held)))
      if (completion._tag === "Completed") {
        this.publishSettled(held, transaction, nowMillis)
        return { _tag: "Completed", receipt, refundDue, owedUntilMillis, isProvisional }
      }
      if (completion._tag === "TransferTaken") {
        yield* report(
          "Error",
          "transfer_proves_another_payment",
          "One transfer was presented as proof of two payments",
          { chargeKey: key, network, transaction }
        )
        return { _tag: "TransferTaken", attempts: held.attempts }
      }
      return yield* this.completedByAnother(held, isProvisional)
    }
  )

  private publishSettled({ key, operation, task }: HeldCharge, transaction: string, nowMillis: number): void {
    const { payments } = this.services
    if (!payments.isObserved) return
    payments.publish({
      code: "payment_settled",
      at: new Date(nowMillis),
      operation,
      chargeKey: key,
      network: task.network,
      amountAtomic: BigInt(task.authorization.value),
      transaction
    })
  }

  /** Another process has recorded the same settlement: its record counts. */
  private readonly completedByAnother = Effect.fnUntraced(
    { self: this },
    function* ({ key, owner }: HeldCharge, isProvisional: boolean): Performing {
      const charge = yield* this.services.charges.find(key)
      if (charge?.receipt === undefined) return { _tag: "Overtaken" }
      return {
        _tag: "Completed",
        receipt: charge.receipt,
        refundDue: charge.refund !== undefined,
        owedUntilMillis: charge.leaseOwner === owner ? charge.responseOwedUntilMillis : undefined,
        isProvisional
      }
    }
  )

  private readonly apply = Effect.fnUntraced({ self: this }, function* (held: HeldCharge): Performing {
    const { key, subject } = held
    const { charges, effects } = this.services
    if (subject === undefined) return done
    if (!effects.isKnown(subject.kind)) {
      // Stays pending for a till that sells it, which need not wait for long. This one tries others meanwhile.
      yield* charges.yieldLease(key, held.owner, held.nowMillis() + unknownKindMillis)
      return done
    }
    // The settlement is recorded. If its effect fails, it stays pending and the reconciler applies it.
    yield* effects.settled(subject).pipe(
      Effect.andThen(charges.markApplied(key)),
      Effect.catchTag("StoreError", (error) =>
        Effect.andThen(
          report(
            "Error",
            "settlement_effect_pending",
            "The effect of a settlement could not be applied yet",
            { ...fieldsOf(held), operation: error.operation, error: causeName(error.cause) }
          ),
          yieldLeaseEarly(charges, held)
        )
      )
    )
    return done
  })

  private void({ isRefused, keepsExposure }: StepOf<"Void">, { key, owner, task }: HeldCharge): Performed {
    const options = {
      keepExposure: keepsExposure,
      isRefused,
      checkAfterMillis: this.watchUntil(task)
    }
    return Effect.map(this.services.charges.void(key, owner, options), (voided) => ({
      _tag: "Voided",
      voided
    }))
  }

  private rollBack({ whole }: StepOf<"RollBack">, { key, subject }: HeldCharge): Performed {
    if (subject === undefined) return Effect.succeed(done)
    return Effect.as(this.services.effects.abandoned(subject, whole ? key : undefined), done)
  }

  private release({ key, owner }: HeldCharge): Performed {
    return Effect.as(this.services.charges.release(key, owner), done)
  }

  private finalize({ key, owner }: HeldCharge): Performed {
    return Effect.as(this.services.charges.finalize(key, owner), done)
  }

  private readonly reopen = Effect.fnUntraced({ self: this }, function* (held: HeldCharge): Performing {
    const { key, nowMillis, owner } = held
    const { charges } = this.services
    if (!(yield* charges.reopen(key, owner, nowMillis())))
      return { _tag: "Reopened", reopened: false, isRefunded: false }
    yield* report(
      "Error",
      "settlement_undone",
      "A reorganization of the chain undid a settlement; the charge is open again",
      { ...fieldsOf(held), transaction: held.transaction }
    )
    // Read again: its refund may have been sent since the lease began.
    const charge = yield* charges.find(key)
    return { _tag: "Reopened", reopened: true, isRefunded: charge !== undefined && isRefunded(charge) }
  })

  private markRefundDue({ key, nowMillis, owner }: HeldCharge): Performed {
    return Effect.as(this.services.charges.markRefundDue(key, nowMillis(), owner), done)
  }

  private yieldLease(held: HeldCharge): Performed {
    return Effect.as(yieldLeaseEarly(this.services.charges, held), done)
  }

  private readonly defer = Effect.fnUntraced(
    { self: this },
    function* ({ nextCheck, reason }: StepOf<"Defer">, held: HeldCharge): Performing {
      const { attempts, facts, key, owner, task } = held
      if (reason !== undefined)
        yield* report("Warn", "settlement_unknown", "The outcome of a settlement is unknown", {
          ...fieldsOf(held),
          transaction: held.transaction,
          reason
        })
      if (facts.by === "call") {
        yield* this.services.charges.yieldLease(key, owner, 0)
        return done
      }
      const againMillis = checkAgainMillis(attempts, held.nowMillis())
      const earliestMillis = nextCheck === "expiry" ? this.watchUntil(task) : 0
      yield* this.services.charges.defer(key, owner, Math.max(againMillis, earliestMillis))
      if (isBeyondPatience(attempts))
        yield* report("Error", "charge_unresolved", "A charge can't be completed and needs an operator", {
          ...fieldsOf(held),
          attempts: attempts + 1
        })
      return done
    }
  )

  private finalityOf(network: string): number {
    return this.config.finalitySeconds.get(network) ?? 0
  }

  /** When a voided payment can't move any more: the chain is then read once more, for the last time. */
  private watchUntil({ authorization, network }: SettlementTask): number {
    return watchUntilMillis(authorization.validBefore, this.finalityOf(network))
  }
}
