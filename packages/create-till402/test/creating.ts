import { execFile } from "node:child_process"
import { join } from "node:path"

const main = join(import.meta.dirname, "..", "src", "main.ts")

/** Runs the command in a folder of its own, as npm does. */
export const create = (folder: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly complaint: string }>((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source", main, ...args],
      { cwd: folder },
      (error, _output, complaint) => resolve({ code: error?.code ?? 0, complaint })
    )
  })
