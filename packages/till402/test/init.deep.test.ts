import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { frameworks } from "../src/init/frameworks.ts"
import { till402 } from "./world.ts"

/** That for Next is installed by npm, in e2e/packed/road.deep.test.ts. */
it.each(frameworks.filter((framework) => framework !== "next"))(
  "the app for %s passes its own test: it runs in the sandbox, and is paid",
  async (framework) => {
    const folder = mkdtempSync(join(tmpdir(), "till402-init-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const app = join(folder, "app")
    expect((await till402(["init", app, "--framework", framework])).code).toBe(0)
    // As its package.json installs them: a test compares its imports with it.
    const example = join(import.meta.dirname, "..", "..", "..", "examples", framework, "node_modules")
    symlinkSync(example, join(app, "node_modules"), "junction")
    const test = spawn(process.execPath, ["--test"], {
      cwd: app,
      env: {
        PATH: process.env["PATH"],
        NODE_OPTIONS: "--conditions=@till402/source --disable-warning=ExperimentalWarning"
      }
    })
    onTestFinished(() => void test.kill("SIGKILL"))
    let output = ""
    for (const stream of [test.stdout, test.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
    const [code] = await once(test, "close")
    expect([code, output]).toEqual([0, expect.stringMatching(/pass 1\n/)])
  }
)
