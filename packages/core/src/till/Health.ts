import { Clock, Context, Effect, Fiber, Layer, Option } from "effect"
import { type Charge, Charges } from "../ports/Charges.ts"
import { Orders } from "../shop/ports/Orders.ts"
import { VaultPurchases } from "../shop/ports/VaultPurchases.ts"
import { Toll } from "../toll/Toll.ts"
import { type Check, checkOf } from "./Check.ts"
import { Checks } from "./Checks.ts"
import { Workers } from "./Workers.ts"

/** How long a till's health holds, in milliseconds: a flood of readers reads nodes and facilitators once. */
const healthMillis = 10_000
/** How long its readiness holds, which reads the storage alone. */
const readinessMillis = 1_000
const checksTimeoutMillis = 10_000
const storageTimeoutMillis = 2_000
/** Due work that is older than this isn't being done, in milliseconds: a sweep begins every 15 seconds. */
const lateWorkMillis = 10 * 60_000
/** A refund that is due for longer than this has something in its way, such as an empty wallet. */
const lateRefundMillis = 60 * 60_000
/** Records that one statement reads. */
const pageSize = 100
/** Pages of refunds that are counted. */
const maxRefundPages = 10

/** Work that waits, as figures. */
export interface DueWork {
  /** Age of the oldest settlement whose next attempt is due, in milliseconds; 0 if none is. */
  readonly oldestSettlementMillis: number
  /** Age of the oldest step or mail of an order that is due, in milliseconds; 0 if none is. */
  readonly oldestOrderMillis: number
  /** Age of the oldest mail, or check of a payment, of a purchase that is due, in milliseconds; 0 if none is. */
  readonly oldestPurchaseMillis: number
  /** Age of the oldest of the refunds that are counted, in milliseconds; 0 if none is due. */
  readonly oldestRefundMillis: number
  /** Refunds that are due and not sent: the newest 1,000 are counted. */
  readonly refundsDue: number
  readonly areRefundsStopped: boolean
}

/** Whether a till works, and what is wrong with it. It contains no secrets. */
export interface TillHealth {
  /** The worst status of the checks. */
  readonly status: Check["status"]
  /** `false` where the till can't recover by itself: its start failed. Then restart the process. */
  readonly live: boolean
  /** Whether it serves calls: it has started, its storage responds, and it isn't closing. Facilitators and nodes don't count. */
  readonly ready: boolean
  /** When the checks were made. */
  readonly at: Date
  readonly checks: ReadonlyArray<Check>
  /** `undefined` where the storage doesn't answer. */
  readonly work: DueWork | undefined
  /**
   * The share of `limits.lossPerHour` that this process has used: work that isn't paid yet, or was lost. Near 1, payers
   * who haven't paid here are turned away. `undefined` where the till doesn't run.
   */
  readonly lossBudgetUsed: number | undefined
}

const worst = (checks: ReadonlyArray<Check>): Check["status"] =>
  checks.some(({ status }) => status === "fail")
    ? "fail"
    : checks.some(({ status }) => status === "warn")
      ? "warn"
      : "pass"

/** The health of a till that has made these checks. Pure. */
export const healthOf = (
  checks: ReadonlyArray<Check>,
  facts: Omit<TillHealth, "status" | "checks">
): TillHealth => ({ ...facts, status: worst(checks), checks })

const notRunning = {
  failed: "Correct it, and restart the process",
  starting: "Wait for till.ready",
  closed: "Make a new till"
}

/** The health of a till that doesn't run, and why. Pure. */
export const healthWithout = (state: keyof typeof notRunning, problem: string, at: Date): TillHealth =>
  healthOf(
    [
      checkOf("start", undefined, {
        status: "fail",
        problem: problem.replace(/\.$/, ""),
        cure: notRunning[state]
      })
    ],
    { live: state !== "failed", ready: false, at, work: undefined, lossBudgetUsed: undefined }
  )

/** When the next attempt of a charge became due. A pending effect is due since its settlement. */
const dueSince = ({
  checkAfterMillis,
  createdAtMillis,
  effectPending,
  leaseUntilMillis,
  settledAtMillis
}: Charge) =>
  effectPending && settledAtMillis !== undefined
    ? settledAtMillis
    : Math.max(checkAfterMillis, createdAtMillis, leaseUntilMillis)

/** What is late, besides refunds. */
const lateWork = (work: DueWork): string =>
  (
    [
      ["A settlement", work.oldestSettlementMillis],
      ["A step or mail of an order", work.oldestOrderMillis],
      ["A mail or check of a purchase", work.oldestPurchaseMillis]
    ] as const
  )
    .filter(([, millis]) => millis > lateWorkMillis)
    .map(([name, millis]) => `${name} has been due for ${minutes(millis)}`)
    .join("; ")

const minutes = (millis: number): string => `${Math.floor(millis / 60_000)} minutes`

/** What the work that waits says about the till. Pure. */
export const workChecks = (work: DueWork): ReadonlyArray<Check> => [
  lateWork(work) === ""
    ? checkOf("due work")
    : checkOf("due work", undefined, {
        status: "warn",
        problem: lateWork(work),
        cure: "See whether a process with this storage runs; restart one that takes no work"
      }),
  work.areRefundsStopped
    ? checkOf("refunds", undefined, {
        status: "warn",
        problem: "Refunds are stopped",
        cure: "Find the reason (till.refunds.status()), check the ledger, then resume them"
      })
    : work.oldestRefundMillis <= lateRefundMillis
      ? checkOf("refunds")
      : checkOf("refunds", undefined, {
          status: "warn",
          problem: `A refund has been due for ${minutes(work.oldestRefundMillis)}`,
          cure: "Send it, or see whether the refund wallet has enough"
        })
]

const storageFailed = (problem: string): Check =>
  checkOf("storage", undefined, { status: "fail", problem, cure: "Check the database" })

/**
 * Runs an effect for a bounded time, in a separate fiber: a host's store may not let itself be interrupted, and nobody waits
 * for that. While a run is stuck so, no other begins, and there is no result.
 */
const within = <A, E>(effect: Effect.Effect<A, E>, millis: number): Effect.Effect<Option.Option<A>, E> => {
  let latest: Fiber.Fiber<A, E> | undefined
  return Effect.suspend(() => {
    if (latest !== undefined && latest.pollUnsafe() === undefined) return Effect.succeedNone
    return Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (running) => {
      latest = running
      return Fiber.join(running).pipe(
        Effect.timeoutOption(millis),
        Effect.ensuring(Effect.sync(() => running.interruptUnsafe()))
      )
    })
  })
}

/** Reads the storage for a bounded time. */
const withinTime = <A, E>(reading: Effect.Effect<A, E>) =>
  within(reading, storageTimeoutMillis).pipe(
    Effect.map(Option.match({ onNone: () => "late" as const, onSome: (found) => ({ found }) })),
    // A faulty store of a host may throw anything.
    Effect.catchCause(() => Effect.succeed("failed" as const))
  )

/** Charges that are due: all that are late, and of the others a page. */
const readDue = Effect.fnUntraced(function* (charges: Charges["Service"], nowMillis: number) {
  const due = yield* charges.unfinished(nowMillis, pageSize)
  // Claims come last: a full page may hide some that are late.
  return due.length < pageSize
    ? due
    : [...due, ...(yield* charges.unfinished(nowMillis - lateWorkMillis, pageSize))]
})

/** Since when refunds are due, the newest payment first. */
const readRefunds = Effect.fnUntraced(function* (charges: Charges["Service"]) {
  const since: Array<number> = []
  let before: Charge | undefined
  do {
    const page = yield* charges.list({ isRefundDue: true, limit: pageSize, ...(before && { before }) })
    since.push(...page.map(({ createdAtMillis, settledAtMillis }) => settledAtMillis ?? createdAtMillis))
    before = page[pageSize - 1]
  } while (before !== undefined && since.length < pageSize * maxRefundPages)
  return since
})

/** Reads what waits, once for each queue; the storage of a till without the shop has no orders and purchases. */
const readWork = Effect.fnUntraced(function* (charges: Charges["Service"]) {
  const nowMillis = yield* Clock.currentTimeMillis
  const earliest = <Id>(key: Context.Key<Id, Pick<Orders["Service"], "earliestDue">>) =>
    Effect.flatMap(
      Effect.serviceOption(key),
      Option.match({ onNone: () => Effect.undefined, onSome: (store) => store.earliestDue() })
    )
  const [stop, due, refunds, order, purchase] = yield* Effect.all([
    charges.refundStop(),
    readDue(charges, nowMillis),
    readRefunds(charges),
    earliest(Orders),
    earliest(VaultPurchases)
  ])
  const oldest = (since: ReadonlyArray<number>) =>
    since.length === 0 ? 0 : Math.max(0, nowMillis - Math.min(...since))
  return {
    oldestSettlementMillis: oldest(due.map(dueSince)),
    oldestOrderMillis: oldest(order === undefined ? [] : [order]),
    oldestPurchaseMillis: oldest(purchase === undefined ? [] : [purchase]),
    oldestRefundMillis: oldest(refunds),
    refundsDue: refunds.length,
    areRefundsStopped: stop !== undefined
  } satisfies DueWork
})

/** The health of a till. Readers share one reading at a time, and its result for some seconds. */
export class Health extends Context.Service<
  Health,
  {
    readonly health: Effect.Effect<TillHealth>
    /** Whether the storage answers: what readiness depends on. */
    readonly isReady: Effect.Effect<boolean>
  }
>()("@till402/core/Health") {
  static readonly layer = Layer.effect(
    Health,
    Effect.gen(function* () {
      const charges = yield* Charges
      const checks = yield* Checks
      const toll = yield* Toll
      const workers = yield* Workers
      const others = Effect.map(
        within(checks, checksTimeoutMillis),
        Option.getOrElse(() => [
          checkOf("checks", undefined, {
            status: "warn",
            problem: "The checks took longer than 10 seconds",
            cure: "See whether the storage, the nodes and the facilitators answer"
          })
        ])
      )
      const work = withinTime(readWork(charges))
      const read = Effect.gen(function* () {
        const nowMillis = yield* Clock.currentTimeMillis
        const [found, made] = yield* Effect.all([work, others], {
          concurrency: "unbounded"
        })
        const ready = typeof found === "object"
        const storage = ready
          ? [checkOf("storage"), ...workChecks(found.found)]
          : [
              storageFailed(
                found === "late" ? "The storage doesn't answer within 2 seconds" : "The storage failed"
              )
            ]
        // Storage is read above, also where it keeps no marks; a check that passes says nothing more.
        const rest = made.filter(({ name, status }) => name !== "storage" || (status !== "pass" && ready))
        return healthOf([checkOf("start"), ...storage, workers.check(nowMillis), ...rest], {
          live: true,
          ready,
          at: new Date(nowMillis),
          work: ready ? found.found : undefined,
          lossBudgetUsed: toll.lossesUsedAt(nowMillis)
        })
      })
      const answers = Effect.map(withinTime(charges.refundStop()), (found) => typeof found === "object")
      return {
        health: yield* Effect.cachedWithTTL(read, healthMillis),
        isReady: yield* Effect.cachedWithTTL(answers, readinessMillis)
      }
    })
  )
}
