import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { createPackageFromTarballData } from "@arethetypeswrong/core"
import type { Owner } from "./Owner.ts"
import {
  entriesOf,
  inOrder,
  type Manifest,
  preparePackages,
  publishedFolders,
  readManifest,
  securityPage
} from "./Publishing.ts"
import { run } from "./Tool.ts"

/*
 * Makes the release in a clone of the last commit, so that a fault leaves the checkout as it is, and nothing that isn't
 * committed is published.
 */

/** A package of the release. */
export interface Tarball {
  readonly manifest: Manifest
  /** Path of the file that is checked and published. */
  readonly file: string
  /** Its entries, such as `./effect`. */
  readonly entrypoints: ReadonlyArray<string>
  readonly bytes: number
  readonly files: number
}

const git = (args: ReadonlyArray<string>, cwd: string): string => run("git", args, cwd).trim()

/** The changes that wait for a release. */
const changesets = (clone: string): ReadonlyArray<string> =>
  globSync(".changeset/*.md", { cwd: clone }).filter((file) => basename(file) !== "README.md")

/**
 * Clones the last commit of `root` to `clone`. If changes wait for a release, adds the commit of that release, with its
 * tag: new versions, changelogs and the contact of SECURITY.md. Returns its version.
 */
export const cloneRelease = (root: string, clone: string, owner: Owner): string => {
  git(["clone", "--quiet", "--local", root, clone], root)
  const isNew = changesets(clone).length > 0
  if (isNew) {
    run(process.execPath, [join(root, "node_modules", "@changesets", "cli", "bin.js"), "version"], clone)
    const security = join(clone, "SECURITY.md")
    writeFileSync(security, securityPage(readFileSync(security, "utf8"), owner))
  }
  const { version } = readManifest(join(clone, publishedFolders(clone)[0]!))
  if (isNew) {
    for (const name of ["user.name", "user.email"]) git(["config", name, git(["config", name], root)], clone)
    git(["add", "--all"], clone)
    git(["commit", "--quiet", "--message", `release: ${version}`], clone)
    git(["tag", "--annotate", "--message", version, `v${version}`], clone)
  }
  return version
}

/**
 * Builds the packages of a clone, and packs their published form into `folder`; without checks of types if `fast`.
 * Returns the tarballs in the order in which they can be published.
 */
export const packRelease = (
  root: string,
  clone: string,
  folder: string,
  owner: Owner,
  fast: boolean
): ReadonlyArray<Tarball> => {
  const folders = publishedFolders(clone)
  const only = ["--filter", "./packages/*"]
  run("pnpm", [...only, "install", "--frozen-lockfile", "--prefer-offline", "--ignore-scripts"], clone)
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  run(process.execPath, [compiler, "-b", ...folders, ...(fast ? ["--noCheck"] : [])], clone)
  const bundle = join("packages", "core", "build", "bundle.ts")
  run(process.execPath, ["--disable-warning=ExperimentalWarning", bundle], clone)
  preparePackages(clone, owner)
  mkdirSync(folder)
  const packing = ["-r", ...only, "pack", "--pack-destination", folder, "--json"]
  const packed = JSON.parse(run("pnpm", packing, clone)) as ReadonlyArray<{
    readonly name: string
    readonly filename: string
  }>
  return inOrder(
    folders.map((below) => {
      const home = join(clone, below)
      const manifest = readManifest(home)
      const file = packed.find(({ name }) => name === manifest.name)!.filename
      return {
        manifest,
        file,
        entrypoints: entriesOf({ folder: home, manifest }).map(
          ({ specifier }) => `.${specifier.slice(manifest.name.length)}`
        ),
        bytes: statSync(file).size,
        files: createPackageFromTarballData(readFileSync(file)).listFiles().length
      }
    })
  )
}

/** Adds the commit and tag of a release to the checkout. */
export const takeRelease = (root: string, clone: string): void => {
  git(["fetch", "--quiet", "--tags", clone, "HEAD"], root)
  git(["merge", "--quiet", "--ff-only", "FETCH_HEAD"], root)
}
