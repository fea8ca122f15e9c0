/** A setting that suits only a test. */
export interface Risk {
  readonly setting: string
  readonly problem: string
  readonly cure: string
}

/** Durations of so long are not looked at: some are whole days when read as seconds. */
const longestMillis = 3 * 3_600_000

/** Days, given in seconds. No duration that people choose in milliseconds is so even. */
const areDays = (millis: number): boolean => millis % 86_400 === 0 && millis < longestMillis

/**
 * The risk that a duration in milliseconds was given in seconds: a settlement is unknown at once, an order that is repeated
 * is sold again, what was paid for is gone. 0 turns some of them off.
 *
 * @param leastMillis below it, a duration has more likely its number of seconds
 */
export const secondsRisk = (setting: string, millis: number, leastMillis = 0): Risk | undefined =>
  millis > 0 && (millis < leastMillis || areDays(millis))
    ? {
        setting,
        problem: `${setting} is ${millis} milliseconds, which looks like seconds`,
        cure: `If it is, give ${millis * 1_000}`
      }
    : undefined
