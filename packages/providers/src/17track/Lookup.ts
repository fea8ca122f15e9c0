import { Clock, Effect, Result } from "effect"
import type { TrackQuery } from "@till402/core"
import { TimedOut } from "../upstream/UpstreamFault.ts"
import type { Calls, Known, Registered, Rejected } from "./Calls.ts"
import { fieldRequired, refusalOf, type TrackRefusal } from "./TrackRefusal.ts"
import { sameNumber } from "./Envelope.ts"
import { type FormatDate, type RegisterItem, registerItem, type Subject, subjectOf } from "./Registration.ts"
import type { RegistrationTags } from "./RegistrationTag.ts"
import { type CallFault, type ExtraField, mayBlameDate, meaningOf } from "./Rejection.ts"
import { type FindCarrier, hasNews, isInvalid, type Shipment, unknownShipment } from "./Shipment.ts"
import { mayBeStopped, RecentlyResumed } from "./Stopped.ts"

export type LookupError = TrackRefusal | CallFault

export interface LookupSettings {
  readonly calls: Calls
  readonly findCarrier: FindCarrier
  /** Formats of a ship date, tried in this order. */
  readonly dateFormats: ReadonlyArray<FormatDate>
  readonly language: string
  readonly tags: RegistrationTags
  /** Time limit of a whole lookup. */
  readonly deadlineMillis: number
  /** How long to wait for the first news of a newly registered number. */
  readonly firstNewsMillis: number
}

/** A shipment, and the carrier that its number is registered with. */
export interface Found {
  readonly carrier: number | null
  readonly shipment: Shipment
}

/** Side effects of a lookup. Once quota may be spent, it must not fail. */
interface Progress {
  /** Whether a registration is in flight or accepted, so that quota may be spent. */
  maySpend: boolean
  carrier: number | null
}

/** Pauses between polls of a newly registered number; the last one repeats. */
const pollSeconds = [1, 2, 3, 5]
const maxRegistrations = 5

const unchanged: FormatDate = (date) => date

type Reply = Known | Rejected

/** A number that is polled for its first news. */
interface PolledNumber {
  /** Its carrier; null if unknown. */
  readonly carrier: number | null
  /** Whether this lookup registered it, with its caller's data. */
  readonly isOurs: boolean
}

const subjectAt = ({ number }: TrackQuery, carrier: number | null): Subject =>
  carrier === null ? { number } : { number, carrier }

/** Drops the matcher, which contains the registered data. */
const plain = ({ carrier, shipment }: Known): Found => ({ carrier, shipment })

/**
 * Looks up a number. A number that the provider doesn't know is registered and polled for its first news.
 *
 * Once a registration may have spent quota, the result is a shipment, perhaps one that is not found yet.
 */
export const makeLookup = (
  settings: LookupSettings
): ((query: TrackQuery) => Effect.Effect<Found, LookupError>) => {
  const { calls, dateFormats, deadlineMillis, findCarrier, firstNewsMillis, language, tags } = settings
  const resumed = new RecentlyResumed()
  // Newly registered numbers that are being polled. Their registration must not be replaced.
  const polling = new Map<string, number>()

  const notFoundYet = (carrier: number | null): Found => ({
    carrier,
    shipment: unknownShipment(carrier, findCarrier)
  })

  /** Returns the registered shipment to callers who sent the data that the carrier requires. */
  const disclose = (known: Known, query: TrackQuery): Effect.Effect<Found, TrackRefusal> => {
    const match = known.match(query)
    if (match._tag === "Lacks") return Effect.fail(fieldRequired([match.field], query))
    // Like the carrier itself: wrong data finds nothing.
    if (match._tag === "Differs") return Effect.succeed(notFoundYet(known.carrier))
    return Effect.succeed(plain(known))
  }

  const poll = Effect.fnUntraced(function* (query: TrackQuery, polled: PolledNumber, until: number) {
    const subject = subjectAt(query, polled.carrier)
    let carrier = polled.carrier
    for (let round = 0; ; round++) {
      const pauseMillis = 1_000 * pollSeconds[Math.min(round, pollSeconds.length - 1)]!
      const left = until - (yield* Clock.currentTimeMillis) - pauseMillis
      if (left <= 0) return notFoundYet(carrier)
      yield* Effect.sleep(pauseMillis)
      const reply: Result.Result<Reply | undefined, CallFault> = yield* calls
        .trackInfo(subject)
        .pipe(
          Effect.timeoutOrElse({ duration: left, orElse: () => Effect.succeed(undefined) }),
          Effect.result
        )
      // A failed poll is repeated: the quota is spent, and news may still come.
      if (Result.isFailure(reply)) yield* Effect.logWarning("17track failed a poll", reply.failure._tag)
      else if (reply.success?._tag === "Known") {
        carrier = reply.success.carrier ?? carrier
        if (!hasNews(reply.success.shipment) && !isInvalid(reply.success.shipment)) continue
        return polled.isOurs ? plain(reply.success) : yield* disclose(reply.success, query)
      }
    }
  })

  const awaitNews = (query: TrackQuery, polled: PolledNumber) => {
    const key = query.number.toUpperCase()
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      polling.set(key, (polling.get(key) ?? 0) + 1)
      return Effect.ensuring(
        poll(query, polled, now + firstNewsMillis),
        Effect.sync(() => {
          const others = polling.get(key)! - 1
          if (others === 0) polling.delete(key)
          else polling.set(key, others)
        })
      )
    })
  }

  /** Resolves a registration with an unknown outcome: either the provider knows the number, or not. */
  const resolveUnknownRegistration = (query: TrackQuery, fault: CallFault, progress: Progress) =>
    Effect.gen(function* () {
      const reply = yield* Effect.result(calls.trackInfo(subjectOf(query)))
      if (Result.isFailure(reply)) return notFoundYet(null)
      if (reply.success._tag === "Rejected" && meaningOf(reply.success.rejection)._tag === "NotRegistered") {
        progress.maySpend = false
        return yield* Effect.fail(fault)
      }
      return yield* awaitNews(query, { carrier: query.carrier ?? null, isOurs: false })
    })

  const register = (item: RegisterItem, progress: Progress) =>
    Effect.result(
      calls.register(item, () => {
        progress.maySpend = true
      })
    )

  /** Registers a number, adding the fields that the carrier requires, and waits for its first news. */
  const registerAndWait = Effect.fnUntraced(function* (
    query: TrackQuery,
    given: ReadonlySet<ExtraField>,
    progress: Progress
  ) {
    let fields = given
    let format = 0
    for (let round = 1; ; round++) {
      const formatDate = dateFormats[format] ?? unchanged
      const item = registerItem(query, fields, { formatDate, language, tags })
      const reply: Result.Result<Registered | Rejected, CallFault> = yield* register(item, progress)
      if (Result.isFailure(reply)) {
        if (!isOutcomeUnknown(reply.failure)) {
          progress.maySpend = false
          return yield* Effect.fail(reply.failure)
        }
        return yield* resolveUnknownRegistration(query, reply.failure, progress)
      }
      if (reply.success._tag === "Registered") {
        progress.carrier = reply.success.carrier ?? query.carrier ?? null
        resumed.note(sameNumber(query.number), yield* Clock.currentTimeMillis)
        return yield* awaitNews(query, { carrier: progress.carrier, isOurs: true })
      }
      const { rejection } = reply.success
      const meaning = meaningOf(rejection)
      // Registered by another caller just now, or by an attempt of this call whose response was lost.
      if (meaning._tag === "AlreadyRegistered") {
        return yield* awaitNews(query, { carrier: null, isOurs: false })
      }
      progress.maySpend = false
      if (item.ship_date !== undefined && mayBlameDate(rejection) && format + 1 < dateFormats.length) {
        format += 1
        continue
      }
      if (meaning._tag !== "NeedsFields") return yield* Effect.fail(refusalOf(meaning, rejection, query))
      const wanted = meaning.fields
      const isNew = wanted.some((name) => !fields.has(name))
      if (!isNew || wanted.some((name) => query[name] === undefined) || round === maxRegistrations) {
        return yield* Effect.fail(fieldRequired(wanted, query))
      }
      fields = new Set([...fields, ...wanted])
    }
  })

  /** Registers a number again that was registered with other data and has no news. */
  const replace = Effect.fnUntraced(function* (known: Known, query: TrackQuery, progress: Progress) {
    if (polling.has(query.number.toUpperCase())) return notFoundYet(known.carrier)
    const forgotten = yield* calls.forget(subjectAt(query, known.carrier))
    if (forgotten._tag === "Rejected") return notFoundYet(known.carrier)
    return yield* registerAndWait(query, allGiven(query), progress)
  })

  /** Resumes a shipment that the provider may have stopped tracking. Old news is returned at once. */
  const resume = Effect.fnUntraced(function* (known: Known, query: TrackQuery) {
    const now = yield* Clock.currentTimeMillis
    if (!mayBeStopped(known.shipment, now) || !resumed.take(sameNumber(query.number), now)) {
      return plain(known)
    }
    const reply = yield* Effect.result(calls.resume(subjectAt(query, known.carrier)))
    const isResumed = Result.isSuccess(reply) && reply.success._tag === "Registered"
    return isResumed && !hasNews(known.shipment)
      ? yield* awaitNews(query, { carrier: known.carrier, isOurs: false })
      : plain(known)
  })

  /** Moves a number without news from another carrier to the given one, which is free; `undefined`: not possible. */
  const moveCarrier = Effect.fnUntraced(function* (query: TrackQuery) {
    if (query.carrier === undefined || polling.has(query.number.toUpperCase())) return undefined
    const elsewhere = yield* Effect.result(calls.trackInfo({ number: query.number }))
    if (Result.isFailure(elsewhere) || elsewhere.success._tag === "Rejected") return undefined
    const { carrier, match, shipment } = elsewhere.success
    if (carrier === null || hasNews(shipment) || match(query)._tag !== "Same") return undefined
    const change = { number: query.number, carrier_old: carrier, carrier_new: query.carrier }
    const reply = yield* Effect.result(calls.changeCarrier(change))
    return Result.isSuccess(reply) && reply.success._tag === "Registered"
      ? yield* awaitNews(query, { carrier: query.carrier, isOurs: false })
      : undefined
  })

  const lookUp = Effect.fnUntraced(function* (query: TrackQuery, progress: Progress) {
    const reply = yield* calls.trackInfo(subjectOf(query))
    if (reply._tag === "Known") {
      const match = reply.match(query)
      const mayReplace = match._tag === "Differs" || match._tag === "Adds"
      if (mayReplace && !hasNews(reply.shipment)) return yield* replace(reply, query, progress)
      return match._tag === "Same" ? yield* resume(reply, query) : yield* disclose(reply, query)
    }
    const { rejection } = reply
    const meaning = meaningOf(rejection)
    if (meaning._tag !== "NotRegistered") return yield* Effect.fail(refusalOf(meaning, rejection, query))
    return (yield* moveCarrier(query)) ?? (yield* registerAndWait(query, initialFields, progress))
  })

  return (query) =>
    Effect.suspend(() => {
      const progress: Progress = { maySpend: false, carrier: null }
      return Effect.timeoutOrElse(lookUp(query, progress), {
        duration: deadlineMillis,
        orElse: () =>
          progress.maySpend
            ? Effect.succeed(notFoundYet(progress.carrier))
            : Effect.fail(new TimedOut({ upstream: "17track", timeoutMillis: deadlineMillis }))
      })
    })
}

/** A tax id is always sent, because no error requests it. Other fields are sent only when requested. */
const initialFields: ReadonlySet<ExtraField> = new Set<ExtraField>(["cpfOrCnpj"])

const extraFields = [
  "destinationPostalCode",
  "destinationCountry",
  "shipDate",
  "phone",
  "cpfOrCnpj"
] as const satisfies ReadonlyArray<ExtraField>

const allGiven = (query: TrackQuery): ReadonlySet<ExtraField> =>
  new Set(extraFields.filter((name) => query[name] !== undefined))

/** Whether the provider may have executed the request. */
const isOutcomeUnknown = (fault: CallFault): boolean => {
  switch (fault._tag) {
    case "ProviderRefusal":
    case "Overloaded":
    case "CircuitOpen":
    case "RateLimited":
      return false
    case "Rejected":
      return fault.status >= 500 || fault.status === 408
    default:
      return true
  }
}
