import { Clock, Effect, Layer, Schedule } from "effect"
import type { WithdrawnNetworks } from "../http/WithdrawnNetworks.ts"
import { OrderWorker } from "../shop/orders/OrderWorker.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { Charges } from "../ports/Charges.ts"
import { Orders } from "../shop/ports/Orders.ts"
import { Quotes } from "../shop/ports/Quotes.ts"
import { VaultPurchases } from "../shop/ports/VaultPurchases.ts"
import { report } from "../runtime/events.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { listsNetwork } from "../toll/facilitator/ProtocolVersion.ts"
import { SettlementRunner } from "../toll/perform/SettlementRunner.ts"
import { Vault } from "../shop/vault/Vault.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import { keepFeePayers, learnFeePayers } from "./learnFeePayers.ts"
import { StoreTime } from "./storeTime.ts"

const sweepEveryMillis = 15_000
const reconcileBatch = 100
/** Records that one statement erases or deletes; more would block the event loop on SQLite. */
const eraseBatch = 200
/** Between two full batches, so that calls go on. */
const batchPauseMillis = 25

/**
 * Finishes a batch of charges that other processes left, also those whose next attempt is not due, and the orders and
 * purchases that are due: for hosts that run only while they serve a request.
 */
export const reconcileOnce = Effect.fnUntraced(function* () {
  const settlements = yield* SettlementRunner
  const worker = yield* Effect.serviceOption(OrderWorker)
  const vault = yield* Effect.serviceOption(Vault)
  const result = yield* settlements.reconcile({ limit: reconcileBatch, eager: true })
  if (worker._tag === "Some") yield* worker.value.work
  if (vault._tag === "Some") yield* vault.value.sweep
  return result
})

/** Repeats a batch while it is full, with short pauses. */
const whileFull = <E, R>(batch: (limit: number) => Effect.Effect<number, E, R>): Effect.Effect<void, E, R> =>
  Effect.asVoid(
    Effect.repeat(batch(eraseBatch), {
      while: (changed) => changed >= eraseBatch,
      schedule: Schedule.spaced(batchPauseMillis)
    })
  )

/**
 * Repeats a part of the housekeeping every 15 seconds, each time after a check of the clock, by which it knows what is
 * due; `operation` names the part where it fails.
 */
const everySweep = <E, R>(operation: string, part: Effect.Effect<void, E, R>) =>
  Effect.andThen(
    Effect.flatMap(StoreTime, ({ check }) => check),
    part
  ).pipe(
    Effect.catchCause((cause) =>
      report("Error", "housekeeping_failed", "Housekeeping failed and is retried", { operation }, cause)
    ),
    Effect.repeat(Schedule.spaced(sweepEveryMillis))
  )

/** The housekeeping of a till. Each part runs by itself: one that fails or takes long doesn't hold up the others. */
export const housekeeping = ({
  personalDataLifetimeMillis,
  responseLifetimeMillis
}: Pick<ConfiguredSettings, "personalDataLifetimeMillis" | "responseLifetimeMillis">) => {
  /** Erases in full batches what is older than a lifetime. */
  const olderThan = <E, R>(
    lifetimeMillis: number,
    erase: (beforeMillis: number, limit: number) => Effect.Effect<number, E, R>
  ) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
      whileFull((limit) => erase(nowMillis - lifetimeMillis, limit))
    )
  const reconcile = SettlementRunner.use((settlements) =>
    Effect.asVoid(settlements.reconcile({ limit: reconcileBatch, eager: false, untilDone: true }))
  )
  const responses = olderThan(responseLifetimeMillis, (before, limit) =>
    Charges.use((charges) => charges.expire(before, limit))
  )
  const quotes = olderThan(responseLifetimeMillis, (before, limit) =>
    Quotes.use((all) => all.expire(before, limit))
  )
  const orders = olderThan(personalDataLifetimeMillis, (before, limit) =>
    Orders.use((all) => all.forget(before, limit))
  )
  const purchases = olderThan(personalDataLifetimeMillis, (before, limit) =>
    VaultPurchases.use((all) => all.forget(before, limit))
  )
  return Effect.all(
    [
      everySweep("reconcile", reconcile),
      everySweep("charges.expire", responses),
      everySweep("quotes.expire", quotes),
      everySweep("orders.forget", orders),
      everySweep("vaultPurchases.forget", purchases)
    ],
    { concurrency: "unbounded", discard: true }
  )
}

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

/** Withdraws networks on which no facilitator settles from the offers, for as long as that is so. */
const watchSupported = ({ networks }: ConfiguredSettings, withdrawn: WithdrawnNetworks) =>
  Effect.gen(function* () {
    const facilitator = yield* Facilitator
    const unsettled = yield* Effect.filter(networks, ({ caip2 }) =>
      Effect.map(settles(facilitator, caip2), (isSettled) => isSettled === false)
    )
    const before = withdrawn.current
    if (!withdrawn.replace(new Set(unsettled.map(({ caip2 }) => caip2)))) return
    for (const { caip2 } of unsettled.filter((network) => !before.has(network.caip2)))
      yield* report(
        "Warn",
        "network_not_supported",
        "No facilitator lists a network of this till: payments on it are not offered",
        { network: caip2 }
      )
  }).pipe(Effect.repeat(Schedule.spaced(sweepEveryMillis)))

/** Whether payments on a network are settled; `undefined` while that isn't known. */
const settles = (
  { settles, supported }: Facilitator["Service"],
  caip2: string
): Effect.Effect<boolean | undefined> =>
  settles === undefined
    ? Effect.map(supported, (kinds) => (kinds.length === 0 ? undefined : listsNetwork(kinds, caip2)))
    : settles(caip2)

/** The background work of a till, for as long as its layer lives. */
export const background = (settings: ConfiguredSettings, withdrawn: WithdrawnNetworks) =>
  Layer.effectDiscard(
    // First: a till that takes payments on Solana alone has nothing to offer before.
    Effect.andThen(
      learnFeePayers(settings.networks),
      Effect.forkScoped(
        Effect.all(
          [
            watchSupported(settings, withdrawn),
            keepFeePayers(settings.networks),
            housekeeping(settings),
            sendRefunds,
            workOnOrders,
            sweepPurchases
          ],
          { concurrency: "unbounded", discard: true }
        )
      )
    )
  )
