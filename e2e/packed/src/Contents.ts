import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { linksOf } from "../../docs/documents.ts"
import { entriesOf, filesOf, type PackedPackage } from "./Packing.ts"

/*
 * Compares a tarball's contents with what it should contain.
 */

const builtFrom = (source: string): ReadonlyArray<string> => {
  const built = source.replace(/^src\//, "dist/").replace(/\.ts$/, "")
  return [".js", ".d.ts"].map((ending) => built + ending)
}

/** Matches test files. */
const isOfTests = (path: string): boolean => /\.test\.|(^|\/)(tests?|fixtures|__\w+__)\//.test(path)

/**
 * Files that a tarball should contain: two built files for each source, and none for a deleted source; the folders in
 * `assets`; and the files that npm shows. Sources and source maps stay in the repository.
 */
const expectedFiles = ({ origin }: PackedPackage, assets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const below = (name: string) => filesOf(join(origin, name)).map((file) => `${name}/${file}`)
  return [
    "LICENSE",
    "README.md",
    "package.json",
    ...below("src").flatMap(builtFrom),
    ...assets.flatMap(below)
  ]
}

/** Lists missing and unexpected files of a tarball. `assets` are folders besides the build. */
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

/** Files that name a source map, which no tarball has. */
export const mapFaults = ({ folder }: PackedPackage): ReadonlyArray<string> =>
  filesOf(folder)
    .filter((file) => /\.(js|d\.ts)$/.test(file))
    .filter((file) => /^\/\/# sourceMappingURL=/m.test(readFileSync(join(folder, file), "utf8")))
    .map((file) => `${file} names a source map`)

/** Relative links of a package's pages that lead out of it, and pages named in its texts and declarations that it lacks. */
export const linkFaults = ({ folder }: PackedPackage): ReadonlyArray<string> =>
  filesOf(folder).flatMap((file) => {
    if (!/\.(md|js|d\.ts)$/.test(file)) return []
    const text = readFileSync(join(folder, file), "utf8")
    if (!file.endsWith(".md"))
      return [...new Set(Array.from(text.matchAll(/(?<![\w./])docs\/[\w/-]+\.md/g), ([page]) => page))]
        .filter((page) => !existsSync(join(folder, page)))
        .map((page) => `${file} names ${page}`)
    return linksOf({ path: file, text })
      .map(({ target }) => target)
      .filter((target) => !target.startsWith("#"))
      .filter((target) => !existsSync(join(folder, dirname(file), target.split("#")[0]!)))
      .map((target) => `${file} links ${target}`)
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
