import { ApiFailure } from "../domain/ApiFailure.ts"

/**
 * Whether the till's clock is known to be wrong. Then nothing is sold: each payment would be judged by a wrong time.
 * Charges that exist go on.
 */
export class WrongClock {
  /** By how much it is behind, in milliseconds; negative if it is ahead. `undefined`: it isn't known to be wrong. */
  behindMillis: number | undefined

  get isWrong(): boolean {
    return this.behindMillis !== undefined
  }

  /** Why nothing is sold, with both times. */
  failureAt(nowMillis: number): ApiFailure {
    const serverTime = secondText(nowMillis)
    const actualTime = secondText(nowMillis + (this.behindMillis ?? 0))
    return new ApiFailure({
      status: 503,
      code: "CLOCK_WRONG",
      message: `The clock of this service is wrong: it shows ${serverTime}, and the time is ${actualTime}. Nothing is sold until it is right. Nothing was charged; send the request again later.`,
      details: { serverTime, actualTime },
      retryAfterSeconds: 60
    })
  }
}

/** Beyond it, no date has a text. */
const maxMillis = 8_640_000_000_000_000

/** A time in UTC, to the second: `2026-11-28T22:50:11Z`. */
export const secondText = (millis: number): string =>
  Math.abs(millis) <= maxMillis ? `${new Date(millis).toISOString().slice(0, -5)}Z` : "never"
