import { Clock, Effect, Result } from "effect"
import type { TrackQuery } from "@till402/core"
import { TimedOut } from "../upstream/UpstreamFault.ts"
import type { Calls, Known, Registered, Rejected } from "./Calls.ts"
import { fieldRequired, refusalOf, type TrackRefusal } from "./Refusals.ts"
import { type FormatDate, registerItem, type Subject, subjectOf } from "./Registration.ts"
import { type CallFault, type ExtraField, meaningOf } from "./Rejection.ts"
import { type FindCarrier, hasNews, type Shipment, unknownShipment } from "./Shipment.ts"

export type LookupError = TrackRefusal | CallFault

export interface LookupSettings {
  readonly calls: Calls
  readonly findCarrier: FindCarrier
  readonly formatDate: FormatDate
  readonly language: string | undefined
  /** Of a whole lookup. */
  readonly deadlineMillis: number
  /** How long a number that was just registered may take to have its first news. */
  readonly firstNewsMillis: number
}

/** A shipment, and the carrier that its number is registered with. */
export interface Found {
  readonly carrier: number | null
  readonly shipment: Shipment
}

/** What a lookup has set off so far: what must not become an error any more. */
interface Progress {
  /** Whether a registration is on its way or accepted: quota may be spent. */
  maySpend: boolean
  carrier: number | null
}

/** Pauses between polls of a number that was just registered; the last one repeats. */
const pollSeconds = [1, 2, 3, 5]
const mostRegistrations = 4

type Reply = Known | Rejected

/** A number that is polled for its first news. */
interface Waited {
  /** Where it is registered; null where that is not known. */
  readonly carrier: number | null
  /** Whether this lookup registered it, with what its caller gave. */
  readonly isOurs: boolean
}

const subjectAt = ({ number }: TrackQuery, carrier: number | null): Subject =>
  carrier === null ? { number } : { number, carrier }

/** And no more of it: the rest knows what the number was registered with. */
const plain = ({ carrier, shipment }: Known): Found => ({ carrier, shipment })

/**
 * Looks up one number: what the provider knows, else registers the number and polls for its first news.
 * Once a registration may have spent quota, the answer is a shipment, if only one that is not found yet.
 */
export const makeLookup = (
  settings: LookupSettings
): ((query: TrackQuery) => Effect.Effect<Found, LookupError>) => {
  const { calls, deadlineMillis, findCarrier, firstNewsMillis, formatDate, language } = settings
  // Numbers that are being polled: their registration is young, and not to be replaced.
  const young = new Map<string, number>()

  const notYet = (carrier: number | null): Found => ({
    carrier,
    shipment: unknownShipment(carrier, findCarrier)
  })

  /** The registered shipment, to those who know what the carrier asks for; others are told nothing. */
  const disclose = (known: Known, query: TrackQuery): Effect.Effect<Found, TrackRefusal> => {
    const standing = known.standing(query)
    if (standing._tag === "Lacks") return Effect.fail(fieldRequired([standing.field], query))
    // What a carrier says to a wrong phone number: it finds nothing.
    if (standing._tag === "Differs") return Effect.succeed(notYet(known.carrier))
    return Effect.succeed(plain(known))
  }

  const poll = Effect.fnUntraced(function* (query: TrackQuery, waited: Waited, until: number) {
    const subject = subjectAt(query, waited.carrier)
    let carrier = waited.carrier
    for (let round = 0; ; round++) {
      const pauseMillis = 1_000 * pollSeconds[Math.min(round, pollSeconds.length - 1)]!
      const left = until - (yield* Clock.currentTimeMillis) - pauseMillis
      if (left <= 0) return notYet(carrier)
      yield* Effect.sleep(pauseMillis)
      const reply: Result.Result<Reply | undefined, CallFault> = yield* calls
        .trackInfo(subject)
        .pipe(
          Effect.timeoutOrElse({ duration: left, orElse: () => Effect.succeed(undefined) }),
          Effect.result
        )
      // A poll that fails is followed by another one: the money is spent, the news may come.
      if (Result.isFailure(reply)) yield* Effect.logWarning("17track failed a poll", reply.failure._tag)
      else if (reply.success?._tag === "Known") {
        carrier = reply.success.carrier ?? carrier
        if (!hasNews(reply.success.shipment)) continue
        return waited.isOurs ? plain(reply.success) : yield* disclose(reply.success, query)
      }
    }
  })

  const awaitNews = (query: TrackQuery, waited: Waited) => {
    const key = query.number.toUpperCase()
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      young.set(key, (young.get(key) ?? 0) + 1)
      return Effect.ensuring(
        poll(query, waited, now + firstNewsMillis),
        Effect.sync(() => {
          const others = young.get(key)! - 1
          if (others === 0) young.delete(key)
          else young.set(key, others)
        })
      )
    })
  }

  /** After a registration of unknown outcome: the provider knows the number, or it was not registered. */
  const findOut = (query: TrackQuery, fault: CallFault, progress: Progress) =>
    Effect.gen(function* () {
      const reply = yield* Effect.result(calls.trackInfo(subjectOf(query)))
      if (Result.isFailure(reply)) return notYet(null)
      if (reply.success._tag === "Rejected" && meaningOf(reply.success.rejection)._tag === "NotRegistered") {
        progress.maySpend = false
        return yield* Effect.fail(fault)
      }
      return yield* awaitNews(query, { carrier: query.carrier ?? null, isOurs: false })
    })

  const register = (query: TrackQuery, fields: ReadonlySet<ExtraField>, progress: Progress) =>
    Effect.result(
      calls.register(registerItem(query, fields, { formatDate, language }), () => {
        progress.maySpend = true
      })
    )

  /** Registers with what the carrier asks for, field by field, and waits for the first news. */
  const registerAndWait = Effect.fnUntraced(function* (
    query: TrackQuery,
    given: ReadonlySet<ExtraField>,
    progress: Progress
  ) {
    let fields = given
    for (let round = 1; ; round++) {
      const reply: Result.Result<Registered | Rejected, CallFault> = yield* register(query, fields, progress)
      if (Result.isFailure(reply)) {
        if (!isOutcomeUnknown(reply.failure)) {
          progress.maySpend = false
          return yield* Effect.fail(reply.failure)
        }
        return yield* findOut(query, reply.failure, progress)
      }
      if (reply.success._tag === "Registered") {
        progress.carrier = reply.success.carrier ?? query.carrier ?? null
        return yield* awaitNews(query, { carrier: progress.carrier, isOurs: true })
      }
      const { rejection } = reply.success
      const meaning = meaningOf(rejection)
      // By somebody else just now, or by an attempt of this call whose answer was lost.
      if (meaning._tag === "AlreadyRegistered") {
        return yield* awaitNews(query, { carrier: null, isOurs: false })
      }
      progress.maySpend = false
      if (meaning._tag !== "NeedsFields") return yield* Effect.fail(refusalOf(meaning, rejection, query))
      const wanted = meaning.fields
      const isNew = wanted.some((name) => !fields.has(name))
      if (!isNew || wanted.some((name) => query[name] === undefined) || round === mostRegistrations) {
        return yield* Effect.fail(fieldRequired(wanted, query))
      }
      fields = new Set([...fields, ...wanted])
    }
  })

  /** Registers anew what was registered with somebody's wrong data and found nothing by it. */
  const replace = Effect.fnUntraced(function* (known: Known, query: TrackQuery, progress: Progress) {
    if (young.has(query.number.toUpperCase())) return notYet(known.carrier)
    const forgotten = yield* calls.forget(subjectAt(query, known.carrier))
    if (forgotten._tag === "Rejected") return notYet(known.carrier)
    return yield* registerAndWait(query, allGiven(query), progress)
  })

  const lookUp = Effect.fnUntraced(function* (query: TrackQuery, progress: Progress) {
    const reply = yield* calls.trackInfo(subjectOf(query))
    if (reply._tag === "Known") {
      const standing = reply.standing(query)
      const mayReplace = standing._tag === "Differs" || standing._tag === "Adds"
      return mayReplace && !hasNews(reply.shipment)
        ? yield* replace(reply, query, progress)
        : yield* disclose(reply, query)
    }
    const { rejection } = reply
    const meaning = meaningOf(rejection)
    return meaning._tag === "NotRegistered"
      ? yield* registerAndWait(query, initialFields, progress)
      : yield* Effect.fail(refusalOf(meaning, rejection, query))
  })

  return (query) =>
    Effect.suspend(() => {
      const progress: Progress = { maySpend: false, carrier: null }
      return Effect.timeoutOrElse(lookUp(query, progress), {
        duration: deadlineMillis,
        orElse: () =>
          progress.maySpend
            ? Effect.succeed(notYet(progress.carrier))
            : Effect.fail(new TimedOut({ upstream: "17track", timeoutMillis: deadlineMillis }))
      })
    })
}

/** No error asks for a tax id, so it is sent where there is one; all else waits until it is asked for. */
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

/** Whether the provider may have done what it was asked for. */
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
