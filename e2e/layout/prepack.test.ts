import { execSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"

const packages = resolve(import.meta.dirname, "../../packages")

/** The command by which a package refuses to be packed before its build. */
const prepackOf = (name: string): string =>
  String(JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")).scripts.prepack)
const names = readdirSync(packages)

// Node bundles are made last.
const commands = { core: join("dist", "bundle"), console: "dist" }

describe("a package is packed only after its build", () => {
  it.each(Object.entries(commands))("by the command of %s", (name, built) => {
    const folder = mkdtempSync(join(tmpdir(), "till402-prepack-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const prepack = () => execSync(prepackOf(name), { cwd: folder, stdio: "pipe" })
    expect(prepack).toThrow(`${built} is missing: run npm run build first`)
    mkdirSync(join(folder, built), { recursive: true })
    prepack()
  })

  it.each(names)("%s", (name) => {
    expect(prepackOf(name)).toBe(prepackOf(["core", "providers"].includes(name) ? "core" : "console"))
  })
})
