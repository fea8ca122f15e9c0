import { spawn } from "node:child_process"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { sqliteJournals } from "@till402/providers/journals"
import type { SolanaChain } from "@till402/sandbox/solana"

/** A refund by a process of its own: where it dies, and what it is told. */
export interface RefundingRun {
  readonly chain: SolanaChain
  readonly filename: string
  readonly payee: string
  readonly dies: "never" | "recorded" | "sent"
}

/** Has a process refund 0.01 for `charge-1`; returns its output, and the signal that ended it. */
export const refundInProcess = async ({ chain, dies, filename, payee }: RefundingRun) => {
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      "--conditions=@till402/source",
      join(import.meta.dirname, "refundingProcess.ts"),
      chain.rpcUrl,
      filename,
      "charge-1",
      payee,
      chain.usdc.mint,
      "10000",
      dies
    ],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
  const exited = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_code, signal) => resolve(signal))
  )
  const output = await text(child.stdout)
  return { output, signal: await exited }
}

/** What the journal in a file has of `charge-1`. */
export const attemptsIn = async (filename: string) => {
  const journals = sqliteJournals(filename)
  const attempts = await journals.transfers.find("charge-1")
  await journals.close()
  return attempts
}
