import type { ArchiveFacts } from "../goods/VaultListing.ts"
import type { ArchiveToOpen } from "../ports/VaultFiles.ts"

/*
 * A download's charge records what it opened, so that a replay opens the same: the slug, and of a published item the
 * archive.
 */

const published = /^sha256:([0-9a-f]{64}):(\d{1,16}):(.*)$/s

/** The text that a download's charge records. */
export const referenceOf = (slug: string, archive: ArchiveFacts | undefined): string =>
  archive === undefined ? slug : `sha256:${archive.digest}:${archive.size}:${slug}`

/** What a recorded text opens. */
export const archiveOfReference = (reference: string): ArchiveToOpen => {
  const [, digest, size, slug] = published.exec(reference) ?? []
  return digest === undefined || size === undefined || slug === undefined
    ? { slug: reference }
    : { slug, archive: { digest, size: Number(size) } }
}
