import { Clock, Data, Deferred, Effect } from "effect"
import type { TrackQuery, TrackResult } from "../goods/Tracking.ts"
import { ExpiringMap } from "../../runtime/ExpiringMap.ts"
import { SpanCounts } from "../../runtime/SpanCounts.ts"
import { NoTrackingInfo, type TrackRefusal, type UpstreamError } from "./PortErrors.ts"

/** The number was looked up too often with data that doesn't fit it (429 `RATE_LIMITED`). */
export class TooManyLookups extends Data.TaggedError("TooManyLookups")<{
  readonly retryAfterSeconds: number
}> {}

/** Carriers write numbers with spaces and hyphens, or without. */
export const lettersAndDigits = (number: string): string =>
  number.replaceAll(/[^A-Za-z0-9]/g, "").toUpperCase()

const hourMillis = 3_600_000
const capacity = 10_000
/** Look-ups in an hour that found nothing: of one number by one payer, who may guess a phone number, and by all. */
const maxFruitless = { ofPayer: 10, ofAll: 50 }

type LookupError = TrackRefusal | UpstreamError
type LookUp = (query: TrackQuery) => Effect.Effect<TrackResult, LookupError>

/** A query without differences in notation. Kept in memory only. */
const keyOf = (payer: string, { number, ...data }: TrackQuery): string =>
  JSON.stringify([
    payer,
    lettersAndDigits(number),
    ...Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1))
  ])

/** The same again costs nothing. */
const again = ({ message }: NoTrackingInfo) => new NoTrackingInfo({ message, costUsd: 0 })

/** What comes of a look-up that another call has sent. */
const shared = (outcome: Deferred.Deferred<TrackResult, LookupError>) =>
  Effect.mapError(Deferred.await(outcome), (error) =>
    error._tag === "NoTrackingInfo" ? again(error) : error
  )

/**
 * Bounds what look-ups that find nothing cost: they aren't charged.
 *
 * A payer's query isn't sent upstream again within an hour of a `NoTrackingInfo`, and a number is looked up at most ten
 * times in an hour with other data of one payer that finds nothing, fifty times with that of all. A payer's queries that are
 * the same at the same time are sent once, and share what comes of it. What one payer asks spoils no other's response. One
 * process; bounded.
 */
export const boundedLookups = (lookUp: LookUp) => {
  const unknown = new ExpiringMap<string, NoTrackingInfo>({ capacity, lifetimeMillis: hourMillis })
  const fruitless = new SpanCounts({ maxKeys: capacity, spanMillis: hourMillis })
  const running = new Map<string, Deferred.Deferred<TrackResult, LookupError>>()

  const remember = (key: string, error: LookupError) =>
    Effect.map(Clock.currentTimeMillis, (nowMillis) => {
      if (error._tag !== "NoTrackingInfo") return
      unknown.set(key, again(error), nowMillis)
    })

  const start = Effect.fnUntraced(function* (
    query: TrackQuery,
    payer: string,
    key: string,
    nowMillis: number
  ) {
    const number = lettersAndDigits(query.number)
    const counts = [
      { name: `${payer} ${number}`, most: maxFruitless.ofPayer },
      { name: number, most: maxFruitless.ofAll }
    ]
    for (const { most, name } of counts) {
      const span = fruitless.find(name, nowMillis)
      if (span !== undefined && span.count >= most)
        return yield* new TooManyLookups({
          retryAfterSeconds: Math.ceil((span.untilMillis - nowMillis) / 1000)
        })
    }
    // Counted before it is sent, and taken back unless it finds nothing: guesses may be sent all at once.
    for (const { name } of counts) fruitless.add(name, nowMillis)
    const outcome = Deferred.makeUnsafe<TrackResult, LookupError>()
    running.set(key, outcome)
    const sent = Effect.tapError(lookUp(query), (error) => remember(key, error))
    return yield* Effect.onExit(sent, (exit) => {
      running.delete(key)
      if (unknown.get(key, nowMillis) === undefined)
        for (const { name } of counts) fruitless.remove(name, nowMillis)
      return Deferred.done(outcome, exit)
    })
  })

  return (query: TrackQuery, payer: string): Effect.Effect<TrackResult, LookupError | TooManyLookups> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const key = keyOf(payer, query)
      const known = unknown.get(key, nowMillis)
      if (known !== undefined) return Effect.fail(known)
      const outcome = running.get(key)
      return outcome === undefined ? start(query, payer, key, nowMillis) : shared(outcome)
    })
}
