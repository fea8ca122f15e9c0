import { read, tableBelow } from "./documents.ts"

/*
 * The folders of the core and the imports that docs/architecture.md allows them, for tests of the lint rules and the
 * sources.
 */

const code = (cell: string, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(cell.matchAll(pattern), ([, name]) => name!)

const rows = tableBelow(read("docs/architecture.md"), "## Folders of the core").map(([folder, imports]) => ({
  folder: code(folder!, /`(\w+)\/`/g)[0]!,
  direct: code(imports!, /`(\w+)\/`/g),
  packages: code(imports!, /`(@?\w+(?:\/\w+)?)`/g)
}))

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
