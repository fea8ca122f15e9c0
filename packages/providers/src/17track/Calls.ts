import { Clock, Effect, Exit, Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import type { TrackQuery } from "@till402/core"
import { rateLimiter } from "../upstream/Limiter.ts"
import type { UpstreamSettings, UpstreamUsage } from "../upstream/UpstreamSettings.ts"
import { makeUpstream, type Upstream } from "../upstream/Upstream.ts"
import { ResponseMalformed } from "../upstream/UpstreamFault.ts"
import { type BatchCall, makeBatch } from "./Batch.ts"
import { carrierCode, field, integer } from "./Document.ts"
import {
  byNumber,
  type Envelope,
  readEnvelope,
  readRejection,
  refusalBehind,
  sameNumber
} from "./Envelope.ts"
import { CallPacer } from "./CallPacer.ts"
import {
  type CarrierChange,
  matcherFor,
  type RegisterItem,
  type RegistrationMatch,
  type Subject
} from "./Registration.ts"
import type { RegistrationTags } from "./RegistrationTag.ts"
import {
  blamesNumber,
  type CallFault,
  type ProviderRefusal,
  quotaUsedUp,
  type Rejection
} from "./Rejection.ts"
import { type FindCarrier, readShipment, type Shipment } from "./Shipment.ts"

/** The provider's limits (its documentation of version 2.4). */
const maxItems = 40
const perMillis = 1_000

export type Rejected = { readonly _tag: "Rejected"; readonly rejection: Rejection }

/** A number that the provider knows at a carrier. */
export interface Known {
  readonly _tag: "Known"
  readonly carrier: number | null
  readonly shipment: Shipment
  /** Compares a query with the data that the number is registered with. */
  readonly match: (query: TrackQuery) => RegistrationMatch
}

export interface Registered {
  readonly _tag: "Registered"
  /** The carrier of the number; the provider may correct the given one. */
  readonly carrier: number | null
}

/** Calls to the provider, each for one number; concurrent ones are batched. */
export interface Calls {
  /** `gettrackinfo`: returns what the provider knows. Free. */
  readonly trackInfo: BatchCall<Subject, Known | Rejected>
  /** `register`: makes the provider track a number. Spends one unit of quota if accepted. */
  readonly register: BatchCall<RegisterItem, Registered | Rejected>
  /** `deletetrack`: removes a number, so that it can be registered again. Free. */
  readonly forget: BatchCall<Subject, Registered | Rejected>
  /** `retrack`: resumes a number that the provider has stopped tracking, once. Free. */
  readonly resume: BatchCall<Subject, Registered | Rejected>
  /** `changecarrier`: moves a number to another carrier, up to five times. Free. */
  readonly changeCarrier: BatchCall<CarrierChange, Registered | Rejected>
  readonly usage: () => UpstreamUsage
}

export interface CallSettings {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl: string
  readonly requestsPerSecond: number
  readonly upstream: UpstreamSettings
  readonly findCarrier: FindCarrier
  readonly tags: RegistrationTags
}

const name = "17track"

type Post = (path: string, body: unknown) => Effect.Effect<Envelope, CallFault>

const makePost = (upstream: Upstream, { apiKey, baseUrl }: CallSettings): Post => {
  const base = baseUrl.replace(/\/+$/, "")
  return (path, body) =>
    Effect.suspend(() =>
      upstream.call(
        HttpClientRequest.post(`${base}/${path}`).pipe(
          HttpClientRequest.setHeader("17token", Redacted.value(apiKey)),
          HttpClientRequest.bodyText(JSON.stringify(body), "application/json")
        ),
        // A second registration has its own code and spends nothing.
        { idempotent: true }
      )
    ).pipe(Effect.catchTag("Rejected", refusalBehind), Effect.flatMap(readEnvelope))
}

type Reply = Exit.Exit<Known | Rejected, CallFault>

/** The reply for each item: accepted, rejected, or a fault if the response doesn't contain its number. */
const repliesOf = <Item extends { readonly number: string }, A>(
  items: ReadonlyArray<Item>,
  { accepted, rejected, upstream }: Envelope,
  read: (item: Item, accepted: ReadonlyArray<unknown>) => A
): ReadonlyArray<Exit.Exit<A | Rejected, CallFault>> => {
  const acceptedOf = byNumber(accepted)
  const rejectedOf = byNumber(rejected)
  return items.map((item) => {
    const number = sameNumber(item.number)
    const mine = acceptedOf.get(number)
    if (mine !== undefined) return Exit.succeed(read(item, mine))
    const refused = rejectedOf.get(number)?.[0]
    return refused === undefined
      ? Exit.fail(new ResponseMalformed({ upstream, detail: "a number is missing" }))
      : Exit.succeed({ _tag: "Rejected", rejection: readRejection(refused) } as const)
  })
}

/**
 * Isolates a number that makes the provider refuse a whole call, by sending halves until it is alone. A
 * lookup thus never fails because of another caller's input.
 */
const isolatingRejected = <Item, A>(
  send: (
    items: ReadonlyArray<Item>
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<A | Rejected, CallFault>>, CallFault>
): typeof send => {
  const halved = (items: ReadonlyArray<Item>, refusal: ProviderRefusal): ReturnType<typeof send> => {
    if (!blamesNumber(refusal.number)) return Effect.fail(refusal)
    if (items.length === 1) {
      return Effect.succeed([
        Exit.succeed({ _tag: "Rejected", rejection: { code: refusal.number, message: "" } } as const)
      ])
    }
    const middle = Math.ceil(items.length / 2)
    const part = (some: ReadonlyArray<Item>): ReturnType<typeof send> =>
      Effect.catch(isolatingRejected(send)(some), (fault) => Effect.succeed(some.map(() => Exit.fail(fault))))
    return Effect.zipWith(part(items.slice(0, middle)), part(items.slice(middle)), (first, second) => [
      ...first,
      ...second
    ])
  }
  return (items) => Effect.catchTag(send(items), "ProviderRefusal", (refusal) => halved(items, refusal))
}

const newest = (a: Known, b: Known): Known =>
  (b.shipment.lastUpdate ?? -1) > (a.shipment.lastUpdate ?? -1) ? b : a

/** Reads the items of a number, one for each carrier that it is registered with. */
const knownOf =
  ({ findCarrier, tags }: Pick<CallSettings, "findCarrier" | "tags">) =>
  ({ carrier }: Subject, accepted: ReadonlyArray<unknown>): Known => {
    const all = accepted.map((item): Known => ({
      _tag: "Known",
      carrier: carrierCode(field(item, "carrier")),
      shipment: readShipment(item, findCarrier),
      match: matcherFor(item, tags)
    }))
    const ofCarrier = all.filter((known) => known.carrier === carrier)
    return (ofCarrier.length > 0 ? ofCarrier : all).reduce(newest)
  }

const registeredOf = (_: unknown, accepted: ReadonlyArray<unknown>): Registered => ({
  _tag: "Registered",
  carrier: carrierCode(field(accepted[0], "carrier"))
})

const quotaEveryMillis = 600_000

/** Records the spent quota, and from time to time the remaining quota that the provider reports. */
const quotaKeeper = (upstream: Upstream, post: Post) => {
  let nextQueryAt = 0
  const queryRemaining = Effect.flatMap(post("getquota", {}), ({ data }) => {
    const left = integer(field(data, "quota_remain"))
    return left === null ? Effect.void : upstream.recordQuotaRemaining(left)
  }).pipe(
    Effect.catch((fault) => Effect.logDebug("17track did not report its quota", fault._tag)),
    Effect.forkDetach
  )
  return {
    spent: (units: number): Effect.Effect<void> =>
      Effect.gen(function* () {
        if (units === 0) return
        yield* upstream.recordQuotaSpent(units)
        const now = yield* Clock.currentTimeMillis
        if (now < nextQueryAt) return
        nextQueryAt = now + quotaEveryMillis
        yield* queryRemaining
      }),
    usedUp: upstream.recordQuotaRemaining(0)
  }
}

/** The provider's calls over the `HttpClient` of the context. */
export const makeCalls = Effect.fnUntraced(function* (
  settings: CallSettings
): Effect.fn.Return<Calls, never, HttpClient.HttpClient> {
  const pace = new CallPacer(rateLimiter({ requests: settings.requestsPerSecond, perMillis }))
  const upstream = yield* makeUpstream({ name, ...settings.upstream, limiter: pace.forUpstream })
  const post = makePost(upstream, settings)
  const quota = quotaKeeper(upstream, post)
  const batch = {
    name,
    pace,
    maxItems,
    gatherMillis: 20,
    maxTurnMillis: settings.upstream.deadlineMillis ?? 8_000,
    maxWaiting: 5_000,
    numberOf: ({ number }: { readonly number: string }) => sameNumber(number),
    keyOf: (item: object) => JSON.stringify(item)
  }
  const readInfo = knownOf(settings)

  const noteQuota = (replies: ReadonlyArray<Exit.Exit<Registered | Rejected, CallFault>>) => {
    const tagged = replies.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))
    const isUsedUp = tagged.some((reply) => reply._tag === "Rejected" && reply.rejection.code === quotaUsedUp)
    return Effect.andThen(
      quota.spent(tagged.filter(({ _tag }) => _tag === "Registered").length),
      isUsedUp ? quota.usedUp : Effect.void
    )
  }

  /** Sends a change of numbers that the provider knows. */
  const change =
    (path: string) =>
    <Item extends { readonly number: string }>(items: ReadonlyArray<Item>) =>
      Effect.map(post(path, items), (envelope) => repliesOf(items, envelope, registeredOf))

  return {
    trackInfo: yield* makeBatch<Subject, Known | Rejected>({
      ...batch,
      send: isolatingRejected((items) =>
        Effect.map(post("gettrackinfo", items), (envelope): ReadonlyArray<Reply> =>
          repliesOf(items, envelope, readInfo)
        )
      )
    }),
    register: yield* makeBatch<RegisterItem, Registered | Rejected>({
      ...batch,
      send: isolatingRejected((items) =>
        post("register", items).pipe(
          Effect.map((envelope) => repliesOf(items, envelope, registeredOf)),
          Effect.tap(noteQuota)
        )
      )
    }),
    forget: yield* makeBatch<Subject, Registered | Rejected>({ ...batch, send: change("deletetrack") }),
    resume: yield* makeBatch<Subject, Registered | Rejected>({ ...batch, send: change("retrack") }),
    changeCarrier: yield* makeBatch<CarrierChange, Registered | Rejected>({
      ...batch,
      send: change("changecarrier")
    }),
    usage: upstream.usage
  }
})
