export type Stop = () => Promise<unknown>

/** Longer than any part takes to stop, so that it only ends a part that hangs. */
const stopTimeoutMillis = 8_000

/** Runs all stops in reverse order, even if one fails or hangs; rethrows the first failure. */
export const stopAll = async (stops: ReadonlyArray<Stop>): Promise<void> => {
  const failures: Array<unknown> = []
  for (const stop of stops.toReversed()) {
    try {
      await within(stopTimeoutMillis, stop())
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

const within = async (millis: number, work: Promise<unknown>): Promise<void> => {
  let deadline: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    deadline = setTimeout(
      () => reject(new Error(`A part of the sandbox did not stop within ${millis / 1000} seconds.`)),
      millis
    )
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(deadline)
  }
}

/** Starts something part by part; if one fails, stops those that run and reports that failure. */
export const startParts = async <A>(start: (stops: Array<Stop>) => Promise<A>): Promise<A> => {
  const stops: Array<Stop> = []
  try {
    return await start(stops)
  } catch (error) {
    // Reports the failed start, even if stopping the other parts fails too.
    await stopAll(stops).catch(() => undefined)
    throw error
  }
}
