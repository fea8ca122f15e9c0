/* Runs the sandbox until it is interrupted, for curl and agents. */
import { onInterrupt } from "../Interrupt.ts"
import { startOn } from "../NetworkChoice.ts"
import { makeProgress, paintFor } from "../Terminal.ts"
import { jsonLine, orderLine, paymentLine, startPage } from "./Announcement.ts"
import { type Arguments, parseArguments, usage } from "./Arguments.ts"
import { modelAssistant, paidReply } from "./ModelCall.ts"

const progress = makeProgress()

const start = async ({ adapter, host, json, model, network, port }: Arguments): Promise<void> => {
  const starting = startOn(network, {
    adapter,
    port,
    ...(host === undefined ? {} : { host }),
    ...(model === undefined ? {} : { assistant: modelAssistant(model) }),
    onProgress: (part) => progress.show(`starting ${part}`),
    onPayment: (event) => process.stderr.write(`${paymentLine(event, paintFor(process.stderr))}\n`),
    onOrderChange: (change) => process.stderr.write(`${orderLine(change, paintFor(process.stderr))}\n`)
  })
  onInterrupt(async () => {
    progress.clear()
    // Waits for a start in progress, so that everything it started is stopped. A failed start is reported
    // below.
    const sandbox = await starting.catch(() => undefined)
    await sandbox?.stop()
    return sandbox === undefined ? 1 : 0
  })
  const sandbox = await starting
  progress.clear()
  // `till402 pay` finds its wallet there.
  sandbox.serve("/sandbox.json", jsonLine(sandbox))
  process.stdout.write(json ? `${jsonLine(sandbox)}\n` : startPage(sandbox, paintFor(process.stdout)))
  if (model !== undefined) process.stderr.write(`${await paidReply(sandbox, paintFor(process.stderr))}\n`)
}

const explain = (error: unknown, port: number): string => {
  if (error instanceof Error && "code" in error) {
    if (error.code === "EADDRINUSE") {
      return `Port ${port} is in use; choose another with --port, or 0 for a free one.`
    }
    if (error.code === "EACCES") return `Port ${port} requires more privileges; choose another with --port.`
  }
  return `The sandbox failed to start: ${error instanceof Error ? error.message : String(error)}`
}

/**
 * Runs the sandbox until it is interrupted, for curl and agents: the command `till402-sandbox`, and `till402 sandbox`.
 *
 * @param args as on the command line, without the command itself
 * @returns whether it runs now: then it ends the process itself
 */
export const runSandbox = (args: ReadonlyArray<string>): boolean => {
  const parsed = parseArguments(args)
  switch (parsed._tag) {
    case "Help":
      process.stdout.write(usage)
      return false
    case "Wrong":
      process.stderr.write(`${parsed.message}\n\n${usage}`)
      process.exitCode = 2
      return false
    case "Run":
      start(parsed.options).catch((error: unknown) => {
        progress.clear()
        process.stderr.write(`${explain(error, parsed.options.port)}\n`)
        process.exit(1)
      })
      return true
  }
}
