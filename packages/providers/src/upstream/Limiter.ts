import { Clock, Effect } from "effect"

/**
 * Delays attempts to an upstream's rate. Returns `true` when the attempt may be sent; `false` if that would
 * be later than `maxWaitMillis`, in which case no turn is taken.
 */
export interface Limiter {
  readonly take: (maxWaitMillis: number) => Effect.Effect<boolean>
}

/** At most `requests` within any `perMillis`. */
export interface Rate {
  readonly requests: number
  readonly perMillis: number
}

/**
 * Assigns turns at a rate, first come, first served.
 *
 * Any window of `perMillis` contains at most `requests` turns. A token bucket would allow twice as many
 * around its refill.
 */
export class SlidingWindow {
  /** Times of the last `requests` turns, oldest first. Some are in the future. */
  private readonly given: Array<number> = []
  private readonly rate: Rate

  constructor(rate: Rate) {
    if (!Number.isInteger(rate.requests) || rate.requests < 1 || !(rate.perMillis > 0)) {
      throw new RangeError(
        "a rate must be a whole number of requests, at least 1, in more than 0 milliseconds"
      )
    }
    this.rate = rate
  }

  /** Takes the next turn and returns its time; takes none and returns `undefined` if that is after `latest`. */
  take(now: number, latest: number): number | undefined {
    const { perMillis, requests } = this.rate
    const oldest = this.given.length < requests ? undefined : this.given[0]!
    const at = oldest === undefined ? now : Math.max(now, oldest + perMillis)
    if (at > latest) return undefined
    if (oldest !== undefined) this.given.shift()
    this.given.push(at)
    return at
  }
}

/**
 * Makes a limiter for one key of one upstream.
 *
 * @example
 * import { makeUpstream, rateLimiter } from "@till402/providers/upstream"
 *
 * const making = makeUpstream({ name: "parcels", limiter: rateLimiter({ requests: 3, perMillis: 1_000 }) })
 */
export const rateLimiter = (rate: Rate): Limiter => {
  const turns = new SlidingWindow(rate)
  return {
    take: (maxWaitMillis) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const at = turns.take(now, now + maxWaitMillis)
        if (at === undefined) return Effect.succeed(false)
        return at <= now ? Effect.succeed(true) : Effect.as(Effect.sleep(at - now), true)
      })
  }
}
