import { createHash } from "node:crypto"
import type { ArchiveFacts } from "@till402/core"

/**
 * Stores ZIP archives by their digest. What is stored never changes, so a digest is stored once. `storageTests` of
 * `@till402/vault/testing` has the contract as tests.
 */
export interface ArchiveStorage {
  /**
   * Stores the bytes that `read` returns, all or none: until it resolves, `find` returns `false`. Does nothing if the
   * archive is stored already. Rejects with `ArchiveMismatch` if the bytes have another digest or size.
   */
  readonly put: (archive: ArchiveFacts, read: () => AsyncIterable<Uint8Array>) => Promise<void>
  /** Whether the whole archive is stored. */
  readonly find: (archive: ArchiveFacts) => Promise<boolean>
  /** Opens the bytes from `start` to before `end`, read at the caller's pace. Fails if the archive isn't stored. */
  readonly open: (archive: ArchiveFacts, start: number, end: number) => ReadableStream<Uint8Array>
}

/** A storage that makes links, by which a buyer downloads from it without the till. */
export interface LinkingStorage extends ArchiveStorage {
  /** An address of the whole archive that expires after 60 seconds. `name`: how the buyer's program names the file. */
  readonly link: (archive: ArchiveFacts, name: string) => Promise<string>
}

/** The bytes of an archive are not those that its digest and size name. Nothing was stored. */
export class ArchiveMismatch extends Error {
  override readonly name = "ArchiveMismatch"
}

/** Digests are also file names and keys: nothing else may reach a path. */
export const digestOf = ({ digest }: ArchiveFacts): string => {
  if (/^[0-9a-f]{64}$/.test(digest)) return digest
  throw new ArchiveMismatch("the digest must be SHA-256 in lower-case hexadecimal")
}

/**
 * The same chunks; throws `ArchiveMismatch` unless they are the archive's. The last chunk comes only once all are known to
 * be right, so that no service takes an upload for whole that isn't.
 */
export const checked = async function* (
  chunks: AsyncIterable<Uint8Array>,
  { digest, size }: ArchiveFacts
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256")
  let length = 0
  let last: Uint8Array | undefined
  for await (const chunk of chunks) {
    hash.update(chunk)
    length += chunk.byteLength
    if (length > size) throw new ArchiveMismatch(`the archive has more than ${size} bytes`)
    if (last !== undefined) yield last
    last = chunk
  }
  if (length !== size) throw new ArchiveMismatch(`the archive has ${length} bytes instead of ${size}`)
  if (hash.digest("hex") !== digest) throw new ArchiveMismatch("the archive has another digest")
  if (last !== undefined) yield last
}
