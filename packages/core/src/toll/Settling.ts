import { Context, Effect, Layer, Schedule } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { findNetwork, type Network } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"
import type { Receipt } from "../domain/PaymentRequired.ts"
import { type Charge, Charges, type Subject } from "../ports/Charges.ts"
import { type Sealed, Secrets } from "../Secrets.ts"
import { chargedAuthorization } from "./ChargedAuthorization.ts"
import { checkAgainMillis, isBeyondPatience, watchUntilMillis } from "./Backoff.ts"
import { Chain, type ChainEvidence } from "./Chain.ts"
import { Facilitator, type FacilitatorRequest } from "./Facilitator.ts"
import { makeReconcile, type Reconciliation } from "./Reconcile.ts"
import type { Event, Facts, Step } from "./Steps.ts"

/** All that settling a payment needs; kept with the charge, so that any process can finish it. */
export interface SettlementTask {
  /** CAIP-2. */
  readonly network: string
  readonly authorization: Authorization
  readonly proofRequired: boolean
  /** `undefined` where the charge has forgotten it: it is voided, or settled for good. */
  readonly request: FacilitatorRequest | undefined
}

/**
 * How a task is kept: encrypted where its payment would open an encrypted answer. Elsewhere the payment
 * tells no more than the answer beside it, and can pay nobody but the host.
 */
export type KeptTask = { readonly task: SettlementTask } | { readonly sealed: Sealed }

/** What a settlement sets off, by the subject of its charge. Each verb may come more than once. */
export class Subjects extends Context.Service<
  Subjects,
  {
    readonly settled: (subject: Subject) => Effect.Effect<void, StoreError>
    readonly abandoned: (subject: Subject, chargeKey: string | undefined) => Effect.Effect<void, StoreError>
  }
>()("@till402/core/Subjects") {}

/** A charge under one lease, from its claim (or its takeover) to its end. */
export interface Held {
  readonly key: string
  readonly owner: string
  readonly nowMillis: () => number
  facts: Facts
  task: SettlementTask | undefined
  subject: Subject | undefined
  /** It is settled, or was when its refund was sent: its next check is set already. */
  isSettled: boolean
  /** It was settled under this lease, by a proof that is checked once more: the lease ends early. */
  awaitsFinality: boolean
  /** Fruitless attempts before this one. */
  attempts: number
}

/** The steps that the reconciler can meet too: from a charge that stands to its end. */
export type SettlingStep = Extract<
  Step,
  {
    readonly _tag:
      | "TakeOver"
      | "Settle"
      | "AskChain"
      | "Complete"
      | "Apply"
      | "Void"
      | "Abandon"
      | "Release"
      | "Finalize"
      | "Reopen"
      | "OweRefund"
      | "Yield"
      | "Leave"
  }
>

/** Moves the money of charges whose answer stands, and finds out whether it moved. */
export class Settling extends Context.Service<
  Settling,
  {
    /** Performs a step and returns its event, as a part of the generator that drives the charge. */
    readonly perform: (step: SettlingStep, held: Held) => Effect.fn.Return<Event, StoreError>
    /**
     * Finishes the charges that dead processes left, and looks after those that are watched. `eager`: tries
     * those of unknown outcome as well whose next attempt is not due yet.
     */
    readonly reconcile: (options: {
      readonly limit: number
      readonly eager: boolean
    }) => Effect.Effect<Reconciliation, StoreError>
  }
>()("@till402/core/Settling") {
  static readonly layer = (config: SettlingConfig) => Layer.effect(Settling, make(config))
}

export interface SettlingConfig {
  /** Length of a lease; longer than work and settlement together. */
  readonly leaseMillis: number
  /** How long the response to a payment that settled first can be requested. */
  readonly owedResponseMillis: number
  /** Seconds after which the proof of a settlement is checked once more, by CAIP-2 network. */
  readonly finalitySeconds: ReadonlyMap<string, number>
}

/** Looks at a transfer that waits for its confirmations, a second apart. */
const maxConfirmingLooks = 60

/** The task of a charge that has forgotten its payment: enough to look for it on the chain. */
const forgottenTask = (charge: Charge): SettlementTask => ({
  network: charge.network,
  authorization: chargedAuthorization(charge),
  proofRequired: true,
  request: undefined
})

type Performing = Effect.fn.Return<Event, StoreError>

const make = Effect.fnUntraced(function* (config: SettlingConfig) {
  const charges = yield* Charges
  const facilitator = yield* Facilitator
  const chain = yield* Chain
  const secrets = yield* Secrets
  const subjects = yield* Subjects

  const finalityOf = (network: string): number => config.finalitySeconds.get(network) ?? 0

  /** When a voided payment can't move any more, and one look at the chain is the last. */
  const watchUntil = ({ authorization, network }: SettlementTask): number =>
    watchUntilMillis(authorization.validBefore, finalityOf(network))

  const openTask = (charge: Charge): Effect.Effect<SettlementTask | undefined> => {
    if (charge.settlement === "") return Effect.succeed(forgottenTask(charge))
    const kept = JSON.parse(charge.settlement) as KeptTask
    return "task" in kept
      ? Effect.succeed(kept.task)
      : Effect.map(secrets.open(kept.sealed), (text) =>
          text === undefined ? undefined : (JSON.parse(text) as SettlementTask)
        )
  }

  const takeOver = function* (held: Held): Performing {
    const nowMillis = held.nowMillis()
    const lease = { owner: held.owner, untilMillis: nowMillis + config.leaseMillis }
    const took = yield* charges.takeOver(held.key, lease, nowMillis)
    // Read again: it may have moved on between being found and being taken.
    const charge = took ? yield* charges.find(held.key) : undefined
    if (charge === undefined || charge.leaseOwner !== held.owner)
      return { _tag: "Taken", charge: undefined, sameRequest: true, readable: true, nowMillis }
    held.subject = charge.subject
    held.attempts = charge.attempts
    const isRefunded = isSentBack(charge)
    held.isSettled = charge.state === "settled" || isRefunded
    held.task = yield* openTask(charge)
    held.facts = {
      ...held.facts,
      canReadChain: chain.canRead(charge.network),
      proofRequired: held.task?.proofRequired ?? true,
      settlesFirst:
        charge.settlesFirst && charge.answer === undefined && charge.answerExpiredAtMillis === undefined,
      isRefunded,
      unverifiedSinceMillis: charge.unverifiedSinceMillis,
      validBeforeSeconds: charge.validBeforeSeconds
    }
    return { _tag: "Taken", charge, sameRequest: true, readable: held.task !== undefined, nowMillis }
  }

  /** A node may lag behind the facilitator's by a moment, and confirmations take their time. */
  const evidenceOf = (network: Network, authorization: Authorization, transaction: string | undefined) =>
    chain.evidence(network, authorization, { transaction }).pipe(
      Effect.repeat({
        schedule: Schedule.exponential("200 millis"),
        times: transaction === undefined ? 0 : 3,
        // Definite evidence ends the retries: one that fails must not replace it.
        until: ({ _tag }: ChainEvidence) => _tag === "Moved" || _tag === "NotPaid" || _tag === "Confirming"
      }),
      Effect.repeat({
        schedule: Schedule.spaced("1 second"),
        times: maxConfirmingLooks,
        while: ({ _tag }: ChainEvidence) => _tag === "Confirming"
      })
    )

  const complete = function* (
    { proof, refundDue, transaction }: Extract<Step, { _tag: "Complete" }>,
    held: Held
  ): Performing {
    const { authorization, network } = held.task!
    const nowMillis = held.nowMillis()
    const receipt: Receipt = { success: true, transaction, network, payer: authorization.from }
    const isOwed = held.facts.settlesFirst && !refundDue
    const owedUntilMillis = isOwed ? nowMillis + config.owedResponseMillis : undefined
    const finalityMillis = finalityOf(network) * 1000
    const settlement = {
      receipt,
      transferLogIndex: proof?.logIndex,
      refundDue,
      finalAfterMillis: proof?.isFinal === false ? nowMillis + finalityMillis : undefined,
      responseOwedUntilMillis: owedUntilMillis
    }
    const completion = yield* charges
      .complete(held.key, settlement, nowMillis)
      // The money has moved: the next process must not wait for the lease to record it.
      .pipe(
        Effect.tapError(() => Effect.ignore(charges.yieldLease(held.key, held.owner, 0), { log: "Warn" }))
      )
    held.awaitsFinality = settlement.finalAfterMillis !== undefined
    if (completion._tag === "Completed") return { _tag: "Completed", receipt, refundDue, owedUntilMillis }
    if (completion._tag === "TransferTaken") {
      yield* Effect.logError("One transfer was presented as the proof of two payments", network)
      return { _tag: "TransferTaken", attempts: held.attempts }
    }
    // Another process has seen the same settlement: its record counts.
    const standing = yield* charges.find(held.key)
    return standing?.receipt === undefined
      ? { _tag: "Overtaken" }
      : {
          _tag: "Completed",
          receipt: standing.receipt,
          refundDue: standing.refund !== undefined,
          owedUntilMillis: standing.leaseOwner === held.owner ? standing.responseOwedUntilMillis : undefined
        }
  }

  /** A charge whose proof is checked once more is left to the reconciler, which needs its lease. */
  const endLease = ({ awaitsFinality, key, owner }: Held): Effect.Effect<void, StoreError> =>
    awaitsFinality ? charges.yieldLease(key, owner, 0) : Effect.void

  const apply = function* (held: Held): Performing {
    const { key, owner, subject } = held
    if (subject === undefined) {
      yield* endLease(held)
      return done
    }
    // The settlement is recorded; what it sets off stays pending, and the reconciler's, if this fails.
    yield* subjects.settled(subject).pipe(
      Effect.andThen(charges.markApplied(key)),
      Effect.andThen(endLease(held)),
      Effect.catchTag("StoreError", (error) =>
        Effect.andThen(
          Effect.logError("A settled charge has not set off its effect yet", error.operation, error.cause),
          Effect.ignore(charges.yieldLease(key, owner, 0), { log: "Warn" })
        )
      )
    )
    return done
  }

  const leave = function* (
    { reason }: Extract<Step, { _tag: "Leave" }>,
    { attempts, facts, isSettled, key, nowMillis, owner, task }: Held
  ): Performing {
    if (reason !== undefined) yield* Effect.logWarning("The outcome of a settlement is unknown", reason)
    if (facts.by === "call") {
      yield* charges.yieldLease(key, owner, 0)
      return done
    }
    const again = checkAgainMillis(attempts, nowMillis())
    // A settled charge's proof is checked until it is final; a voided one is watched until it can't move.
    const isWatched = reason === undefined && !isSettled && task !== undefined
    yield* charges.defer(key, owner, Math.max(again, isWatched ? watchUntil(task) : 0))
    if (isBeyondPatience(attempts)) {
      yield* Effect.logError("A charge can't be brought to an end and needs an operator", attempts + 1)
    }
    return done
  }

  const askChain = function* ({ question }: Extract<Step, { _tag: "AskChain" }>, held: Held): Performing {
    const { authorization, network } = held.task!
    const transaction =
      question._tag === "Proof"
        ? question.transaction
        : question._tag === "Finality"
          ? question.charge.receipt?.transaction
          : undefined
    return { _tag: "Seen", evidence: yield* evidenceOf(findNetwork(network)!, authorization, transaction) }
  }

  const voidCharge = function* (
    { worked }: Extract<Step, { _tag: "Void" }>,
    { key, owner, task }: Held
  ): Performing {
    const voided = yield* charges.void(key, owner, {
      keepExposure: worked,
      checkAfterMillis: task === undefined ? 0 : watchUntil(task)
    })
    return { _tag: "Voided", voided }
  }

  const reopen = function* (held: Held): Performing {
    const { key, nowMillis, owner } = held
    const reopened = yield* charges.reopen(key, owner, nowMillis())
    if (reopened) {
      yield* Effect.logError("A reorganization of the chain undid a settlement; the charge is open again")
      // Its refund may have been sent since the lease was taken.
      const charge = yield* charges.find(key)
      held.facts = { ...held.facts, isRefunded: charge !== undefined && isSentBack(charge) }
    }
    return { _tag: "Reopened", reopened }
  }

  const oweRefund = function* ({ key, nowMillis }: Held): Performing {
    yield* charges.oweRefund(key, nowMillis())
    return done
  }

  const settle = function* ({ task }: Held): Performing {
    return { _tag: "Settled", settlement: yield* facilitator.settle(task!.request!) }
  }

  const abandon = function* ({ whole }: Extract<Step, { _tag: "Abandon" }>, held: Held): Performing {
    const { key, subject } = held
    yield* endLease(held)
    if (subject !== undefined) yield* subjects.abandoned(subject, whole ? key : undefined)
    return done
  }

  const release = function* ({ key, owner }: Held): Performing {
    yield* charges.release(key, owner)
    return done
  }

  const finalize = function* ({ key, owner }: Held): Performing {
    yield* charges.finalize(key, owner)
    return done
  }

  const yieldLease = function* ({ key, owner }: Held): Performing {
    yield* charges.yieldLease(key, owner, 0)
    return done
  }

  const perform = (step: SettlingStep, held: Held): Performing => {
    switch (step._tag) {
      case "TakeOver":
        return takeOver(held)
      case "Settle":
        return settle(held)
      case "AskChain":
        return askChain(step, held)
      case "Complete":
        return complete(step, held)
      case "Apply":
        return apply(held)
      case "Void":
        return voidCharge(step, held)
      case "Abandon":
        return abandon(step, held)
      case "Release":
        return release(held)
      case "Finalize":
        return finalize(held)
      case "Reopen":
        return reopen(held)
      case "OweRefund":
        return oweRefund(held)
      case "Yield":
        return yieldLease(held)
      case "Leave":
        return leave(step, held)
    }
  }

  const reconcile = yield* makeReconcile(perform, finalityOf)
  return Settling.of({ perform, reconcile })
})

const done: Event = { _tag: "Done" }

const isSentBack = ({ refund }: Charge): boolean => refund?._tag === "Sent"
