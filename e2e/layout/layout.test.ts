import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { foldersOfCore, mayImport, rowOf } from "../docs/coreFolders.ts"

/*
 * Shows that `npm run check` detects layout faults: lints seeded files with this repository's rules. The table in
 * docs/architecture.md lists the allowed imports.
 */

const root = fileURLToPath(new URL("../..", import.meta.url))
const core = "packages/core/src"

const folders: Array<string> = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

interface Report {
  readonly code: string
  readonly file: string
  readonly message: string
}

/** Lints files, given by path, in an otherwise empty workspace. */
const lint = (files: Readonly<Record<string, string>>): ReadonlyArray<Report> => {
  const folder = mkdtempSync(join(tmpdir(), "till402-layout-"))
  folders.push(folder)
  for (const name of [".oxlintrc.json", "oxlint.layers.json"]) cpSync(join(root, name), join(folder, name))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const oxlint = join(root, "node_modules", "oxlint", "bin", "oxlint")
  const { status, stdout } = spawnSync(process.execPath, [oxlint, "--format=json"], {
    cwd: folder,
    encoding: "utf8"
  })
  const { diagnostics } = JSON.parse(stdout) as {
    readonly diagnostics: ReadonlyArray<{ code: string; filename: string; message: string; help?: string }>
  }
  expect(status).toBe(diagnostics.length === 0 ? 0 : 1)
  return diagnostics.map(({ code, filename, help, message }) => ({
    code,
    file: filename,
    message: `${message} ${help ?? ""}`
  }))
}

/** One run of the linter for the tests of a table: most of its time goes to its start. */
const once = (files: () => Readonly<Record<string, string>>): (() => ReadonlyArray<Report>) => {
  let reports: ReadonlyArray<Report> | undefined
  return () => (reports ??= lint(files()))
}

const value = "export const seed = 1\n"
const imports = (path: string, name = "seed"): string =>
  `import { seed as imported } from "${path}"\n\nexport const ${name} = imported + 1\n`

describe("npm run check", () => {
  it("reports what a folder of the core may not import, and nothing else", () => {
    const all = foldersOfCore()
    const relativeTo = (from: string, to: string) => {
      const path = relative(from, to)
      return path.startsWith(".") ? path : `./${path}`
    }
    const pairs = all.flatMap((from) => all.filter((to) => to !== from).map((to) => ({ from, to })))
    const fileOf = ({ from, to }: { readonly from: string; readonly to: string }) =>
      `${core}/${from}/To${to.replaceAll("/", "_")}.ts`
    const reports = lint(
      Object.fromEntries([
        ...all.map((folder) => [`${core}/${folder}/Seed.ts`, value]),
        ...pairs.map((pair) => [fileOf(pair), imports(`${relativeTo(pair.from, pair.to)}/Seed.ts`)])
      ])
    )
    const forbidden = pairs.filter(({ from, to }) => {
      const [own, other] = [rowOf(from)!, rowOf(to)!]
      return own !== other && !mayImport[own]!.includes(other)
    })
    expect(forbidden.length).toBeGreaterThan(100)
    expect(reports.map(({ file }) => file).toSorted()).toEqual(forbidden.map(fileOf).toSorted())
    for (const { code, message } of reports) {
      expect(code).toContain("no-restricted-imports")
      expect(message).toContain("/ imports only ")
    }
  })

  const upward = [
    'import type { Seed } from "../../till/Seed.ts"\n\nexport type Up = Seed\n',
    'export type { Seed } from "../../till/Seed.ts"\n',
    'export * from "../../till/Seed.ts"\n'
  ]
  const upwardFile = (text: string) => `${core}/toll/machine/Up${upward.indexOf(text)}.ts`
  const ofUpward = once(() => ({
    [`${core}/till/Seed.ts`]: "export type Seed = 1\n",
    ...Object.fromEntries(upward.map((text) => [upwardFile(text), text]))
  }))

  it.each(upward)("reports an upward import of a type: %s", (text) => {
    expect(ofUpward()).toHaveLength(upward.length)
    expect(ofUpward().filter(({ file }) => file === upwardFile(text))).toHaveLength(1)
  })

  it("reports a folder that imports a public entry", () => {
    const reports = lint({
      [`${core}/index.ts`]: value,
      [`${core}/till/Up.ts`]: imports("../index.ts")
    })
    expect(reports).toMatchObject([{ file: `${core}/till/Up.ts` }])
  })

  const inCycles = ["core", "providers", "sandbox"]
  const cycleFolder = (name: string) => `packages/${name}/src/${name === "core" ? "toll" : "shop"}`
  const ofCycles = once(() =>
    Object.assign(
      {},
      ...inCycles.map(cycleFolder).map((folder) => ({
        [`${folder}/A.ts`]: imports("./B.ts"),
        [`${folder}/B.ts`]: imports("./C.ts"),
        [`${folder}/C.ts`]: imports("./A.ts"),
        [`${folder}/D.ts`]: 'import type { E } from "./E.ts"\n\nexport type D = Array<E>\n',
        [`${folder}/E.ts`]: 'import type { D } from "./D.ts"\n\nexport type E = { d: D }\n'
      }))
    )
  )

  it.each(inCycles)("reports a cycle in %s, of types as well", (name) => {
    const reports = ofCycles().filter(({ file }) => file.startsWith(`${cycleFolder(name)}/`))
    expect(new Set(reports.map(({ code }) => code))).toEqual(new Set(["import(no-cycle)"]))
    expect([...new Set(reports.map(({ file }) => file.slice(-4)))].toSorted()).toEqual([
      "A.ts",
      "B.ts",
      "C.ts",
      "D.ts",
      "E.ts"
    ])
  })

  it("reports a function that doesn't fit a screen, without its blank lines and comments", () => {
    const functionOf = (lines: number) =>
      `export const long = (): number => {\n  let sum = 0\n${"  // Counts.\n\n  sum += 1\n".repeat(lines - 4)}  return sum\n}\n`
    const reports = lint({
      [`${core}/toll/Fits.ts`]: functionOf(70),
      [`${core}/toll/Long.ts`]: functionOf(71),
      "packages/providers/src/shop/Long.ts": functionOf(71),
      "packages/core/test/Long.ts": functionOf(71)
    })
    expect(reports.map(({ file }) => file).toSorted()).toEqual([
      `${core}/toll/Long.ts`,
      "packages/providers/src/shop/Long.ts"
    ])
    expect(new Set(reports.map(({ code }) => code))).toEqual(new Set(["eslint(max-lines-per-function)"]))
  })

  it("reports a stray file in the root of the core", () => {
    expect(lint({ [`${core}/Stray.ts`]: value })).toMatchObject([{ file: `${core}/Stray.ts` }])
    const reports = lint({
      [`${core}/Stray.ts`]: imports("./domain/Seed.ts"),
      [`${core}/domain/Seed.ts`]: value
    })
    expect(reports.map(({ message }) => message).join("\n")).toContain("move this file to a folder")
  })

  it("accepts the public entries, which are those of the package", () => {
    const { exports } = JSON.parse(readFileSync(join(root, "packages/core/package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
    }
    const entries = Object.values(exports).map((entry) => entry["@till402/source"]!.replace("./src/", ""))
    expect(lint(Object.fromEntries(entries.map((entry) => [`${core}/${entry}`, value])))).toEqual([])
    const files = readdirSync(join(root, core), { withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.map(({ name }) => name).toSorted()).toEqual(entries.toSorted())
  })
})
