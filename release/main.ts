/*
 * Releases the packages from the changes in `.changeset`: `npm run release`.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Owner, ownerFaults, readOwner } from "./Owner.ts"
import { packageFaults } from "./PackageChecks.ts"
import { isPublished, publish } from "./Registry.ts"
import { sizeFaults } from "./Sizes.ts"
import { cloneRelease, packRelease, takeRelease, type Tarball } from "./Stage.ts"
import { ReleaseRefused, run } from "./Tool.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Why a release can't be made from the checkout. */
const checkoutFaults = (root: string): ReadonlyArray<string> => [
  ...(run("git", ["branch", "--show-current"], root).trim() === "main" ? [] : ["The branch is not main"]),
  ...(run("git", ["status", "--porcelain"], root) === ""
    ? []
    : ["The checkout has changes: commit them first"])
]

const faultsOf = async (tarballs: ReadonlyArray<Tarball>): Promise<ReadonlyArray<string>> => {
  const all: Array<string> = []
  for (const { bytes, entrypoints, file, manifest } of tarballs) {
    const found = await packageFaults(file, entrypoints)
    all.push(...sizeFaults(manifest.name, bytes), ...found.map((fault) => `${manifest.name}: ${fault}`))
  }
  return all
}

const printTable = (tarballs: ReadonlyArray<Tarball>): void => {
  const width = Math.max(...tarballs.map(({ manifest }) => manifest.name.length))
  for (const { bytes, files, manifest } of tarballs) {
    const size = `${Math.ceil(bytes / 1000)} kB`.padStart(8)
    print(`  ${manifest.name.padEnd(width)}  ${manifest.version}  ${size}  ${files} files`)
  }
}

const publishAll = (tarballs: ReadonlyArray<Tarball>, withProvenance: boolean): void => {
  for (const tarball of tarballs) {
    const { name, version } = tarball.manifest
    if (isPublished(tarball)) print(`${name}@${version} is published already`)
    else {
      publish(tarball, withProvenance)
      print(`published ${name}@${version}`)
    }
  }
}

interface Options {
  readonly root: string
  readonly dryRun: boolean
  readonly withProvenance: boolean
}

const release = async ({ dryRun, root, withProvenance }: Options, folder: string): Promise<void> => {
  const owner: Owner = readOwner(root)
  const obstacles = [...ownerFaults(owner), ...checkoutFaults(root)]
  if (obstacles.length > 0 && !dryRun)
    throw new ReleaseRefused(`The release is refused, and nothing was changed:\n  ${obstacles.join("\n  ")}`)
  const clone = join(folder, "clone")
  const version = cloneRelease(root, clone, owner)
  print(`Packing ${version} from the last commit …`)
  const tarballs = packRelease(root, clone, join(folder, "tarballs"), owner, dryRun)
  printTable(tarballs)
  const faults = await faultsOf(tarballs)
  if (faults.length > 0)
    throw new ReleaseRefused(`The packages have faults; nothing was changed:\n  ${faults.join("\n  ")}`)
  if (dryRun) {
    print("Dry run: nothing was published, and the checkout is as it was.")
    if (obstacles.length > 0) print(`A release would be refused:\n  ${obstacles.join("\n  ")}`)
    return
  }
  takeRelease(root, clone)
  publishAll(tarballs, withProvenance)
  print(`Released ${version}. Publish its commit and tag, too: git push --follow-tags`)
}

const known = ["--dry-run", "--without-provenance"]

const main = async (args: ReadonlyArray<string>): Promise<void> => {
  // A misspelt dry run must not become a release.
  const wrong = args.find((arg) => !known.includes(arg))
  if (wrong !== undefined)
    throw new ReleaseRefused(`There is no option ${wrong}.\n\nUsage: npm run release -- ${known.join(" ")}`)
  const root = dirname(dirname(fileURLToPath(import.meta.url)))
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "till402-release-"))
  try {
    await release(
      {
        root,
        // Without `--` before it, npm takes the option, and only says so here.
        dryRun: args.includes("--dry-run") || process.env["npm_config_dry_run"] === "true",
        withProvenance: !args.includes("--without-provenance")
      },
      folder
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof ReleaseRefused)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
