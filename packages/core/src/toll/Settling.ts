import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { getAddress } from "viem"
import type { StoreError } from "../domain/Errors.ts"
import { findNetwork, type Network } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"
import type { Receipt } from "../domain/PaymentRequired.ts"
import { Identifiers } from "../Identifiers.ts"
import { type Charge, Charges, type Subject } from "../ports/Charges.ts"
import { type Sealed, Secrets } from "../Secrets.ts"
import { Chain, type ChainEvidence } from "./Chain.ts"
import { Facilitator, type FacilitatorRequest } from "./Facilitator.ts"
import type { Refusal } from "./Verdict.ts"

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

export type SettlementResult =
  | { readonly _tag: "Settled"; readonly receipt: Receipt }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
  | { readonly _tag: "Unknown" }

/** What a settlement sets off, by the subject of its charge. Each verb may come more than once. */
export class Subjects extends Context.Service<
  Subjects,
  {
    readonly settled: (subject: Subject) => Effect.Effect<void, StoreError>
    readonly abandoned: (subject: Subject, chargeKey: string | undefined) => Effect.Effect<void, StoreError>
  }
>()("@till402/core/Subjects") {}

export interface SettleOptions {
  readonly key: string
  readonly owner: string
  readonly subject: Subject | undefined
  readonly task: SettlementTask
  /** Nothing can have been sent before. */
  readonly first: boolean
}

/** Moves the money of a charge whose answer stands, and finds out whether it moved. */
export class Settling extends Context.Service<
  Settling,
  {
    readonly settle: (options: SettleOptions) => Effect.Effect<SettlementResult, StoreError>
    /** Settles a charge that was found, its lease held by `owner`. */
    readonly resume: (charge: Charge, owner: string) => Effect.Effect<SettlementResult, StoreError>
    /**
     * Voids what was prepared for a charge that came to nothing. `key` is its charge's, for what that
     * held to be free again; `undefined` where somebody else holds the charge now.
     */
    readonly abandon: (
      key: string | undefined,
      subject: Subject | undefined
    ) => Effect.Effect<void, StoreError>
    /** Finishes the charges that dead processes left. */
    readonly reconcile: (
      limit: number
    ) => Effect.Effect<{ readonly settled: number; readonly pending: number }, StoreError>
  }
>()("@till402/core/Settling") {
  static readonly layer = (config: { readonly leaseMillis: number }) => Layer.effect(Settling, make(config))
}

const make = Effect.fnUntraced(function* (config: { readonly leaseMillis: number }) {
  const charges = yield* Charges
  const facilitator = yield* Facilitator
  const chain = yield* Chain
  const secrets = yield* Secrets
  const subjects = yield* Subjects

  const abandon = (key: string | undefined, subject: Subject | undefined) =>
    subject === undefined ? Effect.void : subjects.abandoned(subject, key)

  const complete = Effect.fnUntraced(function* (options: SettleOptions, transaction: string) {
    const receipt: Receipt = {
      success: true,
      transaction,
      network: options.task.network,
      payer: getAddress(options.task.authorization.from)
    }
    yield* charges
      .complete(options.key, receipt, yield* Clock.currentTimeMillis)
      // The money has moved: whoever comes next must not wait the lease out to record it.
      .pipe(
        Effect.tapError(() => Effect.ignore(charges.yieldLease(options.key, options.owner), { log: "Warn" }))
      )
    if (options.subject !== undefined) {
      // The settlement is recorded; what it sets off is swept up later if this attempt fails.
      yield* subjects
        .settled(options.subject)
        .pipe(
          Effect.catchTag("StoreError", (error) =>
            Effect.logError("A settled charge has not set off its effect yet", error.operation, error.cause)
          )
        )
    }
    return { _tag: "Settled", receipt } satisfies SettlementResult
  })

  const unknown = Effect.fnUntraced(function* (
    held: { readonly key: string; readonly owner: string },
    reason: string
  ) {
    yield* Effect.logWarning("The outcome of a settlement is unknown", reason)
    yield* charges.yieldLease(held.key, held.owner)
    return { _tag: "Unknown" } satisfies SettlementResult
  })

  const refuse = Effect.fnUntraced(function* (options: SettleOptions, refusal: Refusal) {
    if (yield* charges.release(options.key, options.owner)) yield* abandon(options.key, options.subject)
    return { _tag: "Refused", refusal } satisfies SettlementResult
  })

  /** A node may lag behind the facilitator's by a moment. */
  const evidenceOf = (network: Network, authorization: Authorization, transaction: string | undefined) =>
    chain.evidence(network, authorization, transaction).pipe(
      Effect.repeat({
        schedule: Schedule.exponential("200 millis"),
        times: transaction === undefined ? 0 : 3,
        until: (evidence: ChainEvidence) => evidence._tag === "Moved"
      })
    )

  const settle = Effect.fnUntraced(function* (
    options: SettleOptions
  ): Effect.fn.Return<SettlementResult, StoreError> {
    const { task } = options
    const network = findNetwork(task.network)!
    const readable = chain.canRead(task.network)
    if (!options.first && readable) {
      const evidence = yield* evidenceOf(network, task.authorization, undefined)
      if (evidence._tag === "Moved") return yield* complete(options, evidence.transaction)
      if (
        evidence._tag === "NotMoved" &&
        evidence.chainTimeSeconds > Number(task.authorization.validBefore)
      ) {
        return yield* refuse(options, {
          code: "payment_expired",
          message: "the payment expired before it was settled; nothing was charged, sign a new one"
        })
      }
    }
    const settlement = yield* facilitator.settle(task.request)
    switch (settlement._tag) {
      case "Rejected":
        return options.first
          ? yield* refuse(options, {
              code: settlement.reason,
              message: "the facilitator refused to settle the payment; nothing was charged"
            })
          : yield* unknown(options, settlement.reason)
      case "Settled": {
        if (!task.proofRequired || !readable) return yield* complete(options, settlement.transaction)
        const evidence = yield* evidenceOf(network, task.authorization, settlement.transaction)
        return evidence._tag === "Moved"
          ? yield* complete(options, evidence.transaction)
          : yield* unknown(options, "the chain does not show the settlement that the facilitator reported")
      }
      case "Unknown": {
        if (!readable) return yield* unknown(options, settlement.reason)
        const evidence = yield* evidenceOf(network, task.authorization, settlement.transaction)
        return evidence._tag === "Moved"
          ? yield* complete(options, evidence.transaction)
          : yield* unknown(options, settlement.reason)
      }
    }
  })

  const openTask = (sealed: Sealed) =>
    Effect.map(secrets.open(sealed), (text) =>
      text === undefined ? undefined : (JSON.parse(text) as SettlementTask)
    )

  const resume = Effect.fn("Settling.resume")(function* (charge: Charge, owner: string) {
    const kept = JSON.parse(charge.settlement) as KeptTask
    const task = "task" in kept ? kept.task : yield* openTask(kept.sealed)
    if (task === undefined) {
      return yield* unknown(
        { key: charge.key, owner },
        "the charge was sealed with a key that is not configured"
      )
    }
    return yield* settle({ key: charge.key, owner, subject: charge.subject, task, first: false })
  })

  const reconcile = Effect.fn("Settling.reconcile")(function* (limit: number) {
    const found = yield* charges.unfinished(yield* Clock.currentTimeMillis, limit)
    let settled = 0
    let pending = 0
    for (const charge of found) {
      const owner = (yield* Identifiers).uuid()
      const nowMillis = yield* Clock.currentTimeMillis
      const lease = { owner, untilMillis: nowMillis + config.leaseMillis }
      if (!(yield* charges.takeOver(charge.key, lease, nowMillis))) continue
      const result = yield* resume(charge, owner)
      if (result._tag === "Settled") settled++
      else if (result._tag === "Unknown") pending++
    }
    return { settled, pending }
  })

  return Settling.of({ settle, resume, abandon, reconcile })
})
