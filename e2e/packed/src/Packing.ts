import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { preparePackages, publishedFolders } from "../../../release/Publishing.ts"
import { readOwner } from "../../../release/Owner.ts"
import { build, pnpm, root, run } from "./Tool.ts"

export { entriesOf, type Entry } from "../../../release/Publishing.ts"

/** The fields that the tests use of a `package.json`. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** A package extracted from its tarball. */
export interface PackedPackage {
  readonly name: string
  readonly manifest: Manifest
  /** Folder of the extracted tarball. */
  readonly folder: string
  /** The tarball. */
  readonly tarball: string
  /** The copy of the workspace folder that it was packed from, with its dependencies. */
  readonly origin: string
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest

/** Names of the packages installed in a `node_modules`, scopes included. */
const installedIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(folder, name)).map((part) => `${name}/${part}`) : [name]
    )

/** Links `path` to `target`, creating parent folders. */
export const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path, "junction")
}

/** A workspace path in the copy; paths that weren't copied stay unchanged. */
const inCopy = (path: string, folders: ReadonlyArray<string>, copy: string): string => {
  const below = relative(root, path).replaceAll("\\", "/")
  return folders.includes(below) ? join(copy, below) : path
}

/**
 * Copies the published packages and the documents, without their build: files of a deleted module would be packed too, and a build in
 * place would disturb readers of `dist`.
 */
const copyPackages = (folders: ReadonlyArray<string>, copy: string): void => {
  for (const file of ["package.json", "pnpm-workspace.yaml", "tsconfig.base.json", "LICENSE"]) {
    cpSync(join(root, file), join(copy, file))
  }
  cpSync(join(root, "docs"), join(copy, "docs"), { recursive: true })
  for (const folder of folders) {
    const from = join(root, folder)
    cpSync(from, join(copy, folder), {
      recursive: true,
      filter: (path) => !["node_modules", "dist"].includes(basename(path))
    })
    for (const name of installedIn(join(from, "node_modules"))) {
      const target = inCopy(realpathSync(join(from, "node_modules", name)), folders, copy)
      link(target, join(copy, folder, "node_modules", name))
    }
  }
}

interface Packed {
  readonly name: string
  /** Path of the tarball. */
  readonly filename: string
}

/**
 * Builds the published packages from scratch in a copy below `folder`, packs them as for a release, and extracts each
 * tarball to the folder that `homeOf` returns for its name. Checks their types if `checked`.
 */
export const packAll = async (
  folder: string,
  homeOf: (name: string) => string,
  checked = false
): Promise<ReadonlyArray<PackedPackage>> => {
  const copy = join(folder, "workspace")
  const folders = publishedFolders(root)
  mkdirSync(copy)
  copyPackages(folders, copy)
  await build(folders, copy, checked)
  preparePackages(copy, readOwner(root))
  const tarballs = join(folder, "tarballs")
  mkdirSync(tarballs)
  const args = ["-r", "--filter", "./packages/*", "pack", "--pack-destination", tarballs, "--json"]
  const packed = JSON.parse(await pnpm(args, copy)) as ReadonlyArray<Packed>
  return Promise.all(
    folders.map(async (below) => {
      const { name } = readManifest(join(root, below))
      const tarball = packed.find((one) => one.name === name)
      if (tarball === undefined) throw new Error(`pnpm packed no ${name}`)
      const extracted = homeOf(name)
      mkdirSync(extracted, { recursive: true })
      await run("tar", ["-xzf", tarball.filename, "-C", extracted, "--strip-components=1"], folder)
      return {
        name,
        manifest: readManifest(extracted),
        folder: extracted,
        tarball: tarball.filename,
        origin: join(copy, below)
      }
    })
  )
}

/** Every file below a folder, including hidden ones, as sorted paths with slashes. */
export const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort()
