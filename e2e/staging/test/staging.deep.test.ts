import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { scripts } from "../src/scripts/index.ts"

const main = fileURLToPath(new URL("../main.ts", import.meta.url))
const command = (args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source", main, ...args],
      // No variable of ours: the environment of the tests may contain keys.
      {
        env: {
          PATH: process.env["PATH"],
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"]
        },
        timeout: 100_000
      }
    )
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
  })

it("the command skips all scripts without keys, prints why, and succeeds", async () => {
  const { code, output } = await command([])
  assert.strictEqual(code, 0, output)
  for (const { name, required } of scripts) {
    assert.include(output, `${name}: skipped: ${required.map((variable) => variable.name).join(", ")} `)
  }
  assert.include(output, `0 passed, 0 failed, ${scripts.length} skipped`)
})
