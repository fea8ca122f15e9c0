import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { expectOnEventLoop } from "./bundledServer.ts"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()
const script = join(import.meta.dirname, "openDatabase.ts")

// SqliteHosts.deep.test.ts has hosts of other kinds.
describe("the client of a file", () => {
  it("does not keep the process alive, except while a statement runs", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--conditions=@till402/source",
      "--disable-warning=ExperimentalWarning",
      script,
      nextFile()
    ])
    expect(stdout).toBe("written 500\n")
  })
})

it("a bundled server without import.meta.url, as in CommonJS, runs its statements on the event loop", () =>
  expectOnEventLoop(nextFile, { "import.meta.url": "undefined" }))
