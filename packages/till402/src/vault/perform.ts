import { readdir, readFile, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { ListingRejected } from "@till402/core"
import {
  type ArchiveStorage,
  folderStorage,
  type Prepared,
  prepare,
  type Published,
  publishPrepared
} from "@till402/vault"
import { CommandFailed } from "../CommandFailed.ts"
import type { Output } from "../terminal/Output.ts"
import { harmless, jsonLine } from "../terminal/wrap.ts"
import { type Counter, openCounter } from "./Counter.ts"

/** What the commands need that publish. */
interface Publishing {
  /** Where archives are stored. */
  readonly files: string
  /** Private paths to sell. */
  readonly allow: ReadonlyArray<string>
}

/** A command of the vault with what it needs. */
export type VaultCommand =
  | ({ readonly _tag: "Publish"; readonly source: string; readonly manifest: string } & Publishing)
  | ({ readonly _tag: "Import"; readonly folder: string } & Publishing)
  | { readonly _tag: "List"; readonly query: string | undefined }
  | { readonly _tag: "Unpublish"; readonly slug: string }

/** The manifest beside a source: `item.json` of `item` and of `item.zip`, also of `.` in it. */
export const manifestOf = (source: string): string => {
  const item = source.replace(/\/+$|\.zip$/i, "")
  return `${/^(?:.*\/)?\.{1,2}$/.test(item) ? resolve(item) : item}.json`
}

const maxManifestBytes = 100_000

const readManifest = async (path: string): Promise<unknown> => {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) throw new CommandFailed(`the manifest ${path} doesn't exist`)
  if (found.size > maxManifestBytes) throw new CommandFailed(`the manifest ${path} is too large`)
  const text = await readFile(path, "utf8")
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommandFailed(
      `the manifest ${path} is not JSON: ${cause instanceof Error ? cause.message : ""}`
    )
  }
}

interface Source {
  readonly source: string
  readonly manifest: string
}

/** The manifests of a folder, each with its folder or archive. */
const sourcesOf = async (folder: string): Promise<ReadonlyArray<Source>> => {
  const entries = await readdir(folder).catch(() => {
    throw new CommandFailed(`the folder ${folder} can't be read`)
  })
  const names = new Set(entries)
  const manifests = entries.filter((name) => name.endsWith(".json")).toSorted()
  if (manifests.length === 0) throw new CommandFailed(`the folder ${folder} has no manifests (NAME.json)`)
  return manifests.map((manifest) => {
    const name = manifest.slice(0, -".json".length)
    return {
      manifest: join(folder, manifest),
      source: join(folder, names.has(name) ? name : `${name}.zip`)
    }
  })
}

interface Work extends Publishing {
  readonly sources: ReadonlyArray<Source>
}

/** Prepares all sources, or throws with every fault of every one. */
const prepareAll = async (
  { allow, sources }: Work,
  prepared: Array<Prepared>,
  output: Output
): Promise<void> => {
  let faulty = 0
  const slugs = new Map<string, string>()
  for (const { manifest, source } of sources) {
    const faults: Array<string> = []
    try {
      const item = await prepare({ source, listing: await readManifest(manifest), allow })
      prepared.push(item)
      const { slug } = item.listing
      const other = slugs.get(slug)
      if (other !== undefined) faults.push(`slug ${slug} is also that of ${other}`)
      slugs.set(slug, manifest)
    } catch (cause) {
      if (cause instanceof ListingRejected)
        faults.push(...cause.issues.map(({ message, path }) => `${path} ${message}`.trim()))
      else if (cause instanceof CommandFailed) faults.push(cause.message)
      else throw cause
    }
    if (faults.length > 0) faulty++
    for (const fault of faults) output.note(`${manifest}: ${harmless(fault, 2_000)}`)
  }
  if (faulty > 0)
    throw new CommandFailed(`${faulty} of ${sources.length} can't be published; nothing was published`)
}

/** What happened to an item; unless it was nothing, then each of its files: a seller sees what buyers get. */
const linesOf = ({ _tag: outcome, archive, files, slug, version }: Published): ReadonlyArray<string> => [
  `${outcome.toLowerCase().padEnd(9)}  ${slug}  version ${version}  ${archive.size} bytes  ${archive.digest}`,
  ...(outcome === "Unchanged" ? [] : files.map(({ path, size }) => `           ${path}  ${size} bytes`))
]

const fromEnvironment = (name: string): string | undefined => process.env[name] || undefined

/** The storage of a folder, or of a bucket by its address. */
const storageOf = async (files: string): Promise<ArchiveStorage> => {
  if (!/^https?:\/\//.test(files)) return folderStorage(files)
  const accessKeyId = fromEnvironment("AWS_ACCESS_KEY_ID")
  const secretAccessKey = fromEnvironment("AWS_SECRET_ACCESS_KEY")
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new CommandFailed("a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
  const sessionToken = fromEnvironment("AWS_SESSION_TOKEN")
  const region = fromEnvironment("AWS_REGION")
  const { s3Storage } = await import("@till402/vault/s3")
  return s3Storage({
    bucket: files,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    ...(region === undefined ? {} : { region })
  })
}

const publishAll = async (
  counter: Counter,
  work: Work,
  { json, output }: { readonly json: boolean; readonly output: Output }
): Promise<void> => {
  const storage = await storageOf(work.files)
  const prepared: Array<Prepared> = []
  try {
    await prepareAll(work, prepared, output)
    for (const item of prepared) {
      const published = await publishPrepared(counter, storage, item)
      for (const line of json ? [jsonLine(published)] : linesOf(published)) output.print(line)
    }
  } finally {
    for (const { discard } of prepared) await discard()
  }
}

const perform = async (
  counter: Counter,
  command: VaultCommand,
  json: boolean,
  output: Output
): Promise<void> => {
  switch (command._tag) {
    case "Publish": {
      const { manifest, source } = command
      return publishAll(counter, { ...command, sources: [{ manifest, source }] }, { json, output })
    }
    case "Import": {
      return publishAll(counter, { ...command, sources: await sourcesOf(command.folder) }, { json, output })
    }
    case "List": {
      for await (const item of counter.list(command.query === undefined ? {} : { q: command.query })) {
        const { downloads, price, sales, slug, title } = item
        output.print(
          json
            ? jsonLine(item)
            : `${slug}  $${price}  ${sales} sold  ${downloads} downloads  ${harmless(title)}`
        )
      }
      return
    }
    case "Unpublish": {
      if (!(await counter.unlist(command.slug)))
        throw new CommandFailed(`no item of the slug ${command.slug} is listed`)
      output.print(json ? jsonLine({ slug: command.slug, listed: false }) : `unlisted  ${command.slug}`)
    }
  }
}

/** Runs a command over the vault of a database. */
export const performVault = async (
  command: VaultCommand,
  database: string,
  { json, output }: { readonly json: boolean; readonly output: Output }
): Promise<void> => {
  const counter = await openCounter(database)
  try {
    await perform(counter, command, json, output)
  } finally {
    await counter.close()
  }
}
