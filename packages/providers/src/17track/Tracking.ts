import { Clock, Deferred, Effect, Exit, Option, type Redacted } from "effect"
import type { TrackQuery, TrackResult } from "@till402/core"
import { NoTrackingInfo, readBytes } from "@till402/core/effect"
import { Overloaded } from "../upstream/UpstreamFault.ts"
import { cacheKey, TrackingCache, type Outcome } from "./TrackingCache.ts"
import { carrierCode, field } from "./Document.ts"
import { lifetimeMillis, refusalMillis } from "./Lifetimes.ts"
import type { Found } from "./FirstNews.ts"
import type { LookupError } from "./Lookup.ts"
import { isSigned, maxBodyBytes, type Notification, readNotification, signHeader } from "./Notification.ts"
import { type FindCarrier, isAsked, readShipment, resultAt } from "./Shipment.ts"

export interface TrackingSettings {
  readonly apiKey: Redacted.Redacted<string>
  readonly lookUp: (query: TrackQuery) => Effect.Effect<Found, LookupError>
  readonly findCarrier: FindCarrier
  /** Maximum number of cached lookups. */
  readonly cacheCapacity: number
  /** What one unit of quota costs, in US dollars. */
  readonly unitCostUsd?: number | undefined
}

/**
 * Whether the carriers that were asked don't know the number; with wrong data, nobody may learn that they do. While the
 * provider hasn't asked them yet, the number is known, and waits.
 */
const isUnknown = ({ isWithheld = false, shipment }: Found): boolean =>
  !shipment.result.found && (isWithheld || isAsked(shipment))

/** Maximum lookups in flight. */
const maxInFlight = 10_000

/** Refusals that depend only on the query, so that a retry would fail the same way. */
const refusals: ReadonlySet<string> = new Set([
  "AdditionalFieldRequired",
  "CarrierNotDetected",
  "InvalidCarrier",
  "InvalidTrackingNumber",
  "NoTrackingInfo"
] satisfies ReadonlyArray<LookupError["_tag"]>)

const expiryOf = (outcome: Outcome): number => {
  if (Exit.isSuccess(outcome)) return lifetimeMillis(outcome.value)
  const error = Exit.findErrorOption(outcome)
  return Option.isSome(error) && refusals.has(error.value._tag) ? refusalMillis : 0
}

/**
 * Lookups with a cache. Concurrent lookups of the same query share one request, and webhooks update the
 * cache.
 */
export class Tracking {
  private readonly settings: TrackingSettings
  private readonly keyOf: (query: TrackQuery) => string
  private readonly cache: TrackingCache
  private readonly inFlight = new Map<string, Deferred.Deferred<Found, LookupError>>()

  constructor(settings: TrackingSettings) {
    this.settings = settings
    this.keyOf = cacheKey(settings.apiKey)
    this.cache = new TrackingCache(settings.cacheCapacity)
  }

  track(query: TrackQuery): Effect.Effect<TrackResult, LookupError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const key = this.keyOf(query)
      const cached = this.cache.get(key, now)
      return Effect.flatMap(cached ?? this.join(key, query), (found) => {
        const { hasSpent = false, shipment } = found
        if (isUnknown(found)) return Effect.fail(this.unknown(cached === undefined && hasSpent))
        return Effect.map(Clock.currentTimeMillis, (then) => resultAt(shipment, query.number, then))
      })
    })
  }

  private unknown(hasSpent: boolean): NoTrackingInfo {
    const { unitCostUsd } = this.settings
    // Without a price, the till counts that of its own call.
    const cost = hasSpent ? (unitCostUsd === undefined ? {} : { costUsd: unitCostUsd }) : { costUsd: 0 }
    return new NoTrackingInfo({
      message: "No carrier that was asked knows this tracking number yet.",
      ...cost
    })
  }

  /** Joins the lookup of this query, or starts it. It continues if its callers stop waiting. */
  private join(key: string, query: TrackQuery): Effect.Effect<Found, LookupError> {
    const flight = this.inFlight.get(key)
    if (flight !== undefined) return Deferred.await(flight)
    if (this.inFlight.size >= maxInFlight) return Effect.fail(new Overloaded({ upstream: "17track" }))
    const started = Deferred.makeUnsafe<Found, LookupError>()
    this.inFlight.set(key, started)
    const flown = Effect.onExit(this.settings.lookUp(query), (outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const millis = expiryOf(outcome)
        if (millis > 0) this.cache.set(key, outcome, now + millis)
        this.inFlight.delete(key)
        return Deferred.done(started, outcome)
      })
    )
    return Effect.andThen(Effect.forkDetach(flown), Deferred.await(started))
  }

  /** Handles a webhook. Responds with 401 for a wrong signature; after a 200 the provider doesn't resend it. */
  webhook(request: Request): Effect.Effect<Response> {
    return Effect.gen({ self: this }, function* () {
      if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } })
      const { body: sent } = request
      const body = yield* Effect.result(
        Effect.tryPromise(async () => (sent === null ? new Uint8Array() : readBytes(sent, maxBodyBytes)))
      )
      if (body._tag === "Failure") return new Response(null, { status: 400 })
      if (body.success === undefined) return new Response(null, { status: 413 })
      if (!isSigned(body.success, request.headers.get(signHeader), this.settings.apiKey)) {
        return new Response(null, { status: 401 })
      }
      const notification = readNotification(body.success)
      if (notification === undefined) return new Response(null, { status: 400 })
      yield* this.apply(notification)
      return new Response(null, { status: 200 })
    })
  }

  /**
   * Updates the cached lookups of a shipment. Adds none: each cached lookup passed the carrier's checks, which
   * a webhook doesn't prove.
   */
  private apply(notification: Notification): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      if (notification._tag === "Other") return
      const carrier =
        notification._tag === "Stopped"
          ? notification.carrier
          : carrierCode(field(notification.item, "carrier"))
      for (const [key, outcome] of this.cache.ofNumber(notification.number)) {
        if (Exit.isFailure(outcome)) {
          this.cache.forget(key)
          continue
        }
        const known = outcome.value
        if (known.carrier !== null && carrier !== null && known.carrier !== carrier) continue
        if (notification._tag === "Stopped" || !known.shipment.result.found) {
          // The next lookup makes the provider check the caller's data.
          this.cache.forget(key)
          continue
        }
        const shipment = readShipment(notification.item, this.settings.findCarrier)
        // Webhooks may be repeated, reordered or replayed.
        if ((shipment.lastUpdate ?? 0) < (known.shipment.lastUpdate ?? 0)) continue
        const found: Found = { carrier: known.carrier, shipment }
        this.cache.set(key, Exit.succeed(found), now + lifetimeMillis(found))
      }
    })
  }
}
