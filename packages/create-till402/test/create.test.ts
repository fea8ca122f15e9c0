import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"

const main = join(import.meta.dirname, "..", "src", "main.ts")

/** Runs the command in a folder of its own, as npm does. */
const create = (folder: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly complaint: string }>((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source", main, ...args],
      { cwd: folder },
      (error, _output, complaint) => resolve({ code: error?.code ?? 0, complaint })
    )
  })

it("makes an app in a new folder, and says what is wrong where it doesn't", async () => {
  const folder = mkdtempSync(join(tmpdir(), "till402-create-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const made = await create(folder, "shop", "--framework", "fastify")
  expect(made).toEqual({ code: 0, complaint: expect.stringContaining("cd shop && npm install") })
  expect(existsSync(join(folder, "shop", "src", "main.ts"))).toBe(true)
  const unknown = await create(folder, "other", "--framework", "rails")
  expect(unknown).toEqual({ code: 2, complaint: expect.stringContaining("effect") })
})
