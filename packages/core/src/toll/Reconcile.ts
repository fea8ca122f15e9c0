import { Clock, Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { findNetwork } from "../domain/Network.ts"
import { type Charge, Charges } from "../ports/Charges.ts"
import { causeName } from "../ports/HostCall.ts"
import { Chain } from "./Chain.ts"
import { chargedAuthorization } from "./ChargedAuthorization.ts"
import type { Held, SettlingStep } from "./Settling.ts"
import type { Ending, Event, Step } from "./Steps.ts"
import { timeAndChance } from "./timeAndChance.ts"
import { next } from "./Transitions.ts"

/*
 * The reconciler: brings charges to their end that no call brings there.
 */

/** What a reconciliation did: charges that it settled, and those whose outcome is still unknown. */
export interface Reconciliation {
  readonly settled: number
  readonly pending: number
}

const reconcileConcurrency = 8
/** Refused payments that are cleared with one read of the chain, and reads in one reconciliation. */
const voidedBatch = 1_000
const maxVoidedBatches = 20
/**
 * Makes `Settling.reconcile`. `perform`: performs a step of a charge. `finalityOf`: seconds until a block of a network is
 * final.
 */
export const makeReconcile = Effect.fnUntraced(function* (
  perform: (step: SettlingStep, held: Held) => Effect.fn.Return<Event, StoreError>,
  finalityOf: (network: string) => number
) {
  const charges = yield* Charges
  const chain = yield* Chain

  const finish = Effect.fn("Settling.finish")(function* (
    charge: Charge
  ): Effect.fn.Return<Ending, StoreError> {
    const { identifiers, nowMillis } = yield* timeAndChance
    const held: Held = {
      key: charge.key,
      owner: identifiers.uuid(),
      nowMillis,
      facts: {
        by: "reconciler",
        canReadChain: chain.canRead(charge.network),
        proofRequired: true,
        settlesFirst: charge.settlesFirst,
        isRefunded: false,
        unverifiedSinceMillis: 0,
        validBeforeSeconds: charge.validBeforeSeconds,
        finalitySeconds: finalityOf(charge.network)
      },
      task: undefined,
      subject: undefined,
      isSettled: false,
      awaitsFinality: false,
      attempts: 0
    }
    let step: Step = { _tag: "TakeOver" }
    while (step._tag !== "End") {
      const event: Event = yield* perform(step as SettlingStep, held)
      step = next(step, event, held.facts)
    }
    return step.ending
  })

  /** One charge that can't be finished now, or that a defect stops, must not keep the others waiting. */
  const tryToFinish = (charge: Charge) =>
    finish(charge).pipe(
      Effect.catchTag("StoreError", (error) =>
        Effect.as(
          Effect.logError("A charge could not be finished yet", error.operation, error.cause),
          undefined
        )
      ),
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError("A charge can't be finished and needs an operator", causeName(defect)),
          undefined
        )
      )
    )

  const unknown = Effect.fnUntraced(function* (limit: number, nowMillis: number) {
    const ready = yield* charges.list({ state: "ready", limit })
    return ready.filter(({ leaseUntilMillis }) => leaseUntilMillis <= nowMillis)
  })

  /**
   * Clears refused payments in bulk, with one read of the chain for hundreds: those whose authorization expired unused.
   * Returns the others, whose nonce is used or whose time has not come on the chain.
   */
  const clearVoided = Effect.fnUntraced(function* (nowMillis: number) {
    const rest: Array<Charge> = []
    const due = yield* charges.voidedDue(nowMillis, voidedBatch)
    for (const [caip2, voided] of Map.groupBy(due, ({ network }) => network)) {
      const network = findNetwork(caip2)
      if (network === undefined || !chain.canRead(caip2)) {
        // By the clock alone, where no chain can be read.
        const expired = voided.filter(({ validBeforeSeconds }) => nowMillis > validBeforeSeconds * 1000)
        yield* charges.releaseVoided(
          expired.map(({ key }) => key),
          nowMillis
        )
        continue
      }
      const nonces = yield* chain.usedNonces(
        network,
        voided.map((charge) => chargedAuthorization(charge))
      )
      if (nonces === undefined) {
        // A node that can't be read in bulk may still answer one by one.
        rest.push(...voided)
        continue
      }
      const { chainTimeSeconds, used } = nonces
      const isOver = ({ validBeforeSeconds }: Charge, index: number): boolean =>
        used[index] === false && chainTimeSeconds > validBeforeSeconds + finalityOf(caip2)
      yield* charges.releaseVoided(
        voided.filter(isOver).map(({ key }) => key),
        nowMillis
      )
      rest.push(...voided.filter((charge, index) => !isOver(charge, index)))
    }
    return { hasMore: due.length === voidedBatch && rest.length < due.length, rest }
  })

  return Effect.fn("Settling.reconcile")(function* ({
    eager,
    limit
  }: {
    readonly limit: number
    readonly eager: boolean
  }) {
    const nowMillis = yield* Clock.currentTimeMillis
    // Charges with a response, an order or a settlement come first; refused payments wait for them.
    const due = yield* charges.unfinished(nowMillis, limit)
    const early = eager ? yield* unknown(limit, nowMillis) : []
    const found = [...due, ...early.filter(({ key }) => !due.some((charge) => charge.key === key))]
    const endings = yield* Effect.forEach(found, tryToFinish, { concurrency: reconcileConcurrency })
    for (let batch = 0; batch < maxVoidedBatches; batch++) {
      const { hasMore, rest } = yield* clearVoided(nowMillis)
      const seen = yield* Effect.forEach(rest.slice(0, limit), tryToFinish, {
        concurrency: reconcileConcurrency
      })
      endings.push(...seen)
      if (!hasMore) break
    }
    return {
      settled: endings.filter((ending) => ending?._tag === "Paid").length,
      pending: endings.filter((ending) => ending === undefined || ending._tag === "Pending").length
    } satisfies Reconciliation
  })
})
