import { flushCompileCache } from "node:module"
import { sqliteJournals } from "@till402/providers/journals"
import type { TransferJournal } from "@till402/providers/solana-refunds"
import { refundsOn } from "./solanaRefundShop.ts"

/*
 * A process that sends one refund, and dies where its arguments say:
 * node refundingProcess.ts <rpcUrl> <journal file> <key> <payee> <mint> <amount> <never|recorded|sent>
 */

// Node would keep what it compiled only when a process ends by itself.
flushCompileCache()

const [rpcUrl = "", filename = "", key = "", payee = "", asset = "", amount = "0", dies = "never"] =
  process.argv.slice(2)

const die = (): never => {
  process.kill(process.pid, "SIGKILL")
  // The signal arrives before anything else runs.
  for (;;);
}

const { transfers } = sqliteJournals(filename)
const journal: TransferJournal = {
  find: transfers.find,
  insert: async (attempt) => {
    const attempts = await transfers.insert(attempt)
    return dies === "recorded" ? die() : attempts
  }
}
const refunds = await refundsOn(rpcUrl, {
  journal,
  confirmTimeoutMillis: 1_000,
  fetch: async (input, init) => {
    const response = await fetch(input, init)
    const body = init?.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : String(init?.body)
    return dies === "sent" && body.includes("sendTransaction") ? die() : response
  }
})
const state = await refunds.refund({ key, payee, asset, amountAtomic: BigInt(amount) })
process.stdout.write(JSON.stringify(state))
