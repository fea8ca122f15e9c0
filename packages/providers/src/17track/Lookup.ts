import { Clock, Effect, Result } from "effect"
import type { TrackQuery } from "@till402/core"
import { TimedOut } from "../upstream/UpstreamFault.ts"
import type { Known, Registered, Rejected } from "./Calls.ts"
import { fieldRequired, refusalOf, type TrackRefusal } from "./TrackRefusal.ts"
import { sameNumber } from "./Envelope.ts"
import { FirstNews, type FirstNewsSettings, type Found, plain, subjectAt } from "./FirstNews.ts"
import { type FormatDate, type RegisterItem, registerItem, subjectOf } from "./Registration.ts"
import type { RegistrationTags } from "./RegistrationTag.ts"
import { type CallFault, type ExtraField, mayBlameDate, meaningOf } from "./Rejection.ts"
import { hasNews } from "./Shipment.ts"
import { mayBeStopped, RecentlyResumed } from "./Stopped.ts"

export type LookupError = TrackRefusal | CallFault

export interface LookupSettings extends FirstNewsSettings {
  /** Formats of a ship date, tried in this order. */
  readonly dateFormats: ReadonlyArray<FormatDate>
  readonly language: string
  readonly tags: RegistrationTags
  /** Time limit of a whole lookup. */
  readonly deadlineMillis: number
}

/** Side effects of a lookup. Once quota may be spent, it must not fail. */
interface Progress {
  /** Whether a registration is in flight or accepted, so that quota may be spent. */
  maySpend: boolean
  carrier: number | null
}

const maxRegistrations = 5

const unchanged: FormatDate = (date) => date

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

/**
 * Looks up numbers. A number that the provider doesn't know is registered and polled for its first news.
 *
 * Once a registration may have spent quota, the result is a shipment, perhaps one that is not found yet.
 */
export class Lookup {
  private readonly settings: LookupSettings
  private readonly news: FirstNews
  private readonly resumed = new RecentlyResumed()

  constructor(settings: LookupSettings) {
    this.settings = settings
    this.news = new FirstNews(settings)
  }

  lookUp(query: TrackQuery): Effect.Effect<Found, LookupError> {
    const { deadlineMillis } = this.settings
    return Effect.suspend(() => {
      const progress: Progress = { maySpend: false, carrier: null }
      return Effect.timeoutOrElse(this.lookUpWith(query, progress), {
        duration: deadlineMillis,
        orElse: () =>
          progress.maySpend
            ? Effect.succeed(this.news.notFoundYet(progress.carrier))
            : Effect.fail(new TimedOut({ upstream: "17track", timeoutMillis: deadlineMillis }))
      })
    })
  }

  private readonly lookUpWith = Effect.fnUntraced(
    { self: this },
    function* (query: TrackQuery, progress: Progress) {
      const reply = yield* this.settings.calls.trackInfo(subjectOf(query))
      if (reply._tag === "Known") {
        const match = reply.match(query)
        const mayReplace = match._tag === "Differs" || match._tag === "Adds"
        if (mayReplace && !hasNews(reply.shipment)) return yield* this.replace(reply, query, progress)
        return match._tag === "Same"
          ? yield* this.resume(reply, query)
          : yield* this.news.disclose(reply, query)
      }
      const { rejection } = reply
      const meaning = meaningOf(rejection)
      if (meaning._tag !== "NotRegistered") return yield* Effect.fail(refusalOf(meaning, rejection, query))
      return (yield* this.moveCarrier(query)) ?? (yield* this.registerAndWait(query, initialFields, progress))
    }
  )

  /** Registers a number again that was registered with other data and has no news. */
  private readonly replace = Effect.fnUntraced(
    { self: this },
    function* (known: Known, query: TrackQuery, progress: Progress) {
      if (this.news.isPolling(query)) return this.news.notFoundYet(known.carrier)
      const forgotten = yield* this.settings.calls.forget(subjectAt(query, known.carrier))
      if (forgotten._tag === "Rejected") return this.news.notFoundYet(known.carrier)
      return yield* this.registerAndWait(query, allGiven(query), progress)
    }
  )

  /** Resumes a shipment that the provider may have stopped tracking. Old news is returned at once. */
  private readonly resume = Effect.fnUntraced({ self: this }, function* (known: Known, query: TrackQuery) {
    const now = yield* Clock.currentTimeMillis
    if (!mayBeStopped(known.shipment, now) || !this.resumed.take(sameNumber(query.number), now)) {
      return plain(known)
    }
    const reply = yield* Effect.result(this.settings.calls.resume(subjectAt(query, known.carrier)))
    const isResumed = Result.isSuccess(reply) && reply.success._tag === "Registered"
    return isResumed && !hasNews(known.shipment)
      ? yield* this.news.wait(query, { carrier: known.carrier, isOurs: false })
      : plain(known)
  })

  /** Moves a number without news from another carrier to the given one, which is free; `undefined`: not possible. */
  private readonly moveCarrier = Effect.fnUntraced({ self: this }, function* (query: TrackQuery) {
    if (query.carrier === undefined || this.news.isPolling(query)) return undefined
    const elsewhere = yield* Effect.result(this.settings.calls.trackInfo({ number: query.number }))
    if (Result.isFailure(elsewhere) || elsewhere.success._tag === "Rejected") return undefined
    const { carrier, match, shipment } = elsewhere.success
    if (carrier === null || hasNews(shipment) || match(query)._tag !== "Same") return undefined
    const change = { number: query.number, carrier_old: carrier, carrier_new: query.carrier }
    const reply = yield* Effect.result(this.settings.calls.changeCarrier(change))
    return Result.isSuccess(reply) && reply.success._tag === "Registered"
      ? yield* this.news.wait(query, { carrier: query.carrier, isOurs: false })
      : undefined
  })

  /** Registers a number, adding the fields that the carrier requires, and waits for its first news. */
  private readonly registerAndWait = Effect.fnUntraced(
    { self: this },
    function* (query: TrackQuery, given: ReadonlySet<ExtraField>, progress: Progress) {
      const { dateFormats, language, tags } = this.settings
      let fields = given
      let format = 0
      for (let round = 1; ; round++) {
        const formatDate = dateFormats[format] ?? unchanged
        const item = registerItem(query, fields, { formatDate, language, tags })
        const reply: Result.Result<Registered | Rejected, CallFault> = yield* this.register(item, progress)
        if (Result.isFailure(reply)) {
          if (!isOutcomeUnknown(reply.failure)) {
            progress.maySpend = false
            return yield* Effect.fail(reply.failure)
          }
          return yield* this.resolveUnknownRegistration(query, reply.failure, progress)
        }
        if (reply.success._tag === "Registered") {
          progress.carrier = reply.success.carrier ?? query.carrier ?? null
          this.resumed.note(sameNumber(query.number), yield* Clock.currentTimeMillis)
          const first = yield* this.news.wait(query, { carrier: progress.carrier, isOurs: true })
          return { ...first, hasSpent: true }
        }
        const { rejection } = reply.success
        const meaning = meaningOf(rejection)
        // Registered by another caller just now, or by an attempt of this call whose response was lost.
        if (meaning._tag === "AlreadyRegistered") {
          return yield* this.news.wait(query, { carrier: null, isOurs: false })
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
    }
  )

  /** Resolves a registration with an unknown outcome: either the provider knows the number, or not. */
  private readonly resolveUnknownRegistration = Effect.fnUntraced(
    { self: this },
    function* (query: TrackQuery, fault: CallFault, progress: Progress) {
      const { news, settings } = this
      const reply = yield* Effect.result(settings.calls.trackInfo(subjectOf(query)))
      if (Result.isFailure(reply)) return news.notFoundYet(null)
      if (reply.success._tag === "Rejected" && meaningOf(reply.success.rejection)._tag === "NotRegistered") {
        progress.maySpend = false
        return yield* Effect.fail(fault)
      }
      return yield* news.wait(query, { carrier: query.carrier ?? null, isOurs: false })
    }
  )

  private register(item: RegisterItem, progress: Progress) {
    return Effect.result(
      this.settings.calls.register(item, () => {
        progress.maySpend = true
      })
    )
  }
}
