import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { mayImport } from "../docs/coreFolders.ts"

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
  cpSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"))
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

const value = "export const seed = 1\n"
const imports = (path: string, name = "seed"): string =>
  `import { seed as imported } from "${path}"\n\nexport const ${name} = imported + 1\n`

describe("npm run check", () => {
  it("lints every folder of the core", () => {
    const rooms = readdirSync(join(root, core), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(rooms.toSorted()).toEqual(Object.keys(mayImport).toSorted())
    expect(lint({ [`${core}/domain/Seed.ts`]: value })).toEqual([])
  })

  it.each(Object.entries(mayImport))("reports what %s/ may not import, and nothing else", (room, allowed) => {
    const others = Object.keys(mayImport).filter((other) => other !== room)
    const nameOf = (other: string) => `To${other}`
    const reports = lint(
      Object.fromEntries([
        ...others.map((other) => [`${core}/${other}/Seed.ts`, value]),
        ...others.map((other) => [`${core}/${room}/${nameOf(other)}.ts`, imports(`../${other}/Seed.ts`)]),
        ...others.map((other) => [
          `${core}/${room}/in/${nameOf(other)}.ts`,
          imports(`../../${other}/Seed.ts`)
        ]),
        [`${core}/${room}/Own.ts`, imports("./in/Own.ts")],
        [`${core}/${room}/in/Own.ts`, imports("../Seed.ts")],
        [`${core}/${room}/Seed.ts`, value]
      ])
    )
    const forbidden = others.filter((other) => !allowed.includes(other))
    expect(reports.map(({ file }) => file).toSorted()).toEqual(
      forbidden
        .flatMap((other) => ["", "in/"].map((sub) => `${core}/${room}/${sub}${nameOf(other)}.ts`))
        .toSorted()
    )
    for (const { code, message } of reports) {
      expect(code).toContain("no-restricted-imports")
      expect(message).toContain(
        `${room}/ imports only ${allowed.map((other) => `${other}/`).join(", ") || "packages"}.`
      )
    }
  })

  it.each([
    'import type { Seed } from "../../till/Seed.ts"\n\nexport type Up = Seed\n',
    'export type { Seed } from "../../till/Seed.ts"\n',
    'export * from "../../till/Seed.ts"\n'
  ])("reports an upward import of a type: %s", (text) => {
    const reports = lint({
      [`${core}/till/Seed.ts`]: "export type Seed = 1\n",
      [`${core}/toll/machine/Up.ts`]: text
    })
    expect(reports).toMatchObject([{ file: `${core}/toll/machine/Up.ts` }])
  })

  it("reports machinery of operations that imports a route", () => {
    const reports = lint({
      [`${core}/operations/Operation.ts`]: imports("./routes/Track.ts"),
      [`${core}/operations/RouteParts.ts`]: value,
      [`${core}/operations/routes/Track.ts`]: imports("../RouteParts.ts")
    })
    expect(reports).toMatchObject([{ file: `${core}/operations/Operation.ts` }])
    expect(reports[0]!.message).toContain("imports no route")
  })

  it("reports limits that import the machine of charges", () => {
    const reports = lint({
      [`${core}/toll/limits/Admission.ts`]: imports("../machine/CallPerformer.ts"),
      [`${core}/toll/limits/Pools.ts`]: imports("../../http/Seed.ts"),
      [`${core}/toll/machine/CallPerformer.ts`]: value,
      [`${core}/http/Seed.ts`]: value
    })
    expect(reports.map(({ file }) => file).toSorted()).toEqual([
      `${core}/toll/limits/Admission.ts`,
      `${core}/toll/limits/Pools.ts`
    ])
  })

  it("reports a folder that imports a public entry", () => {
    const reports = lint({
      [`${core}/index.ts`]: value,
      [`${core}/till/Up.ts`]: imports("../index.ts")
    })
    expect(reports).toMatchObject([{ file: `${core}/till/Up.ts` }])
  })

  it.each(["core", "providers", "sandbox"])("reports a cycle in %s, of types as well", (name) => {
    const folder = `packages/${name}/src/${name === "core" ? "toll" : "shop"}`
    const reports = lint({
      [`${folder}/A.ts`]: imports("./B.ts"),
      [`${folder}/B.ts`]: imports("./C.ts"),
      [`${folder}/C.ts`]: imports("./A.ts"),
      [`${folder}/D.ts`]: 'import type { E } from "./E.ts"\n\nexport type D = Array<E>\n',
      [`${folder}/E.ts`]: 'import type { D } from "./D.ts"\n\nexport type E = { d: D }\n'
    })
    expect(new Set(reports.map(({ code }) => code))).toEqual(new Set(["import(no-cycle)"]))
    expect([...new Set(reports.map(({ file }) => file.slice(-4)))].toSorted()).toEqual([
      "A.ts",
      "B.ts",
      "C.ts",
      "D.ts",
      "E.ts"
    ])
  })

  it("reports a stray file in the root of the core", () => {
    expect(lint({ [`${core}/Stray.ts`]: value })).toMatchObject([{ file: `${core}/Stray.ts` }])
    const reports = lint({
      [`${core}/Stray.ts`]: imports("./domain/Seed.ts"),
      [`${core}/domain/Seed.ts`]: value
    })
    expect(reports.map(({ message }) => message).join("\n")).toContain("move this file to a room")
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
