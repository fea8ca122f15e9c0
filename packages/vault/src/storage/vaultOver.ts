import { type ArchiveFacts, type ArchiveToOpen, UpstreamFailed, type VaultOptions } from "@till402/core"
import type { ArchiveStorage, LinkingStorage } from "./ArchiveStorage.ts"

/** Events have the code of an error, and no messages. */
const unavailable = (code: string, message: string): UpstreamFailed =>
  new UpstreamFailed({ port: "vault", cause: Object.assign(new Error(message), { code }) })

/** The facts of an archive that is in the storage; throws for any other. */
const stored = async (storage: ArchiveStorage, { archive, slug }: ArchiveToOpen): Promise<ArchiveFacts> => {
  if (archive === undefined)
    throw unavailable("NOT_PUBLISHED", `${slug} was put without an archive: publish it`)
  if (!(await storage.find(archive)))
    throw unavailable("ENOENT", `the archive of ${slug} isn't in the storage`)
  return archive
}

/**
 * The option `vault` of a till whose files are in a storage. An archive is looked up before any money moves, and read
 * only when its download is.
 *
 * @example
 * const storage = folderStorage("/srv/vault")
 * const till = Till.make({ ...options, vault: vaultOver(storage) })
 */
export const vaultOver = (storage: ArchiveStorage): VaultOptions => ({
  open: async (item) => {
    const archive = await stored(storage, item)
    const { digest, size } = archive
    const range = (start: number, end: number) => storage.open(archive, start, end)
    return { body: range(0, size), size, digest, range }
  }
})

/**
 * The same for a storage that makes links: a download is a 302 to the storage, by a link that is signed for one archive and
 * 60 seconds. The bytes don't pass through the till, so it can't hold a slow reader back, nor count what a link is used for;
 * each link counts as a whole download. The contract's response is a 200: use it for buyers whose clients follow redirects.
 *
 * @example
 * const bucket = s3Storage({ bucket: "https://s3.eu-central-1.amazonaws.com/goods", accessKeyId: "…", secretAccessKey: "…" })
 * const till = Till.make({ ...options, vault: redirectingVault(bucket) })
 */
export const redirectingVault = (storage: LinkingStorage): VaultOptions => ({
  open: async (item) => {
    const archive = await stored(storage, item)
    const name = `${item.slug.replace(/[^A-Za-z0-9._-]/g, "_")}.zip`
    return { redirect: await storage.link(archive, name), size: archive.size }
  }
})
