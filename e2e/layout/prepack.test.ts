import { execSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"

const packages = resolve(import.meta.dirname, "../../packages")

describe("a package is packed only after its build", () => {
  it.each(readdirSync(packages))("%s", (name) => {
    const manifest = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"))
    const folder = mkdtempSync(join(tmpdir(), "till402-prepack-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const prepack = () => execSync(String(manifest.scripts.prepack), { cwd: folder, stdio: "pipe" })
    // Node bundles are made last.
    const built = ["core", "providers"].includes(name) ? join("dist", "bundle") : "dist"
    expect(prepack).toThrow(`${built} is missing: run npm run build first`)
    mkdirSync(join(folder, built), { recursive: true })
    prepack()
  })
})
