import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { findNetwork, type Network } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"
import type { Receipt } from "../domain/PaymentRequired.ts"
import { type Charge, Charges, type Subject } from "../ports/Charges.ts"
import { type Sealed, Secrets } from "../Secrets.ts"
import { checkAgainMillis, isBeyondPatience, watchUntilMillis } from "./Backoff.ts"
import { Chain, type ChainEvidence } from "./Chain.ts"
import { Facilitator, type FacilitatorRequest } from "./Facilitator.ts"
import type { Ending, Event, Facts, Step } from "./Steps.ts"
import { timeAndChance } from "./timeAndChance.ts"
import { next } from "./Transitions.ts"

/** All that settling a payment needs; kept with the charge, so that any process can finish it. */
export interface SettlementTask {
  /** CAIP-2. */
  readonly network: string
  readonly authorization: Authorization
  readonly proofRequired: boolean
  readonly request: FacilitatorRequest
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

/** A charge in one pair of hands, from its claim (or its take-over) to its end. */
export interface Held {
  readonly key: string
  readonly owner: string
  readonly nowMillis: () => number
  task: SettlementTask | undefined
  subject: Subject | undefined
  /** Attempts in vain before this one. */
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
      | "Leave"
  }
>

/** What a reconciliation did: charges that it settled, and those whose outcome is still unknown. */
export interface Reconciliation {
  readonly settled: number
  readonly pending: number
}

/** Moves the money of charges whose answer stands, and finds out whether it moved. */
export class Settling extends Context.Service<
  Settling,
  {
    /** Does what a step says and tells what came of it, as a part of the generator that drives the charge. */
    readonly perform: (step: SettlingStep, held: Held, by: Facts["by"]) => Effect.fn.Return<Event, StoreError>
    readonly factsOf: (task: SettlementTask, by: Facts["by"]) => Facts
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
  /** How long a charge is held; longer than work and settlement together. */
  readonly leaseMillis: number
}

const reconcileConcurrency = 8

type Performing = Effect.fn.Return<Event, StoreError>

const make = Effect.fnUntraced(function* (config: SettlingConfig) {
  const charges = yield* Charges
  const facilitator = yield* Facilitator
  const chain = yield* Chain
  const secrets = yield* Secrets
  const subjects = yield* Subjects

  const factsOf = ({ authorization, network, proofRequired }: SettlementTask, by: Facts["by"]): Facts => ({
    by,
    canReadChain: chain.canRead(network),
    proofRequired,
    validBeforeSeconds: Number(authorization.validBefore)
  })

  const openTask = (settlement: string): Effect.Effect<SettlementTask | undefined> => {
    const kept = JSON.parse(settlement) as KeptTask
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
    if (charge.state !== "settled") held.task = yield* openTask(charge.settlement)
    const readable = charge.state === "settled" || held.task !== undefined
    return { _tag: "Taken", charge, sameRequest: true, readable, nowMillis }
  }

  /** A node may lag behind the facilitator's by a moment. */
  const evidenceOf = (network: Network, authorization: Authorization, transaction: string | undefined) => {
    const once = chain.evidence(network, authorization, transaction)
    return transaction === undefined
      ? once
      : Effect.repeat(once, {
          schedule: Schedule.exponential("200 millis"),
          times: 3,
          until: (evidence: ChainEvidence) => evidence._tag === "Moved"
        })
  }

  const complete = function* (
    { refundDue, transaction }: Extract<Step, { _tag: "Complete" }>,
    held: Held
  ): Performing {
    const task = held.task!
    const receipt: Receipt = {
      success: true,
      transaction,
      network: task.network,
      payer: task.authorization.from
    }
    const completed = yield* charges
      .complete(held.key, { receipt, refundDue }, held.nowMillis())
      // The money has moved: whoever comes next must not wait the lease out to record it.
      .pipe(
        Effect.tapError(() => Effect.ignore(charges.yieldLease(held.key, held.owner, 0), { log: "Warn" }))
      )
    if (completed) return { _tag: "Completed", receipt, refundDue }
    // Somebody else has seen the same settlement: what they recorded is what is told.
    const standing = yield* charges.find(held.key)
    return standing?.receipt === undefined
      ? { _tag: "Overtaken" }
      : { _tag: "Completed", receipt: standing.receipt, refundDue: standing.refund !== undefined }
  }

  const apply = function* ({ key, owner, subject }: Held): Performing {
    if (subject === undefined) return done
    // The settlement is recorded; what it sets off stays pending, and the reconciler's, if this fails.
    yield* subjects.settled(subject).pipe(
      Effect.andThen(charges.markApplied(key)),
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
    { attempts, key, nowMillis, owner, task }: Held,
    by: Facts["by"]
  ): Performing {
    if (reason !== undefined) yield* Effect.logWarning("The outcome of a settlement is unknown", reason)
    if (by === "call") {
      yield* charges.yieldLease(key, owner, 0)
      return done
    }
    const again = checkAgainMillis(attempts, nowMillis())
    const watchUntil =
      reason === undefined && task !== undefined ? watchUntilMillis(task.authorization.validBefore) : 0
    yield* charges.defer(key, owner, Math.max(again, watchUntil))
    if (isBeyondPatience(attempts)) {
      yield* Effect.logError("A charge can't be brought to an end and needs an operator", attempts + 1)
    }
    return done
  }

  const askChain = function* ({ question }: Extract<Step, { _tag: "AskChain" }>, held: Held): Performing {
    const { authorization, network } = held.task!
    const transaction = question._tag === "Proof" ? question.transaction : undefined
    const evidence = yield* evidenceOf(findNetwork(network)!, authorization, transaction)
    if (question._tag !== "Refusal" || evidence._tag !== "Moved") return { _tag: "Seen", evidence }
    const charge = yield* charges.find(held.key)
    return charge === undefined
      ? { _tag: "Seen", evidence }
      : { _tag: "Seen", evidence, firstClaimedAtMillis: charge.firstClaimedAtMillis }
  }

  const voidCharge = function* (
    { answered }: Extract<Step, { _tag: "Void" }>,
    { key, owner, subject, task }: Held
  ): Performing {
    const voided = yield* charges.void(key, owner, {
      keepAnswer: answered && subject === undefined,
      checkAfterMillis: task === undefined ? 0 : watchUntilMillis(task.authorization.validBefore)
    })
    return { _tag: "Voided", voided }
  }

  const settle = function* ({ task }: Held): Performing {
    return { _tag: "Settled", settlement: yield* facilitator.settle(task!.request) }
  }

  const abandon = function* (
    { whole }: Extract<Step, { _tag: "Abandon" }>,
    { key, subject }: Held
  ): Performing {
    if (subject !== undefined) yield* subjects.abandoned(subject, whole ? key : undefined)
    return done
  }

  const release = function* ({ key, owner }: Held): Performing {
    yield* charges.release(key, owner)
    return done
  }

  const perform = (step: SettlingStep, held: Held, by: Facts["by"]): Performing => {
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
      case "Leave":
        return leave(step, held, by)
    }
  }

  const finish = Effect.fn("Settling.finish")(function* (
    charge: Charge
  ): Effect.fn.Return<Ending, StoreError> {
    const { identifiers, nowMillis } = yield* timeAndChance
    const held: Held = {
      key: charge.key,
      owner: identifiers.uuid(),
      nowMillis,
      task: undefined,
      subject: undefined,
      attempts: 0
    }
    let facts: Facts = {
      by: "reconciler",
      canReadChain: chain.canRead(charge.network),
      proofRequired: true,
      validBeforeSeconds: charge.validBeforeSeconds
    }
    let step: Step = { _tag: "TakeOver" }
    while (step._tag !== "End") {
      const event: Event = yield* perform(step as SettlingStep, held, "reconciler")
      if (held.task !== undefined) facts = factsOf(held.task, "reconciler")
      step = next(step, event, facts)
    }
    return step.ending
  })

  /** One charge that can't be finished now must not keep the others waiting. */
  const tryToFinish = (charge: Charge) =>
    Effect.catchTag(finish(charge), "StoreError", (error) =>
      Effect.as(
        Effect.logError("A charge could not be finished yet", error.operation, error.cause),
        undefined
      )
    )

  const unknown = Effect.fnUntraced(function* (limit: number, nowMillis: number) {
    const ready = yield* charges.list({ state: "ready", limit })
    return ready.filter(({ leaseUntilMillis }) => leaseUntilMillis <= nowMillis)
  })

  const reconcile = Effect.fn("Settling.reconcile")(function* ({
    eager,
    limit
  }: {
    readonly limit: number
    readonly eager: boolean
  }) {
    const nowMillis = yield* Clock.currentTimeMillis
    const due = yield* charges.unfinished(nowMillis, limit)
    const early = eager ? yield* unknown(limit, nowMillis) : []
    const found = [...due, ...early.filter(({ key }) => !due.some((charge) => charge.key === key))]
    const endings = yield* Effect.forEach(found, tryToFinish, { concurrency: reconcileConcurrency })
    return {
      settled: endings.filter((ending) => ending?._tag === "Paid").length,
      pending: endings.filter((ending) => ending === undefined || ending._tag === "Pending").length
    } satisfies Reconciliation
  })

  return Settling.of({ perform, factsOf, reconcile })
})

const done: Event = { _tag: "Done" }
