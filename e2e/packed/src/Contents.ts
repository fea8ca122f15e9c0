import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { entriesOf, filesOf, type PackedPackage } from "./Packing.ts"

/*
 * Compares a tarball's contents with what it should contain.
 */

const builtFrom = (source: string): ReadonlyArray<string> => {
  const built = source.replace(/^src\//, "dist/").replace(/\.ts$/, "")
  return [".js", ".js.map", ".d.ts", ".d.ts.map"].map((ending) => built + ending)
}

/** Matches test files. */
const isOfTests = (path: string): boolean => /\.test\.|(^|\/)(tests?|fixtures|__\w+__)\//.test(path)

/**
 * Files that a tarball should contain: the sources, since source maps point to them; four built files for each, and
 * none for a deleted source; the folders in `assets`; and the files that npm shows.
 */
const expectedFiles = ({ origin }: PackedPackage, assets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const below = (name: string) => filesOf(join(origin, name)).map((file) => `${name}/${file}`)
  const sources = below("src")
  return [
    "LICENSE",
    "README.md",
    "package.json",
    ...sources,
    ...sources.flatMap(builtFrom),
    ...assets.flatMap(below)
  ]
}

/** Lists missing and unexpected files of a tarball. `assets` are folders besides sources and build. */
export const fileFaults = (
  packed: PackedPackage,
  assets: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const files = new Set(filesOf(packed.folder))
  const expected = new Set(expectedFiles(packed, assets))
  return [
    ...[...expected].filter((file) => !files.has(file)).map((file) => `${file} is missing`),
    ...[...files].filter((file) => !expected.has(file)).map((file) => `${file} should not be there`),
    ...[...files].filter(isOfTests).map((file) => `${file} is for tests`)
  ]
}

/** Sources that source maps name but the tarball lacks. */
export const mapFaults = ({ folder }: PackedPackage): ReadonlyArray<string> =>
  filesOf(folder)
    .filter((file) => file.endsWith(".map"))
    .flatMap((file) => {
      const { sources } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
        readonly sources: ReadonlyArray<string>
      }
      return sources
        .filter((source) => !existsSync(join(folder, normalize(join(dirname(file), source)))))
        .map((source) => `${file} names ${source}`)
    })

/** Entries that lead to no file, lack types, or lack a file to run. */
export const exportFaults = (packed: PackedPackage): ReadonlyArray<string> => {
  const entries = entriesOf(packed)
  const faults = entries.flatMap(({ conditions, specifier }) => [
    ...["types", "default"]
      .filter((condition) => conditions[condition] === undefined)
      .map((condition) => `${specifier} has no ${condition}`),
    ...Object.entries(conditions)
      .filter(([, path]) => !existsSync(join(packed.folder, path)))
      .map(([condition, path]) => `${specifier}: ${condition} is ${path}, which does not exist`)
  ])
  return entries.length === 0 ? [`${packed.name} exports nothing`] : faults
}

/** Ranges that only this workspace understands, and ranges of our own packages that exclude the packed version. */
export const rangeFaults = (
  { manifest, name }: PackedPackage,
  all: ReadonlyArray<PackedPackage>
): ReadonlyArray<string> => {
  const versions = new Map(all.map((one) => [one.name, one.manifest.version]))
  const ranges = { ...manifest.dependencies, ...manifest.peerDependencies }
  return [
    ...(/"(workspace|link|file|catalog):/.test(JSON.stringify(manifest))
      ? [`${name} has a range that no registry resolves`]
      : []),
    ...Object.entries(ranges)
      .filter(([dependency, range]) => versions.has(dependency) && range !== `^${versions.get(dependency)}`)
      .map(([dependency, range]) => `${name} requires ${dependency} ${range}`)
  ]
}
