import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { expectOnEventLoop } from "./bundledServer.ts"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()

describe("the client of a file", () => {
  const script = join(import.meta.dirname, "openDatabase.ts")
  const flags = ["--conditions=@till402/source", "--disable-warning=ExperimentalWarning"]
  const preloaded = `data:text/javascript,console.log("preloaded")`

  it("closes before its process ends, though a statement was still running", async () => {
    const source = join(import.meta.dirname, "../../../src/stores/sqlite")
    const text = `
      const { onThread } = await import(${JSON.stringify(join(source, "SqliteThread.ts"))})
      const { control } = await import(${JSON.stringify(join(source, "SqliteSession.ts"))})
      const receiver = { onReplies: () => undefined, onEnd: () => undefined }
      for (let times = 0; times < 20; times++) {
        const thread = await onThread(${JSON.stringify(nextFile())}, receiver)
        thread.post({ id: 1, job: control("CREATE TABLE IF NOT EXISTS own (id INTEGER)"), inTransaction: false })
        await thread.close()
      }
      console.log("closed")`
    const host = [...flags, "--input-type=module", "--eval", text]
    const { stdout } = await promisify(execFile)(process.execPath, host)
    expect(stdout).toBe("closed\n")
  })

  it.each([
    ["in arguments", ["--import", preloaded], ""],
    ["in the environment", [], `--import=${preloaded.replaceAll('"', "'")}`]
  ])("does not run what the host preloads (%s) in its thread", async (_, given, options) => {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...given, script, nextFile()], {
      env: { ...process.env, NODE_OPTIONS: options }
    })
    expect(stdout).toBe("preloaded\nwritten 500\n")
  })

  it("opens the file of the folder in which it was called", async () => {
    const folder = nextFile()
    mkdirSync(folder)
    const host = [...flags, join(import.meta.dirname, "changeFolder.ts")]
    const { stdout } = await promisify(execFile)(process.execPath, host, { cwd: folder })
    expect(stdout).toContain(join(folder, "till.sqlite"))
  })

  it("has a thread in a host that is a text in the arguments", async () => {
    const text = `await import(${JSON.stringify(script)})`
    const host = [...flags, "--input-type=module", "--eval", text, "--", "no script", nextFile()]
    const { stdout } = await promisify(execFile)(process.execPath, host)
    expect(stdout).toBe("written 500\n")
  })

  it("runs its statements on the event loop where Node forbids threads, and says so", async () => {
    const permissions = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*"]
    const host = [...permissions, ...flags, script, nextFile()]
    const { stdout } = await promisify(execFile)(process.execPath, host)
    expect(stdout).toMatch(/WARN.*SQLite has no thread of its own.*storage_on_event_loop/)
    expect(stdout).toMatch(/written 500\n$/)
  })
})

it("a bundled server with its own import.meta.url runs its statements on the event loop", () =>
  expectOnEventLoop(nextFile, {}))
