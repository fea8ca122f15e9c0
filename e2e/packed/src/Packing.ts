import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
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
 * Copies the published packages and the documents, without their tests and their build: files of a deleted module would be
 * packed too, and a build in place would disturb readers of `dist`.
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
      filter: (path) => !["node_modules", "dist"].includes(basename(path)) && path !== join(from, "test")
    })
    for (const name of installedIn(join(from, "node_modules"))) {
      const target = inCopy(realpathSync(join(from, "node_modules", name)), folders, copy)
      link(target, join(copy, folder, "node_modules", name))
    }
  }
}

/** The last build, which the next run takes if it would be made of the same files. */
const kept = join(dirname(dirname(fileURLToPath(import.meta.url))), ".tmp", "build")
const keptDigest = join(kept, "digest")

/** A digest of the names and contents of all that a build in a copy is made of, compilers included. */
const digestOf = (folders: ReadonlyArray<string>, copy: string): string => {
  const hash = createHash("sha256")
  const add = (name: string, path: string) =>
    hash.update(`${name}\n${createHash("sha256").update(readFileSync(path)).digest("hex")}\n`)
  for (const file of ["tsconfig.base.json", "package.json"]) add(file, join(copy, file))
  add("pnpm-lock.yaml", join(root, "pnpm-lock.yaml"))
  for (const folder of ["docs", ...folders])
    for (const entry of readdirSync(join(copy, folder), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`
      if (entry.isFile()) add(name, join(copy, name))
      // Links to other packages lead in circles.
      else if (entry.name !== "node_modules")
        for (const file of filesOf(join(copy, name))) add(`${name}/${file}`, join(copy, name, file))
    }
  return hash.digest("hex")
}

/** Builds the packages of a copy that has no build, or takes the last build if it was of the same contents. */
const buildIn = async (folders: ReadonlyArray<string>, copy: string): Promise<void> => {
  const digest = digestOf(folders, copy)
  const outputs = folders.flatMap((folder) =>
    (folder === "packages/core" ? ["dist", "docs"] : ["dist"]).map((name) => `${folder}/${name}`)
  )
  if (existsSync(keptDigest) && readFileSync(keptDigest, "utf8") === digest) {
    for (const output of outputs) cpSync(join(kept, output), join(copy, output), { recursive: true })
    return
  }
  await build(folders, copy, false)
  rmSync(kept, { recursive: true, force: true })
  for (const output of outputs) cpSync(join(copy, output), join(kept, output), { recursive: true })
  // Last: a copy that was interrupted isn't taken.
  writeFileSync(keptDigest, digest)
}

interface Packed {
  readonly name: string
  /** Path of the tarball. */
  readonly filename: string
}

/**
 * Builds the published packages in a copy below `folder`, packs them as for a release, and extracts each tarball to the
 * folder that `homeOf` returns for its name. If `checked`, the build is from scratch, and has its types checked.
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
  await (checked ? build(folders, copy, true) : buildIn(folders, copy))
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
