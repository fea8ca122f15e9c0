import { Duration } from "effect"

/** The milliseconds of a duration, such as `5_000`, `"5 seconds"` or `Duration.seconds(5)`; `undefined`: it is none. */
export const millisOf = (given: unknown): number | undefined => {
  if (typeof given === "number") return given
  try {
    return Duration.toMillis(Duration.fromInputUnsafe(given as Duration.Input))
  } catch {
    return undefined
  }
}
