import { UpstreamFailed, type VaultOptions } from "@till402/core"
import type { ArchiveStorage } from "./ArchiveStorage.ts"

const unavailable = (message: string): UpstreamFailed =>
  new UpstreamFailed({ port: "vault", cause: new Error(message) })

/**
 * The option `vault` of a till whose files are in a storage. An archive is looked up before any money moves, and read
 * only when its download is.
 *
 * @example
 * const storage = folderStorage("/srv/vault")
 * const till = Till.make({ ...options, vault: vaultOver(storage) })
 */
export const vaultOver = (storage: ArchiveStorage): VaultOptions => ({
  open: async ({ archive, slug }) => {
    if (archive === undefined) throw unavailable(`${slug} was put without an archive: publish it`)
    if (!(await storage.find(archive))) throw unavailable(`the archive of ${slug} isn't in the storage`)
    const { digest, size } = archive
    const range = (start: number, end: number) => storage.open(archive, start, end)
    return { body: range(0, size), size, digest, range }
  }
})
