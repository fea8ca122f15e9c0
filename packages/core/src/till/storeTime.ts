import { Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import { ConfigurationError, StoreError } from "../domain/Errors.ts"
import { Charges } from "../ports/Charges.ts"
import { Orders } from "../shop/ports/Orders.ts"
import { Quotes } from "../shop/ports/Quotes.ts"
import { type DatabaseClock, StoreClock } from "../ports/StoreClock.ts"
import { VaultItems } from "../shop/ports/VaultItems.ts"
import { VaultPurchases } from "../shop/ports/VaultPurchases.ts"
import { causeName } from "../runtime/causeName.ts"
import { DatabaseTime, errorOf, instantOf, type Reading, skewOf } from "../runtime/DatabaseTime.ts"
import { report } from "../runtime/events.ts"
import { type Check, checkOf, textOf } from "./Check.ts"

/*
 * One clock decides leases. On a storage with a clock (PostgreSQL) a till runs on the database's time, so that
 * processes whose clocks differ agree on who holds a lease. A process whose own clock is far off is refused all the
 * same: what it reads elsewhere, such as certificates and the host's records, is wrong too.
 */

/** From this difference on, a process's clock is reported, in milliseconds. */
export const warnSkewMillis = 5_000
/** From this difference on, a till doesn't start, or takes no more work, in milliseconds. */
export const maxSkewMillis = 60_000
/** How wrong the time of a call may be, in milliseconds: far less than a lease. */
const toleranceMillis = 5_000
/** The best of several readings counts at start. */
const startReadings = 3

/** The clock of a till, where it isn't that of the process, and its check. */
export interface StoreTime {
  readonly clock: Clock.Clock | undefined
  /** Compares the clocks. Reports a difference; never fails. */
  readonly check: Effect.Effect<void>
  /** What the last comparison found. Not where there is one clock. */
  readonly lastCheck?: () => Check
}

/** Made by `layer`. */
export const StoreTime: Context.Reference<StoreTime> = Context.Reference<StoreTime>(
  "@till402/core/StoreTime",
  { defaultValue: () => ({ clock: undefined, check: Effect.void }) }
)

type SkewLevel = "near" | "far" | "refused"

/** Judges a reading by the smallest difference that it proves. Pure. */
export const skewLevel = (reading: Reading): SkewLevel => {
  const provenMillis = Math.abs(skewOf(reading)) - errorOf(reading)
  return provenMillis >= maxSkewMillis ? "refused" : provenMillis >= warnSkewMillis ? "far" : "near"
}

const words = (reading: Reading): string => {
  const skew = skewOf(reading)
  const seconds = Math.round(Math.abs(skew) / 1_000)
  return `The clock of this process is ${seconds} s ${skew > 0 ? "ahead of" : "behind"} the database's`
}

const advice = "Synchronize the clocks of both machines (NTP)"

/** The check of a process's clock that a reading makes. Pure. */
const checkOfReading = (reading: Reading): Check => {
  const level = skewLevel(reading)
  if (level === "near") return checkOf("database clock")
  return level === "far"
    ? checkOf("database clock", undefined, { status: "warn", problem: words(reading), cure: advice })
    : checkOf("database clock", undefined, {
        status: "fail",
        problem: `${words(reading)}: this process takes no more work`,
        cure: `${advice}; then it continues by itself`
      })
}

/** Reads the database's clock, and the process's before and after. */
const read = (own: Clock.Clock, source: DatabaseClock): Effect.Effect<Reading, StoreError> =>
  Effect.suspend(() => {
    const before = instantOf(own)
    return Effect.map(source.nowMillis, (databaseMillis) => ({
      databaseMillis,
      before,
      after: instantOf(own)
    }))
  })

const reportLevel = (level: SkewLevel, reading: Reading): Effect.Effect<void> => {
  if (level === "near") return Effect.void
  const text = textOf(checkOfReading(reading))
  return level === "far" ? report("Warn", "clock_skewed", text) : report("Error", "clock_refused", text)
}

/** Refuses a call that takes a lease at a time; `undefined` lets it pass. */
type Guard = (operation: string, nowMillis: number) => Effect.Effect<void, StoreError> | undefined

/** Changes a store that the storage may lack. */
const ifGiven =
  <Id, Store>(key: Context.Key<Id, Store>, change: (store: Store) => Store) =>
  <Services>(stores: Context.Context<Services>): Context.Context<Services> =>
    Option.match(Context.getOption(stores, key), {
      onNone: () => stores,
      onSome: (store) => Context.add(stores, key, change(store))
    })

/** Puts a guard before the methods that take a lease, or delete what has none. */
const withGuard = (stores: Context.Context<Charges>, guard: Guard): Context.Context<Charges> => {
  const guarded = <A>(operation: string, nowMillis: number, call: Effect.Effect<A, StoreError>) =>
    Effect.suspend(() => {
      const refusal = guard(operation, nowMillis)
      return refusal === undefined ? call : Effect.andThen(refusal, call)
    })
  const charges = Context.get(stores, Charges)
  return stores.pipe(
    Context.add(Charges, {
      ...charges,
      claim: (charge, lease, nowMillis, limits) =>
        guarded("charges.claim", nowMillis, charges.claim(charge, lease, nowMillis, limits)),
      takeOver: (key, lease, nowMillis) =>
        guarded("charges.takeOver", nowMillis, charges.takeOver(key, lease, nowMillis)),
      releaseVoided: (keys, nowMillis) =>
        guarded("charges.releaseVoided", nowMillis, charges.releaseVoided(keys, nowMillis))
    }),
    ifGiven(Orders, (orders) => ({
      ...orders,
      take: (nowMillis, untilMillis, limit) =>
        guarded("orders.take", nowMillis, orders.take(nowMillis, untilMillis, limit))
    })),
    ifGiven(VaultPurchases, (purchases) => ({
      ...purchases,
      take: (nowMillis, untilMillis, limit) =>
        guarded("vaultPurchases.take", nowMillis, purchases.take(nowMillis, untilMillis, limit))
    }))
  )
}

const refused = (operation: string, reason: string): Effect.Effect<never, StoreError> =>
  Effect.fail(new StoreError({ operation, cause: new Error(reason) }))

/** Keeps the time of a database from its first reading on. */
const keepTime = Effect.fnUntraced(function* (own: Clock.Clock, source: DatabaseClock, first: Reading) {
  const time = new DatabaseTime(own, first)
  const turn = yield* Semaphore.make(1)
  let level: SkewLevel = "near"
  let latest = first
  const note = (reading: Reading): Effect.Effect<void> => {
    const previous = level
    latest = reading
    level = skewLevel(reading)
    return level === previous ? Effect.void : reportLevel(level, reading)
  }
  yield* note(first)
  const check = turn.withPermits(1)(
    Effect.flatMap(read(own, source), (reading) => {
      time.adopt(reading)
      return note(reading)
    }).pipe(
      Effect.catch(({ cause, operation }) =>
        report("Warn", "storage_failed", "The clock of the database could not be read", {
          operation,
          error: causeName(cause)
        })
      )
    )
  )
  const wrong = (operation: string) => refused(operation, "the clock of this process is wrong")
  const guard: Guard = (operation, nowMillis) => {
    if (!time.hasJumped) return level === "refused" ? wrong(operation) : undefined
    // After a sleep, the call's time is right; after the clock was set, the call may have taken a wrong one.
    return Effect.andThen(
      check,
      Effect.suspend(() => {
        if (level === "refused") return wrong(operation)
        const aheadMillis = nowMillis - time.currentTimeMillisUnsafe()
        const isRight = !time.hasJumped && Math.abs(aheadMillis) <= toleranceMillis
        return isRight ? Effect.void : refused(operation, "the clock of this process was set")
      })
    )
  }
  return { time, check, guard, lastCheck: () => checkOfReading(latest) }
})

const storesOf: (context: Context.Context<Charges>) => Context.Context<Charges> = Context.pick(
  Charges,
  Quotes,
  Orders,
  VaultItems,
  VaultPurchases
)

/**
 * The stores as they are given, on the clock of their storage if it has one: provides the `Clock` of the till then.
 *
 * Fails with `ConfigurationError` where the process's clock is `maxSkewMillis` off, with `StoreError` where the
 * database's can't be read.
 */
export const layer: Layer.Layer<Charges, ConfigurationError | StoreError, Charges> = Layer.effectContext(
  Effect.gen(function* () {
    const stores = storesOf(yield* Effect.context<Charges>())
    const source = yield* StoreClock
    if (source === undefined) return stores
    const own = yield* Clock.clockWith(Effect.succeed)
    const readings = yield* Effect.replicateEffect(read(own, source), startReadings)
    const [first] = readings.toSorted((left, right) => errorOf(left) - errorOf(right))
    if (skewLevel(first!) === "refused")
      return yield* new ConfigurationError({
        message: `storage: ${words(first!)}; up to ${maxSkewMillis / 1_000} s are allowed. ${advice}, and start again`
      })
    const { check, guard, lastCheck, time } = yield* keepTime(own, source, first!)
    return withGuard(stores, guard).pipe(
      Context.add(Clock.Clock, time),
      Context.add(StoreTime, { clock: time, check, lastCheck })
    )
  })
)
