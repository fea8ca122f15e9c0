import { execFile } from "node:child_process"
import { join } from "node:path"
import type { FacilitatorTask } from "./facilitatorProcess.ts"

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
