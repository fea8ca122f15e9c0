import { createHash } from "node:crypto"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type ArchiveFacts,
  ListingRejected,
  type Publication,
  readListing,
  type VaultListing
} from "@till402/core"
import { inspectZip } from "./archive/inspectZip.ts"
import {
  type ArchiveFault,
  type ArchiveFile,
  type ArchiveRules,
  defaultZipLimits,
  type ZipLimits
} from "./archive/ZipLimits.ts"
import { zipFolder } from "./archive/zipFolder.ts"
import type { ArchiveStorage } from "./storage/ArchiveStorage.ts"
import { fileStream } from "./storage/fileStream.ts"

/** What is published. */
export interface PublishOptions {
  /** Path of a folder, of which an archive is made, or of a ZIP archive. */
  readonly source: string
  /** Title, price and so on: a `VaultListing`. It's checked, so it may come from a file. */
  readonly listing: unknown
  readonly limits?: Partial<ZipLimits>
  /**
   * Paths in the archive that are sold although their names are private, such as `.env` or `.git`; each with everything
   * below it. Without this, such a name is a fault.
   */
  readonly allow?: ReadonlyArray<string>
}

/** Where items are listed: `till.vault` of a running till. */
export interface Shelf {
  readonly publish: (listing: VaultListing, archive: ArchiveFacts) => Promise<Publication>
}

export interface Published extends Publication {
  readonly slug: string
  readonly archive: ArchiveFacts
  /** What buyers get, in the order of the archive. */
  readonly files: ReadonlyArray<ArchiveFile>
}

/** An item that was checked, and the file of its archive. */
export interface Prepared {
  readonly listing: VaultListing
  readonly archive: ArchiveFacts
  readonly files: ReadonlyArray<ArchiveFile>
  readonly file: string
  /** Deletes what was made on the way. */
  readonly discard: () => Promise<void>
}

const factsOf = async (file: string): Promise<ArchiveFacts> => {
  const { size } = await stat(file)
  const hash = createHash("sha256")
  for await (const chunk of fileStream(file, 0, size)) hash.update(chunk)
  return { digest: hash.digest("hex"), size }
}

type MadeArchive =
  | ({ readonly _tag: "Sound" } & Pick<Prepared, "archive" | "file" | "files">)
  | { readonly _tag: "Faulty"; readonly faults: ReadonlyArray<ArchiveFault> }

/** Digests a file before it's checked: the storage then accepts only the bytes that were checked. */
const checkArchive = async (file: string, rules: ArchiveRules): Promise<MadeArchive> => {
  const archive = await factsOf(file)
  const { faults, files } = await inspectZip(file, rules)
  return faults.length > 0 ? { _tag: "Faulty", faults } : { _tag: "Sound", file, files, archive }
}

const makeArchive = async (source: string, folder: string, rules: ArchiveRules): Promise<MadeArchive> => {
  const found = await stat(source).catch(() => undefined)
  if (found?.isDirectory() === true) {
    const file = join(folder, "archive.zip")
    const faults = await zipFolder(source, file, rules)
    return faults.length > 0 ? { _tag: "Faulty", faults } : checkArchive(file, rules)
  }
  if (found?.isFile() === true) return checkArchive(source, rules)
  return { _tag: "Faulty", faults: [{ path: "", message: "must be a folder or a ZIP archive that exists" }] }
}

const issueOf = ({ message, path }: ArchiveFault) => ({
  path: path === "" ? "source" : `source/${path}`,
  message
})

/**
 * Checks an item and makes its archive, without publishing anything. Rejects with `ListingRejected`, which has every
 * fault of listing and archive; paths of the archive begin with `source`.
 */
export const prepare = async ({ allow = [], limits, listing, source }: PublishOptions): Promise<Prepared> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-publish-"))
  const discard = () => rm(folder, { recursive: true, force: true })
  try {
    const reading = readListing(listing)
    const made = await makeArchive(source, folder, { ...defaultZipLimits, ...limits, allow })
    if (reading._tag === "Listing" && made._tag === "Sound")
      return { listing: reading.listing, archive: made.archive, files: made.files, file: made.file, discard }
    const inListing = reading._tag === "Faulty" ? reading.issues : []
    const inArchive = made._tag === "Faulty" ? made.faults.map(issueOf) : []
    throw new ListingRejected({ issues: [...inListing, ...inArchive] })
  } catch (cause) {
    await discard()
    throw cause
  }
}

/**
 * Stores the archive, then lists the item: no buyer sees one without the other. If it fails in between, the archive is
 * stored and nobody sees it; publishing again continues.
 */
export const publishPrepared = async (
  shelf: Shelf,
  storage: ArchiveStorage,
  { archive, file, files, listing }: Prepared
): Promise<Published> => {
  await storage.put(archive, () => fileStream(file, 0, archive.size))
  return { ...(await shelf.publish(listing, archive)), slug: listing.slug, archive, files }
}

/**
 * Publishes a folder or a ZIP archive as a vault item. The same listing and files again change nothing; other files of a
 * slug are its next version. Rejects with `ListingRejected`, which has every fault at once; then nothing is published.
 *
 * @example
 * const storage = folderStorage("/srv/vault")
 * const till = Till.make({ ...options, vault: vaultOver(storage) })
 * await publish(till.vault, storage, { source: "./pull-request-review", listing })
 */
export const publish = async (
  shelf: Shelf,
  storage: ArchiveStorage,
  options: PublishOptions
): Promise<Published> => {
  const prepared = await prepare(options)
  try {
    return await publishPrepared(shelf, storage, prepared)
  } finally {
    await prepared.discard()
  }
}
