import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "rolldown"
import { expect } from "vitest"

/** Bundles a server whose code has these texts replaced, and expects that it runs its statements on the event loop. */
export const expectOnEventLoop = async (
  nextFile: () => string,
  define: Readonly<Record<string, string>>
): Promise<void> => {
  const bundle = `${nextFile()}.mjs`
  await build({
    input: join(import.meta.dirname, "openDatabase.ts"),
    platform: "node",
    transform: { define },
    logLevel: "silent",
    output: { file: bundle, codeSplitting: false }
  })
  const { stdout } = await promisify(execFile)(process.execPath, [bundle, nextFile()])
  expect(stdout).toContain("storage_on_event_loop")
  expect(stdout).toMatch(/written 500\n$/)
}
