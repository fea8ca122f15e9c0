import { constants } from "node:os"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** One Ctrl-C can arrive several times, from the terminal and from each process above this one. */
const echoMillis = 1_000

/** The exit code by which shells know that a process ended by a signal. */
export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/**
 * Runs `stop` at the first interrupt and then exits with the code it answers. A second interrupt, a
 * second later or more, does not wait for it any longer. Where the process that started this one holds
 * an IPC channel to it, the end of that channel, and so of that process, is an interrupt as well.
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
