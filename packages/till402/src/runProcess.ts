import { setTimeout as sleep } from "node:timers/promises"
import { wordsOf } from "./CommandFailed.ts"
import { run } from "./commands/run.ts"
import { askOnTerminal } from "./terminal/ask.ts"
import { processOutput } from "./terminal/Output.ts"
import { version } from "./version.ts"

/** Runs a command line as the work of this process, and ends it with the exit code. */
export const runProcess = async (args: ReadonlyArray<string>): Promise<void> => {
  // A reader that has enough, such as head, is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0)
    throw error
  })
  // Of a module that was looked at, or a mistake here: the message is for people, whose stack is no help.
  process.on("uncaughtException", (error) => {
    process.stderr.write(`till402 failed: ${wordsOf(error)}\n`)
    process.exit(1)
  })
  const code = await run(
    args,
    {
      environment: process.env,
      output: processOutput(),
      sleep: (millis) => sleep(millis),
      untilStopped: () =>
        new Promise((resolve) => {
          for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve())
        }),
      ask: process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : undefined
    },
    version
  )
  // A module that was looked at may keep a server; what was printed goes out first.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))
}
