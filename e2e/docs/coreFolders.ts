import { globSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { read, root, sources, tableBelow } from "./documents.ts"

/*
 * The folders of the core and the imports that docs/architecture.md allows them, and the lint rules made of that table.
 */

const core = "packages/core/src"

const code = (cell: string, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(cell.matchAll(pattern), ([, name]) => name!)

const rows = tableBelow(read("docs/architecture.md"), "## Folders of the core").map(([folder, imports]) => ({
  folder: code(folder!, /`([\w/]+)\/`/g)[0]!,
  direct: code(imports!, /`([\w/]+)\/`/g),
  packages: code(imports!, /`(@?\w+(?:\/\w+)?)`/g)
}))

/** What each folder's own row allows it to import. */
export const directImports: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries(
  rows.map(({ direct, folder }) => [folder, direct])
)

const reachable = (folder: string): ReadonlySet<string> => {
  const direct = rows.find((row) => row.folder === folder)?.direct ?? []
  return new Set(direct.flatMap((each) => [each, ...reachable(each)]))
}

/** The folders of the core, each with all folders that it may import, in the order of the table. */
export const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries(
  rows.map(({ folder }) => {
    const allowed = reachable(folder)
    return [folder, rows.map((row) => row.folder).filter((other) => allowed.has(other))]
  })
)

/** The packages that `domain/` may import. */
export const packagesOfDomain: ReadonlyArray<string> = rows.find(
  ({ folder }) => folder === "domain"
)!.packages

/** The row to which a folder belongs: its own, or that of the nearest folder around it. */
export const rowOf = (folder: string): string | undefined =>
  folder in mayImport || folder === "." ? folder : rowOf(dirname(folder))

/** All folders with files, from `src` on. */
export const foldersOfCore = (): ReadonlyArray<string> =>
  [...new Set(globSync("*/**/*.ts", { cwd: join(root, core) }).map((file) => dirname(file)))].toSorted()

/** Which rows' folders import which others, by the sources. */
export const importsBetween = (): ReadonlyArray<{ readonly from: string; readonly to: string }> => {
  const pairs = sources
    .filter((path) => path.startsWith(`${core}/`))
    .flatMap((path) => {
      const from = rowOf(relative(core, dirname(path)))
      return Array.from(read(path).text.matchAll(/\bfrom "(\.[^"]+)"/g), ([, target]) => ({
        from,
        to: rowOf(relative(core, dirname(join(dirname(path), target!))))
      }))
    })
  const between = new Map(
    pairs.flatMap(({ from, to }) =>
      from === undefined || to === undefined || from === "." || from === to
        ? []
        : [[`${from} ${to}`, { from, to }] as const]
    )
  )
  return [...between.values()].toSorted((left, right) =>
    `${left.from} ${left.to}` < `${right.from} ${right.to}` ? -1 : 1
  )
}

/** Matches the relative import of a folder's own files, as a file in another folder spells it. */
const importOf = (folder: string, from: string): string => {
  const there = folder.split("/")
  const here = from.split("/")
  const common = here.findIndex((part, index) => part !== there[index])
  const shared = common === -1 ? here.length : common
  const up = here.length - shared
  const down = there.slice(shared).map((part) => `${part}/`)
  return `${up === 0 ? "[.]/" : `(?:[.][.]/){${up}}`}${down.join("")}[^/]+$`
}

/** The lint rules that forbid every import which the table doesn't allow. */
export const layerRules = () => {
  const folders = foldersOfCore()
  return {
    overrides: folders.map((folder) => {
      const row = rowOf(folder)!
      const allowed = mayImport[row]!
      const forbidden = folders.filter((other) => {
        const otherRow = rowOf(other)!
        return otherRow !== row && !allowed.includes(otherRow)
      })
      const entries = `(?:[.][.]/){${folder.split("/").length}}[^/]+$`
      return {
        files: [`${core}/${folder}/*.ts`],
        rules: {
          "no-restricted-imports": [
            "error",
            {
              patterns: [
                {
                  regex: `^(?:${[...forbidden.map((other) => importOf(other, folder)), entries].join("|")})`,
                  message: `${row}/ imports only ${allowed.map((other) => `${other}/`).join(", ") || "packages"}.`
                }
              ]
            }
          ]
        }
      }
    })
  }
}
