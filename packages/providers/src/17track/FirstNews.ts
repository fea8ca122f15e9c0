import { Clock, Effect, Result } from "effect"
import type { TrackQuery } from "@till402/core"
import type { Calls, Known, Rejected } from "./Calls.ts"
import type { Subject } from "./Registration.ts"
import type { CallFault } from "./Rejection.ts"
import { type FindCarrier, hasNews, isAsked, type Shipment, unknownShipment } from "./Shipment.ts"
import { fieldRequired, type TrackRefusal } from "./TrackRefusal.ts"

/** A shipment, and the carrier that its number is registered with. */
export interface Found {
  readonly carrier: number | null
  readonly shipment: Shipment
  /** The number is known, but not by the data that was sent: like the carrier itself, this finds nothing. */
  readonly isWithheld?: boolean
  /** Whether the lookup has spent quota. */
  readonly hasSpent?: boolean
}

/** Pauses between polls of a newly registered number; the last one repeats. */
const pollSeconds = [1, 2, 3, 5]

type Reply = Known | Rejected

/** A number that is polled for its first news. */
interface PolledNumber {
  /** Its carrier; null if unknown. */
  readonly carrier: number | null
  /** Whether this lookup registered it, with its caller's data. */
  readonly isOurs: boolean
}

export interface FirstNewsSettings {
  readonly calls: Calls
  readonly findCarrier: FindCarrier
  /** How long to wait for the first news of a newly registered number. */
  readonly firstNewsMillis: number
}

export const subjectAt = ({ number }: TrackQuery, carrier: number | null): Subject =>
  carrier === null ? { number } : { number, carrier }

/** Drops the matcher, which contains the registered data. */
export const plain = ({ carrier, shipment }: Known): Found => ({ carrier, shipment })

/** Polls newly registered numbers for their first news. */
export class FirstNews {
  private readonly settings: FirstNewsSettings
  /** Newly registered numbers that are being polled. Their registration must not be replaced. */
  private readonly polling = new Map<string, number>()

  constructor(settings: FirstNewsSettings) {
    this.settings = settings
  }

  isPolling({ number }: TrackQuery): boolean {
    return this.polling.has(number.toUpperCase())
  }

  notFoundYet(carrier: number | null): Found {
    return { carrier, shipment: unknownShipment(carrier, this.settings.findCarrier) }
  }

  /** Returns the registered shipment to callers who sent the data that the carrier requires. */
  disclose(known: Known, query: TrackQuery): Effect.Effect<Found, TrackRefusal> {
    const match = known.match(query)
    if (match._tag === "Lacks") return Effect.fail(fieldRequired([match.field], query))
    // Like the carrier itself: wrong data finds nothing.
    if (match._tag === "Differs")
      return Effect.succeed({ ...this.notFoundYet(known.carrier), isWithheld: true })
    return Effect.succeed(plain(known))
  }

  /** Waits for the first news of a number; without any, it is not found yet. */
  wait(query: TrackQuery, polled: PolledNumber): Effect.Effect<Found, TrackRefusal> {
    const { polling } = this
    const key = query.number.toUpperCase()
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      polling.set(key, (polling.get(key) ?? 0) + 1)
      return Effect.ensuring(
        this.poll(query, polled, now + this.settings.firstNewsMillis),
        Effect.sync(() => {
          const others = polling.get(key)! - 1
          if (others === 0) polling.delete(key)
          else polling.set(key, others)
        })
      )
    })
  }

  private readonly poll = Effect.fnUntraced(
    { self: this },
    function* (
      query: TrackQuery,
      polled: PolledNumber,
      until: number
    ): Effect.fn.Return<Found, TrackRefusal> {
      const subject = subjectAt(query, polled.carrier)
      let carrier = polled.carrier
      for (let round = 0; ; round++) {
        const pauseMillis = 1_000 * pollSeconds[Math.min(round, pollSeconds.length - 1)]!
        const left = until - (yield* Clock.currentTimeMillis) - pauseMillis
        if (left <= 0) return this.notFoundYet(carrier)
        yield* Effect.sleep(pauseMillis)
        const reply: Result.Result<Reply | undefined, CallFault> = yield* this.settings.calls
          .trackInfo(subject)
          .pipe(
            Effect.timeoutOrElse({ duration: left, orElse: () => Effect.succeed(undefined) }),
            Effect.result
          )
        // A failed poll is repeated: the quota is spent, and news may still come.
        if (Result.isFailure(reply)) yield* Effect.logWarning("17track failed a poll", reply.failure._tag)
        else if (reply.success?._tag === "Known") {
          carrier = reply.success.carrier ?? carrier
          const { shipment } = reply.success
          if (!hasNews(shipment) && !isAsked(shipment)) continue
          return polled.isOurs ? plain(reply.success) : yield* this.disclose(reply.success, query)
        }
      }
    }
  )
}
