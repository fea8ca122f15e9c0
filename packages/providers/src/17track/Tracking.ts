import { Clock, Deferred, Effect, Exit, Option, type Redacted } from "effect"
import type { TrackQuery, TrackResult } from "@till402/core"
import { Overloaded } from "../upstream/UpstreamFault.ts"
import { answerKey, Answers, type Outcome } from "./Answers.ts"
import { carrierCode, field } from "./Document.ts"
import { lifetimeMillis, refusalMillis } from "./Lifetimes.ts"
import type { Found, LookupError } from "./Lookup.ts"
import { readBody } from "../upstream/WebhookBody.ts"
import { isSigned, maxBodyBytes, type Notification, readNotification, signHeader } from "./Notification.ts"
import { type FindCarrier, readShipment, resultAt } from "./Shipment.ts"

export interface TrackingSettings {
  readonly apiKey: Redacted.Redacted<string>
  readonly lookUp: (query: TrackQuery) => Effect.Effect<Found, LookupError>
  readonly findCarrier: FindCarrier
  /** Lookups whose outcome is remembered at most. */
  readonly cacheCapacity: number
}

/** Lookups that are under way at most. */
const maxFlights = 10_000

/** Refusals that follow from the question, and would be the same if it were asked again. */
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
 * Lookups as callers see them: the same question is asked once at a time and remembered for a while, and
 * what webhooks tell is taken up.
 */
export class Tracking {
  private readonly settings: TrackingSettings
  private readonly keyOf: (query: TrackQuery) => string
  private readonly answers: Answers
  private readonly flights = new Map<string, Deferred.Deferred<Found, LookupError>>()

  constructor(settings: TrackingSettings) {
    this.settings = settings
    this.keyOf = answerKey(settings.apiKey)
    this.answers = new Answers(settings.cacheCapacity)
  }

  track(query: TrackQuery): Effect.Effect<TrackResult, LookupError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const key = this.keyOf(query)
      const outcome = this.answers.get(key, now) ?? this.fly(key, query)
      return Effect.flatMap(outcome, ({ shipment }) =>
        Effect.map(Clock.currentTimeMillis, (then) => resultAt(shipment, query.number, then))
      )
    })
  }

  /** Joins the lookup of this question, or starts it. It goes on when those who wait for it go away. */
  private fly(key: string, query: TrackQuery): Effect.Effect<Found, LookupError> {
    const flight = this.flights.get(key)
    if (flight !== undefined) return Deferred.await(flight)
    if (this.flights.size >= maxFlights) return Effect.fail(new Overloaded({ upstream: "17track" }))
    const started = Deferred.makeUnsafe<Found, LookupError>()
    this.flights.set(key, started)
    const flown = Effect.onExit(this.settings.lookUp(query), (outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const millis = expiryOf(outcome)
        if (millis > 0) this.answers.set(key, outcome, now + millis)
        this.flights.delete(key)
        return Deferred.done(started, outcome)
      })
    )
    return Effect.andThen(Effect.forkDetach(flown), Deferred.await(started))
  }

  /** Takes up a webhook. 401 without the right signature; 200 tells the provider not to send it again. */
  webhook(request: Request): Effect.Effect<Response> {
    return Effect.gen({ self: this }, function* () {
      if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } })
      const body = yield* Effect.result(Effect.tryPromise(() => readBody(request, maxBodyBytes)))
      if (body._tag === "Failure") return new Response(null, { status: 400 })
      if (body.success === undefined) return new Response(null, { status: 413 })
      if (!isSigned(body.success, request.headers.get(signHeader), this.settings.apiKey)) {
        return new Response(null, { status: 401 })
      }
      const notification = readNotification(body.success)
      if (notification === undefined) return new Response(null, { status: 400 })
      yield* this.take(notification)
      return new Response(null, { status: 200 })
    })
  }

  /**
   * Refreshes what is remembered of a shipment. Nothing is remembered anew: each of these lookups passed
   * the carrier's checks when it was made, and a webhook names nobody who did.
   */
  private take(notification: Notification): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      if (notification._tag === "Other") return
      const carrier =
        notification._tag === "Stopped"
          ? notification.carrier
          : carrierCode(field(notification.item, "carrier"))
      for (const [key, outcome] of this.answers.ofNumber(notification.number)) {
        if (Exit.isFailure(outcome)) {
          this.answers.forget(key)
          continue
        }
        const known = outcome.value
        if (known.carrier !== null && carrier !== null && known.carrier !== carrier) continue
        if (notification._tag === "Stopped" || !known.shipment.result.found) {
          // Asked again, the provider checks what a young lookup was not told yet.
          this.answers.forget(key)
          continue
        }
        const shipment = readShipment(notification.item, this.settings.findCarrier)
        // Webhooks are repeated and come out of order, and an old one may be played back.
        if ((shipment.lastUpdate ?? 0) < (known.shipment.lastUpdate ?? 0)) continue
        const found: Found = { carrier: known.carrier, shipment }
        this.answers.set(key, Exit.succeed(found), now + lifetimeMillis(found))
      }
    })
  }
}
