import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "rolldown"
import { expect, it } from "vitest"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()

it.each<readonly [string, Readonly<Record<string, string>>]>([
  ["with its own import.meta.url", {}],
  ["without import.meta.url, as in CommonJS", { "import.meta.url": "undefined" }]
])("a bundled server %s runs its statements on the event loop", async (_, define) => {
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
})
