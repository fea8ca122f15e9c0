import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { entriesOf, filesOf, type PackedPackage } from "./Packing.ts"

/*
 * What a tarball holds, against what it should.
 */

const builtFrom = (source: string): ReadonlyArray<string> => {
  const built = source.replace(/^src\//, "dist/").replace(/\.ts$/, "")
  return [".js", ".js.map", ".d.ts", ".d.ts.map"].map((ending) => built + ending)
}

/** A file that is there for tests. */
const isOfTests = (path: string): boolean => /\.test\.|(^|\/)(tests?|fixtures|__\w+__)\//.test(path)

/**
 * Files that a tarball should hold: the sources, since maps point at them; four files of each, and nothing of
 * a source that is gone; the folders in `assets`; and what npm shows.
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

/** What is missing from a tarball, or should not be there. `assets` are folders beside sources and build. */
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

/** Sources that maps name and the tarball lacks. */
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

/** Entries that lead nowhere, or that have no types, or no file to run. */
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

/** Ranges that only this workspace understands, and ranges of packages of ours that miss what is packed. */
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
      .map(([dependency, range]) => `${name} asks for ${dependency} ${range}`)
  ]
}
