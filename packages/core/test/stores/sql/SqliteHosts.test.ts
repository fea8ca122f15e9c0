import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "rolldown"
import { describe, expect, it } from "vitest"
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

it.each<readonly [string, Readonly<Record<string, string>>]>([
  ["with its own import.meta.url", {}],
  ["without import.meta.url, as in CommonJS", { "import.meta.url": "undefined" }]
])("a bundled server %s runs its statements on the event loop", async (_, define) => {
  const bundle = `${nextFile()}.mjs`
  await build({
    input: script,
    platform: "node",
    transform: { define },
    logLevel: "silent",
    output: { file: bundle, codeSplitting: false }
  })
  const { stdout } = await promisify(execFile)(process.execPath, [bundle, nextFile()])
  expect(stdout).toContain("storage_on_event_loop")
  expect(stdout).toMatch(/written 500\n$/)
})
