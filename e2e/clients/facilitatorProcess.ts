import { flushCompileCache } from "node:module"
import { localFacilitator } from "@till402/providers/facilitator"
import { sqliteJournals } from "@till402/providers/journals"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"

/*
 * A process with a local facilitator. It settles the payments it is given at once, and kills itself at a given send:
 * after its record, before or after the node has the transaction.
 */

/** What the process is told, as JSON in its first argument. */
export interface FacilitatorTask {
  readonly rpcUrl: string
  readonly privateKey: Hex
  readonly filename: string
  readonly payments: ReadonlyArray<{ readonly payload: unknown; readonly requirements: unknown }>
  /** Number of the send at which it dies, from 1; 0: never. */
  readonly diesAt: number
  readonly isSentFirst: boolean
}

// Node would keep what it compiled only when a process ends by itself.
flushCompileCache()

const task: FacilitatorTask = JSON.parse(process.argv[2] ?? "")

let sends = 0
const facilitator = localFacilitator({
  account: privateKeyToAccount(task.privateKey),
  networks: [{ network: "base-sepolia", rpcUrl: task.rpcUrl }],
  journal: sqliteJournals(task.filename).settlements,
  pollMillis: 50,
  replaceAfterMillis: 1_000,
  fetch: async (input, init) => {
    const body = await new Response(init?.body).text()
    const isFatal = body.includes("eth_sendRawTransaction") && ++sends === task.diesAt
    if (isFatal && !task.isSentFirst) process.kill(process.pid, "SIGKILL")
    const response = await fetch(input, { ...init, body })
    if (isFatal) process.kill(process.pid, "SIGKILL")
    return response
  }
})

const settled = await Promise.all(
  task.payments.map(({ payload, requirements }) => facilitator.settle(payload, requirements, "shop"))
)
process.stdout.write(JSON.stringify(settled))
