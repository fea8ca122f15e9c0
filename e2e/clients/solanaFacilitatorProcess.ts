import { flushCompileCache } from "node:module"
import { sqliteJournals } from "@till402/providers/journals"
import { facilitatorOn, type MadePayment } from "./solanaPayments.ts"

/*
 * A process with a local facilitator on Solana. It settles one payment, and kills itself where it is told to: before or
 * after the node has the transaction.
 */

/** What the process is told, as JSON in its first argument. */
export interface SolanaFacilitatorTask extends MadePayment {
  readonly rpcUrl: string
  readonly filename: string
  readonly dies: "never" | "recorded" | "sent"
}

// Node would keep what it compiled only when a process ends by itself.
flushCompileCache()

const task: SolanaFacilitatorTask = JSON.parse(process.argv[2] ?? "")

const facilitator = await facilitatorOn(task.rpcUrl, {
  journal: sqliteJournals(task.filename).transfers,
  confirmTimeoutMillis: 2_000,
  fetch: async (input, init) => {
    const body = await new Response(init?.body).text()
    const isFatal = body.includes("sendTransaction") && task.dies !== "never"
    if (isFatal && task.dies === "recorded") process.kill(process.pid, "SIGKILL")
    const response = await fetch(input, { ...init, body })
    if (isFatal) process.kill(process.pid, "SIGKILL")
    return response
  }
})
process.stdout.write(JSON.stringify(await facilitator.settle(task.payload, task.requirements)))
