/** Bounds of an archive. All are generous for goods and far below what harms a buyer's disk. */
export interface ZipLimits {
  /** Files and folders: default 10,000. */
  readonly maxEntries: number
  /** Bytes of the archive itself: default 4 GiB. */
  readonly maxArchiveBytes: number
  /** Bytes of all files, unpacked: default 8 GiB. */
  readonly maxUnpackedBytes: number
}

const gibibyte = 1024 ** 3

export const defaultZipLimits: ZipLimits = {
  maxEntries: 10_000,
  maxArchiveBytes: 4 * gibibyte,
  maxUnpackedBytes: 8 * gibibyte
}

/** Something that keeps an archive from being published, with the entry that has it. */
export interface ArchiveFault {
  readonly path: string
  readonly message: string
}

/** A file of an archive. */
export interface ArchiveFile {
  readonly path: string
  /** Bytes, unpacked. */
  readonly size: number
}

/** By what an archive is checked. */
export interface ArchiveRules extends ZipLimits {
  /** Paths that are sold although their names are private, each with everything below it. */
  readonly allow: ReadonlyArray<string>
}
