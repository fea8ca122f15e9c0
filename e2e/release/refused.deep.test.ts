import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Owner } from "../../release/Owner.ts"
import { root } from "../docs/documents.ts"

/*
 * What the release command refuses before it changes anything.
 */

const owner: Owner = {
  repository: "https://git.example/shop/till",
  homepage: "https://till.example",
  securityContact: "security@till.example"
}

describe("the command", () => {
  /** Runs it in a folder that can't be released; `env` is what npm adds to the environment. */
  const release = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
    const folder = mkdtempSync(join(tmpdir(), "till402-release-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    cpSync(join(root, "release"), join(folder, "release"), { recursive: true })
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction")
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
    writeFileSync(join(folder, "owner.json"), JSON.stringify({ ...owner, homepage: "" }))
    spawnSync("git", ["init", "--quiet", "--initial-branch=other"], { cwd: folder })
    const program = ["--disable-warning=ExperimentalWarning", join(folder, "release", "main.ts"), ...args]
    const { npm_config_dry_run: _dry, ...rest } = process.env
    const options = { encoding: "utf8", cwd: folder, env: { ...rest, ...env } } as const
    return spawnSync(process.execPath, program, options)
  }

  it("refuses a checkout without the owner's values, with changes, or on another branch", () => {
    const { status, stderr, stdout } = release([])
    expect(stdout).toBe("")
    expect(stderr.trim().split("\n")).toEqual([
      "The release is refused, and nothing was changed:",
      "  owner.json: homepage is empty; give an https URL",
      "  The branch is not main",
      "  The checkout has changes: commit them first"
    ])
    expect(status).toBe(1)
  })

  it("refuses --dryrun, which is no dry run", () => {
    const { status, stderr } = release(["--dryrun"])
    expect(stderr).toMatch(/^There is no option .*\n\nUsage: npm run release -- --dry-run/)
    expect(status).toBe(1)
  })

  it("is a dry run if npm took the option itself", () => {
    // Only a dry run comes so far that it reads the packages of the clone, of which this one has none.
    const { stderr } = release([], { npm_config_dry_run: "true" })
    expect(stderr).not.toContain("The release is refused")
    expect(stderr).toMatch(/ENOENT.*clone.packages/)
  })
})
