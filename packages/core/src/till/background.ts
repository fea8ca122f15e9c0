import { Clock, Effect, Layer, Schedule } from "effect"
import { OrderWorker } from "../orders/OrderWorker.ts"
import { Refunds } from "../orders/Refunds.ts"
import { Charges } from "../ports/Charges.ts"
import { Orders } from "../ports/Orders.ts"
import { Quotes } from "../ports/Quotes.ts"
import { VaultPurchases } from "../ports/VaultPurchases.ts"
import { report } from "../runtime/events.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { SettlementRunner } from "../toll/machine/SettlementRunner.ts"
import { Vault } from "../vault/Vault.ts"
import type { ConfiguredSettings } from "./Configuration.ts"
import { StoreTime } from "./storeTime.ts"

const sweepEveryMillis = 15_000
const reconcileBatch = 100
const expireBatch = 500

/**
 * Finishes charges that other processes left. `eager`: also those whose next attempt is not due, and the orders and
 * purchases that are due, for hosts that run only while they serve a request.
 */
export const reconcileOnce = Effect.fnUntraced(function* (eager: boolean) {
  const settlements = yield* SettlementRunner
  const worker = yield* Effect.serviceOption(OrderWorker)
  const vault = yield* Effect.serviceOption(Vault)
  const result = yield* settlements.reconcile({ limit: reconcileBatch, eager })
  if (eager && worker._tag === "Some") yield* worker.value.work
  if (eager && vault._tag === "Some") yield* vault.value.sweep
  return result
})

const housekeeping = ({ personalDataLifetimeMillis, responseLifetimeMillis }: ConfiguredSettings) =>
  Effect.gen(function* () {
    const charges = yield* Charges
    const quotes = yield* Quotes
    yield* (yield* StoreTime).check
    yield* reconcileOnce(false)
    const nowMillis = yield* Clock.currentTimeMillis
    yield* charges.expire(nowMillis - responseLifetimeMillis, expireBatch)
    yield* quotes.expire(nowMillis - responseLifetimeMillis)
    yield* (yield* Orders).forget(nowMillis - personalDataLifetimeMillis, expireBatch)
    yield* (yield* VaultPurchases).forget(nowMillis - personalDataLifetimeMillis, expireBatch)
  }).pipe(
    Effect.catchCause((cause) =>
      report("Error", "housekeeping_failed", "Housekeeping failed and is retried", {}, cause)
    ),
    Effect.repeat(Schedule.spaced(sweepEveryMillis))
  )

/** Sends refunds that are due, of orders and of other charges. */
const sendRefunds = Effect.gen(function* () {
  yield* (yield* Refunds).sweep
}).pipe(
  Effect.catchCause((cause) =>
    report("Error", "refunds_failed", "Refunds could not be sent and are retried", {}, cause)
  ),
  Effect.repeat(Schedule.spaced(sweepEveryMillis))
)

const workOnOrders = Effect.gen(function* () {
  const worker = yield* Effect.serviceOption(OrderWorker)
  if (worker._tag === "Some") yield* worker.value.run
})

/** Separate from housekeeping: a slow mail server must not delay payments. */
const sweepPurchases = Effect.gen(function* () {
  const vault = yield* Effect.serviceOption(Vault)
  if (vault._tag === "Some") yield* vault.value.sweep
}).pipe(
  Effect.catchCause((cause) =>
    report("Error", "purchase_sweep_failed", "Purchases could not be processed and are retried", {}, cause)
  ),
  Effect.repeat(Schedule.spaced(sweepEveryMillis))
)

/** Reports at start the networks that the facilitator would not settle; never fatal, since that may change. */
const checkSupported = ({ networks }: ConfiguredSettings) =>
  Effect.gen(function* () {
    const kinds = yield* (yield* Facilitator).supported
    if (kinds.length === 0) return
    for (const { caip2, v1Name } of networks) {
      const isListed = kinds.some(
        ({ network, scheme }) => scheme === "exact" && (network === caip2 || network === v1Name)
      )
      if (!isListed)
        yield* report(
          "Warn",
          "network_not_supported",
          "The facilitator does not list a network of this till",
          { network: caip2 }
        )
    }
  })

/** The background work of a till, for as long as its layer lives. */
export const background = (settings: ConfiguredSettings) =>
  Layer.effectDiscard(
    Effect.forkScoped(
      Effect.all(
        [checkSupported(settings), housekeeping(settings), sendRefunds, workOnOrders, sweepPurchases],
        { concurrency: "unbounded", discard: true }
      )
    )
  )
