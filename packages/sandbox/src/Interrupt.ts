import { constants } from "node:os"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** One Ctrl-C can arrive several times: from the terminal and from each parent process. */
const echoMillis = 1_000

/** The exit code of a process that ended by a signal, as shells define it. */
export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/**
 * Runs `stop` at the first interrupt, then exits with the code it returns. A second interrupt at least a
 * second later exits at once. If the parent process holds an IPC channel, its end counts as an interrupt as
 * well.
 */
export const onInterrupt = (stop: (signal: NodeJS.Signals) => Promise<number>): void => {
  let firstAtMillis: number | undefined
  const interrupt = (signal: NodeJS.Signals): void => {
    if (firstAtMillis !== undefined) {
      if (performance.now() - firstAtMillis > echoMillis) process.exit(exitCodeOf(signal))
      return
    }
    firstAtMillis = performance.now()
    stop(signal).then(
      (code) => process.exit(code),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      }
    )
  }
  for (const signal of signals) process.on(signal, interrupt)
  if (process.channel != null) {
    process.once("disconnect", () => interrupt("SIGTERM"))
    // Listening must not keep the process alive.
    process.channel.unref()
  }
}
