import { execFile, execFileSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { packageFaults } from "../../release/PackageChecks.ts"
import { readManifest } from "../../release/Publishing.ts"
import { tarballLimits } from "../../release/Sizes.ts"
import { root } from "../docs/documents.ts"
import { type Registry, startRegistry } from "./Registry.ts"

/*
 * The release command on a copy of this repository: as a dry run, and for real to a registry of its own.
 */

const owner = {
  repository: "https://git.example/shop/till",
  homepage: "https://till.example",
  securityContact: "security@till.example"
}

let folder: string
let copy: string
let registry: Registry

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: copy, encoding: "utf8" }).trim()

/** The files of this checkout, committed as the only commit of a repository of their own. */
const copyRepository = (): void => {
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8"
  })
  for (const file of files.split("\0").filter((name) => name !== ""))
    cpSync(join(root, file), join(copy, file), { force: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction")
  git("init", "--quiet", "--initial-branch=main")
  git("config", "user.name", "Ada")
  git("config", "user.email", "ada@till.example")
  commit()
}

const commit = (): void => {
  git("add", "--all")
  git("commit", "--quiet", "--message", "a change")
}

/** Runs the command as `npm run release` does. */
const release = (...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly output: string; readonly complaint: string }>((resolve) => {
    const pnpm = join(root, ".toolchain", "pnpm", "node_modules", ".bin")
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", join(copy, "release", "main.ts"), ...args],
      {
        cwd: copy,
        env: {
          ...process.env,
          PATH: [dirname(process.execPath), pnpm, process.env["PATH"]].join(delimiter),
          NPM_CONFIG_USERCONFIG: join(folder, "npmrc"),
          NPM_CONFIG_REGISTRY: registry.url
        }
      },
      (error, output, complaint) => resolve({ code: error?.code ?? 0, output, complaint })
    )
  })

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "till402-release-"))
  copy = join(folder, "repository")
  mkdirSync(copy)
  registry = await startRegistry()
  writeFileSync(join(folder, "npmrc"), `${registry.url.replace("http:", "")}:_authToken=of-a-test\n`)
  copyRepository()
})
afterAll(async () => {
  await registry.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe("npm run release", () => {
  it("as a dry run packs and checks all packages, and changes nothing", async () => {
    const before = git("rev-parse", "HEAD")
    const { code, complaint, output } = await release("--dry-run")
    expect({ code, complaint }).toEqual({ code: 0, complaint: "" })
    expect(output).toMatch(/^ {2}@till402\/core +0\.1\.0 +\d+ kB {2}\d+ files$/m)
    expect(output).toContain("Dry run: nothing was published")
    expect([git("rev-parse", "HEAD"), git("tag"), git("status", "--porcelain")]).toEqual([before, "", ""])
    expect(registry.published).toEqual([])
  })

  it.each(["dry-run", "--dry-run=true"])("refuses %s, which is no dry run", async (option) => {
    const { code, complaint } = await release(option)
    expect(complaint).toMatch(/^There is no option .*\n\nUsage: npm run release -- --dry-run/)
    expect(code).toBe(1)
  })

  it("publishes what it checked, and goes on where publishing broke off", async () => {
    writeFileSync(join(copy, "owner.json"), JSON.stringify(owner))
    commit()
    registry.refuse(["@till402/sandbox"])
    const first = await release("--without-provenance")
    expect(first.complaint).toContain("npm publish")
    expect(first.code).toBe(1)
    expect(git("log", "-1", "--format=%s")).toBe("release: 0.1.0")
    expect([git("describe", "--tags"), git("status", "--porcelain")]).toEqual(["v0.1.0", ""])
    const some = registry.published.map(({ name }) => name)
    expect(some).toContain("@till402/core")
    expect(some).not.toContain("@till402/telemetry")

    registry.refuse([])
    const second = await release("--without-provenance")
    expect({ code: second.code, complaint: second.complaint }).toEqual({ code: 0, complaint: "" })
    expect(second.output).toContain("@till402/core@0.1.0 is published already")
    const names = registry.published.map(({ name }) => name)
    expect(names.toSorted()).toEqual(Object.keys(tarballLimits).toSorted())
    expect(git("log", "-1", "--format=%s")).toBe("release: 0.1.0")
  })

  it("gave each package the owner's values, and links that hold", () => {
    for (const { manifest, name, tarball, version } of registry.published) {
      expect(version).toBe("0.1.0")
      expect(manifest).toMatchObject({ homepage: owner.homepage, repository: { type: "git" } })
      expect(JSON.stringify(manifest)).not.toMatch(/workspace:|@till402\/source|"scripts"|"devDependencies"/)
      const file = join(folder, "published.tgz")
      writeFileSync(file, tarball)
      const readme = execFileSync("tar", ["-xzOf", file, "package/README.md"], { encoding: "utf8" })
      expect(readme, name).toContain("](https://git.example/shop/till/blob/v0.1.0/")
      expect(readme, name).not.toMatch(/\]\(\.\.?\//)
    }
    expect(readFileSync(join(copy, "SECURITY.md"), "utf8")).toContain("security@till.example")
    expect(readManifest(join(copy, "packages", "core")).version).toBe("0.1.0")
  })
})

describe("the checks of a packed package detect", () => {
  const made: Array<string> = []
  afterEach(() => made.splice(0).forEach((path) => rmSync(path, { recursive: true })))

  /** A tarball with one entry, whose types are sound unless `files` and `entry` say otherwise. */
  const pack = (files: Readonly<Record<string, string>>, entry: Readonly<Record<string, string>>): string => {
    const home = mkdtempSync(join(folder, "package-"))
    made.push(home)
    mkdirSync(join(home, "package"))
    const manifest = {
      name: "sound",
      version: "1.0.0",
      type: "module",
      license: "Apache-2.0",
      sideEffects: false,
      engines: { node: ">=22.19" },
      exports: { ".": entry }
    }
    const all = { "package.json": JSON.stringify(manifest), ...files }
    for (const [name, text] of Object.entries(all)) writeFileSync(join(home, "package", name), text)
    execFileSync("tar", ["-czf", "sound.tgz", "package"], { cwd: home })
    return join(home, "sound.tgz")
  }
  const sound = {
    "index.js": 'export { one } from "./one.js"\n',
    "index.d.ts": 'export { one } from "./one.js"\n',
    "one.js": "export const one = 1\n",
    "one.d.ts": "export declare const one: number\n"
  }
  const entry = { types: "./index.d.ts", default: "./index.js" }

  it("nothing in a sound one", async () => {
    expect(await packageFaults(pack(sound, entry), ["."])).toEqual([])
  })

  it.each([
    ["a file that is missing", sound, { ...entry, default: "./gone.js" }, "publint: "],
    ["types after the code", sound, { default: "./index.js", types: "./index.d.ts" }, "publint: "],
    [
      "types that import what is missing",
      { ...sound, "index.d.ts": 'export { one } from "./gone.js"\n' },
      entry,
      "types: Internal resolution error"
    ],
    [
      "types of CommonJS",
      { ...sound, "index.d.cts": "export {}\n" },
      { ...entry, types: "./index.d.cts" },
      "types: Types are CJS"
    ]
  ])("%s", async (_, files, given, fault) => {
    expect(await packageFaults(pack(files, given), ["."])).toContainEqual(expect.stringContaining(fault))
  })
})
