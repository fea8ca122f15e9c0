import { execFile, spawn } from "node:child_process"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { FacilitatorTask } from "./facilitatorProcess.ts"
import type { SolanaFacilitatorTask } from "./solanaFacilitatorProcess.ts"

/** Runs a process to its end: its output, or `undefined` if it was killed. */
export const settleInProcess = (task: FacilitatorTask): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const script = join(import.meta.dirname, "facilitatorProcess.ts")
    execFile(
      process.execPath,
      ["--conditions=@till402/source", script, JSON.stringify(task)],
      (error, stdout) => {
        if (error === null) resolve(stdout)
        else if (error.signal === "SIGKILL") resolve(undefined)
        else reject(error)
      }
    )
  })

/** Has a process settle a payment on Solana; returns its output, and the signal that ended it. */
export const settleOnSolanaInProcess = async (task: SolanaFacilitatorTask) => {
  const script = join(import.meta.dirname, "solanaFacilitatorProcess.ts")
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source", script, JSON.stringify(task)],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
  const exited = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_code, signal) => resolve(signal))
  )
  const output = await text(child.stdout)
  return { output, signal: await exited }
}
