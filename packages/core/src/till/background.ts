import { Clock, Effect, Layer, Schedule } from "effect"
import type { UnreadNetworks, WithdrawnNetworks } from "../http/WithdrawnNetworks.ts"
import type { WrongClock } from "../http/WrongClock.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { type AnyOperation, Operations } from "../operations/Operation.ts"
import { Charges } from "../ports/Charges.ts"
import { BackgroundWork, eraseOlder } from "../runtime/BackgroundWork.ts"
import { report } from "../runtime/events.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { listsNetwork } from "../toll/facilitator/ProtocolVersion.ts"
import { SettlementRunner } from "../toll/perform/SettlementRunner.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import { markDatabase } from "./databaseCheck.ts"
import { watchChains } from "./watchChains.ts"
import { checkOf } from "./Check.ts"
import { clockWatch } from "./clockCheck.ts"
import { keepFeePayers, learnFeePayers } from "./learnFeePayers.ts"
import { reportTrusted } from "./proofCheck.ts"
import { watchReceipts } from "./watchReceipts.ts"
import { StoreTime } from "./storeTime.ts"
import { WorkerRuns, Workers } from "./Workers.ts"

const sweepEveryMillis = 15_000
const reconcileBatch = 100

/**
 * Finishes a batch of charges that other processes left, also those whose next attempt is not due, and all other work
 * that is due: for hosts that run only while they serve a request.
 */
export const reconcileOnce = Effect.fnUntraced(function* () {
  const settlements = yield* SettlementRunner
  const tasks = yield* (yield* BackgroundWork).all
  const result = yield* settlements.reconcile({ limit: reconcileBatch, eager: true })
  for (const { reconcile } of tasks) if (reconcile !== undefined) yield* reconcile
  return result
})

/** Repeats a part of the background work every 15 seconds, also after it failed; `operation` names it then. */
const repeated = <E, R>(operation: string, part: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(Workers, (workers) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      workers.started(operation, nowMillis)
      return Effect.matchCauseEffect(part, {
        onFailure: (cause) => {
          workers.ended(operation, true)
          return report(
            "Error",
            "housekeeping_failed",
            "Housekeeping failed and is retried",
            { operation },
            cause
          )
        },
        onSuccess: () => Effect.sync(() => workers.ended(operation, false))
      })
    }).pipe(Effect.repeat(Schedule.spaced(sweepEveryMillis)))
  )

/** The same, each time after a check of the clock, by which it knows what is due. */
const everySweep = <E, R>(operation: string, part: Effect.Effect<unknown, E, R>) =>
  repeated(
    operation,
    Effect.andThen(
      Effect.flatMap(StoreTime, ({ check }) => check),
      part
    )
  )

/** The housekeeping of a till. Each part runs by itself: one that fails or takes long doesn't hold up the others. */
export const housekeeping = ({
  responseLifetimeMillis
}: Pick<ConfiguredSettings, "responseLifetimeMillis">) => {
  const reconcile = SettlementRunner.use((settlements) =>
    settlements.reconcile({ limit: reconcileBatch, eager: false, untilDone: true })
  )
  const responses = Charges.use((charges) =>
    eraseOlder(responseLifetimeMillis, (before, limit) => charges.expire(before, limit))
  )
  return Effect.gen(function* () {
    const tasks = yield* (yield* BackgroundWork).all
    yield* Effect.all(
      [
        everySweep("reconcile", reconcile),
        everySweep("charges.expire", responses),
        ...tasks.map(({ isEndless, operation, run }) => {
          const sweeps = everySweep(operation, run)
          return isEndless === true ? Effect.provideService(sweeps, Workers, new WorkerRuns()) : sweeps
        })
      ],
      { concurrency: "unbounded", discard: true }
    )
  })
}

/** Withdraws networks on which no facilitator settles from the offers, for as long as that is so. */
const watchSupported = ({ networks }: ConfiguredSettings, withdrawn: WithdrawnNetworks) =>
  Effect.gen(function* () {
    const facilitator = yield* Facilitator
    const unsettled = yield* Effect.filter(networks, ({ caip2 }) =>
      Effect.map(settles(facilitator, caip2), (isSettled) => isSettled === false)
    )
    const before = withdrawn.current
    if (!withdrawn.replace(new Set(unsettled.map(({ caip2 }) => caip2)))) return
    const isLast = unsettled.length === networks.length
    for (const { caip2, v1Name } of unsettled.filter((network) => !before.has(network.caip2))) {
      const name = v1Name ?? caip2
      const text = `No facilitator lists ${name}, or the one that does is withheld: payments on it are not offered. Remove the network, or give a facilitator that settles on it`
      const fields = { network: caip2 }
      yield* isLast
        ? report("Error", "network_not_supported", `Nothing is sold. ${text}`, fields)
        : report("Warn", "network_not_supported", text, fields)
    }
  })

/** Whether payments on each network are settled, as the facilitators list it. */
export const facilitatorChecks = Effect.fnUntraced(function* ({
  networks
}: Pick<ConfiguredSettings, "networks">) {
  const facilitator = yield* Facilitator
  return yield* Effect.forEach(networks, ({ caip2, v1Name }) => {
    const name = v1Name ?? caip2
    return Effect.map(settles(facilitator, caip2), (isSettled) => {
      if (isSettled === true) return checkOf("facilitator", name)
      return isSettled === false
        ? checkOf("facilitator", name, {
            status: "warn",
            problem: `No facilitator lists ${name}, or the one that does is withheld: payments on it are not offered`,
            cure: "Remove the network, or give a facilitator that settles on it"
          })
        : checkOf("facilitator", name, {
            status: "warn",
            problem: `It isn't known whether a facilitator settles on ${name}: none has listed anything`,
            cure: "Check the facilitator's url and headers; one in this process may list what it settles by getSupported"
          })
    })
  })
})

/** Whether payments on a network are settled; `undefined` while that isn't known. */
const settles = (
  { settles, supported }: Facilitator["Service"],
  caip2: string
): Effect.Effect<boolean | undefined> =>
  settles === undefined
    ? Effect.map(supported, (kinds) => (kinds.length === 0 ? undefined : listsNetwork(kinds, caip2)))
    : settles(caip2)

/** The background work of a till, for as long as its layer lives. `priced`: its priced routes by now. */
export const background = (
  settings: ConfiguredSettings,
  {
    unread,
    withdrawn,
    wrongClock
  }: {
    readonly unread: UnreadNetworks
    readonly withdrawn: WithdrawnNetworks
    readonly wrongClock: WrongClock
  },
  priced: () => ReadonlyArray<AnyOperation>
) => {
  const operations = Operations.use(({ all }) => Effect.map(all, (added) => [...added, ...priced()]))
  return Layer.effectDiscard(
    // First: a till that takes payments on Solana alone has nothing to offer before.
    Effect.andThen(
      Effect.andThen(markDatabase(settings), learnFeePayers(settings.networks)),
      Effect.forkScoped(
        Effect.all(
          [
            repeated("facilitator.supported", watchSupported(settings, withdrawn)),
            repeated("chain", watchChains(settings, unread, operations)),
            repeated("clock", clockWatch(settings, wrongClock)),
            repeated("proof", reportTrusted(settings, operations)),
            Effect.flatMap(watchReceipts(settings), (watching) => repeated("receipts", watching)),
            repeated("facilitator.feePayers", keepFeePayers(settings.networks)),
            housekeeping(settings),
            everySweep(
              "refunds.sweep",
              Refunds.use(({ sweep }) => sweep)
            )
          ],
          { concurrency: "unbounded", discard: true }
        )
      )
    )
  )
}
