import { Clock, Effect } from "effect"

/**
 * Holds attempts back to an upstream's rate. Succeeds when the attempt may go out, after
 * `maxWaitMillis` at most; `false`: its turn would come later than that, and no turn was taken.
 */
export interface Limiter {
  readonly take: (maxWaitMillis: number) => Effect.Effect<boolean>
}

/** A rate in turns: never more than `requests` within any `perMillis`. */
export interface Rate {
  readonly requests: number
  readonly perMillis: number
}

/**
 * The turns of one rate, first come, first served. Any window of `perMillis` holds at most `requests`
 * turns (a token bucket would let twice as many through around its refill).
 */
export class Turns {
  /** Times of the last `requests` turns given, oldest first; some of them still to come. */
  private readonly given: Array<number> = []
  private readonly rate: Rate

  constructor(rate: Rate) {
    if (!Number.isInteger(rate.requests) || rate.requests < 1 || !(rate.perMillis > 0)) {
      throw new RangeError("a rate needs at least one request in a time above 0")
    }
    this.rate = rate
  }

  /** Takes the next turn and answers when it is; takes none and answers `undefined` if that is past `latest`. */
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
 * A limiter for one key of one upstream.
 *
 * @example
 * import { makeUpstream, paced } from "@till402/providers/upstream"
 *
 * const making = makeUpstream({ name: "parcels", limiter: paced({ requests: 3, perMillis: 1_000 }) })
 */
export const paced = (rate: Rate): Limiter => {
  const turns = new Turns(rate)
  return {
    take: (maxWaitMillis) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const at = turns.take(now, now + maxWaitMillis)
        if (at === undefined) return Effect.succeed(false)
        return at <= now ? Effect.succeed(true) : Effect.as(Effect.sleep(at - now), true)
      })
  }
}
