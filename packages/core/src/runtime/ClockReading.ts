import { Clock, Effect } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import { readBodyText } from "./BoundedBody.ts"
import { instantOf } from "./DatabaseTime.ts"

/*
 * The time as another host shows it, for a comparison with the till's clock.
 */

/** What a host showed of the time, between two readings of the till's clock; milliseconds since the epoch. */
export interface ClockReading {
  /** The name of the host that responded, without its port. */
  readonly host: string
  readonly beforeMillis: number
  readonly afterMillis: number
  /** The second in which it responded, by its `Date`; `undefined`: it sent none, or that of a cache. */
  readonly dateMillis: number | undefined
  /** The time of the newest block that it shows: a node may lag. */
  readonly blockMillis?: number | undefined
}

const isMillis = (value: unknown): boolean => value === undefined || Number.isFinite(value)

/** Whether what a host's own service returned is a reading: what isn't would show a wrong clock. */
export const isClockReading = (value: unknown): value is ClockReading => {
  if (typeof value !== "object" || value === null) return false
  const { afterMillis, beforeMillis, blockMillis, dateMillis, host }: Partial<Record<string, unknown>> = {
    ...value
  }
  return (
    typeof host === "string" &&
    Number.isFinite(beforeMillis) &&
    Number.isFinite(afterMillis) &&
    isMillis(dateMillis) &&
    isMillis(blockMillis)
  )
}

const timeoutMillis = 5_000
/** A block lists its transactions. */
const maxResponseBytes = 1024 * 1024
/** Wall and monotonic clock differ by less, unless the wall clock was set. */
const jumpMillis = 1_000

/** The `Date` of a response that wasn't stored on its way. */
const dateOf = ({ age, date }: Readonly<Record<string, string | undefined>>): number | undefined => {
  if ((age !== undefined && age.trim() !== "0") || date?.endsWith("GMT") !== true) return undefined
  const millis = Date.parse(date)
  return Number.isNaN(millis) ? undefined : millis
}

/**
 * Sends a request, and reads the time from its response, whatever its status; from its text, too, with `blockSecondsOf`.
 * `undefined`: there was no response within five seconds, or the till's clock was set meanwhile.
 */
export const readClock = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  blockSecondsOf?: (text: string) => number | undefined
): Effect.Effect<ClockReading | undefined> =>
  Effect.gen(function* () {
    const clock = yield* Clock.clockWith(Effect.succeed)
    const before = instantOf(clock)
    const response = yield* client.execute(request)
    const after = instantOf(clock)
    const text = yield* Effect.orElseSucceed(readBodyText(response, maxResponseBytes), () => "")
    const passedMillis = after.wallMillis - before.wallMillis
    if (Math.abs(passedMillis - (after.monotonicMillis - before.monotonicMillis)) > jumpMillis)
      return undefined
    const blockSeconds = blockSecondsOf?.(text)
    return {
      // After a redirect, that of the last response.
      host: new URL(response.url).hostname,
      beforeMillis: before.wallMillis,
      afterMillis: after.wallMillis,
      dateMillis: dateOf(response.headers),
      blockMillis: blockSeconds === undefined ? undefined : blockSeconds * 1000
    }
  }).pipe(
    Effect.timeoutOption(timeoutMillis),
    Effect.map((read) => (read._tag === "Some" ? read.value : undefined)),
    Effect.catchCause(() => Effect.undefined),
    // The address of a node may contain a key, which a span would record.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
  )
