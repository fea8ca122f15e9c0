import { Effect } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { envelope, inTransit, type Item, item, notFound, rejection } from "./documents.ts"

/*
 * A fake 17TRACK in memory, with registrations, quota, limits on rate and size, and scripted failures. Uses the clock
 * of the test.
 */

export interface Call {
  readonly path: string
  readonly at: number
  readonly items: ReadonlyArray<Item>
}

interface Registration {
  readonly item: Item
  /** The carrier that the number is registered with. */
  readonly carrier: number
  readonly at: number
}

export type Answer =
  | { readonly status: number; readonly body: unknown; readonly afterMillis?: number }
  /** The connection breaks before the provider does anything (`broken`), or afterwards (`lost`). */
  | "broken"
  | "lost"

/** Responds to a call instead of the provider; `undefined` leaves it to the provider. */
export type Interception = (call: Call) => Answer | undefined

export interface Behaviour {
  /** Error code and message that `register` returns, by number. */
  readonly refuses?: Readonly<Record<string, readonly [code: number, message?: string]>>
  /** Fields that the carrier requires at registration, by number. */
  readonly wants?: Readonly<Record<string, { readonly fields: ReadonlyArray<string>; readonly code: number }>>
  /** Milliseconds from registration to the first news; `Infinity` for never. Default 0. */
  readonly newsAfterMillis?: number
  /** The document once there is news; default: in transit. */
  readonly news?: (registration: Item) => Item
  /** Whether a registration passes the carrier's own check; otherwise it finds nothing. */
  readonly passes?: (registration: Item) => boolean
  readonly quota?: number
  /** Error code that `retrack` returns; `undefined`: it resumes the number. */
  readonly resumes?: (requested: Item) => number | undefined
  readonly intercept?: Interception
}

export const apiKey = "TESTKEY0123456789ABCDEF"
const maxItems = 40
const requestsPerSecond = 3

export class Provider {
  readonly calls: Array<Call> = []
  /** Number of calls above the allowed rate. */
  tooFast = 0
  registrations = new Map<string, Registration>()
  quotaUsed = 0
  private readonly behaviour: Behaviour

  constructor(behaviour: Behaviour = {}) {
    this.behaviour = behaviour
  }

  paths(): ReadonlyArray<string> {
    return this.calls.map(({ path }) => path)
  }

  of(path: string): ReadonlyArray<Call> {
    return this.calls.filter((call) => call.path === path)
  }

  /** Registers a number as if the account had done so earlier. */
  register(registered: Item, at = Number.NEGATIVE_INFINITY): void {
    const carrier = Number(registered["carrier"] ?? 100_002)
    this.registrations.set(`${String(registered["number"])}|${carrier}`, { item: registered, carrier, at })
  }

  /** Responds to one call at a time. */
  respond(path: string, key: string | undefined, body: string, at: number): Answer {
    const document: unknown = JSON.parse(body)
    const items = Array.isArray(document) ? (document as ReadonlyArray<Item>) : []
    const call = { path, at, items }
    this.calls.push(call)
    if (this.calls.filter((other) => other.at > at - 1_000).length > requestsPerSecond) this.tooFast += 1
    const instead = this.behaviour.intercept?.(call)
    if (instead !== undefined && instead !== "lost") return instead
    if (key !== apiKey) return refused(-18_010_002, 401)
    if (items.length > maxItems) return refused(-18_010_014)
    const response = this.decide(path, items, at)
    return instead ?? { status: 200, body: response }
  }

  private decide(path: string, items: ReadonlyArray<Item>, at: number): unknown {
    switch (path) {
      case "gettrackinfo":
        return merge(items.map((requested) => this.info(requested, at)))
      case "register":
        return merge(items.map((requested) => this.take(requested, at)))
      case "deletetrack":
        return merge(items.map((requested) => this.forget(requested)))
      case "retrack":
        return merge(items.map((requested) => this.resume(requested, at)))
      case "changecarrier":
        return merge(items.map((requested) => this.move(requested, at)))
      case "getquota":
        return { code: 0, data: { quota_remain: (this.behaviour.quota ?? 200) - this.quotaUsed } }
      default:
        return refusal(-18_010_003)
    }
  }

  private registered(requested: Item): ReadonlyArray<readonly [string, Registration]> {
    return [...this.registrations].filter(
      ([, { carrier, item: mine }]) =>
        String(mine["number"]).toUpperCase() === String(requested["number"]).toUpperCase() &&
        (requested["carrier"] === undefined || requested["carrier"] === carrier)
    )
  }

  private info(requested: Item, at: number) {
    const number = String(requested["number"])
    const mine = this.registered(requested)
    if (mine.length === 0) return { rejected: [rejection(number, -18_019_902)] }
    const { newsAfterMillis = 0, passes = () => true } = this.behaviour
    const news = this.behaviour.news ?? ((registration) => item(inTransit, registration))
    return {
      accepted: mine.map(([, { at: since, carrier, item: registration }]) =>
        at - since >= newsAfterMillis && passes(registration)
          ? news({ ...registration, carrier })
          : item(notFound, { ...registration, carrier })
      )
    }
  }

  private take(requested: Item, at: number) {
    const number = String(requested["number"])
    const refusedWith = this.behaviour.refuses?.[number]
    if (refusedWith !== undefined) return { rejected: [rejection(number, ...refusedWith)] }
    const wanted = this.behaviour.wants?.[number]
    if (wanted?.fields.some((name) => requested[name] === undefined) === true) {
      return { rejected: [rejection(number, wanted.code)] }
    }
    if (this.registered(requested).length > 0) return { rejected: [rejection(number, -18_019_901)] }
    if (this.quotaUsed >= (this.behaviour.quota ?? 200)) {
      return { rejected: [rejection(number, -18_019_908)] }
    }
    this.quotaUsed += 1
    this.register(requested, at)
    return { accepted: [{ origin: 1, number, carrier: Number(requested["carrier"] ?? 100_002) }] }
  }

  private resume(requested: Item, at: number) {
    const number = String(requested["number"])
    const code = this.behaviour.resumes?.(requested)
    if (code !== undefined) return { rejected: [rejection(number, code)] }
    for (const [key, registration] of this.registered(requested)) {
      this.registrations.set(key, { ...registration, at })
    }
    return { accepted: [requested] }
  }

  private move({ carrier_new, carrier_old, number }: Item, at: number) {
    const [found] = this.registered({ number, carrier: carrier_old })
    if (found === undefined) return { rejected: [rejection(String(number), -18_019_902)] }
    const [key, { item: mine }] = found
    this.registrations.delete(key)
    this.register({ ...mine, carrier: carrier_new }, at)
    return { accepted: [{ number, carrier: carrier_new }] }
  }

  private forget(requested: Item) {
    const mine = this.registered(requested)
    if (mine.length === 0) return { rejected: [rejection(String(requested["number"]), -18_019_902)] }
    for (const [key] of mine) this.registrations.delete(key)
    return { accepted: [requested] }
  }

  /** The provider as an `HttpClient`. */
  readonly client: HttpClient.HttpClient = HttpClient.make((request, url) =>
    Effect.clockWith((clock) => {
      const { body, headers } = request
      const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
      const path = url.pathname.slice(url.pathname.lastIndexOf("/") + 1)
      const reply = this.respond(path, headers["17token"], text, clock.currentTimeMillisUnsafe())
      if (typeof reply === "string") {
        return Effect.fail(
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
        )
      }
      const response = Effect.sync(() =>
        HttpClientResponse.fromWeb(
          request,
          new Response(JSON.stringify(reply.body), { status: reply.status })
        )
      )
      return reply.afterMillis === undefined
        ? response
        : Effect.andThen(Effect.sleep(reply.afterMillis), response)
    })
  )
}

interface Part {
  readonly accepted?: ReadonlyArray<Item>
  readonly rejected?: ReadonlyArray<Item>
}

const merge = (parts: ReadonlyArray<Part>): unknown =>
  envelope(
    parts.flatMap(({ accepted = [] }) => accepted),
    parts.flatMap(({ rejected = [] }) => rejected)
  )

export const refusal = (code: number, message = "no"): unknown => ({
  code,
  data: { errors: [{ code, message }] }
})

export const refused = (code: number, status = 200): Answer => ({ status, body: refusal(code) })
