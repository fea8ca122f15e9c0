import { Clock, Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { networkOfAsset } from "../../domain/Network.ts"
import type { Charge, Charges } from "../../ports/Charges.ts"
import { causeName } from "../../runtime/causeName.ts"
import { currentMillis } from "../../runtime/currentMillis.ts"
import { Identifiers } from "../../runtime/Identifiers.ts"
import { report } from "../../runtime/events.ts"
import type { Chain } from "../evidence/Chain.ts"
import { chargedAuthorization } from "../machine/ChargedAuthorization.ts"
import type { Ending, SettlementStep } from "../machine/ChargeStep.ts"
import { closed } from "../machine/Plans.ts"
import { driveSteps } from "./driveSteps.ts"
import { beginInReconciler, nextInReconciler } from "../machine/SettlementMachine.ts"
import type { SettlementConfig, SettlementPerformer } from "./SettlementPerformer.ts"

interface Services {
  readonly charges: Charges["Service"]
  readonly chain: Chain["Service"]
  readonly performer: Pick<SettlementPerformer, "takeOver" | "perform">
}

/** The result of a reconciliation: charges that it settled, and those whose outcome is still unknown. */
export interface Reconciliation {
  readonly settled: number
  readonly pending: number
}

/** What a reconciliation covers. */
export interface ReconcileOptions {
  /** Charges that are read at a time. */
  readonly limit: number
  /** Whether charges of unknown outcome are tried whose next attempt is not due yet. */
  readonly eager: boolean
  /** Whether it goes on, after a full batch, until nothing is due that was due when it began; default `false`. */
  readonly untilDone?: boolean
}

const concurrency = 8
/** Refused payments that are cleared with one read of the chain, and reads in one reconciliation. */
const voidedBatch = 1_000
const maxVoidedBatches = 20
/** Between two batches, so that calls go on. */
const batchPauseMillis = 25

/** Completes charges that no call completes. */
export class Reconciler {
  private readonly services: Services
  private readonly config: Pick<SettlementConfig, "finalitySeconds">
  constructor(services: Services, config: Pick<SettlementConfig, "finalitySeconds">) {
    this.services = services
    this.config = config
  }

  readonly reconcile = Effect.fn("Reconciler.reconcile")(
    { self: this },
    function* (options: ReconcileOptions): Effect.fn.Return<Reconciliation, StoreError> {
      const { eager, limit } = options
      const nowMillis = yield* Clock.currentTimeMillis
      // Charges with a response, an order or a settlement come first; refused payments wait for them.
      const due = yield* this.services.charges.unfinished(nowMillis, limit)
      const early = eager ? yield* this.findPending(limit, nowMillis) : []
      const found = [...due, ...early.filter(({ key }) => !due.some((charge) => charge.key === key))]
      const endings = yield* this.tryToFinishAll(found)
      if (options.untilDone === true && due.length === limit)
        endings.push(...(yield* this.finishRest(due, limit, nowMillis)))
      for (let batch = 0; batch < maxVoidedBatches; batch++) {
        const { hasMore, rest } = yield* this.clearVoided(nowMillis)
        endings.push(...(yield* this.tryToFinishAll(rest.slice(0, limit))))
        if (!hasMore) break
        yield* Effect.yieldNow
      }
      return {
        settled: endings.filter((ending) => ending?._tag === "Paid").length,
        pending: endings.filter((ending) => ending === undefined || ending._tag === "Pending").length
      }
    }
  )

  /** Finishes what was due at a time, after a first full batch: batch by batch, each charge once. */
  private readonly finishRest = Effect.fnUntraced(
    { self: this },
    function* (
      first: ReadonlyArray<Charge>,
      limit: number,
      nowMillis: number
    ): Effect.fn.Return<ReadonlyArray<Ending | undefined>, StoreError> {
      const endings: Array<Ending | undefined> = []
      const tried = new Set(keysOf(first))
      for (;;) {
        yield* Effect.sleep(batchPauseMillis)
        const due = yield* this.services.charges.unfinished(nowMillis, limit)
        const fresh = due.filter(({ key }) => !tried.has(key))
        for (const { key } of fresh) tried.add(key)
        endings.push(...(yield* this.tryToFinishAll(fresh)))
        // A full batch of charges that could not be finished: the next sweep tries them again.
        if (due.length < limit || fresh.length === 0) return endings
      }
    }
  )

  /** Takes a charge over and performs its steps; `undefined` if they don't come to an end. */
  private readonly finish = Effect.fn("Reconciler.finish")(
    { self: this },
    function* (charge: Charge): Effect.fn.Return<Ending | undefined, StoreError> {
      const { performer } = this.services
      const taken = yield* performer.takeOver({
        key: charge.key,
        owner: (yield* Identifiers).uuid(),
        by: "reconciler",
        nowMillis: yield* currentMillis
      })
      if (taken === undefined) return closed
      const { event, held } = taken
      return yield* driveSteps(
        beginInReconciler(event, held.facts),
        (step: SettlementStep) => performer.perform(step, held),
        (plan, result) => nextInReconciler(plan, result, held.facts)
      )
    }
  )

  /** A charge that can't be finished now, or that fails with a defect, must not delay the others. */
  private tryToFinish(charge: Charge): Effect.Effect<Ending | undefined> {
    return this.finish(charge).pipe(
      Effect.catchTag("StoreError", (error) =>
        Effect.as(
          report("Error", "charge_not_finished", "A charge could not be finished yet", {
            chargeKey: charge.key,
            network: charge.network,
            operation: error.operation,
            error: causeName(error.cause)
          }),
          undefined
        )
      ),
      Effect.catchDefect((defect) =>
        Effect.as(
          report("Error", "charge_needs_operator", "A charge can't be finished and needs an operator", {
            chargeKey: charge.key,
            network: charge.network,
            error: causeName(defect)
          }),
          undefined
        )
      )
    )
  }

  private tryToFinishAll(charges: ReadonlyArray<Charge>): Effect.Effect<Array<Ending | undefined>> {
    return Effect.forEach(charges, (charge) => this.tryToFinish(charge), { concurrency })
  }

  /** Charges of unknown outcome that no process holds, whether or not their next attempt is due. */
  private readonly findPending = Effect.fnUntraced(
    { self: this },
    function* (limit: number, nowMillis: number): Effect.fn.Return<ReadonlyArray<Charge>, StoreError> {
      const ready = yield* this.services.charges.list({ state: "ready", limit })
      return ready.filter(({ leaseUntilMillis }) => leaseUntilMillis <= nowMillis)
    }
  )

  /**
   * Clears refused payments whose authorization expired unused, with one read of the chain for hundreds of them.
   * Returns the others: their nonce is used, or their time has not come on the chain.
   */
  private readonly clearVoided = Effect.fnUntraced(
    { self: this },
    function* (
      nowMillis: number
    ): Effect.fn.Return<{ readonly hasMore: boolean; readonly rest: ReadonlyArray<Charge> }, StoreError> {
      const rest: Array<Charge> = []
      const due = yield* this.services.charges.voidedDue(nowMillis, voidedBatch)
      for (const voided of Map.groupBy(due, ({ asset, network }) => `${network} ${asset}`).values())
        rest.push(...(yield* this.clearVoidedOf(voided, nowMillis)))
      return { hasMore: due.length === voidedBatch && rest.length < due.length, rest }
    }
  )

  /** Clears refused payments in one token. */
  private readonly clearVoidedOf = Effect.fnUntraced(
    { self: this },
    function* (
      voided: ReadonlyArray<Charge>,
      nowMillis: number
    ): Effect.fn.Return<ReadonlyArray<Charge>, StoreError> {
      const { chain, charges } = this.services
      const { asset, network: caip2 } = voided[0]!
      const network = networkOfAsset(caip2, asset)
      if (network === undefined || !chain.canRead(caip2)) {
        // By the clock alone, since no chain can be read.
        const expired = voided.filter(({ validBeforeSeconds }) => nowMillis > validBeforeSeconds * 1000)
        yield* charges.releaseVoided(keysOf(expired), nowMillis)
        return []
      }
      const nonces = yield* chain.usedNonces(
        network,
        voided.map((charge) => chargedAuthorization(charge))
      )
      // A node that can't be read in bulk may still respond to single queries.
      if (nonces === undefined) return voided
      const finalitySeconds = this.config.finalitySeconds.get(caip2) ?? 0
      const isOver = ({ validBeforeSeconds }: Charge, index: number): boolean =>
        nonces.used[index] === false && nonces.chainTimeSeconds > validBeforeSeconds + finalitySeconds
      yield* charges.releaseVoided(keysOf(voided.filter(isOver)), nowMillis)
      return voided.filter((charge, index) => !isOver(charge, index))
    }
  )
}

const keysOf = (charges: ReadonlyArray<Charge>): ReadonlyArray<string> => charges.map(({ key }) => key)
